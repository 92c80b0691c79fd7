"""The tool bank of a benchmark as a record."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.models import BankTool, Benchmark, ToolName
from annotation.models.querysets.tools import BankToolQuerySet
from annotation.tool_bank import Bank, KnownTool, ToolState, key_of


def bank_of(benchmark: Benchmark) -> Bank:
    """The whole bank, for the checks; proposals of models are no part of it, their rejected names are. Two queries."""
    return _bank(benchmark, BankTool.objects.filter(benchmark=benchmark).known())


def bank_for_annotators(benchmark: Benchmark) -> Bank:
    """The bank that editors show: without the names that only models drafted, as long as no lead accepted them. Two
    queries."""
    return _bank(benchmark, BankTool.objects.filter(benchmark=benchmark).shown_to_annotators())


def _bank(benchmark: Benchmark, found: BankToolQuerySet) -> Bank:
    tools = {tool.pk: tool for tool in found.order_by("name")}
    names: dict[int, list[str]] = {pk: [] for pk in tools}
    for pk, name in ToolName.objects.filter(benchmark=benchmark).order_by("name").values_list("tool", "name"):
        if pk in tools:
            names[tools[pk].merged_into_id or pk].append(name)
    return Bank(
        tuple(
            KnownTool(tool.name, ToolState(tool.state), tool.segment, _others(tool, names[pk]), tool.reason)
            for pk, tool in tools.items()
            if tool.state != ToolState.MERGED
        )
    )


def _others(tool: BankTool, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if key_of(name) != key_of(tool.name))
