"""Where requests may go: no endpoint reaches this server's own network."""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Iterable
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from annotation.outgoing.addresses import LOOPBACK, Address, AddressRejected, Allowed
from annotation.outgoing.connection import Pinned
from evaluation.endpoints.client import Client, Settings
from evaluation.endpoints.errors import CallFailed, ErrorKind
from tests.evaluation.endpoints.server import BODY, Answer, Time, client, no_images, serving, spoken, whole

PUBLIC = "93.184.215.14"
LISTED = (*LOOPBACK, "10.1.0.0/16", "models.internal:8000")

BAD: list[tuple[str, str, tuple[str, ...], str]] = [
    # (what, base URL, addresses of the name, words of the reason)
    ("decimal", "https://2130706433/v1", (), "not an IP address"),
    ("decimal of the metadata service", "https://2852039166/v1", (), "not an IP address"),
    ("octal", "https://0177.0.0.1/v1", (), "not an IP address"),
    ("octal, one number", "https://017700000001/v1", (), "not an IP address"),
    ("hexadecimal", "https://0x7f.0.0.1/v1", (), "not an IP address"),
    ("hexadecimal, one number", "https://0x7f000001/v1", (), "not an IP address"),
    ("short form", "https://127.1/v1", (), "not an IP address"),
    ("leading zeros", "https://127.000.000.001/v1", (), "not an IP address"),
    ("loopback", "https://127.0.0.1/v1", (), "not public"),
    ("loopback, IPv6", "https://[::1]/v1", (), "not public"),
    ("mapped", "https://[::ffff:127.0.0.1]/v1", (), "not public"),
    ("mapped, as hexadecimal", "https://[::ffff:7f00:1]/v1", (), "not public"),
    ("mapped metadata service", "https://[::ffff:169.254.169.254]/v1", (), "no request may use"),
    ("compatible", "https://[::127.0.0.1]/v1", (), "not public"),
    ("6to4", "https://[2002:7f00:1::]/v1", (), "not public"),
    ("NAT64", "https://[64:ff9b::7f00:1]/v1", (), "not public"),
    ("NAT64 of the metadata service", "https://[64:ff9b::a9fe:a9fe]/v1", (), "no request may use"),
    ("Teredo", "https://[2001:0:7f00:1::]/v1", (), "not public"),
    ("private 10", "https://10.0.0.5/v1", (), "not public"),
    ("private 172", "https://172.16.3.4/v1", (), "not public"),
    ("private 192", "https://192.168.1.1/v1", (), "not public"),
    ("shared address space", "https://100.64.0.1/v1", (), "not public"),
    ("unique local", "https://[fd12:3456::1]/v1", (), "not public"),
    ("site local", "https://[fec0::1]/v1", (), "not public"),
    ("link local", "https://[fe80::1]/v1", (), "no request may use"),
    ("zone", "https://[fe80::1%25eth0]/v1", (), ""),
    ("metadata service", "https://169.254.169.254/v1", (), "no request may use"),
    ("metadata service, IPv6", "https://[fd00:ec2::254]/v1", (), "no request may use"),
    ("metadata service of another cloud", "https://100.100.100.200/v1", (), "no request may use"),
    ("wire server", "https://168.63.129.16/v1", (), "no request may use"),
    ("unspecified", "https://0.0.0.0/v1", (), "no request may use"),
    ("unspecified, short", "https://0/v1", (), "not an IP address"),
    ("unspecified, IPv6", "https://[::]/v1", (), "no request may use"),
    ("multicast", "https://224.0.0.1/v1", (), "no request may use"),
    ("multicast, IPv6", "https://[ff02::1]/v1", (), "no request may use"),
    ("broadcast", "https://255.255.255.255/v1", (), "not public"),
    ("reserved", "https://240.0.0.1/v1", (), "not public"),
    ("documentation", "https://[2001:db8::1]/v1", (), "not public"),
    ("name of loopback", "https://localhost/v1", ("127.0.0.1",), "not public"),
    ("name with a period at its end", "https://localhost./v1", ("127.0.0.1",), "not public"),
    ("name of a private address", "https://models.example.com/v1", ("10.0.0.5",), "not public"),
    ("one of several addresses is private", "https://models.example.com/v1", (PUBLIC, "10.0.0.5"), "not public"),
    ("name of the metadata service", "https://models.example.com/v1", ("169.254.169.254",), "no request may use"),
    ("name of a mapped address", "https://models.example.com/v1", ("::ffff:10.0.0.5",), "not public"),
    ("address with a zone", "https://models.example.com/v1", ("fe80::1%eth0",), "without a zone"),
    ("plain http", "http://models.example.com/v1", (PUBLIC,), "needs https"),
    ("user name", "https://user@models.example.com/v1", (PUBLIC,), "user name"),
    ("user name and password", "https://a:b@models.example.com/v1", (PUBLIC,), "user name"),
    ("host in the place of a user name", "https://models.example.com:443@127.0.0.1/v1", (), "user name"),
    ("backslash", "https://models.example.com\\@127.0.0.1/v1", (), "not allowed"),
    ("escaped host", "https://%31%32%37.0.0.1/v1", (), "escapes"),
    ("letters that become numbers", "https://①②⑦.0.0.1/v1", (), "not allowed"),
    ("line break", "https://models.example.com/v1\r\nHost: x", (PUBLIC,), "not allowed"),
    ("tabulator in the host", "https://127.0\t.0.1/v1", (), "not allowed"),
    ("query", "https://models.example.com/v1?x=1", (PUBLIC,), "must end with its path"),
    ("fragment", "https://models.example.com/v1#x", (PUBLIC,), "must end with its path"),
    ("path upward", "https://models.example.com/v1/../admin", (PUBLIC,), "escapes"),
    ("escaped path upward", "https://models.example.com/v1/%2e%2e/admin", (PUBLIC,), "escapes"),
    ("file", "file:///etc/passwd", (), "https://"),
    ("another scheme", "gopher://models.example.com/v1", (PUBLIC,), "https://"),
    ("no scheme", "models.example.com/v1", (PUBLIC,), "https://"),
    ("no host", "https:///v1", (), "https://"),
    ("port 0", "https://models.example.com:0/v1", (PUBLIC,), "port"),
    ("port too large", "https://models.example.com:70000/v1", (PUBLIC,), "can't be read"),
    ("port that is no number", "https://models.example.com:x/v1", (PUBLIC,), "can't be read"),
    ("empty label", "https://models..example.com/v1", (PUBLIC,), "not the name"),
    ("very long", "https://models.example.com/" + "v" * 3000, (PUBLIC,), "not allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("url", "addresses", "words"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_bad_address_is_rejected_before_any_connection(url: str, addresses: tuple[str, ...], words: str) -> None:
    with pytest.raises(AddressRejected, match=words or None) as caught:
        Address(url).resolved(lambda host, port: addresses or (host,))
    assert "SIGHTLINE_KEY" not in str(caught.value)


def test_the_table_of_bad_addresses_is_long_enough() -> None:
    assert len({row[1] for row in BAD}) >= 24


GOOD: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    ("https://api.example.com/v1", (PUBLIC,), ()),
    ("https://API.Example.com./v1/", (PUBLIC,), ()),
    ("https://api.example.com:8443/v1", (PUBLIC, "2606:4700::1111"), ()),
    ("https://8.8.8.8/v1", (), ()),
    ("https://[2606:4700::1111]/v1", (), ()),
    ("https://api.example.com/v1", ("64:ff9b::808:808",), ()),
    ("http://127.0.0.1:8000/v1", (), LOOPBACK),
    ("http://[::1]:8000/v1", (), LOOPBACK),
    ("http://localhost:8000/v1", ("127.0.0.1", "::1"), LOOPBACK),
    ("http://models.internal:8000/v1", ("10.9.9.9",), LISTED),
    ("http://gpu.example.com:8000/v1", ("10.1.2.3",), LISTED),
    ("https://gpu.example.com/v1", ("10.1.2.3", PUBLIC), LISTED),
]


@pytest.mark.parametrize(("url", "addresses", "allowed"), GOOD)
def test_public_and_listed_addresses_are_accepted(
    url: str, addresses: tuple[str, ...], allowed: tuple[str, ...]
) -> None:
    address = Address(url, allowed)
    assert address.resolved(lambda host, port: addresses or (host,))


NOT_LISTED: list[tuple[str, tuple[str, ...], str]] = [
    ("http://models.internal:8001/v1", ("10.9.9.9",), "not public"),
    ("http://other.internal:8000/v1", ("10.9.9.9",), "not public"),
    ("http://gpu.example.com:8000/v1", ("10.1.2.3", PUBLIC), "needs https"),
    ("http://gpu.example.com:8000/v1", (PUBLIC,), "needs https"),
    ("http://models.internal:8000/v1", ("169.254.169.254",), "no request may use"),
    ("http://models.internal:8000/v1", ("0.0.0.0",), "no request may use"),
]


@pytest.mark.parametrize(("url", "addresses", "words"), NOT_LISTED)
def test_the_list_opens_what_it_names_and_nothing_else(url: str, addresses: tuple[str, ...], words: str) -> None:
    with pytest.raises(AddressRejected, match=words):
        Address(url, LISTED).resolved(lambda host, port: addresses)


def test_link_local_addresses_stay_closed_even_if_their_network_is_listed() -> None:
    for url in ("http://169.254.169.254/v1", "http://[fe80::1]/v1", "http://224.0.0.1/v1", "http://0.0.0.0/v1"):
        with pytest.raises(AddressRejected, match="no request may use"):
            Address(url, ("0.0.0.0/0", "::/0"))


@pytest.mark.parametrize("entry", ["models.internal", "models.internal:", ":80", "10.0.0.0/99", "a:b", "x:70000", ""])
def test_an_entry_of_the_list_that_is_neither_host_nor_network_is_an_error(entry: str) -> None:
    with pytest.raises(AddressRejected):
        Allowed.read([entry])


def test_a_name_that_leads_elsewhere_after_the_check_changes_nothing() -> None:
    """DNS rebinding: the name is asked once for each request, and the connection uses what was checked."""
    answers = iter([(PUBLIC,), ("127.0.0.1",), (PUBLIC,)])
    asked: list[str] = []
    went: list[httpx.Request] = []

    def resolve(host: str, port: int) -> Iterable[str]:
        asked.append(host)
        return next(answers)

    def arrived(request: httpx.Request) -> httpx.Response:
        went.append(request)
        return whole(spoken())

    settings = Settings("https://models.example.com/v1")
    with Client(settings, resolve=resolve, transport=httpx.MockTransport(arrived)) as endpoint:
        assert endpoint.complete(BODY, no_images).text == "two"
        with pytest.raises(CallFailed, match="not public") as caught:
            endpoint.complete(BODY, no_images)
        assert endpoint.complete(BODY, no_images).text == "two"
    assert (caught.value.kind, caught.value.retries) == (ErrorKind.SERVER, 0)
    assert asked == ["models.example.com"] * 3
    assert [request.url.host for request in went] == [PUBLIC, PUBLIC]
    assert {request.headers["Host"] for request in went} == {"models.example.com"}
    assert {request.extensions["sni_hostname"] for request in went} == {"models.example.com"}


def test_the_next_address_is_tried_if_one_does_not_connect() -> None:
    def arrived(request: httpx.Request) -> httpx.Response:
        if request.url.host == PUBLIC:
            raise httpx.ConnectError("refused")
        return whole(spoken())

    transport = httpx.MockTransport(arrived)
    addresses = (PUBLIC, "2606:4700::1111")
    settings = Settings("https://models.example.com/v1")
    with Client(settings, resolve=lambda host, port: addresses, transport=transport) as endpoint:
        assert endpoint.complete(BODY, no_images).retries == 0


def test_a_redirect_is_not_followed() -> None:
    with serving(spoken("secret")) as inside:
        away = Answer(307, headers={"Location": inside.url + "/chat/completions"})
        with serving(away) as outside, client(outside.url) as endpoint:
            with pytest.raises(CallFailed, match="redirects elsewhere"):
                endpoint.complete(BODY, no_images)
            assert len(outside.seen.requests) == 1
        assert inside.seen.requests == []


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(spoken("from the proxy")) as proxy, serving(spoken("from the endpoint")) as running:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        with client(running.url) as endpoint:
            assert endpoint.complete(BODY, no_images).text == "from the endpoint"
        assert proxy.seen.requests == []


def certificate(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Contexts of a server with a certificate for this name, and of a client that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    made = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - day).not_valid_after(now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    path = folder / f"{name}.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(path)
    return server, ssl.create_default_context(cafile=str(path))


@pytest.mark.parametrize(("name", "works"), [("models.example.com", True), ("other.example.com", False)])
def test_tls_checks_the_certificate_of_the_name_and_not_of_the_address(tmp_path: Path, name: str, works: bool) -> None:
    server, trusting = certificate(tmp_path, name)
    with serving(spoken(), tls=server) as running:
        url = f"https://models.example.com:{running.port}/v1"
        settings = Settings(url, allowed_hosts=(f"models.example.com:{running.port}",))
        time = Time()
        with Client(
            settings,
            clock=time.clock,
            sleep=time.sleep,
            resolve=lambda host, port: ("127.0.0.1",),
            transport=httpx.HTTPTransport(verify=trusting),
        ) as endpoint:
            if works:
                assert endpoint.complete(BODY, no_images).text == "two"
                [(_, headers, _)] = running.seen.requests
                assert headers["Host"] == f"models.example.com:{running.port}"
            else:
                with pytest.raises(CallFailed, match="certificate"):
                    endpoint.complete(BODY, no_images)


def test_an_unknown_name_is_a_failed_connection() -> None:
    def unknown(host: str, port: int) -> Iterable[str]:
        raise OSError("unknown")

    pinned = Pinned(Address("https://models.example.com/v1"), resolve=unknown)
    with pytest.raises(httpx.ConnectError, match=r"models\.example\.com can't be resolved"):
        pinned.handle_request(httpx.Request("POST", "https://models.example.com/v1"))
