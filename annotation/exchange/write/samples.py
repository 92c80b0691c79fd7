"""Importing a benchmark file: read, check, save in batches, remember where each batch ended."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.common.access import allowed, require
from annotation.common.notices import notify_imported
from annotation.content.bank_file import check_bank, import_bank
from annotation.content.samples import WRITTEN, save_samples
from annotation.images.store import metadata_issues, store_pictures, taken_out
from annotation.importers import IMPORTERS
from annotation.importers.interface import ImportProblem, Position, Progress, Read, ReadOptions, Settings
from annotation.importers.results import is_of_results, of_results
from annotation.importers.sample_columns import SAMPLE_FIELDS
from annotation.models import Benchmark, ImportIssue, ImportRecord
from annotation.schema import Issue, SampleRecord, Severity, shortened
from annotation.tool_bank.table import BadTable, BankRow
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.bulk import StatisticsRefresher, insert_rows

BATCH = 500
KEPT_ISSUES = 20_000
"""Issues kept with a record; beyond, they are counted by rule and the record says so."""

WITH_RUNS = "with_runs"
"""The option of samples that come out of a result file, whose runs are imported too."""

LIMITS = {"id": 200, "image": 500, "image_group": 200}
FACET_NAME, FACET_VALUE = 60, 200
LARGEST_SIDE = 1_000_000

Report = Callable[[Progress], None]
Checkpoint = Callable[[], None]
"""Called at the end of the transaction of a batch: records in the job that the batch is kept, or ends it."""


@dataclass
class Imported:
    """The result of an import, for the page, the command and the record."""

    counts: Counter[str] = field(default_factory=Counter)
    settings: dict[str, Any] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)


def file_digest(path: Path) -> str:
    """sha256 of a file's bytes; of a folder: of its members' names and bytes."""
    total = hashlib.sha256()
    for member in [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file()):
        total.update(member.name.encode())
        with member.open("rb") as handle:
            for chunk in iter(lambda handle=handle: handle.read(1 << 20), b""):  # type: ignore[misc]
                total.update(chunk)
    return total.hexdigest()


def open_record(
    *,
    actor: User | None,
    benchmark: Benchmark,
    kind: ImportRecord.Kind,
    path: Path,
    format: str,
    options: dict[str, Any],
) -> ImportRecord:
    """Return the record of this import. An unfinished one of the same file with the same choices is continued."""
    digest = file_digest(path)
    unfinished = ImportRecord.objects.filter(
        benchmark=benchmark, kind=kind, sha256=digest, format=format, options=options, state=ImportRecord.State.RUNNING
    ).first()
    if unfinished:
        return unfinished
    size = path.stat().st_size if path.is_file() else sum(p.stat().st_size for p in path.rglob("*") if p.is_file())
    return ImportRecord.objects.create(
        benchmark=benchmark, kind=kind, file_name=path.name, sha256=digest, bytes=size, format=format,
        options=options, state=ImportRecord.State.RUNNING, created_by=actor,
    )  # fmt: skip


def import_samples(
    *,
    actor: User | None,
    benchmark: Benchmark,
    path: Path,
    format: str,
    images: Path | None = None,
    toolchains: Path | None = None,
    mapping: Mapping[str, Any] | None = None,
    coordinates: str = "",
    with_runs: bool = False,
    report: Report | None = None,
    checkpoint: Checkpoint | None = None,
    record: ImportRecord | None = None,
) -> tuple[ImportRecord, Imported]:
    """Import a benchmark file. Restartable and idempotent: the same file again changes nothing.

    ``mapping``: the fields of the columns of a table, for ``SAMPLE_FIELDS``; ``coordinates``: the space of its boxes.
    ``with_runs``: the file is a result file, and its runs are imported too. ``record``: the record to continue; without
    one, an unfinished import of this file is continued or a new one is created.

    Raises ``ImportProblem`` when nothing of the file can be read; the record then says so too.
    """
    require(actor, benchmark, Right.IMPORT_SAMPLES)
    columns = SAMPLE_FIELDS.mapping_from(mapping) if mapping else None
    options: dict[str, Any] = {
        "images": images.name if images else "",
        "toolchains": toolchains.name if toolchains else "",
        **({"coordinates": coordinates} if coordinates else {}),
        **({"mapping": columns.as_dict()} if columns else {}),
        **({WITH_RUNS: True} if with_runs else {}),
    }
    record = record or open_record(
        actor=actor, benchmark=benchmark, kind=ImportRecord.Kind.SAMPLES, path=path, format=format, options=options
    )
    start = Position(**record.checkpoint) if record.checkpoint else Position()
    reading = ReadOptions(
        images=images, toolchains=toolchains, mapping=columns, coordinates=coordinates,
        polygons=benchmark.task.evidence.has_polygons, start=start,
    )  # fmt: skip
    result = Imported(Counter(record.counts))
    folder = images or (path if path.is_dir() else path.parent)
    saver = SamplesSaver(actor, benchmark, record, folder, result, checkpoint)
    try:
        saver.take_all(IMPORTERS[format].read(path, reading), report)
    except ImportProblem as problem:
        fail_record(record, problem)
        raise
    finish_record(actor, record, result.counts)
    return record, result


class SamplesSaver:
    """Collects rows into batches; each batch is one transaction with its issues and its place in the file."""

    def __init__(
        self,
        actor: User | None,
        benchmark: Benchmark,
        record: ImportRecord,
        folder: Path,
        result: Imported,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self.checkpoint = checkpoint
        self.actor, self.benchmark, self.record, self.folder, self.result = actor, benchmark, record, folder, result
        self.rows: list[SampleRecord] = []
        self.tools: list[BankRow] = []
        self.issues: list[Issue] = []
        self.embedded: dict[str, bytes] = {}
        self.growth = StatisticsRefresher(*WRITTEN)
        self.from_results = is_of_results(record.format, with_runs=bool(record.options.get(WITH_RUNS)))

    def take_all(self, stream: Read, report: Report | None) -> None:
        for item in stream:
            match item:
                case SampleRecord():
                    self._take(of_results(item, self.record.format) if self.from_results else item)
                case BankRow():
                    self.tools.append(item)
                case Settings():
                    self.result.settings |= dict(item.values)
                case Progress():
                    if len(self.rows) >= BATCH:
                        self._flush(item.position)
                    if report:
                        report(item)
                case Issue():
                    self.issues.append(item)
        self._flush(None)

    def _take(self, record: SampleRecord) -> None:
        record, picture = taken_out(record)
        problem = misfit(record)
        if problem:
            self.issues.append(problem)
            return
        self.rows.append(record)
        if picture is not None and record.image:
            self.embedded[record.image] = picture

    def _flush(self, position: Position | None) -> None:
        """Images first, outside the transaction; then rows, issues and the place in the file, all or nothing."""
        counts = self.result.counts
        about: dict[str, Any] = {"actor": self.actor, "benchmark": self.benchmark, "records": self.rows}
        pictures = store_pictures(**about, folder=self.folder, embedded=self.embedded)
        self.issues += metadata_issues(
            benchmark=self.benchmark, records=self.rows, folder=self.folder, embedded=self.embedded
        )
        with transaction.atomic():
            self.issues += save_bank(self.actor, self.benchmark, self.tools, self.record.file_name)
            saved = save_samples(**about, pictures=pictures, since=self.record.created_at, source=self.record)
            counts.update(read=len(self.rows), new=saved.new, changed=saved.changed, unchanged=saved.unchanged)
            self.issues += [*duplicates(saved.repeated), *saved.issues]
            keep_issues(self.record, self.issues, counts)
            remember(self.record, position, counts, self.checkpoint)
        self.growth.add(saved.new + saved.changed)
        self.result.issues += self.issues[: KEPT_ISSUES - len(self.result.issues)]
        self.rows, self.tools, self.issues, self.embedded = [], [], [], {}


def save_bank(
    actor: User | None, benchmark: Benchmark, tools: Sequence[BankRow], file: str, *, write: bool = True
) -> list[Issue]:
    """Add the tools of a file to the bank, all or none. The issues say which tools do not fit.

    Call it before the samples are saved, so that plans find the tools they name. ``write=False`` only checks."""
    if not tools:
        return []
    if actor is not None and not allowed(actor, benchmark, Right.MANAGE):
        done = "Only a lead can change the tool bank, so its tools were ignored. Ask a lead to import the file."
        return [Issue(Severity.NOTED, "bank-left-out", file, None, "bank", str(len(tools)), done)]
    try:
        if write:
            import_bank(actor=actor, benchmark=benchmark, rows=tools)
        else:
            check_bank(benchmark=benchmark, rows=tools)
    except BadTable as bad:
        return [Issue(Severity.REFUSED, "bad-bank", file, None, "bank", "", problem) for problem in bad.problems]
    return []


def duplicates(records: Sequence[SampleRecord]) -> list[Issue]:
    """An issue for every record that came twice in one import."""
    done = "The file has several rows with this ID. The last one was kept."
    return [
        Issue(Severity.REPAIRED, "duplicate-id", r.file, r.line, "id", shortened(r.id), done, r.row) for r in records
    ]


def misfit(record: SampleRecord) -> Issue | None:
    """Return why a record cannot be stored, or None: texts that are too long, impossible sizes of images."""
    long = [name for name, limit in LIMITS.items() if len(getattr(record, name) or "") > limit]
    facets = {
        n: v for n, values in record.facets.items() for v in values if len(n) > FACET_NAME or len(str(v)) > FACET_VALUE
    }
    sides = [side for side in (record.width, record.height) if side is not None and not 0 < side <= LARGEST_SIDE]
    if not (long or facets or sides):
        return None
    what, found, rule = (
        (long[0], getattr(record, long[0]), f"at most {LIMITS[long[0]]} characters are kept")
        if long
        else (
            f"facets.{next(iter(facets))}"[:200],
            next(iter(facets.values())),
            f"at most {FACET_VALUE} characters are kept",
        )
        if facets
        else ("width, height", sides[0], f"a side has 1 to {LARGEST_SIDE} pixels")
    )
    return Issue(
        Severity.REFUSED,
        "does-not-fit",
        record.file,
        record.line,
        what,
        shortened(found),
        f"Rejected: {rule}. Shorten it.",
        record.row,
    )


def keep_issues(record: ImportRecord, issues: list[Issue], counts: Counter[str]) -> None:
    """Store issues with the record, up to ``KEPT_ISSUES``; every one is counted."""
    room = max(0, KEPT_ISSUES - counts["issues"])
    insert_rows(
        ImportIssue,
        ["record", "severity", "rule", "file", "line", "row", "field", "found", "done"],
        [
            (record.pk, i.severity.value, i.rule, i.file[:500], i.line, i.row[:120], i.field[:200], i.found, i.done)
            for i in issues[:room]
        ],
    )
    count_issues(issues, counts)


def count_issues(issues: Sequence[Issue], counts: Counter[str]) -> None:
    """Add issues to the counts of an import or of its preview: all of them, and by severity."""
    counts["issues"] += len(issues)
    counts.update(issue.severity.value for issue in issues)


def remember(
    record: ImportRecord, position: Position | None, counts: Counter[str], checkpoint: Checkpoint | None = None
) -> None:
    """Save the end of the last committed batch and the counts so far. Call it last in the transaction."""
    if position is not None:
        record.checkpoint = {"member": position.member, "offset": position.offset, "line": position.line}
    record.counts = dict(counts)
    record.save(update_fields=["checkpoint", "counts"])
    if checkpoint:
        checkpoint()


def fail_record(record: ImportRecord, problem: ImportProblem) -> None:
    record.state, record.error, record.finished_at = ImportRecord.State.FAILED, str(problem), timezone.now()
    record.save(update_fields=["state", "error", "finished_at"])


def finish_record(actor: User | None, record: ImportRecord, counts: Counter[str], *, notify: bool = True) -> None:
    """End an import. ``notify``: whether to notify its person; not if each row is a separate import."""
    with transaction.atomic():
        record.state, record.counts, record.finished_at = ImportRecord.State.DONE, dict(counts), timezone.now()
        record.save(update_fields=["state", "counts", "finished_at"])
        audit.record(
            actor=actor, action=f"import.{record.kind}", subject=record, benchmark=record.benchmark.slug,
            data={"file": record.file_name, "counts": dict(counts)},
        )  # fmt: skip
        if notify:
            notify_imported(record)
