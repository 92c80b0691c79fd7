"""The tool bank of a benchmark as a record."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.models import BankTool, Benchmark, ToolName
from annotation.tool_bank import Bank, KnownTool, ToolState, key_of


def bank_of(benchmark: Benchmark) -> Bank:
    """The whole bank, for the editor and the checks. Two queries."""
    tools = {tool.pk: tool for tool in BankTool.objects.filter(benchmark=benchmark).order_by("name")}
    names: dict[int, list[str]] = {pk: [] for pk in tools}
    for pk, name in ToolName.objects.filter(benchmark=benchmark).order_by("name").values_list("tool", "name"):
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
