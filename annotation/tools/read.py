"""The use of the tools of a bank, shown with each tool on the lead's page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.models import BankTool, Benchmark, PlanTool, ToolName


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool with its other names, and the numbers of samples whose gold plan has it as a target and as a
    distractor.
    """

    tool: BankTool
    names: tuple[str, ...] = ()
    targets: int = 0
    distractors: int = 0


def tools_in_use(benchmark: Benchmark, tools: Iterable[BankTool]) -> list[ToolUse]:
    """Return these tools with their use under any name. Three queries."""
    shown = list(tools)
    names = _names(benchmark, shown)
    counts = _counted(benchmark, names)
    return [
        ToolUse(
            tool,
            tuple(name for name in names[tool.pk].values() if name != tool.name),
            counts.get((tool.pk, False), 0),
            counts.get((tool.pk, True), 0),
        )
        for tool in shown
    ]


def _names(benchmark: Benchmark, tools: Sequence[BankTool]) -> dict[int, dict[str, str]]:
    """Return the names of each tool by key, including those of tools merged into it."""
    found: dict[int, dict[str, str]] = {tool.pk: {} for tool in tools}
    rows = ToolName.objects.filter(benchmark=benchmark).meaning_any(found)
    for key, name, tool, merged_into in rows.values_list("key", "name", "tool", "tool__merged_into"):
        found[merged_into or tool][key] = name
    return found


def _counted(benchmark: Benchmark, names: Mapping[int, Mapping[str, str]]) -> dict[tuple[int, bool], int]:
    """Return the number of samples by tool and whether it is a distractor there. If a tool is used under several names,
    the samples are checked individually, because a plan may contain two of them.
    """
    tool_of = {key: tool for tool, keys in names.items() for key in keys}
    of_gold = PlanTool.objects.of_gold(benchmark)
    counts: dict[tuple[int, bool], list[tuple[str, int]]] = {}
    for key, distracts, n in of_gold.filter(key__in=tool_of).usage():
        counts.setdefault((tool_of[key], bool(distracts)), []).append((key, n))
    mixed = [key for used in counts.values() if len(used) > 1 for key, _ in used]
    samples: dict[tuple[int, bool], set[int]] = {}
    for key, step, revision in of_gold.filter(key__in=mixed).values_list("key", "step", "revision"):
        samples.setdefault((tool_of[key], step is None), set()).add(revision)
    return {place: len(samples[place]) if len(used) > 1 else used[0][1] for place, used in counts.items()}
