"""Tools that models named in their drafts, as a lead may know them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.content.proposals import withheld_from
from annotation.models import BankTool, Benchmark, DraftedName
from webapp.accounts.models import User


@dataclass(frozen=True, slots=True)
class ToolDrafts:
    """The drafts that name a tool, without those in the control arm of a person. ``samples``: their IDs."""

    tool: BankTool
    sources: tuple[str, ...]
    samples: tuple[str, ...]


def proposed_by_models(user: User, benchmark: Benchmark) -> list[ToolDrafts]:
    """The tools that models proposed and no lead decided about, the most frequent first, then by name. Tools whose
    drafts are all withheld from this person are not among them. Three queries."""
    tools = BankTool.objects.filter(benchmark=benchmark).proposed_by_models()
    found = [one for one in drafts_of(user, benchmark, tools) if one.samples]
    return sorted(found, key=lambda one: (-len(one.samples), one.tool.name.casefold()))


def drafts_of(user: User, benchmark: Benchmark, tools: Iterable[BankTool]) -> list[ToolDrafts]:
    """The drafts of each of these tools, under any of its own names. Two queries, and that of the tools."""
    shown = list(tools)
    rows = DraftedName.objects.filter(name__tool__in=[tool.pk for tool in shown], sample__benchmark=benchmark)
    found = list(rows.order_by("pk").values_list("name__tool", "sample", "sample__key", "source"))
    withheld = set(withheld_from(user, benchmark, {sample for _, sample, *_ in found}))
    sources: dict[int, dict[str, None]] = {tool.pk: {} for tool in shown}
    samples: dict[int, dict[str, None]] = {tool.pk: {} for tool in shown}
    for tool, sample, key, source in found:
        if sample not in withheld:
            sources[tool][source] = samples[tool][key] = None
    return [ToolDrafts(tool, tuple(sources[tool.pk]), tuple(samples[tool.pk])) for tool in shown]
