"""The digests that make the audit log tamper-evident, as pure functions.

An entry is sealed a little after it was written, together with all others since: chaining each entry to the one before
while it is written would let one write of the full site happen at a time.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import Any

CONTENT = (
    "actor_id", "action", "subject_type", "subject_id", "benchmark", "before", "after", "reason", "data", "created",
    "request", "personal_digest",
)  # fmt: skip
"""The fields that the digest of an entry covers; ``personal``, which can be erased, through its own digest."""


def salted(personal: Mapping[str, Any]) -> dict[str, Any]:
    """Personal details with a salt: without it, a digest that is left of an erased address could be guessed."""
    return {**personal, "salt": secrets.token_hex(16)}


def digest_of(value: Any) -> str:
    """SHA-256 of a value as canonical JSON: sorted keys, whole numbers without a fraction, on any database."""
    text = json.dumps(_canonical(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def entry_digest(entry: Any) -> str:
    """The digest of an audit entry, from ``CONTENT``."""
    values = {name: getattr(entry, name) for name in CONTENT}
    return digest_of(values | {"created": entry.created.astimezone(UTC).isoformat(timespec="microseconds")})


def seal_digest(previous: str, digests: Iterable[str]) -> str:
    """The digest of a block of entries, chained to the block before."""
    total = hashlib.sha256(previous.encode())
    for one in digests:
        total.update(one.encode())
    return total.hexdigest()


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _canonical(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_canonical(one) for one in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
