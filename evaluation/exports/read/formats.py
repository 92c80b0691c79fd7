"""Exporting a benchmark: natively with all that models did on it, or its samples in another format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from annotation.common.access import allowed
from annotation.content.bank_file import bank_rows
from annotation.content.records import sample_records
from annotation.exporters import EXPORTERS
from annotation.exporters.native import Sections, bank_row, native_parts, sample_row, write_native
from annotation.images.serving import stored_files
from annotation.models import Benchmark
from annotation.tool_bank import ToolState
from annotation.workflow import ExportStates, Right
from evaluation.common.records import intervention_records, judgement_records, rollout_group_records, trajectory_records
from evaluation.exporters.native import intervention_row, judgement_row, rollout_group_row, trajectory_row
from evaluation.scoring.settings import settings_of


def sections_of(benchmark: Benchmark, user: Any = None, states: ExportStates = ExportStates.ACCEPTED) -> Sections:
    """The samples of these states as the native format has them, and the results of models on them; the same contents
    always give the same bytes. Judgments are those that ``user`` may read, and only a lead gets the tools that are
    proposed or refused; None: all."""
    leads = user is None or allowed(user, benchmark, Right.MANAGE)
    known = tuple(ToolState) if leads else (ToolState.ACCEPTED, ToolState.MERGED)
    return {
        "bank": map(bank_row, bank_rows(benchmark, known)),
        "samples": map(sample_row, sample_records(benchmark, states)),
        "trajectories": map(trajectory_row, trajectory_records(benchmark, states)),
        "interventions": map(intervention_row, intervention_records(benchmark, states)),
        "judgements": map(judgement_row, judgement_records(benchmark, user, states)),
        "rollout_groups": map(rollout_group_row, rollout_group_records(benchmark)),
        "settings": settings_of(benchmark).changed(),
    }


def export_parts(
    format: str, benchmark: Benchmark, user: Any, states: ExportStates = ExportStates.ACCEPTED
) -> Iterator[bytes]:
    """A benchmark in one of ``EXPORTERS``' formats as this person may have it, piece by piece as its rows are read."""
    if format == "native":
        return native_parts(sections_of(benchmark, user, states))
    return EXPORTERS[format].parts_of(sample_records(benchmark, states), stored_files(benchmark))


def export_as(format: str, benchmark: Benchmark, out: IO[bytes], states: ExportStates = ExportStates.ACCEPTED) -> int:
    """A benchmark in one of ``EXPORTERS``' formats; returns how many rows were written."""
    if format == "native":
        return write_native(out, sections_of(benchmark, states=states))
    return EXPORTERS[format].write_to(out, sample_records(benchmark, states), stored_files(benchmark))
