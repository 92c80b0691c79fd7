"""The identity of the people of a portable file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from annotation.project_file import InvalidFileError

LONGEST_ADDRESS = 254
ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")


def uids_in(row: Mapping[str, Any], number: int) -> tuple[UUID | None, UUID | None]:
    """The uid of a person, and the one that other files have for the same person. A file of an earlier release has
    neither."""
    try:
        uid, known_as = (UUID(row[name]) if row.get(name) is not None else None for name in ("uid", "known_as"))
    except (ValueError, TypeError, AttributeError) as error:
        raise InvalidFileError(f"tables/person.jsonl, line {number}: uid has no valid value.") from error
    return uid, known_as


def address_in(row: Mapping[str, Any]) -> str:
    """The address of a person, "" if the row has none that can be one."""
    email = str(row.get("email") or "").lower()
    return email if len(email) <= LONGEST_ADDRESS and ADDRESS.fullmatch(email) else ""
