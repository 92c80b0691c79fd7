"""One sample across all runs: their toolchains in one table, aligned with the reference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.content.records import record_of
from annotation.samples.read.named import find_sample
from annotation.schema import ToolCall, shortened
from annotation.workflow import Right
from evaluation.common.downloads import FORMATS, rows_file
from evaluation.common.letters import letters_of
from evaluation.common.sides import RunRow, rows_of
from evaluation.common.trajectory.answer import gold_words
from evaluation.common.trajectory.read import read_on_sample
from evaluation.common.trajectory.turns import argument_difference
from evaluation.metrics.many_chains import Column, align_multiple
from evaluation.metrics.names import canonical_name
from evaluation.models import Run
from evaluation.samples.present.references import Reference, nearest, references_on
from evaluation.samples.read.chains import Call, read_calls

MOST_CHAINS, MOST_CALLS = 24, 40
"""Larger numbers of toolchains, or of calls of one, make the table unreadable."""
MOST_WORDS = 60
COLUMNS = ("run", "model", "setting", "distance", "column", "reference_call", "reference_tool", "kind", "tool", "turn",
           "state", "difference", "arguments")  # fmt: skip
"""Columns of the table as a file, which is complete: a row for every call, and for every missing call."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The content of one toolchain in one column. ``kind``: "same", "changed" (another tool), "added", "missing", ""
    for nothing; ``state``: "failed", or "dead" for an unused call.
    """

    kind: str
    tool: str = ""
    href: str = ""
    words: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One run: ``distance`` in edits to the center; ``left_out``: calls that are not in the table; ``nearest``: an
    accepted toolchain that is closer than the shown one, with its ``nearest_distance``.
    """

    row: RunRow
    distance: int
    cells: Sequence[Cell]
    left_out: int
    center: bool
    nearest: Reference | None = None
    nearest_distance: int = 0


@require_safe
def sample_chains(request: HttpRequest, slug: str, key: str) -> HttpResponse | FileResponse:
    """Template ``evaluation/samples/chains.html``; ``?chain=N``: the accepted toolchain to compare the runs with, else
    the closest; ``?format=csv|json``: the table as a file.

    Context: benchmark, sample, content, gold_words, references (Reference), reference (the one shown, or None), table,
    lines (Line), tried, left_out.
    """
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    sample = find_sample(benchmark, benchmark.samples.with_gold(), key)
    content = record_of(sample).content
    tried, format = read_on_sample(sample), request.GET.get("format")
    # Without a reference, all pairs are compared to find the central toolchain.
    shown = tried if format and content.reference_toolchain else tried[:MOST_CHAINS]
    calls = list(read_calls(shown, sample).values())
    names = [[call.tool for call in chain[:MOST_CALLS]] for chain in calls]
    references = references_on(sample, content.reference_toolchain, names, request.GET.get("chain", ""))
    reference = next((one for one in references if one.shown), None)
    wanted = reference.calls if reference else ()
    if format:
        told = Table(wanted, calls, most=None).rows([trajectory.run for trajectory in shown])
        return rows_file(f"{slug}-{key[:60]}-aligned", format, told, COLUMNS)
    table, rows = Table(wanted, calls, references), rows_of(slug, shown, content, {}, letters_of(benchmark))
    context = {
        "benchmark": benchmark, "sample": sample, "content": content,
        "gold_words": gold_words(content.answers, content.options),
        "references": references, "reference": reference, "table": table,
        "lines": [table.line(at, row) for at, row in enumerate(rows)],
        "tried": len(tried), "left_out": len(tried) - len(rows), "formats": FORMATS,
    }  # fmt: skip
    return render(request, "evaluation/samples/chains.html", context)


class Table:
    """The toolchains of a sample, aligned with the reference or, without one, with the central toolchain."""

    def __init__(
        self,
        reference: Sequence[ToolCall],
        chains: Sequence[Sequence[Call]],
        known: Sequence[Reference] = (),
        most: int | None = MOST_CALLS,
    ) -> None:
        """Align the toolchains, with at most ``most`` calls of each; None: all."""
        self._reference, self._chains, self._known = reference, chains, known
        names = [[call.tool for call in chain[:most]] for chain in chains]
        wanted = [call.tool for call in reference[:most]]
        self._found = align_multiple(wanted if reference else None, names)
        self._center = wanted if self._found.center is None else names[self._found.center]
        self.left_out = len(reference) - len(wanted)

    @property
    def heads(self) -> list[str]:
        """Return the number of the center's call above each column, "+" above added ones."""
        return ["+" if column.center is None else str(column.center + 1) for column in self._found.columns]

    @property
    def reference(self) -> list[Cell]:
        """Return the row of the reference; empty without one."""
        return [self._wanted(column) for column in self._found.columns] if self._reference else []

    def line(self, at: int, row: RunRow) -> Line:
        chain, own = self._chains[at], self._found.center == at
        cells = [self._cell(column, column.places[at], row, chain) for column in self._found.columns]
        left_out, closer = max(len(chain) - MOST_CALLS, 0), nearest(self._known, at)
        less = closer.distances[at] if closer else 0
        return Line(row, self._found.distances[at], cells, left_out, own, closer, less)

    def _wanted(self, column: Column) -> Cell:
        if column.center is None:
            return Cell("")
        call = self._reference[column.center]
        return Cell("same", call.tool, words=_words(call.arguments))

    def _cell(self, column: Column, place: int | None, row: RunRow, chain: Sequence[Call]) -> Cell:
        if place is None:
            return Cell("" if column.center is None else "missing")
        call = chain[place]
        kind, wanted = self._beside(column, call)
        words = argument_difference(wanted, call.arguments, call.crop) if wanted else _words(call.arguments)
        href = f"{row.href}&tab=toolchain#turn={call.turn}"
        return Cell(kind, call.tool, href, shortened(words, MOST_WORDS), _state(call))

    def _beside(self, column: Column, call: Call) -> tuple[str, ToolCall | None]:
        """Compare a call with that of the center; also return the reference's call if it has the same tool."""
        if column.center is None:
            return "added", None
        if canonical_name(self._center[column.center]) != canonical_name(call.tool):
            return "changed", None
        return "same", self._reference[column.center] if self._reference else None

    def rows(self, runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
        """Yield rows with the columns of ``COLUMNS``."""
        for at, (run, chain) in enumerate(zip(runs, self._chains, strict=True)):
            who = {"run": run.pk, "model": run.model.name, "setting": run.setting}
            for head, column in zip(self.heads, self._found.columns, strict=True):
                place, center = column.places[at], column.center
                if place is None and center is None:
                    continue
                row = who | {"distance": self._found.distances[at], "column": head}
                if center is not None:
                    row |= {"reference_call": center + 1, "reference_tool": self._center[center]}
                yield row | ({"kind": "missing"} if place is None else self._told(column, chain[place]))

    def _told(self, column: Column, call: Call) -> dict[str, Any]:
        kind, wanted = self._beside(column, call)
        return {
            "kind": kind, "tool": call.tool, "turn": call.turn, "state": _state(call),
            "difference": argument_difference(wanted, call.arguments, call.crop) if wanted else "",
            "arguments": json.dumps(call.arguments, ensure_ascii=False),
        }  # fmt: skip


def _state(call: Call) -> str:
    return "failed" if not call.ok else "" if call.effective else "dead"


def _words(arguments: Mapping[str, Any]) -> str:
    words = ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return shortened(words, MOST_WORDS)
