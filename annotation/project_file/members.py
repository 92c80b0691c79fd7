"""Writing and reading the members of a portable file."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from annotation.project_file.values import InvalidFileError, Line

FORMAT, VERSION = "sightline-project", 1
MANIFEST = "manifest.json"
NOT_PORTABLE = "This is no portable benchmark"
CHOOSE = "Choose a .sightline file that was exported by Sightline."
LONGEST_LINE = 64 << 20
"""As the importers of runs read it."""
MOST_MANIFEST = 64 << 20
MOST_ROWS = 50_000_000
MOST_BYTES = 16 << 30
"""Of all members together, unpacked."""
PIECE = 1 << 20
UNREADABLE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError)
"""What a zip raises that is damaged, encrypted, or compressed in another way."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every member: two files with the same content have the same bytes."""
TABLE = re.compile(r"tables/([a-z]+)\.jsonl")
IMAGE = re.compile(r"images/([0-9a-f]{64})\.(jpg|png|webp|tif)")


@dataclass(frozen=True, slots=True)
class Member:
    """A member as the manifest names it. ``rows``: of a table, None of an image."""

    sha256: str
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """``about``: title, slug and the kind of names, for people."""

    about: Mapping[str, Any]
    members: Mapping[str, Member]

    @property
    def checksum(self) -> str:
        """One name for the content of the file."""
        total = hashlib.sha256()
        for name in sorted(self.members):
            total.update(f"{name} {self.members[name].sha256}\n".encode())
        return total.hexdigest()


def line_of(row: Mapping[str, Any]) -> bytes:
    """A row as its canonical line."""
    return ENCODER.encode(row).encode() + b"\n"


@dataclass
class Writer:
    """Writes a file: tables, then images, then ``close``."""

    out: IO[bytes]
    members: dict[str, Member] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._zip = zipfile.ZipFile(self.out, "w", allowZip64=True)

    def table(self, name: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Write a table; returns its number of rows. Raises ``InvalidFileError`` for a row too long to be read."""
        count = 0
        with self._member(f"tables/{name}.jsonl", zipfile.ZIP_DEFLATED) as (stream, digest):
            for row in rows:
                line = line_of(row)
                if len(line) > LONGEST_LINE:
                    raise InvalidFileError(
                        f"tables/{name}.jsonl, line {count + 1} is longer than {LONGEST_LINE:,} bytes."
                    )
                stream.write(line)
                digest.update(line)
                count += 1
        self.members[f"tables/{name}.jsonl"] = Member(digest.hexdigest(), count)
        return count

    def image(self, name: str, source: IO[bytes]) -> str:
        """Write an image; returns the SHA-256 of its bytes."""
        with self._member(f"images/{name}", zipfile.ZIP_STORED) as (stream, digest):
            while piece := source.read(PIECE):
                stream.write(piece)
                digest.update(piece)
        self.members[f"images/{name}"] = Member(digest.hexdigest())
        return self.members[f"images/{name}"].sha256

    def close(self, about: Mapping[str, Any]) -> Manifest:
        """Write the manifest and end the file."""
        manifest = Manifest(about, self.members)
        members = {
            name: {"sha256": one.sha256} | ({} if one.rows is None else {"rows": one.rows})
            for name, one in sorted(self.members.items())
        }
        text = {"format": FORMAT, "version": VERSION, "about": dict(about), "checksum": manifest.checksum}
        with self._member(MANIFEST, zipfile.ZIP_DEFLATED) as (stream, _):
            stream.write(json.dumps(text | {"members": members}, indent=1, sort_keys=True).encode())
        self._zip.close()
        return manifest

    @contextmanager
    def _member(self, name: str, method: int) -> Iterator[tuple[IO[bytes], Any]]:
        info = zipfile.ZipInfo(name, EPOCH)
        info.compress_type = method
        with self._zip.open(info, "w", force_zip64=True) as stream:
            yield stream, hashlib.sha256()


class Reader:
    """Reads a file and checks what it reads. Raises ``InvalidFileError``."""

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
            self.manifest = _manifest(self._whole(MANIFEST, MOST_MANIFEST))
        except (*UNREADABLE, KeyError) as error:
            if isinstance(error, zipfile.BadZipFile) and _begins_as_zip(path):
                words = "The file is cut off: its end is missing. Copy or download the file again."
                raise InvalidFileError(words) from error
            raise InvalidFileError(f"{NOT_PORTABLE}: it is not a zip with a manifest.json. {CHOOSE}") from error
        if sum(info.file_size for info in self._zip.infolist()) > MOST_BYTES:
            raise InvalidFileError(f"The file holds more than {MOST_BYTES >> 30} GB.")
        found = {info.filename for info in self._zip.infolist()} - {MANIFEST}
        if missing := sorted(self.manifest.members.keys() - found):
            raise InvalidFileError(f"{missing[0]} is missing from the file. Copy or download the file again.")
        if extra := sorted(found - self.manifest.members.keys()):
            raise InvalidFileError(f"{extra[0]} is not in the manifest. Use the exported file unchanged.")

    def close(self) -> None:
        self._zip.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def tables(self) -> dict[str, int]:
        """The number of rows of each table."""
        named = ((TABLE.fullmatch(name), one.rows or 0) for name, one in self.manifest.members.items())
        return {match[1]: rows for match, rows in named if match}

    @cached_property
    def images(self) -> dict[str, str]:
        """The member of each image by the SHA-256 in its name."""
        named = ((IMAGE.fullmatch(name), name) for name in self.manifest.members)
        return {match[1]: name for match, name in named if match}

    def verify(self) -> None:
        """Hold every member against the manifest."""
        for table in self.tables:
            for _ in self.rows(table):
                pass
        for name in self.images.values():
            for _ in self.pieces(name):
                pass

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """The rows of a table, none if the file does not have it. At the end its checksum is checked."""
        name = f"tables/{table}.jsonl"
        if name not in self.manifest.members:
            return
        wanted, digest, count = self.manifest.members[name], hashlib.sha256(), 0
        try:
            with self._zip.open(name) as stream:
                lines = io.BufferedReader(stream)  # type: ignore[type-var]  # a member has all that is needed
                while line := lines.readline(LONGEST_LINE):
                    digest.update(line)
                    count += 1
                    yield _row(line, name, count)
        except UNREADABLE as error:
            raise _damaged(name) from error
        if digest.hexdigest() != wanted.sha256 or count != wanted.rows:
            raise _damaged(name)

    def lines(self, table: str) -> Iterator[Line]:
        """The rows of a table with their places."""
        for number, row in enumerate(self.rows(table), start=1):
            yield Line(table, number, row)

    def pieces(self, name: str) -> Iterator[bytes]:
        """The bytes of an image. At the end its checksum is checked."""
        wanted, digest = self.manifest.members[name].sha256, hashlib.sha256()
        match = IMAGE.fullmatch(name)
        try:
            with self._zip.open(name) as stream:
                while piece := stream.read(PIECE):
                    digest.update(piece)
                    yield piece
        except UNREADABLE as error:
            raise _damaged(name) from error
        if digest.hexdigest() != wanted or match is None or match[1] != wanted:
            raise _damaged(name)

    def _whole(self, name: str, most: int) -> bytes:
        with self._zip.open(name) as stream:
            data = stream.read(most + 1)
        if len(data) > most:
            raise InvalidFileError(f"{name} is larger than {most >> 20} MB.")
        return data


def _begins_as_zip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) == b"PK\3\4"


def _damaged(name: str) -> InvalidFileError:
    return InvalidFileError(f"{name} is damaged. Copy or download the file again.")


def _row(line: bytes, name: str, number: int) -> dict[str, Any]:
    try:
        row = DECODER.decode(line.decode())
    except (ValueError, RecursionError) as error:
        raise InvalidFileError(f"{name}, line {number}: this is no JSON. Copy or download the file again.") from error
    if not isinstance(row, dict):
        raise InvalidFileError(f"{name}, line {number}: this is no row. Use the exported file unchanged.")
    return row


def _no_constant(name: str) -> None:
    """NaN and Infinity are no JSON, although Python reads them."""
    raise ValueError(name)


DECODER = json.JSONDecoder(parse_constant=_no_constant)
ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
"""Made once: a file has millions of lines."""


def _manifest(data: bytes) -> Manifest:
    try:
        given = json.loads(data)
        format, version, members = given["format"], given["version"], given["members"]
        found = {str(name): Member(str(one["sha256"]), one.get("rows")) for name, one in members.items()}
        checksum, about = given["checksum"], dict(given["about"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidFileError("manifest.json can't be read. Copy or download the file again.") from error
    if format != FORMAT or not isinstance(version, int):
        raise InvalidFileError(f"{NOT_PORTABLE}: manifest.json names another format. {CHOOSE}")
    if version > VERSION:
        raise InvalidFileError(f"The file has version {version} of the format; this server reads {VERSION}. Update it.")
    for name, one in found.items():
        rows_are_right = (
            isinstance(one.rows, int) and 0 <= one.rows <= MOST_ROWS if TABLE.fullmatch(name) else one.rows is None
        )
        if not rows_are_right or not (TABLE.fullmatch(name) or IMAGE.fullmatch(name)):
            raise InvalidFileError(f"manifest.json names {name[:80]}, which is neither a table nor an image.")
    manifest = Manifest(about, found)
    if manifest.checksum != checksum:
        raise InvalidFileError("manifest.json does not match its checksum. Copy or download the file again.")
    return manifest
