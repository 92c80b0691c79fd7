"""Backup and restore of a site on SQLite: one file with a consistent database and the stored files that it names.

The archive is a tar file: ``database.sqlite3``, ``files/NAME`` for each object of the store, and last ``manifest.json``
with the size and sha256 of each. It does not contain the secret key, so people sign in again after a restore.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any

from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from webapp import VERSION
from webapp.common import objects
from webapp.common.errors import Conflict, InvalidInput

FORM = 1
DATABASE, FILES, MANIFEST = "database.sqlite3", "files/", "manifest.json"
UNREADABLE = (
    tarfile.TarError, EOFError, zlib.error, OSError, ValueError, LookupError, TypeError, AttributeError,
)  # fmt: skip
"""The exceptions raised when reading a file that is not an archive, or not one of ours."""


@dataclass
class Contents:
    """Size and sha256 of each part, by its name in the archive."""

    parts: dict[str, tuple[int, str]] = field(default_factory=dict)

    @property
    def files(self) -> int:
        return sum(name.startswith(FILES) for name in self.parts)

    @property
    def bytes(self) -> int:
        return sum(size for size, _ in self.parts.values())


def write_backup(file: Path) -> Contents:
    """Write the archive while the site continues to run. Raises ``Conflict`` if the file exists or the database is not
    SQLite.
    """
    database = _sqlite_file()
    if file.exists():
        raise Conflict(f"{file} exists. Choose the name of a new file.")
    part = file.with_name(f"{file.name}.part")
    contents = Contents()
    with _new_file(part) as out, tarfile.open(fileobj=out, mode=_mode("w", file)) as archive:
        # First the database: what is stored after this moment is in none of its rows.
        with TemporaryDirectory(dir=file.parent, prefix=".backup-") as folder:
            copy = Path(folder, DATABASE)
            _copy(database, copy)
            with copy.open("rb") as stream:
                _add(archive, contents, DATABASE, stream, copy.stat().st_size)
        for name in objects.all_names():
            # A file that was removed meanwhile was removed with its rows, by a person or because it was unused.
            with _if_there(name) as stored:
                if stored is not None:
                    _add(archive, contents, FILES + name, stored, stored.size)
        _add_manifest(archive, contents)
    part.replace(file)
    return contents


def restore_backup(file: Path) -> Contents:
    """Create the site of an archive if there is none yet. The database appears last, once everything was checked.
    Raises ``Conflict`` if there is one, ``InvalidInput`` if the archive is damaged or of a newer release.
    """
    database = _sqlite_file()
    if any(Path(f"{database}{end}").exists() for end in ("", "-wal", "-shm")):
        raise Conflict(f"A database already exists: {database}. Restore into an empty SIGHTLINE_HOME.")
    database.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=database.parent, prefix=".restore-") as name:
        folder = Path(name)
        try:
            with tarfile.open(file, mode=_mode("r", file)) as archive:
                contents = _unpacked(archive, folder)
        except UNREADABLE as problem:
            raise InvalidInput(f"{file} cannot be read as a backup: {problem}. Copy it again.") from problem
        _check_database(folder / DATABASE)
        (folder / DATABASE).replace(database)
    call_command("migrate", verbosity=0, interactive=False)
    return contents


def _sqlite_file() -> Path:
    if connection.vendor != "sqlite":
        raise Conflict("This site is on PostgreSQL. Back it up with pg_dump and copy its file store: docker/README.md.")
    return Path(connection.settings_dict["NAME"])


def _mode(way: str, file: Path) -> Any:
    return f"{way}:gz" if file.suffix in (".gz", ".tgz") else f"{way}:"


@contextmanager
def _new_file(part: Path) -> Iterator[IO[bytes]]:
    """A file for the owner alone, on the disk when it is closed, and gone when writing fails."""
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _copy(database: Path, copy: Path) -> None:
    """Copy all committed data, including the log of SQLite, while others continue to write."""
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
        # One file without a separate log.
        target.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def _if_there(name: str) -> Iterator[Any]:
    try:
        stored = objects.open_object(name)
    except objects.Missing:
        yield None
        return
    with stored:
        yield stored


class _Hashing:
    """Reads a stream and keeps the digest of what went by."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.digest = stream, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(size)
        self.digest.update(data)
        return data


def _add(archive: tarfile.TarFile, contents: Contents, name: str, stream: Any, size: int) -> None:
    entry, read = tarfile.TarInfo(name), _Hashing(stream)
    entry.size, entry.mode, entry.mtime = size, 0o600, datetime.now(UTC).timestamp()
    archive.addfile(entry, read)
    contents.parts[name] = (size, read.digest.hexdigest())


def _add_manifest(archive: tarfile.TarFile, contents: Contents) -> None:
    said = {"form": FORM, "release": VERSION, "made": datetime.now(UTC).isoformat(), "parts": contents.parts}
    data = json.dumps(said, indent=1).encode()
    entry = tarfile.TarInfo(MANIFEST)
    entry.size, entry.mode, entry.mtime = len(data), 0o600, datetime.now(UTC).timestamp()
    with TemporaryDirectory() as folder:
        (file := Path(folder, MANIFEST)).write_bytes(data)
        with file.open("rb") as stream:
            archive.addfile(entry, stream)


def _unpacked(archive: tarfile.TarFile, folder: Path) -> Contents:
    """Put the database into the folder and the files into the store. Raises ``ValueError`` where anything differs from
    what the manifest says."""
    found, manifest = Contents(), None
    for member in archive:
        source = archive.extractfile(member) if member.isreg() else None
        if source is None:
            raise ValueError(f"{member.name} is no file")
        if member.name == MANIFEST:
            manifest = json.loads(source.read())
            continue
        copy = folder / (DATABASE if member.name == DATABASE else "file")
        found.parts[member.name] = _written(copy, source)
        if member.name != DATABASE:
            objects.put(_object_name(member.name), copy)
    if manifest is None:
        raise ValueError("it is cut off before its manifest")
    if DATABASE not in found.parts:
        raise ValueError("it contains no database")
    if manifest["form"] != FORM:
        raise ValueError(f"it was made by release {manifest['release']}, which this one cannot read")
    told = {name: (size, digest) for name, (size, digest) in manifest["parts"].items()}
    different = sorted(name for name in told.keys() | found.parts.keys() if told.get(name) != found.parts.get(name))
    if different:
        raise ValueError(f"{different[0]} is damaged or missing")
    return found


def _written(copy: Path, source: Any) -> tuple[int, str]:
    read = _Hashing(source)
    with copy.open("wb") as out:
        while data := read.read(objects.CHUNK):
            out.write(data)
    return copy.stat().st_size, read.digest.hexdigest()


def _object_name(member: str) -> str:
    path = PurePosixPath(member.removeprefix(FILES))
    if not member.startswith(FILES) or path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError(f"{member} does not belong in a backup")
    return str(path)


def _check_database(file: Path) -> None:
    """Raises ``InvalidInput`` for a damaged database, or one of a newer release."""
    try:
        with closing(sqlite3.connect(file)) as database:
            whole = database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            applied = set(database.execute("SELECT app, name FROM django_migrations")) if whole else set()
    except sqlite3.DatabaseError:
        whole = False
    if not whole:
        raise InvalidInput("The database of the backup is damaged. Take another backup.")
    known = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    newer = sorted(app for app, name in applied if (app, name) not in known)
    if newer:
        raise InvalidInput(f"The backup is of a newer release ({newer[0]}). Install that release, then restore.")
