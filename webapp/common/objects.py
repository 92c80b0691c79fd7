"""The object store: the only access to stored files, in a folder of one machine or in a bucket shared by all machines.

Names are derived from the content of a file, or from its row, so writing a name again writes the same bytes. All files
that another process reads are here; files elsewhere are copies that may disappear.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import Any

from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage

from webapp.common.errors import Unavailable
from webapp.common.outages import STORE, Outage

CHUNK = 1 << 20
UNNAMED = timedelta(days=1)
PART = ".part"
"""The ending of a file that is being written."""


class Missing(Outage):
    """This process does not see the file. Another one may see it: the job is tried again, which can be elsewhere."""

    code = "file_missing"
    title = "File not found"
    give_up_after = timedelta(minutes=10)

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(STORE)

    @property
    def reason(self) -> str:
        return f"{self.name} is not in the file store of this host. It was removed, or hosts use different stores."


class Damaged(Unavailable):
    """The file store returned other bytes than were stored."""

    code = "file_damaged"

    def __init__(self, name: str) -> None:
        super().__init__(f"The file store returned damaged bytes for {name}. Check its logs.")


class Folder(FileSystemStorage):
    """Objects as files of a folder. A name appears with all its bytes or not at all."""

    def _save(self, name: str, content: Any) -> str:
        part = f"{name}.{token_hex(8)}{PART}"
        try:
            super()._save(part, content)  # type: ignore[misc]
            Path(self.path(part)).replace(self.path(name))
        finally:
            Path(self.path(part)).unlink(missing_ok=True)
        return name


def put(name: str, source: bytes | Path) -> None:
    """Store the bytes, or those of a file, under this name; over what the name had before."""
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as stream:
        default_storage.save(name, File(stream))


def open_object(name: str) -> File[bytes]:
    """The object, to be read in pieces. Raises ``Missing``."""
    try:
        return default_storage.open(name)
    except FileNotFoundError:
        raise Missing(name) from None


def read(name: str) -> bytes:
    """The whole object. Raises ``Missing``."""
    with open_object(name) as stream:
        data: bytes = stream.read()
    return data


def fetch(name: str, path: Path, *, sha256: str = "") -> None:
    """Copy the object to a file of this machine, which appears when it is whole. Raises ``Missing``, and
    ``Damaged`` when its bytes do not have this sha256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{token_hex(8)}{PART}")
    try:
        digest = hashlib.sha256()
        with open_object(name) as source, part.open("wb") as out:
            while chunk := source.read(CHUNK):
                digest.update(chunk)
                out.write(chunk)
        if sha256 not in ("", digest.hexdigest()):
            raise Damaged(name)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def exists(name: str) -> bool:
    return default_storage.exists(name)


def modified(name: str) -> datetime | None:
    """Return the time of the last write of the object; None if there is no such object."""
    return default_storage.get_modified_time(name) if default_storage.exists(name) else None


def folders(prefix: str) -> list[str]:
    """The last parts of the names of the folders directly below this one."""
    return _listed(prefix)[0]


def delete_unnamed(prefix: str, is_named: Callable[[str], bool], now: datetime) -> int:
    """Delete the objects ``prefix/ab/<name>.<ending>`` that no row names, and return their number. ``is_named`` gets
    the name without its ending. A transaction that is not committed yet may name an object that was just written: the
    last day is left alone."""
    gone = 0
    for part in folders(prefix):
        for name in names(f"{prefix}/{part}"):
            written = modified(name)
            if written is not None and written <= now - UNNAMED and not is_named(Path(name).stem):
                delete(name)
                gone += 1
    return gone


def names(prefix: str) -> Iterator[str]:
    """The names of the objects directly below a folder."""
    return (f"{prefix}/{name}" for name in _listed(prefix)[1])


def all_names(below: str = "") -> Iterator[str]:
    """The names of all objects, folder by folder; those that are just being written omitted."""
    inner, files = _listed(below)
    yield from (f"{below}{name}" for name in sorted(files) if not name.endswith(PART))
    for folder in sorted(inner):
        yield from all_names(f"{below}{folder}/")


def delete(name: str) -> None:
    default_storage.delete(name)


def delete_folder(prefix: str) -> None:
    """Delete every object below the folder, at any depth."""
    below, files = _listed(prefix)
    for name in files:
        delete(f"{prefix}/{name}")
    for name in below:
        delete_folder(f"{prefix}/{name}")
    # A bucket has no folders; in a folder of this machine an empty one would stay.
    with suppress(OSError):
        delete(prefix)


def _listed(prefix: str) -> tuple[list[str], list[str]]:
    try:
        return default_storage.listdir(prefix)
    except FileNotFoundError:
        return [], []
