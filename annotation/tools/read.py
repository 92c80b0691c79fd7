"""How the tools of a bank are used: what the lead's page shows beside each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.models import BankTool, Benchmark, PlanTool, ToolName


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool with its other names, and in how many samples its gold plan has it as a target or as a distractor."""

    tool: BankTool
    names: tuple[str, ...] = ()
    targets: int = 0
    distractors: int = 0


def tools_in_use(benchmark: Benchmark, tools: Iterable[BankTool]) -> list[ToolUse]:
    """These tools with what they are used for, by whatever name. Three queries."""
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
    """The names of each tool by key, those of tools merged into it among them."""
    found: dict[int, dict[str, str]] = {tool.pk: {} for tool in tools}
    rows = ToolName.objects.filter(benchmark=benchmark).meaning_any(found)
    for key, name, tool, merged_into in rows.values_list("key", "name", "tool", "tool__merged_into"):
        found[merged_into or tool][key] = name
    return found


def _counted(benchmark: Benchmark, names: Mapping[int, Mapping[str, str]]) -> dict[tuple[int, bool], int]:
    """Samples by tool and whether it is a distractor there. Where a tool is used by several names, the samples are
    looked at one by one: a plan may have two of them."""
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
