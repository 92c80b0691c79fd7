"""Opens an uploaded file, folder or zip of files. Nothing is unpacked to disk or executed."""

from __future__ import annotations

import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from annotation.importers.interface import ImportProblem
from annotation.importers.zip_names import with_meant_names

if sys.version_info >= (3, 14):
    import zipfile
else:
    try:  # the same module, which can unpack Zstandard too
        from backports.zstd import zipfile
    except ModuleNotFoundError:  # Readers work without any other package; a zip that needs it is rejected.
        import zipfile  # type: ignore[no-redef]

HEAD_BYTES = 1 << 16
"""The number of bytes of a file that are read to detect its format."""

Pick = Callable[[Sequence[str]], Sequence[str]]
"""Chooses which files of a folder or zip to read, and their order, from their names."""

_DAMAGE = (zipfile.BadZipFile, zlib.error, NotImplementedError, UnicodeDecodeError, RuntimeError, EOFError, OSError)
"""The exceptions raised when a damaged zip is read."""
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, getattr(zipfile, "ZIP_ZSTANDARD", zipfile.ZIP_STORED)}

PARQUET = b"PAR1"
_FOREIGN = (
    (b"\x1f\x8b", "is packed with gzip. Unpack it, or put it into a zip."),
    (b"\x80\x02", "is a Python pickle. Pickles can run code and are never read; save it as JSON."),
    (b"\x80\x03", "is a Python pickle. Pickles can run code and are never read; save it as JSON."),
    (b"\x80\x04", "is a Python pickle. Pickles can run code and are never read; save it as JSON."),
    (b"\x80\x05", "is a Python pickle. Pickles can run code and are never read; save it as JSON."),
    (b"\xff\xfe", "is written in UTF-16. Save it as UTF-8."),
    (b"\xfe\xff", "is written in UTF-16. Save it as UTF-8."),
    (b"\x89PNG", "is an image. Choose the file with the rows, which names the images."),
    (b"\xff\xd8\xff", "is an image. Choose the file with the rows, which names the images."),
    (PARQUET, "is a Parquet file. Choose Parquet as its format, or save its rows as JSONL."),
    (b"%PDF", "is a PDF. Give the JSON or JSONL file with the rows."),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of files. ``row_bytes``: the longest row kept. ``total_bytes``: all members unpacked. ``ratio``: the
    maximum compression ratio of a zip member, checked only for members over ``ratio_from`` bytes.
    """

    row_bytes: int = 64 << 20
    total_bytes: int = 64 << 30
    ratio: int = 200
    ratio_from: int = 32 << 20


class Archive:
    """A zip shared by its members: its list of contents is read once, however many members are opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: zipfile.ZipFile | None = None
        self._infos: dict[str, zipfile.ZipInfo] = {}

    def open(self, name: str) -> IO[bytes]:
        if self._opened is None:
            self._opened = zipfile.ZipFile(self._path)
            self._infos = {info.filename: info for info in with_meant_names(self._opened.infolist())}
        return self._opened.open(self._infos[name])


@dataclass(frozen=True, slots=True)
class Member:
    """One file to read: the file itself, or one in a folder or zip. ``size`` in bytes, unpacked."""

    name: str
    size: int
    path: Path
    archive: Archive | None = field(default=None, compare=False, repr=False)

    @property
    def in_zip(self) -> bool:
        return self.archive is not None

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the member. Raises ``ImportProblem`` if a zip turns out to be damaged."""
        if self.archive is None:
            with self.path.open("rb") as file:
                yield file
            return
        try:
            with self.archive.open(self.name) as file:
                yield file
        except _DAMAGE as error:
            raise ImportProblem(
                f"{self.name} in {self.path.name} cannot be unpacked ({error}). Zip it again."
            ) from error

    def head(self) -> bytes:
        """The first bytes."""
        with self.open() as file:
            return file.read(HEAD_BYTES)


def member_names(path: Path) -> list[str]:
    """Return the names of all files in a folder or zip; none for a plain file. Raises ``ImportProblem``."""
    names: list[str] = []

    def keep(found: Sequence[str]) -> Sequence[str]:
        names.extend(found)
        return ()

    if path.is_dir():
        _folder_members(path, keep, deep=True)
    elif zipfile.is_zipfile(path):
        _zip_members(path, keep, Limits())
    return names


def by_keys(keys: Sequence[str]) -> Pick:
    """Pick ``<key>.jsonl`` for each key, in this order; if there are none, the only JSON or JSONL file."""

    def pick(names: Sequence[str]) -> Sequence[str]:
        named = [n for key in keys for n in names if re.fullmatch(rf"{key}\.(jsonl|ndjson)", PurePosixPath(n).name)]
        single = [n for n in names if PurePosixPath(n).suffix.lower() in {".json", ".jsonl", ".ndjson"}]
        return named or (single if len(single) == 1 else [])

    return pick


def open_members(
    path: Path, pick: Pick, wanted: str, limits: Limits, *, deep: bool = False, parquet: bool = False
) -> list[Member]:
    """Return the members of ``path`` to read.

    ``wanted`` describes in messages what ``pick`` looks for. ``deep`` includes nested folders of a folder (a zip is
    always read completely). ``parquet``: Parquet files are wanted. Raises ``ImportProblem``.
    """
    if path.is_dir():
        members = _folder_members(path, pick, deep)
    elif not path.is_file():
        raise ImportProblem(f"File {path.name} not found. Check the path.")
    elif zipfile.is_zipfile(path):
        members = _zip_members(path, pick, limits)
    else:
        members = [Member(path.name, path.stat().st_size, path)]
    if not members:
        raise ImportProblem(f"{path.name} contains nothing that can be read here. It needs {wanted}.")
    _refuse_foreign(members, path, limits, PARQUET if parquet else b"")
    return members


def _refuse_foreign(members: Sequence[Member], path: Path, limits: Limits, wanted: bytes) -> None:
    total = sum(member.size for member in members)
    if total > limits.total_bytes:
        raise ImportProblem(f"{path.name} contains {total:,} bytes (limit: {limits.total_bytes:,}). Split it.")
    if total == 0:
        raise ImportProblem(f"{path.name} is empty. Check that it was written and sent completely.")
    for member in members:
        head = member.head()[:8]
        for magic, what in _FOREIGN:
            if head.startswith(magic) and magic != wanted:
                raise ImportProblem(f"{member.name} {what}")


def _folder_members(path: Path, pick: Pick, deep: bool) -> list[Member]:
    root = path.resolve()
    found = sorted(path.rglob("*") if deep else path.iterdir())
    files = {p.relative_to(path).as_posix(): p for p in found if p.is_file()}
    chosen = {name: files[name] for name in pick(list(files))}
    for name, file in chosen.items():
        if not file.resolve().is_relative_to(root):
            raise ImportProblem(f"{name} is a link to a file outside {path.name}. Put the file itself there.")
    return [Member(name, file.stat().st_size, file) for name, file in chosen.items()]


def _zip_members(path: Path, pick: Pick, limits: Limits) -> list[Member]:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = {info.filename: info for info in with_meant_names(archive.infolist()) if not info.is_dir()}
    except _DAMAGE as error:
        raise ImportProblem(f"{path.name} is not a readable zip ({error}). Zip it again.") from error
    for info in infos.values():
        _refuse_unsafe(info, path.name)
    chosen = [infos[name] for name in pick([name for name in infos if not name.startswith("__MACOSX/")])]
    for info in chosen:
        _refuse_bomb(info, limits)
    shared = Archive(path)
    return [Member(info.filename, info.file_size, path, shared) for info in chosen]


def refuse_unsafe_zip(path: Path, limits: Limits) -> None:
    """Raises ``ImportProblem`` if ``path`` is not a readable zip, or contains unsafe names, links or bombs."""
    _zip_members(path, lambda names: names, limits)


def _refuse_unsafe(info: zipfile.ZipInfo, archive: str) -> None:
    name = info.filename.replace("\\", "/")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/"):
        raise ImportProblem(
            f"{archive} contains the unsafe name {info.filename[:100]!r}, which points outside it. "
            "Rename the file and zip it again."
        )
    if stat.S_ISLNK(info.external_attr >> 16):
        raise ImportProblem(f"{archive} contains the link {info.filename[:100]!r}. Zip the files themselves.")


def _refuse_bomb(info: zipfile.ZipInfo, limits: Limits) -> None:
    if info.flag_bits & 1:
        raise ImportProblem(f"{info.filename} is encrypted. Zip it without a password.")
    if info.compress_type not in _METHODS:
        raise ImportProblem(f"{info.filename} is packed with an unusual method. Zip it with the usual one (deflate).")
    if info.file_size > limits.ratio_from and info.file_size > limits.ratio * max(info.compress_size, 1):
        raise ImportProblem(
            f"{info.filename} would grow from {info.compress_size:,} to {info.file_size:,} bytes when unpacked, more "
            f"than {limits.ratio} times. It was rejected as a zip bomb. If it is genuine, send it unpacked."
        )
