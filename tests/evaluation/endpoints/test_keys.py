"""Keys of the environment go to the hosts that are listed for them, and sealed keys to one endpoint."""

from __future__ import annotations

import base64
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.outgoing.addresses import LOOPBACK, Address
from annotation.outgoing.sealing import KeyRejected, SealBroken, Sealer, SealingUnavailable
from evaluation.endpoints.keys import Keys

ENVIRON = {
    "SECRET_KEY": "never-for-endpoints",
    "SIGHTLINE_SEAL_KEY": "never-for-endpoints-either",
    "SIGHTLINE_KEY_MAIN": " sk-main-12345678 ",
    "SIGHTLINE_KEY_MAIN_HOSTS": "API.example.com., other.example.com:8443 [2606:4700::1111]:443",
    "SIGHTLINE_KEY_LOCAL": "sk-local-12345678",
    "SIGHTLINE_KEY_LOCAL_HOSTS": "127.0.0.1:8000\nlocalhost:8000",
    "SIGHTLINE_KEY_NOWHERE": "sk-nowhere-1234",
    "SIGHTLINE_KEY_BAD": "sk-bad-12345678",
    "SIGHTLINE_KEY_BAD_HOSTS": "https://example.com/v1",
    "SIGHTLINE_KEY_SHORT": "short",
    "SIGHTLINE_KEY_SHORT_HOSTS": "api.example.com",
    "SIGHTLINE_KEY_EMPTY": "",
    "SIGHTLINE_KEY_lower": "sk-lower-12345678",
}
KEYS = Keys(ENVIRON)
SECRET = "a secret of this server, long enough"


def test_the_names_are_those_of_keys_alone() -> None:
    assert KEYS.names() == ("BAD", "LOCAL", "MAIN", "NOWHERE", "SHORT")


@pytest.mark.parametrize(
    ("name", "url", "key"),
    [
        ("MAIN", "https://api.example.com/v1", "sk-main-12345678"),
        ("MAIN", "https://api.example.com:443/v1", "sk-main-12345678"),
        ("MAIN", "https://other.example.com:8443", "sk-main-12345678"),
        ("MAIN", "https://[2606:4700::1111]/v1", "sk-main-12345678"),
        ("LOCAL", "http://127.0.0.1:8000/v1", "sk-local-12345678"),
        ("LOCAL", "http://localhost:8000/v1", "sk-local-12345678"),
    ],
)
def test_a_key_goes_to_its_hosts(name: str, url: str, key: str) -> None:
    assert KEYS.key(name, Address(url, LOOPBACK)) == key


@pytest.mark.parametrize(
    ("name", "url", "words"),
    [
        ("MAIN", "https://evil.example.com/v1", r"MAIN may not go to evil\.example\.com:443"),
        ("MAIN", "https://api.example.com.evil.org/v1", "may not go"),
        ("MAIN", "https://xapi.example.com/v1", "may not go"),
        ("MAIN", "https://api.example.com:8443/v1", "may not go"),
        ("MAIN", "https://other.example.com/v1", "may not go"),
        ("LOCAL", "http://127.0.0.1:8001/v1", "may not go"),
        ("NOWHERE", "https://api.example.com/v1", "add the host to SIGHTLINE_KEY_NOWHERE_HOSTS"),
        ("BAD", "https://example.com/v1", "SIGHTLINE_KEY_BAD_HOSTS"),
        ("SHORT", "https://api.example.com/v1", "at least 8"),
        ("EMPTY", "https://api.example.com/v1", "no key 'EMPTY'"),
        ("MAIN_HOSTS", "https://api.example.com/v1", "no key"),
        ("lower", "https://api.example.com/v1", "no key"),
        ("../SECRET_KEY", "https://api.example.com/v1", "no key"),
        ("", "https://api.example.com/v1", "no key"),
    ],
)
def test_a_key_goes_nowhere_else(name: str, url: str, words: str) -> None:
    with pytest.raises(KeyRejected, match=words) as caught:
        KEYS.key(name, Address(url, LOOPBACK))
    assert not any(value.strip() in str(caught.value) for name, value in ENVIRON.items() if "sk-" in value)


@given(st.sampled_from([*ENVIRON, "PATH", "SECRET_KEY", "KEY_MAIN", "SEAL_KEY"]) | st.text(max_size=20))
def test_no_other_variable_can_be_named(name: str) -> None:
    address = Address("https://api.example.com/v1")
    try:
        key = KEYS.key(name, address)
    except KeyRejected:
        return
    assert (name, key) == ("MAIN", "sk-main-12345678")


def address(url: str = "https://api.example.com/v1") -> Address:
    return Address(url, (*LOOPBACK, "api.example.com:443"))


def test_a_sealed_key_opens_for_its_endpoint_at_its_address() -> None:
    sealer = Sealer(SECRET)
    sealed = sealer.seal("sk-main-12345678", owner="7", address=address())
    assert sealed != sealer.seal("sk-main-12345678", owner="7", address=address())
    assert b"sk-main" not in base64.urlsafe_b64decode(sealed.removeprefix("v1."))
    for url in ("https://api.example.com/v1", "https://API.example.com:443/v2"):
        assert Sealer(SECRET).open(sealed, owner="7", address=address(url)) == "sk-main-12345678"


@pytest.mark.parametrize(
    ("endpoint", "url", "secret"),
    [
        ("8", "https://api.example.com/v1", SECRET),
        ("7", "http://api.example.com:443/v1", SECRET),
        ("7", "https://api.example.com:8443/v1", SECRET),
        ("7", "https://evil.example.com/v1", SECRET),
        ("7", "https://api.example.com/v1", SECRET + "x"),
    ],
)
def test_a_sealed_key_opens_nowhere_else(endpoint: str, url: str, secret: str) -> None:
    sealed = Sealer(SECRET).seal("sk-main-12345678", owner="7", address=address())
    with pytest.raises(SealBroken, match="Enter it again") as caught:
        Sealer(secret).open(sealed, owner=endpoint, address=address(url))
    assert caught.value.__context__ is None


@given(st.data())
def test_a_changed_seal_does_not_open(data: st.DataObject) -> None:
    sealed = Sealer(SECRET).seal("sk-main-12345678", owner="7", address=address())
    raw = bytearray(base64.urlsafe_b64decode(sealed[3:]))
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    changed = "v1." + base64.urlsafe_b64encode(bytes(raw)).decode()
    cut = sealed[: data.draw(st.integers(0, len(sealed) - 1))]
    for broken in (changed, cut, data.draw(st.text(max_size=30)), "v2" + sealed[2:]):
        with pytest.raises(SealBroken):
            Sealer(SECRET).open(broken, owner="7", address=address())


@pytest.mark.parametrize("secret", ["", "too short"])
def test_without_a_secret_nothing_is_sealed(secret: str) -> None:
    with pytest.raises(SealingUnavailable, match="SIGHTLINE_SEAL_KEY with at least 32 random characters"):
        Sealer(secret)


def test_without_the_package_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("cryptography")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(SealingUnavailable, match=r"cryptography: run .*\[sealed-keys\]"):
        Sealer(SECRET)


@pytest.mark.parametrize("key", ["", "short", "two words here", 'quote"inside', "percent%20inside", "angle<inside>"])
def test_what_is_no_key_is_not_sealed(key: str) -> None:
    with pytest.raises(KeyRejected):
        Sealer(SECRET).seal(key, owner="7", address=address())
