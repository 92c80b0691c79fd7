"""One sample across all runs: their toolchains in one table, aligned with the reference."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.actions.read_samples import record_of
from annotation.schema import ToolCall, shortened
from annotation.views.loading import load_benchmark
from annotation.workflow import Right
from evaluation.actions.read_sample_chains import Call, read_calls
from evaluation.actions.read_trajectory import read_on_sample
from evaluation.metrics.many_chains import Column, align_many
from evaluation.metrics.names import canonical_name
from evaluation.views.sample_references import Reference, nearest, references_on
from evaluation.views.sample_runs import RunRow, rows_of
from evaluation.views.trajectory_alignment import argument_difference
from evaluation.views.trajectory_answer import gold_words
from webapp.common.errors import NotFound

MOST_CHAINS, MOST_CALLS = 24, 40
"""More chains, or more calls of one, make no table that anybody reads."""
MOST_WORDS = 60


@dataclass(frozen=True, slots=True)
class Cell:
    """What one chain has in one column. ``kind``: "same", "changed" (another tool), "added", "missing", "" nothing;
    ``state``: "failed", or "dead" where it did not reach the answer."""

    kind: str
    tool: str = ""
    href: str = ""
    words: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One run: ``distance`` in edits to the centre; ``left_out``: calls that are not in the table; ``nearest``: the
    accepted chain that it is closer to than to the one shown, and its ``nearest_distance``."""

    row: RunRow
    distance: int
    cells: Sequence[Cell]
    left_out: int
    centre: bool
    nearest: Reference | None = None
    nearest_distance: int = 0


@require_safe
def sample_chains(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Template evaluation/sample_chains.html; ?chain=N: the accepted chain to lay the runs beside, else the closest.

    Context: benchmark, sample, content, gold_words, references (Reference), reference (the one shown, or None), table,
    lines (Line), tried, left_out.
    """
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    sample = benchmark.samples.with_gold().filter(key=key).first()
    if sample is None:
        raise NotFound(f"{benchmark.title} has no sample {key[:100]}. Look for it in the list of samples.")
    content = record_of(sample).content
    tried = read_on_sample(sample)
    rows = rows_of(slug, tried[:MOST_CHAINS], content, {})
    calls = list(read_calls(tried[:MOST_CHAINS], sample).values())
    names = [[call.tool for call in chain[:MOST_CALLS]] for chain in calls]
    references = references_on(sample, content.reference_toolchain, names, request.GET.get("chain", ""))
    reference = next((one for one in references if one.shown), None)
    table = Table(reference.calls if reference else (), calls, references)
    context = {
        "benchmark": benchmark, "sample": sample, "content": content,
        "gold_words": gold_words(content.answers, content.options),
        "references": references, "reference": reference, "table": table,
        "lines": [table.line(at, row) for at, row in enumerate(rows)],
        "tried": len(tried), "left_out": len(tried) - len(rows),
    }  # fmt: skip
    return render(request, "evaluation/sample_chains.html", context)


class Table:
    """The chains of a sample aligned: with the reference, or, without one, with the chain in their middle."""

    def __init__(
        self, reference: Sequence[ToolCall], chains: Sequence[Sequence[Call]], known: Sequence[Reference] = ()
    ) -> None:
        self._reference, self._chains, self._known = reference, chains, known
        names = [[call.tool for call in chain[:MOST_CALLS]] for chain in chains]
        wanted = [call.tool for call in reference[:MOST_CALLS]]
        self._found = align_many(wanted if reference else None, names)
        self._centre = wanted if self._found.centre is None else names[self._found.centre]
        self.left_out = max(len(reference) - MOST_CALLS, 0)

    @property
    def heads(self) -> list[str]:
        """The number of the call of the centre over each column, "+" over added ones."""
        return ["+" if column.centre is None else str(column.centre + 1) for column in self._found.columns]

    @property
    def reference(self) -> list[Cell]:
        """The row of the reference; empty without one."""
        return [self._wanted(column) for column in self._found.columns] if self._reference else []

    def line(self, at: int, row: RunRow) -> Line:
        chain, own = self._chains[at], self._found.centre == at
        cells = [self._cell(column, column.places[at], row, chain) for column in self._found.columns]
        left_out, closer = max(len(chain) - MOST_CALLS, 0), nearest(self._known, at)
        less = closer.distances[at] if closer else 0
        return Line(row, self._found.distances[at], cells, left_out, own, closer, less)

    def _wanted(self, column: Column) -> Cell:
        if column.centre is None:
            return Cell("")
        call = self._reference[column.centre]
        return Cell("same", call.tool, words=_words(call.arguments))

    def _cell(self, column: Column, place: int | None, row: RunRow, chain: Sequence[Call]) -> Cell:
        if place is None:
            return Cell("" if column.centre is None else "missing")
        call = chain[place]
        kind, words = "added", _words(call.arguments)
        if column.centre is not None:
            same = canonical_name(self._centre[column.centre]) == canonical_name(call.tool)
            kind = "same" if same else "changed"
            if same and self._reference:
                words = argument_difference(self._reference[column.centre], call.arguments, call.crop)
        state = "failed" if not call.ok else "" if call.effective else "dead"
        return Cell(kind, call.tool, f"{row.href}&tab=toolchain#turn={call.turn}", shortened(words, MOST_WORDS), state)


def _words(arguments: Mapping[str, Any]) -> str:
    words = ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return shortened(words, MOST_WORDS)
