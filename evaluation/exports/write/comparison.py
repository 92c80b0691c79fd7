"""Comparing two portable files, or a file with a state of a benchmark, in a job.

The files are deleted when the job ends, its result after a day.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import asdict
from pathlib import Path
from secrets import token_hex
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext

from annotation.common.access import allowed, require
from annotation.exchange.write.files import Upload, refuse_too_large, safe_name
from annotation.models import Benchmark
from annotation.portable.read.gold_changes import FIELDS, SampleChange, changes
from annotation.portable.read.preview import preview_of
from annotation.portable.read.project import write_state
from annotation.portable.read.table_changes import RowChange, counts_apart, is_mixed, rows_apart
from annotation.portable.read.version import version_numbered
from annotation.portable.write import opened
from annotation.project_file import Kind, Reader, line_of
from annotation.workflow import Right
from evaluation.exports.read.comparison import KIND, PAGE, PREFIX, samples_name, summary_name
from evaluation.exports.read.run_changes import RESULTS, WITHOUT_JUDGEMENTS, changes_of_runs, has_runs, runs_in
from evaluation.exports.read.runs import RunsInFile
from evaluation.exports.write.uploads import require_creator
from webapp.accounts.models import User
from webapp.common import audit, objects
from webapp.common.errors import InvalidInput
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext
from webapp.jobs.models import Job

LISTED = 100
"""Rows of each table, and runs, that are listed."""
LONGEST_VALUE = 20_000
"""Bytes of a value of a sample. A longer one is left out."""
Names = Sequence[str]


def start_comparison(
    *, actor: User, files: Sequence[Upload], benchmark: Benchmark | None = None, number: int | None = None
) -> Job:
    """Keep the files, and have a job compare two of them, or one with the version ``number`` of a benchmark or with its
    working state. Raises ``NotAllowed``, ``NotFound``, ``TooLarge``, ``InvalidInput``."""
    if benchmark is None:
        require_creator(actor)
    else:
        require_lead(actor, benchmark)
        if number is not None:
            version_numbered(benchmark, number)
    stored = [_store(file) for file in files]
    names = [name for _, name in stored]
    with transaction.atomic():
        job = enqueue_on_commit(
            KIND,
            payload={
                "slug": benchmark.slug if benchmark else "", "number": number, "files": [name for name, _ in stored],
                "names": names,
            },
            actor=actor,
            values={"file": names[-1]},
            benchmark=benchmark.slug if benchmark else "",
        )  # fmt: skip
        audit.record(actor, "portable.compare", job, benchmark.slug if benchmark else "", data={"files": names})
    return job


def require_lead(actor: User, benchmark: Benchmark) -> None:
    """Raises ``NotAllowed`` unless this person manages the benchmark and sees its gold. Tokens to manage can export the
    gold, so it is enough if their person sees it."""
    require(actor, benchmark, Right.MANAGE)
    person = copy(actor)
    person.token = None
    require(person, benchmark, Right.SEE_GOLD)


def compare(context: JobContext, *, slug: str, number: int | None, files: Names, names: Names) -> dict[str, Any]:
    """Compare the files, and keep what differs for a day."""
    actor = context.job.created_by
    assert actor is not None
    benchmark: Benchmark | None = Benchmark.objects.get(slug=slug) if slug else None
    if benchmark is not None:
        require_lead(actor, benchmark)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as open_ones:
        readers = []
        for place, (stored, name) in enumerate(zip(files, names, strict=True)):
            path = Path(folder) / str(place) / name
            _fetch(stored, path)
            readers.append(open_ones.enter_context(_read(path, two=len(files) > 1)))
        tables: Names = RESULTS
        if benchmark is not None:
            own = Path(folder) / "own"
            tables = _write_state(own, actor, benchmark, number, readers[0])
            readers.insert(0, open_ones.enter_context(Reader(own)))
        summary = _written(context, Path(folder) / "samples", *readers, results=tables)
        summary |= {"files": list(names), "number": number}
        objects.put(summary_name(context.job.pk), line_of(summary))
    _delete(files)
    context.result_url = _address(slug, context.job)
    return {"samples": sum(summary["counts"].values())}


def note_stopped(sentence: str, *, files: Names, **_: object) -> None:
    """Delete the files of a job that stopped."""
    if sentence:
        transaction.on_commit(lambda: _delete(files))


def _read(path: Path, *, two: bool) -> Any:
    """The verified file. With ``two``, its faults name it."""
    return opened(path, name=path.name if two else "")


def _write_state(path: Path, actor: User, benchmark: Benchmark, number: int | None, file: Reader) -> Sequence[str]:
    """Write the state of the benchmark as a file without images, with runs if the file has runs that the actor may
    read. Return the tables of runs that can be compared."""
    version = None if number is None else version_numbered(benchmark, number)
    wants = has_runs(file) and allowed(actor, benchmark, Right.EXPORT)
    runs = RunsInFile(benchmark, actor, version) if wants else None
    named = file.manifest.about.get("people") == "named"
    with path.open("wb") as out:
        write_state(benchmark=benchmark, out=out, named=named, version=version, further=runs)
    return RESULTS if runs is None or runs.has_all_judgements() else WITHOUT_JUDGEMENTS


def _written(context: JobContext, path: Path, first: Reader, second: Reader, *, results: Names) -> dict[str, Any]:
    """Write the samples that differ; return everything else."""
    found = changes(first, second)
    total, places = len(found.changed), []
    with path.open("wb") as out:
        for at, change in enumerate(found):
            if at % PAGE == 0:
                places.append(out.tell())
                context.progress(at, total)
            out.write(line_of(_sample(change)))
    objects.put(samples_name(context.job.pk), path)
    compared = has_runs(first) and has_runs(second)
    runs = changes_of_runs(first, second, results) if compared else []
    for file in (first, second):
        if not compared and has_runs(file):
            runs_in(file)
    return {
        "first": preview_of(first), "second": preview_of(second), "same_benchmark": _uid(first) == _uid(second),
        "counts": {kind.value: found.count(kind) for kind in Kind}, "same": found.same, "places": places,
        "rows": _rows(rows_apart(first, second)),
        "tables": [asdict(one) for one in counts_apart(first, second)],
        "mixed": is_mixed(first, second),
        "runs": [{"name": one.name, "kind": one.kind, "fields": list(one.fields)} for one in runs[:LISTED]],
        "runs_n": len(runs), "runs_compared": compared,
    }  # fmt: skip


def _uid(file: Reader) -> str:
    return str(next(file.rows("benchmark"), {}).get("uid") or "")


def _sample(change: SampleChange) -> dict[str, Any]:
    """A sample as a line. ``too_long``: fields whose values are left out."""
    sides = (change.before, change.after)
    long = [name for name in FIELDS if any(len(line_of({"": side.get(name)})) > LONGEST_VALUE for side in sides)]
    before, after = ({name: value for name, value in side.items() if name not in long} for side in sides)
    return {
        "key": change.key, "kind": change.kind, "fields": list(change.fields), "before": before or None,
        "after": after or None, "too_long": long,
    }  # fmt: skip


def _rows(changed: Iterable[RowChange]) -> list[dict[str, Any]]:
    """By table: how many rows differ, and the first of them."""
    tables: dict[str, dict[str, Any]] = {}
    for one in changed:
        table = tables.setdefault(one.table, {"table": one.table, "n": 0, "rows": []})
        table["n"] += 1
        if len(table["rows"]) < LISTED:
            table["rows"].append({"name": one.name, "kind": one.kind, "fields": _sides(one.fields)})
    return list(tables.values())


def _sides(fields: Mapping[str, tuple[str, str]]) -> list[dict[str, str]]:
    return [{"field": name, "before": before, "after": after} for name, (before, after) in fields.items()]


def _address(slug: str, job: Job) -> str:
    if slug:
        return reverse("evaluation:portable-difference", args=[slug, job.pk])
    return reverse("evaluation:file-difference", args=[job.pk])


def _store(file: Upload) -> tuple[str, str]:
    """Keep an uploaded file until it is compared: its name in the object store, and its own name."""
    own = safe_name(file.name or "")
    refuse_too_large(own, file.size or 0)
    handle, part = tempfile.mkstemp()
    try:
        size = 0
        with os.fdopen(handle, "wb") as out:
            for chunk in file.chunks():
                size += len(chunk)
                refuse_too_large(own, size)
                out.write(chunk)
        if not size:
            raise InvalidInput(
                gettext("%(name)s is empty. Check that it was written completely.") % {"name": own}, field="file"
            )
        name = f"{PREFIX}/{token_hex(16)}.upload"
        objects.put(name, Path(part))
    finally:
        Path(part).unlink(missing_ok=True)
    return name, own


def _fetch(name: str, path: Path) -> None:
    if not objects.exists(name):
        raise InvalidInput(gettext("%(name)s was deleted. Upload it again.") % {"name": path.name})
    objects.fetch(name, path)


def _delete(files: Names) -> None:
    for name in files:
        if objects.exists(name):
            objects.delete(name)
