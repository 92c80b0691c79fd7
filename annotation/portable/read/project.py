"""Exports a benchmark as a portable file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO, Any

from django.db import models, transaction

from annotation.images.store import SUFFIX, WITHOUT_FILE, picture_path
from annotation.models import Benchmark, Image, Revision
from annotation.models.querysets.removed import with_withdrawn
from annotation.portable.read.tables import BENCHMARK_FIELDS, TABLES, Table, rows_of
from annotation.project_file import Manifest, Writer
from webapp.accounts.models import User
from webapp.common import audit, objects

AT_ONCE = 2000
PLACEHOLDERS = "@placeholder.invalid"
"""The suffix of the addresses of people imported with a file."""


def export_project(*, actor: User | None, benchmark: Benchmark, out: IO[bytes], named: bool) -> Manifest:
    """Write the entire benchmark to ``out`` except its runs, seats and audit log. ``named``: people by name and
    address, else as "person-07". Two exports of the same state have the same bytes.
    """
    writer = Writer(out)
    with transaction.atomic():
        people = _people(benchmark)
        writer.table("benchmark", [{name: getattr(benchmark, name) for name in BENCHMARK_FIELDS}])
        writer.table("person", _person_rows(people, named))
        numbers: dict[type[models.Model], dict[int, int]] = {User: {pk: n for n, pk in enumerate(people, start=1)}}
        images = _images_of(benchmark).order_by("sha256")
        numbers[Image] = {pk: n for n, pk in enumerate(images.values_list("pk", flat=True), start=1)}
        writer.table("image", _image_rows(images))
        for table in TABLES:
            numbers[table.model] = _number(table, benchmark)
        for table in TABLES:
            writer.table(table.name, _rows(table, benchmark, numbers))
        for image in images.exclude(state__in=WITHOUT_FILE).iterator():
            with objects.open_object(picture_path(image)) as source:
                writer.image(f"{image.sha256}.{SUFFIX[image.format]}", source)
        about = {"slug": benchmark.slug, "title": benchmark.title, "people": "named" if named else "pseudonyms"}
        manifest = writer.close(about)
        data = {"checksum": manifest.checksum, "people": about["people"]}
        audit.record(actor=actor, action="export.project", subject=benchmark, benchmark=benchmark.slug, data=data)
    return manifest


def image_bytes(benchmark: Benchmark) -> int:
    """Return the total size of all images of a benchmark."""
    return int(_images_of(benchmark).aggregate(total=models.Sum("bytes"))["total"] or 0)


def _images_of(benchmark: Benchmark) -> models.QuerySet[Image]:
    """Return the images of the samples and of the building board, the originals of variants, and replaced images."""
    of_variants = with_withdrawn("variants__sample__", benchmark)
    replaced = with_withdrawn("replacements__sample__", benchmark)
    of_items = models.Q(build_items__benchmark=benchmark)
    found = Image.objects.filter(with_withdrawn("samples__", benchmark) | of_variants | replaced | of_items)
    return Image.objects.filter(pk__in=found.order_by().values("pk"))


def _number(table: Table, benchmark: Benchmark) -> dict[int, int]:
    keys = rows_of(table, benchmark).values_list("pk", flat=True)
    return {pk: number for number, pk in enumerate(keys.iterator(chunk_size=AT_ONCE), start=1)}


def _people(benchmark: Benchmark) -> list[int]:
    """Return all people named in a row, in the order of their accounts."""
    found: set[int] = set()
    for table in TABLES:
        for one in table.fields:
            if one.related_model is User:
                rows = rows_of(table, benchmark).order_by().exclude(**{one.name: None})
                found.update(rows.values_list(one.attname, flat=True).distinct())
    return sorted(found)


def _person_rows(people: list[int], named: bool) -> Iterator[dict[str, Any]]:
    width = max(2, len(str(len(people))))
    accounts = User.objects.in_bulk(people) if named else {}
    for number, pk in enumerate(people, start=1):
        if named:
            yield {"name": accounts[pk].name, "email": address_of(accounts[pk].email)}
        else:
            yield {"name": f"person-{number:0{width}}", "email": ""}


def address_of(email: str) -> str:
    """Return the address for a file. For a placeholder it is the original address, "" if there is none."""
    if not email.endswith(PLACEHOLDERS):
        return email
    local = email.removesuffix(PLACEHOLDERS).rpartition(".")[0]
    name, sign, host = local.rpartition("=")
    return f"{name}@{host}" if sign else ""


def _image_rows(images: models.QuerySet[Image]) -> Iterator[dict[str, Any]]:
    for image in images.iterator():
        row: dict[str, Any] = {"sha256": image.sha256, "suffix": SUFFIX[image.format]}
        if image.state in WITHOUT_FILE:
            size = {"width": image.width, "height": image.height, "format": image.format, "bytes": image.bytes}
            row |= {"removed": image.problem, **size}
        yield row


def _rows(
    table: Table, benchmark: Benchmark, numbers: dict[type[models.Model], dict[int, int]]
) -> Iterator[dict[str, Any]]:
    fields = table.fields
    hooks = dict(table.revisions_in)
    number = numbers[Revision].__getitem__ if hooks else int
    rows = rows_of(table, benchmark).values_list(*(one.attname for one in fields))
    for row in rows.iterator(chunk_size=AT_ONCE):
        found: dict[str, Any] = {}
        for one, value in zip(fields, row, strict=True):
            if isinstance(one, models.ForeignKey) and value is not None:
                # A sample that this one was made from can be in the trash.
                known = numbers[one.related_model]
                value = known.get(value) if one.related_model is table.model else known[value]
            elif one.name in hooks:
                value = hooks[one.name](value, number)
            found[one.name] = _plain(value)
        yield found


def _plain(value: Any) -> Any:
    """Return a time in UTC with microseconds; any other value is already JSON."""
    return value.astimezone(UTC).isoformat(timespec="microseconds") if isinstance(value, datetime) else value
