"""What is measured on a database, as functions that run in a process of their own (see ``bench.workers``)."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection

from annotation.content.samples import save_samples
from annotation.exchange.write.samples import import_samples
from annotation.exporters import EXPORTERS
from annotation.models import Benchmark, FacetValue, Gold, GoldBox, PlanTool, ReferenceCall, Revision, Sample
from annotation.portable.read.gold_changes import changes
from annotation.portable.read.project import export_project
from annotation.portable.read.table_changes import counts_apart, rows_apart
from annotation.portable.write import opened
from annotation.project_file import Reader, Writer
from bench import invented
from bench.copies import copy_runs
from bench.plain import score_run_plain
from bench.visits import count_queries
from evaluation.exports.write import import_project
from evaluation.imports.write.runs import import_runs
from evaluation.metrics.aggregate import aggregate
from evaluation.metrics.columns import RunColumns
from evaluation.metrics.score import score_run
from evaluation.models import Run, Step, Trajectory
from evaluation.scoring.load.columns import load_run, load_samples
from evaluation.scoring.rank import rank_runs
from evaluation.scoring.settings import settings_of
from evaluation.scoring.write import score_one
from evaluation.store.engine import parquet
from evaluation.store.files import keep_file, paths_of
from evaluation.store.list_file import write_list
from webapp.common.static import collect

SLUG = "invented"


def migrate() -> None:
    """Make the tables, and the static files."""
    call_command("migrate", verbosity=0)
    collect()


def database() -> dict[str, Any]:
    """The version of the database, and whether a commit waits for the disk."""
    if connection.vendor == "sqlite":
        return {"name": f"SQLite {sqlite3.sqlite_version}, commits do not wait for the disk"}
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version'), current_setting('fsync')")
        version, waits = cursor.fetchone()
    how = "wait" if waits == "on" else "do not wait"
    return {"name": f"PostgreSQL {version.split()[0]}, commits {how} for the disk"}


def make_benchmark(samples: int) -> None:
    """The invented benchmark, saved as its importer saves it."""
    benchmark = Benchmark.objects.create(slug=SLUG, title="Invented")
    records = invented.samples(samples)
    while batch := list(islice(records, 500)):
        save_samples(actor=None, benchmark=benchmark, records=batch)


def import_file(path: str) -> dict[str, Any]:
    """One import of a native run, as the command does it."""
    benchmark = Benchmark.objects.get(slug=SLUG)
    begun, worked = time.perf_counter(), time.process_time()
    _, imported = import_runs(actor=None, benchmark=benchmark, path=Path(path), format="native")
    counts = dict(imported.counts)
    return {"seconds": time.perf_counter() - begun, "processor": time.process_time() - worked, "counts": counts}


def write_benchmark(path: str, format: str, first: int, last: int) -> dict[str, Any]:
    """The invented samples from ``first`` up to ``last`` as a file in this format."""
    with Path(path).open("wb") as out:
        count = EXPORTERS[format].write_to(out, islice(invented.samples(last), first, last))
    return {"count": count}


def import_benchmark(path: str, format: str) -> dict[str, Any]:
    """One import of a benchmark file, as the command does it."""
    benchmark, _ = Benchmark.objects.get_or_create(slug=SLUG, defaults={"title": "Invented"})
    begun, worked = time.perf_counter(), time.process_time()
    _, imported = import_samples(actor=None, benchmark=benchmark, path=Path(path), format=format)
    counts = dict(imported.counts)
    return {"seconds": time.perf_counter() - begun, "processor": time.process_time() - worked, "counts": counts}


def write_portable(path: str) -> dict[str, Any]:
    """The benchmark as one portable file."""
    benchmark = Benchmark.objects.get(slug=SLUG)
    begun = time.perf_counter()
    with Path(path).open("wb") as out:
        export_project(actor=None, benchmark=benchmark, out=out, named=True)
    return {"seconds": time.perf_counter() - begun, "bytes": Path(path).stat().st_size}


def read_portable(path: str) -> dict[str, Any]:
    """The same out of its file, as another benchmark."""
    begun = time.perf_counter()
    made = import_project(actor=None, path=Path(path), slug="again")
    return {"seconds": time.perf_counter() - begun, "count": made.samples.count()}


def compare_portable(path: str) -> dict[str, Any]:
    """The file with a copy in which all samples have another question and another box."""
    changed = Path(path).with_suffix(".changed")
    with Reader(Path(path)) as file, changed.open("wb") as out:
        writer = Writer(out)
        for table in file.tables:
            writer.table(table, (_changed(table, row) for row in file.rows(table)))
        writer.close(file.manifest.about)
    begun = time.perf_counter()
    with opened(Path(path)) as first, opened(changed) as second:
        found = sum(1 for _ in changes(first, second))
        others = len(list(rows_apart(first, second))) + len(counts_apart(first, second))
    return {"seconds": time.perf_counter() - begun, "count": found, "others": others}


def _changed(table: str, row: dict[str, Any]) -> dict[str, Any]:
    if table == "revision":
        return row | {"question": f"{row['question']} Look closely."}
    return row | {"x2": row["x2"] + 1} if table == "goldbox" else row


def score() -> dict[str, Any]:
    """The only run of the benchmark, from its rows to its scores and metrics."""
    benchmark = Benchmark.objects.get(slug=SLUG)
    run = Run.objects.of(benchmark).get()
    settings = settings_of(benchmark)
    begun, worked = time.perf_counter(), time.process_time()
    samples = load_samples(benchmark)
    loaded = time.perf_counter()
    scoring = score_one(actor=None, run=run, samples=samples, settings=settings)
    return {
        "load_seconds": loaded - begun,
        "seconds": time.perf_counter() - loaded,
        "processor": time.process_time() - worked,
        "trajectories": scoring.trajectories_n,
        "metrics": scoring.metrics.count(),
    }


def read_and_write() -> dict[str, Any]:
    """The rows that scoring reads, read as they are; the file that it wrote, read and written again as it is."""
    tables = [Sample, Revision, Gold, GoldBox, ReferenceCall, PlanTool, FacetValue, Trajectory, Step]
    run = Run.objects.of(Benchmark.objects.get(slug=SLUG)).get()
    [path] = paths_of([run])
    with connection.cursor() as cursor:
        begun = time.perf_counter()
        for table in tables:
            cursor.execute(f"SELECT * FROM {table._meta.db_table}")  # noqa: S608
            while cursor.fetchmany(5000):
                pass
    keep_file(run, run.revision, f"SELECT * FROM {parquet(path)}", {})  # noqa: S608
    return {"seconds": time.perf_counter() - begun}


def score_plainly(rows: int) -> dict[str, Any]:
    """Seconds of the columns on the whole run, of the metrics made of them, and of a plain loop on its first rows: each
    the best of three, and the columns with a gold that nothing is known of yet."""
    benchmark = Benchmark.objects.get(slug=SLUG)
    settings = settings_of(benchmark)
    samples = load_samples(benchmark)
    run = load_run(Run.objects.of(benchmark).get(), samples).columns
    first, times = _first(run, rows), []
    for _ in range(3):
        gold = replace(samples.columns)
        begun = time.perf_counter()
        scores = score_run(gold, run, settings)
        scored = time.perf_counter()
        aggregate(gold, scores, run, settings)
        aggregated = time.perf_counter()
        score_run_plain(gold, first, settings)
        times.append((scored - begun, aggregated - scored, time.perf_counter() - aggregated))
    return dict(zip(("columns", "aggregated", "plain"), map(min, zip(*times, strict=True)), strict=True))


def _first(run: RunColumns, rows: int) -> RunColumns:
    """The first trajectories of a run; the loops over steps end with the last of them."""
    steps = int(run.step_start[rows])
    inputs = int(run.steps.in_start[steps])
    cut = {field.name: getattr(run.steps, field.name)[:steps] for field in fields(run.steps)}
    cut |= {"in_start": run.steps.in_start[: steps + 1], "image_in": run.steps.image_in[:inputs]}
    others = {field.name: getattr(run, field.name) for field in fields(run)}
    kept = {
        name: {row: value for row, value in values.items() if row < rows} if isinstance(values, dict) else values[:rows]
        for name, values in others.items()
        if name not in ("step_start", "steps", "tools")
    }
    kept |= {"step_start": run.step_start[: rows + 1], "steps": replace(run.steps, **cut)}
    return replace(run, **kept)


def make_runs(first: int, last: int) -> dict[str, Any]:
    """Copies of the only run, ranked; how many queries the leaderboard then makes."""
    benchmark = Benchmark.objects.get(slug=SLUG)
    copy_runs(benchmark, first, last)
    samples, settings = load_samples(benchmark), settings_of(benchmark)
    begun = time.perf_counter()
    rank_runs(benchmark, samples, settings)
    ranked = time.perf_counter()
    write_list(benchmark)
    return {
        "rank_seconds": ranked - begun,
        "list_seconds": time.perf_counter() - ranked,
        "board_queries": count_queries("leaderboard"),
    }
