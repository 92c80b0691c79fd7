"""Making a benchmark out of a portable file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import DataError, IntegrityError, models
from django.utils.translation import gettext

from annotation.content.changes import content_changed
from annotation.content.segments import place_segments
from annotation.images.store import SUFFIX, store_bytes
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, BenchmarkSchema, FacetValue, Image, Revision, Sample
from annotation.portable.read.columns import in_column
from annotation.portable.read.tables import BENCHMARK_FIELDS, TABLES, Numbers, Table
from annotation.portable.read.update import missing_image
from annotation.portable.read.version import FrozenVersion
from annotation.portable.write.people import add_people
from annotation.project_file import InvalidFileError, Line, Reader, invalid
from annotation.task_schema import InvalidSchemaError, TaskSchema
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.bulk import insert_rows, reserve_ids
from webapp.common.errors import InvalidInput

AT_ONCE = 1000
SHA256 = re.compile(r"[0-9a-f]{64}")
MOST_PIXELS = 2**31


class InvalidProject(InvalidInput):
    """The file can't be read as a benchmark; nothing was stored but images."""

    code = "project_file"


@contextmanager
def opened(path: Path, *, name: str = "") -> Iterator[Reader]:
    """The verified file. Raises ``InvalidProject`` for its faults, also for those that show only while it is stored.
    ``name``: begins the message, where there are several files."""
    place = f"{name}: " if name else ""
    try:
        with Reader(path) as file:
            file.verify()
            yield file
    except (InvalidFileError, InvalidSchemaError, PictureProblem) as error:
        raise InvalidProject(f"{place}{error}") from error
    except (IntegrityError, DataError, OverflowError) as error:
        words = gettext("The rows of the file contradict each other: %(why)s") % {"why": error}
        raise InvalidProject(f"{place}{words}") from error


def store_images(*, actor: User | None, file: Reader, slug: str) -> list[int]:
    """Store the images of the file with the bytes they have there; returns their rows in its order. Call before the
    transaction: storing one twice changes nothing."""
    found = []
    for line in file.lines("image"):
        if "removed" in line.row:
            found.append(_removed_image(line).pk)
            continue
        member = file.images.get(line.text("sha256"))
        if member is None:
            raise missing_image(line)
        data = b"".join(file.pieces(member))
        found.append(store_bytes(actor, Benchmark(slug=slug), data).pk)
    return found


def _removed_image(line: Line) -> Image:
    """The row of an image that was taken down where the file was written. One that is here is not touched."""
    sha256, format = line.text("sha256"), line.text("format")
    size = {name: line.reference(name, MOST_PIXELS - 1) for name in ("width", "height", "bytes")}
    for name, valid in (("format", format in SUFFIX), ("sha256", SHA256.fullmatch(sha256))):
        if not valid:
            raise line.error(name)
    given = {**size, "format": format, "state": Image.State.REMOVED, "problem": line.text("removed")[:2000]}
    return Image.objects.get_or_create(sha256=sha256, defaults=given)[0]


def fill(*, actor: User | None, benchmark: Benchmark, file: Reader, images: Sequence[int]) -> None:
    """Put everything of the file into a new, empty benchmark. People of the file become placeholders who cannot sign
    in. Call inside a transaction."""
    about = next(file.rows("benchmark"), {})
    for one in Benchmark._meta.concrete_fields:
        # A file of an earlier release has no uid.
        if one.name in BENCHMARK_FIELDS and (one.name != "uid" or about.get("uid")):
            setattr(benchmark, one.name, in_column(one, about.get(one.name), "benchmark", 1))
    benchmark.save(update_fields=BENCHMARK_FIELDS)
    numbers: dict[type[models.Model], Sequence[int]] = {User: add_people(file, benchmark), Image: images}
    for table in TABLES:
        numbers[table.model] = reserve_ids(table.model, file.tables.get(table.name, 0))
        _insert(table, file, benchmark, numbers)
    FacetValue.objects.filter(benchmark=benchmark, sample__benchmark=None).update(benchmark=None)
    for number, stored in enumerate(BenchmarkSchema.objects.filter(benchmark=benchmark).order_by("pk"), start=1):
        try:
            TaskSchema.parse(stored.content)
        except InvalidSchemaError as error:
            raise invalid("benchmarkschema", number, "content", f"is no schema: {error}") from error
    _finish_version(benchmark, file)
    content_changed(benchmark.pk)
    data = {"checksum": file.manifest.checksum, "from": str(file.manifest.about.get("slug", ""))[:60]}
    audit.record(actor=actor, action="import.project", subject=benchmark, benchmark=benchmark.slug, data=data)


def _finish_version(benchmark: Benchmark, file: Reader) -> None:
    """Check that a file of a version holds the gold that its checksum names, and add what is derived from it."""
    about = file.manifest.about
    version = benchmark.versions.first()
    if "version" not in about:
        return
    if version is None or version.number != about["version"]:
        raise InvalidFileError("The manifest names a version that the file does not have.")
    if about.get("checked") and FrozenVersion(version).checksum() != version.checksum:
        raise InvalidFileError(
            f"The samples of the file do not have the checksum of version {version.number}. Export the version again."
        )
    place_segments(benchmark)


def _insert(
    table: Table, file: Reader, benchmark: Benchmark, numbers: Mapping[type[models.Model], Sequence[int]]
) -> None:
    fields = table.fields
    own = [one.name for one in table.model._meta.concrete_fields if one.name in ("benchmark", "removed_from")]
    names = ["id", *(one.name for one in fields), *own]
    ids = numbers[table.model]
    hooks = dict(table.revisions_in)

    def values() -> Iterator[tuple[Any, ...]]:
        for at, row in enumerate(file.rows(table.name)):
            given, line = [], Line(table.name, at + 1, row)
            for one in fields:
                # A file of an earlier release lacks the columns that came later.
                value = row.get(one.name, one.get_default() if one.has_default() else None)
                if one.name in hooks and value is not None:
                    value = _renumbered(hooks[one.name], value, numbers[Revision], line, one.name)
                if isinstance(one, models.ForeignKey):
                    given.append(_id_of(numbers[one.related_model], line, one))
                else:
                    given.append(in_column(one, value, table.name, at + 1))
            # A withdrawn sample is of no benchmark.
            place = "removed_from" if table.model is Sample and row.get("deleted_at") else "benchmark"
            yield (ids[at], *given, *(benchmark.pk if name == place else None for name in own))

    rows, first = values(), 1
    while some := list(islice(rows, AT_ONCE)):
        try:
            insert_rows(table.model, names, some)
        except (IntegrityError, DataError) as error:
            where = f"tables/{table.name}.jsonl, lines {first} to {first + len(some) - 1}"
            raise InvalidFileError(f"{where}: the rows contradict each other: {error}") from error
        first += len(some)


def _renumbered(
    hook: Callable[[Any, Numbers], Any], value: Any, revisions: Sequence[int], line: Line, field: str
) -> Any:
    """The JSON with the revisions that it names by their rows here."""

    def revision(number: Any) -> int:
        return revisions[Line(line.table, line.number, {field: number}).reference(field, len(revisions)) - 1]

    try:
        return hook(value, revision)
    except (AttributeError, KeyError, TypeError) as error:
        raise line.error(field, "names revisions in a form that is not known") from error


def _id_of(ids: Sequence[int], line: Line, one: models.ForeignKey[Any, Any]) -> int | None:
    number = line.reference_or_none(one.name, len(ids))
    if number is None:
        if not one.null:
            raise line.error(one.name, "is missing")
        return None
    return ids[number - 1]
