"""Exports a benchmark as a portable file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import IO, Any
from uuid import UUID

from django.db import models

from annotation.content.people import PLACEHOLDERS, address_of, uids_of, verified_addresses
from annotation.images.store import SUFFIX, WITHOUT_FILE, picture_path
from annotation.models import Benchmark, Image, PersonUid, Revision, Version
from annotation.portable.read.contents import WorkingState
from annotation.portable.read.further import Further
from annotation.portable.read.tables import BENCHMARK_FIELDS, Table
from annotation.portable.read.version import FrozenVersion
from annotation.project_file import InvalidFileError, Manifest, Writer
from webapp.accounts.models import User
from webapp.common import audit, objects
from webapp.common.databases import snapshot
from webapp.common.errors import Conflict


def export_project(
    *,
    actor: User | None,
    benchmark: Benchmark,
    out: IO[bytes],
    named: bool,
    version: Version | None = None,
    further: Further | None = None,
) -> Manifest:
    """Write the entire benchmark to ``out`` except its runs, seats and audit log; or what one ``version`` of it holds.
    ``named``: people by name and address, else as "person-07". ``further``: tables that are added, such as those of
    runs. Two exports of the same state have the same bytes. Raises ``Conflict`` for a row that no file can hold.
    """
    writer = Writer(out)
    with _contents(benchmark, version, further) as (contents, people):
        about = _write_tables(writer, contents, people, named, further)
        for image in contents.images().order_by("sha256").exclude(state__in=WITHOUT_FILE).iterator():
            with objects.open_object(picture_path(image)) as source:
                writer.image(f"{image.sha256}.{SUFFIX[image.format]}", source)
        manifest = writer.close(about)
    data = {"checksum": manifest.checksum, "people": about["people"], **_version_of(version)}
    data |= {"with": further.name} if further else {}
    audit.record(actor=actor, action="export.project", subject=benchmark, benchmark=benchmark.slug, data=data)
    return manifest


def write_state(
    *, benchmark: Benchmark, out: IO[bytes], named: bool, version: Version | None = None, further: Further | None = None
) -> None:
    """Write the tables of a file without images, to compare this state with a file."""
    writer = Writer(out)
    with _contents(benchmark, version, further) as (contents, people):
        writer.close(_write_tables(writer, contents, people, named, further))


@contextmanager
def _contents(
    benchmark: Benchmark, version: Version | None, further: Further | None
) -> Iterator[tuple[WorkingState, list[int]]]:
    """One state of the benchmark, and all people whom its rows name. Each person gets a uid before, because nothing can
    be written while a state is read."""
    while True:
        uids_of(benchmark, _people(benchmark, version, further))
        with snapshot():
            people = _people(benchmark, version, further)
            if PersonUid.objects.filter(benchmark=benchmark, user__in=people).count() == len(people):
                yield FrozenVersion(version) if version else WorkingState(benchmark), people
                return


def _people(benchmark: Benchmark, version: Version | None, further: Further | None) -> list[int]:
    contents = FrozenVersion(version) if version else WorkingState(benchmark)
    return sorted({*contents.people(), *(further.people() if further else ())})


def _write_tables(
    writer: Writer, contents: WorkingState, people: list[int], named: bool, further: Further | None
) -> dict[str, Any]:
    """Write all tables; return what the manifest says about the content."""
    benchmark = contents.benchmark
    writer.table("benchmark", [{name: _plain(getattr(benchmark, name)) for name in BENCHMARK_FIELDS}])
    writer.table("person", _person_rows(benchmark, people, named))
    numbers: dict[type[models.Model], dict[int, int]] = {User: {pk: n for n, pk in enumerate(people, start=1)}}
    images = contents.images().order_by("sha256")
    numbers[Image] = {pk: n for n, pk in enumerate(images.values_list("pk", flat=True), start=1)}
    writer.table("image", _image_rows(images))
    for table in contents.tables:
        numbers[table.model] = {pk: number for number, pk in enumerate(contents.keys(table), start=1)}
    for table in contents.tables:
        writer.table(table.name, _rows(table, contents, numbers))
    about: dict[str, Any] = {
        "slug": benchmark.slug,
        "title": benchmark.title,
        "people": "named" if named else "pseudonyms",
    }
    about |= contents.about
    if further is not None:
        _write_further(writer, further, numbers[User])
        if "left_out" in about:
            about["left_out"] = [name for name in about["left_out"] if name != further.name]
    return about


def _write_further(writer: Writer, further: Further, people: Mapping[int, int]) -> None:
    for name, rows in further.tables(people):
        try:
            writer.table(name, map(plain_row, rows))
        except InvalidFileError as error:
            raise Conflict(str(error)) from error


def _version_of(version: Version | None) -> dict[str, int]:
    return {"version": version.number} if version else {}


def portable_name(benchmark: Benchmark, version: Version | None) -> str:
    """The name of the file: ``street.sightline``, ``street-v2.sightline``."""
    return f"{benchmark.slug}-v{version.number}.sightline" if version else f"{benchmark.slug}.sightline"


def image_bytes(benchmark: Benchmark, version: Version | None = None) -> int:
    """Return the total size of all images of a benchmark, or of one version of it."""
    contents = FrozenVersion(version) if version else WorkingState(benchmark)
    return int(contents.images().aggregate(total=models.Sum("bytes"))["total"] or 0)


def _person_rows(benchmark: Benchmark, people: list[int], named: bool) -> Iterator[dict[str, Any]]:
    """The people by name or as "person-07", each with the same ``uid`` in every file of the benchmark, and whether
    their address is verified. Placeholders whose file lacks this have no value."""
    width = max(2, len(str(len(people))))
    accounts = User.objects.in_bulk(people)
    verified = verified_addresses(benchmark, people)
    identities = uids_of(benchmark, people)
    for number, pk in enumerate(people, start=1):
        identity = identities[pk]
        row: dict[str, Any] = {"name": f"person-{number:0{width}}", "email": "", "uid": str(identity.uid)}
        if identity.known_as is not None:
            row["known_as"] = str(identity.known_as)
        if identity.verified is not None or not accounts[pk].email.endswith(PLACEHOLDERS):
            row["verified"] = verified[pk]
        if named:
            row |= {"name": accounts[pk].name, "email": address_of(accounts[pk].email, identity)}
        yield row


def _image_rows(images: models.QuerySet[Image]) -> Iterator[dict[str, Any]]:
    for image in images.iterator():
        row: dict[str, Any] = {"sha256": image.sha256, "suffix": SUFFIX[image.format]}
        if image.state in WITHOUT_FILE:
            size = {"width": image.width, "height": image.height, "format": image.format, "bytes": image.bytes}
            row |= {"removed": image.problem, **size}
        yield row


def _rows(
    table: Table, contents: WorkingState, numbers: dict[type[models.Model], dict[int, int]]
) -> Iterator[dict[str, Any]]:
    links = {one.name: one.related_model for one in table.fields if isinstance(one, models.ForeignKey)}
    hooks = dict(table.revisions_in)
    known = numbers[Revision] if hooks else {}
    number = known.__getitem__ if contents.all_revisions else known.get
    for row in contents.values(table):
        found: dict[str, Any] = {}
        for name, value in row.items():
            if name in links and value is not None:
                # A sample that this one was made from can be in the trash, or not in the version.
                there = numbers[links[name]]
                found[name] = there.get(value) if links[name] is table.model else there[value]
            else:
                found[name] = _plain(hooks[name](value, number) if name in hooks else value)
        yield found


def plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as a file has it."""
    return {key: _plain(value) for key, value in row.items()}


def _plain(value: Any) -> Any:
    """Return a time in UTC with microseconds, and a UUID as text; any other value is already JSON."""
    if isinstance(value, UUID):
        return str(value)
    return value.astimezone(UTC).isoformat(timespec="microseconds") if isinstance(value, datetime) else value
