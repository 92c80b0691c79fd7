"""Keys that are stored: encrypted for one owner, such as an endpoint or a webhook, at one address.

AES-256-GCM with a key derived from ``SIGHTLINE_SEAL_KEY`` (HKDF-SHA256). The id of the owner and the scheme, host
and port of its address are authenticated with it, so a sealed key can't be opened for another owner or address.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from binascii import Error as NotBase64
from typing import TYPE_CHECKING

from annotation.extras import missing
from annotation.outgoing.addresses import Address

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

LEAST = 32
"""Characters of SIGHTLINE_SEAL_KEY."""
LEAST_KEY = 8
"""Characters of a key. A shorter text could not be distinguished from ordinary words, and is a placeholder."""
SIGNS = r"[A-Za-z0-9_.~+/:|=@!$*,;#?^(){}\[\]-]"
_KEY = re.compile(rf"{SIGNS}+")
_VERSION = "v1."
_INFO = b"sightline sealed keys v1"
_NONCE = 12


class KeyRejected(ValueError):
    """There is no such key, or it may not go to this host. The text contains no key."""


class SealingUnavailable(RuntimeError):
    """Sealed keys can't be used on this server. The text says what is missing."""


class SealBroken(ValueError):
    """The sealed key does not belong to this owner and address, or was made with another SIGHTLINE_SEAL_KEY."""


class Sealer:
    """Seals and opens keys with the secret of this server. Raises ``SealingUnavailable`` without secret or package."""

    def __init__(self, secret: str) -> None:
        if len(secret) < LEAST:
            raise SealingUnavailable(
                f"Sealed keys need SIGHTLINE_SEAL_KEY with at least {LEAST} random characters on the server. "
                "Without it, keys of endpoints come from the environment."
            )
        self._cipher = _cipher(secret)

    def __repr__(self) -> str:
        return "Sealer()"

    def seal(self, key: str, *, owner: str, address: Address) -> str:
        """Return the sealed form of a key, as text. Raises ``KeyRejected`` if it can't be a key."""
        nonce = secrets.token_bytes(_NONCE)
        sealed = self._cipher.encrypt(nonce, checked_key(key).encode(), _bound_to(owner, address))
        return _VERSION + base64.urlsafe_b64encode(nonce + sealed).decode()

    def open(self, sealed: str, *, owner: str, address: Address) -> str:
        """Return the key. Raises ``SealBroken`` if it was sealed for another owner or address, or was changed."""
        from cryptography.exceptions import InvalidTag

        try:
            if not sealed.startswith(_VERSION):
                raise NotBase64
            data = base64.b64decode(sealed.removeprefix(_VERSION), altchars=b"-_", validate=True)
            return self._cipher.decrypt(data[:_NONCE], data[_NONCE:], _bound_to(owner, address)).decode()
        except (InvalidTag, NotBase64, ValueError):
            pass
        raise SealBroken(f"The stored key can't be opened for {address.origin}. Enter it again.")


def checked_key(key: str) -> str:
    """Return a key without spaces around it. Raises ``KeyRejected`` if it is short or has unusual characters.

    Without quotes, backslashes, ``<``, ``>``, ``&`` and ``%``, a key looks the same wherever it is repeated.
    """
    key = key.strip()
    if len(key) < LEAST_KEY:
        raise KeyRejected(f"A key has at least {LEAST_KEY} characters. Leave it empty if the server needs none.")
    if not _KEY.fullmatch(key):
        raise KeyRejected("The key has a space, a quote or another character that keys don't have. Copy it again.")
    return key


def _cipher(secret: str) -> AESGCM:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    except ImportError:
        instead = "give keys in the environment"
        raise SealingUnavailable(missing("Sealed keys", "cryptography", "sealed-keys", instead)) from None
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=None, info=_INFO).derive(secret.encode()))


def _bound_to(owner: str, address: Address) -> bytes:
    return json.dumps([owner, address.scheme, address.host, address.port]).encode()
