"""The identity of the people of a portable file."""

from __future__ import annotations

import re
from uuid import UUID

from annotation.project_file import Line

LONGEST_ADDRESS = 254
ADDRESS = re.compile(r"[^\s@]+@[^\s@]+")


def uids_in(line: Line) -> tuple[UUID | None, UUID | None]:
    """The uid of a person, and the one that other files have for the same person. A file of an earlier release has
    neither."""
    return _uid(line, "uid"), _uid(line, "known_as")


def _uid(line: Line, field: str) -> UUID | None:
    try:
        return None if line.row.get(field) is None else UUID(line.row[field])
    except (ValueError, TypeError, AttributeError) as error:
        raise line.error(field) from error


def verified_in(line: Line) -> bool | None:
    """Whether the address of a person is verified on the server of the file. None: a file of an earlier release, or of
    a person whom such a file brought there."""
    found = line.row.get("verified")
    if found is not None and not isinstance(found, bool):
        raise line.error("verified")
    return found


def address_in(line: Line) -> str:
    """The address of a person, "" if the row has none that can be one."""
    email = line.text("email", default="").lower()
    return email if len(email) <= LONGEST_ADDRESS and ADDRESS.fullmatch(email) else ""
