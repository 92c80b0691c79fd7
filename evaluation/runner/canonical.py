"""JSON with one spelling, so that equal content has equal digests."""

from __future__ import annotations

import hashlib
import json


def canonical_json(value: object) -> str:
    """Return the value as JSON with sorted keys and no spaces. Raises ``ValueError`` for NaN and infinity."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_of(value: object) -> str:
    """Return the SHA-256 of the canonical JSON in UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()
