"""One result file as samples and as what a model did with them: the samples come first, and undo takes both back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from annotation.exchange.write.samples import Checkpoint
from annotation.importers.interface import ImportProblem
from annotation.importers.results import NAMES
from annotation.importers.sample_columns import SAMPLE_FIELDS
from annotation.models import ImportRecord
from evaluation.importers.mapping import RUN_FIELDS, is_gold
from evaluation.imports.read.mappings import FORMAT as TABLE
from evaluation.imports.read.mappings import options_for
from evaluation.imports.read.twins import RUNS, SAMPLES, twin_of
from evaluation.imports.write.runs import Imported, Report, import_runs
from webapp.accounts.models import User

Kind, State = ImportRecord.Kind, ImportRecord.State


def holds_both(format: str, columns: Mapping[str, Any] | list[str]) -> str:
    """Return why a file of this format of runs contains no samples, as a sentence; "" if it does. ``columns``: of a
    table.
    """
    if format in NAMES:
        return ""
    if format != TABLE:
        return f"Files of the format {format} contain no questions with gold answers. Import samples separately."
    found = SAMPLE_FIELDS.guessed(list(columns)).columns
    if "question" not in found or not is_gold(found.get("answer", "")):
        return "The table has no column with the question or the gold answer. Import samples separately."
    if not {"answer", "correct", "error"} & RUN_FIELDS.guessed(list(columns)).columns.keys():
        return "The table has no column with answers of a model. Import only the samples."
    return ""


def sample_mapping(columns: list[str]) -> dict[str, Any]:
    """The columns of the samples in a table of results; its boxes are those of the model."""
    guessed = SAMPLE_FIELDS.guessed(columns)
    kept = {name: column for name, column in guessed.columns.items() if not name.startswith("box")}
    return {"columns": kept, "boxes": guessed.boxes.value}


def runs_after_samples(
    *,
    actor: User | None,
    record: ImportRecord,
    path: Any,
    model: str = "",
    setting: str = "",
    coordinates: str = "",
    lineage: str = "",
    step: str = "",
    report: Report | None = None,
    checkpoint: Checkpoint | None = None,
) -> Imported:
    """Import the runs of the file whose samples ``record`` has imported. After an interruption, it continues where it
    stopped.

    Raises ``ImportProblem`` if nothing can be read as runs: the samples then stay.
    """
    choices: dict[str, Any] = {"model": model, "setting": setting, "coordinates": coordinates}
    choices |= {"lineage": lineage, "step": step} if lineage else {}
    if record.format == TABLE:
        choices = options_for(record.benchmark, Kind.RUNS, path, choices)
    twin = twin_of(record) or _opened(actor, record, choices)
    if twin.state == State.DONE:
        return Imported()
    try:
        _, imported = import_runs(
            actor=actor, benchmark=record.benchmark, path=path, format=record.format, report=report,
            checkpoint=checkpoint, record=twin, **choices,
        )  # fmt: skip
    except ImportProblem as problem:
        raise ImportProblem(f"The samples are imported, their runs are not. {problem}") from problem
    return imported


def _opened(actor: User | None, record: ImportRecord, choices: dict[str, Any]) -> ImportRecord:
    """A record for the runs, linked with that of the samples."""
    with transaction.atomic():
        twin = ImportRecord.objects.create(
            benchmark=record.benchmark, kind=Kind.RUNS, state=State.RUNNING, file_name=record.file_name,
            sha256=record.sha256, bytes=record.bytes, format=record.format, options=choices, upload=record.upload,
            created_by=actor, preview={SAMPLES: record.pk, "formats": record.preview.get("formats", {})},
        )  # fmt: skip
        record.preview = {**record.preview, RUNS: twin.pk}
        record.save(update_fields=["preview"])
    return twin
