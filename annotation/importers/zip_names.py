"""Names of files in a zip as they were meant: programs that write UTF-8 often do not say so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

UTF_8 = 1 << 11
"""The flag of a member whose name is UTF-8."""
CODE_PAGE = "cp437"
"""What a name without the flag is read in."""


class Info(Protocol):
    """The part of ``zipfile.ZipInfo`` that is needed here, from any module that offers it."""

    filename: str
    flag_bits: int


One = TypeVar("One", bound=Info)


def with_meant_names(infos: Iterable[One]) -> list[One]:
    """The members with their names read again: without the flag as UTF-8 where the bytes are that, else in the code
    page. What is opened is found by the member itself, no longer by its name."""
    found = list(infos)
    for info in found:
        info.filename = meant_name(info)
    return found


def meant_name(info: Info) -> str:
    if info.flag_bits & UTF_8:
        return info.filename
    try:
        return info.filename.encode(CODE_PAGE).decode("utf-8")
    except UnicodeError:
        return info.filename
