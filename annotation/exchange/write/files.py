"""Uploaded files: in the object store under their SHA-256, and as copies in the scratch folder of this machine.

Readers need a path, so a file is copied before it is read. Copies and unpacked zips may disappear at any time and are
then fetched again.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import IO, Protocol

from django.conf import settings
from django.utils.translation import gettext

from annotation.importers.zip_names import with_meant_names
from webapp.common import objects
from webapp.common.errors import InvalidInput, TooLarge
from webapp.common.formatting import size_of_file
from webapp.common.objects import PART
from webapp.env import PROGRAM

PICTURES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff"})
MOST_PICTURES = 200_000
UNPACKED = 4
"""Images are already compressed: unpacked, they can have at most this many times the upload limit."""
CHUNK = 1 << 20
NAME = 150
PREFIX = "uploads"
KEPT_SECONDS = 24 * 3600
"""Copies in the scratch folder are removed after this time without use."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError)


class Upload(Protocol):
    """An uploaded file of a request: a name, a size and the bytes in chunks."""

    name: str | None
    size: int | None

    def chunks(self) -> Iterable[bytes]: ...


@dataclass(frozen=True)
class Stored:
    """An uploaded file: its copy on this machine and its metadata. ``upload``: its name in records, sha256/name."""

    path: Path
    sha256: str
    bytes: int

    @property
    def upload(self) -> str:
        return f"{self.sha256}/{self.path.name}"


def object_name(sha256: str) -> str:
    """Return the name of an uploaded file in the object store."""
    return f"{PREFIX}/{sha256}"


def sha256_of(upload: str) -> str:
    """Return the content hash in the name that a record gives an upload."""
    return upload.partition("/")[0]


def store(upload: Upload) -> Stored:
    """Keep the file in the object store by its SHA-256, with a copy under its own name on this machine.

    Raises ``InvalidInput`` for an empty file, ``TooLarge`` beyond ``MAX_UPLOAD_BYTES``.
    """
    name = safe_name(upload.name or "")
    refuse_too_large(name, upload.size or 0)
    handle, part = tempfile.mkstemp(dir=_scratch(), suffix=PART)
    try:
        digest, size = hashlib.sha256(), 0
        with os.fdopen(handle, "wb") as out:
            for chunk in upload.chunks():
                size += len(chunk)
                refuse_too_large(name, size)
                digest.update(chunk)
                out.write(chunk)
        if not size:
            raise InvalidInput(
                gettext("%(name)s is empty. Check that it was written completely.") % {"name": name}, field="file"
            )
        objects.put(object_name(digest.hexdigest()), Path(part))
        path = _scratch() / digest.hexdigest() / name
        path.parent.mkdir(exist_ok=True)
        Path(part).replace(path)
    finally:
        Path(part).unlink(missing_ok=True)
    return Stored(path, digest.hexdigest(), size)


def local_copy(upload: str) -> Path:
    """Return the uploaded file on this machine, fetched from the object store if needed. Raises ``Missing``."""
    path = _scratch() / upload
    with suppress(FileNotFoundError):
        os.utime(path.parent)  # before the check, so that no cleanup removes it in between
        if path.is_file():
            return path
    name, sha256 = object_name(sha256_of(upload)), sha256_of(upload)
    try:
        objects.fetch(name, path, sha256=sha256)
    except objects.Missing:
        raise objects.Missing(f"{path.name} ({name})") from None
    return path


def unpacked(upload: str) -> Path | None:
    """Return the folder with the images of an uploaded zip on this machine; None if it contains none.

    Raises ``Missing``, and ``InvalidInput`` or ``TooLarge`` like ``unpack_pictures``.
    """
    into = _scratch() / f"{sha256_of(upload)}.pictures"
    with suppress(FileNotFoundError):
        os.utime(into)
        return into
    return unpack_pictures(local_copy(upload), into)


def tidy_scratch(now: float | None = None) -> None:
    """Remove copies without use for a day, and incomplete ones. Every upload also does this, because a host may have no
    worker that sweeps.
    """
    for path in _scratch().iterdir():
        with suppress(FileNotFoundError):  # another process may tidy at the same time
            if path.stat().st_mtime < (now or time.time()) - KEPT_SECONDS:
                _remove(path)


def _scratch() -> Path:
    folder = Path(settings.SCRATCH)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _remove(path: Path) -> None:
    """Rename a folder before deleting it, so that no process finds an incomplete one."""
    if path.is_dir():
        gone = path if path.suffix == PART else path.rename(path.with_name(f"{path.name}.{token_hex(4)}{PART}"))
        shutil.rmtree(gone, ignore_errors=True)
    else:
        path.unlink()


def refuse_too_large(name: str, size: int) -> None:
    if size > settings.MAX_UPLOAD_BYTES:
        most = size_of_file(settings.MAX_UPLOAD_BYTES)
        raise TooLarge(
            gettext(
                "%(name)s is larger than %(limit)s, the most that can be uploaded here. Split it, or import it"
                " on the server with %(program)s."
            )
            % {"name": name, "limit": most, "program": PROGRAM},
            field="file",
        )


def safe_name(name: str) -> str:
    """Return the last part of the name without characters that are special to a file system or a shell; never empty or
    hidden.
    """
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = re.sub(r"[^\w.\- ()+]", "_", base).strip(" .")
    stem, dot, suffix = kept.rpartition(".")
    short = f"{stem[: NAME - len(suffix) - 1]}{dot}{suffix}" if stem and len(suffix) < 12 else kept[:NAME]
    return short or "upload"


def unpack_pictures(archive: Path, into: Path) -> Path | None:
    """Unpack the images of a zip as files below ``into``, in the zip's folders; return None if it contains none.

    Only regular files with an image's ending are written, under checked names, with a limit on their number and size.
    Unpacked files stay, so unpacking the same zip again costs nothing. Raises ``InvalidInput`` or ``TooLarge``.
    """
    if into.is_dir():
        return into
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [m for m in with_meant_names(opened.infolist()) if _is_picture(m.filename) and not m.is_dir()]
            if not members:
                return None
            _check(members, archive.name)
            with _whole(into) as folder:
                _write(opened, members, folder)
    except _DAMAGE as error:
        raise InvalidInput(
            gettext("%(name)s cannot be unpacked (%(error)s). Zip it again.") % {"name": archive.name, "error": error},
            field="images",
        ) from error
    return into


@contextmanager
def _whole(into: Path) -> Iterator[Path]:
    """Create a folder that appears under its name only when its content is complete."""
    part = Path(tempfile.mkdtemp(dir=into.parent, suffix=PART))
    try:
        yield part
        if not into.is_dir():
            part.replace(into)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _is_picture(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in PICTURES and not name.startswith("__MACOSX/")


def _check(members: list[zipfile.ZipInfo], archive: str) -> None:
    for member in members:
        name = member.filename.replace("\\", "/")
        if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/"):
            raise InvalidInput(
                gettext("%(archive)s contains the unsafe name %(name)s, which points outside it.")
                % {"archive": archive, "name": repr(name[:100])}
            )
        if stat.S_ISLNK(member.external_attr >> 16):
            raise InvalidInput(
                gettext("%(archive)s contains the link %(name)s. Zip the image files themselves.")
                % {"archive": archive, "name": repr(name[:100])}
            )
        if member.flag_bits & 1:
            raise InvalidInput(gettext("%(archive)s is encrypted. Zip it without a password.") % {"archive": archive})
    most = UNPACKED * settings.MAX_UPLOAD_BYTES
    total = sum(member.file_size for member in members)
    if len(members) > MOST_PICTURES or total > most:
        raise TooLarge(
            gettext(
                "%(archive)s contains %(count)s images, %(size)s unpacked (limit: %(most)s "
                "images and %(limit)s). Split it."
            )
            % {
                "archive": archive,
                "count": f"{len(members):,}",
                "size": size_of_file(total),
                "most": f"{MOST_PICTURES:,}",
                "limit": size_of_file(most),
            }
        )


def _write(opened: zipfile.ZipFile, members: list[zipfile.ZipInfo], folder: Path) -> None:
    room = UNPACKED * settings.MAX_UPLOAD_BYTES
    for member in members:
        target = folder / member.filename.replace("\\", "/")
        target.parent.mkdir(parents=True, exist_ok=True)
        with opened.open(member) as source, target.open("wb") as out:
            room -= _copy(source, out, room)


def _copy(source: IO[bytes], out: IO[bytes], room: int) -> int:
    """Return the number of bytes copied. The sizes stated in a zip can be false, so bytes are counted while they are
    read.
    """
    size = 0
    while chunk := source.read(CHUNK):
        size += len(chunk)
        if size > room:
            raise TooLarge(gettext("The zip unpacks to more than its stated size. It was rejected as a zip bomb."))
        out.write(chunk)
    return size
