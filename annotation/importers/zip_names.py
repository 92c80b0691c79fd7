"""Corrects the names of files in a zip: programs that write UTF-8 often don't set its flag."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

UTF_8 = 1 << 11
"""The flag of a member whose name is UTF-8."""
CODE_PAGE = "cp437"
"""The encoding of a name without the flag."""


class Info(Protocol):
    """The part of ``zipfile.ZipInfo`` that is needed here, from any module that provides it."""

    filename: str
    flag_bits: int


One = TypeVar("One", bound=Info)


def with_meant_names(infos: Iterable[One]) -> list[One]:
    """Decode the names of the members again. A name without the flag is read as UTF-8 if its bytes are valid, else in
    the code page. Open members by the returned object, not by name.
    """
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
