"""Names of tools that a content or a draft says, in the bank of its benchmark. What the lead decides of them is in
``annotation.tools``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.common.access import allowed
from annotation.content.json import content_from_json
from annotation.drafting import Field
from annotation.models import BankTool, Benchmark, DraftedName, ToolName
from annotation.tool_bank import ToolState, distinct, key_of
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput


class NameDraft(NamedTuple):
    """A name that a model drafted in a field of a tool plan. ``sample``: its number."""

    sample: int
    field: Field
    name: str


def know_names(
    actor: User | None, benchmark: Benchmark, names: Iterable[str], *, proposes: bool = False
) -> list[BankTool]:
    """Take the names that the bank lacks into it: what a lead or an import names is accepted, what others name is
    proposed. ``proposes``: what a lead names is a proposal too. Call inside the transaction that submits them; one that
    locks samples has called ``lock_bank_for`` before. One query when all are known, none without names."""
    wanted = distinct(names)
    if not wanted:
        return []
    new = wanted.keys() - _known(benchmark, wanted)
    if not new:
        return []
    lock_bank(benchmark)
    new -= _known(benchmark, new)
    settled = not proposes and (actor is None or allowed(actor, benchmark, Right.MANAGE))
    state = ToolState.ACCEPTED if settled else ToolState.PROPOSED
    tools = [
        BankTool(benchmark=benchmark, name=name, state=state, proposed_by=None if settled else actor)
        for key, name in wanted.items()
        if key in new
    ]
    BankTool.objects.bulk_create(tools)
    write_names(benchmark, [named(tool, tool.name) for tool in tools])
    for tool in [] if settled else tools:
        record_tool(actor, "tool.propose", tool, after=tool.state)
    return tools


def _known(benchmark: Benchmark, keys: Iterable[str]) -> set[str]:
    """Those of the keys that are known to people. A name that only models proposed is new to them."""
    found = ToolName.objects.filter(benchmark=benchmark, key__in=list(keys)).known()
    return set(found.values_list("key", flat=True))


def propose_drafted(benchmark: Benchmark, source: str, drafts: Sequence[NameDraft]) -> None:
    """Propose the names that a model drafted and the bank lacks. No annotator sees them until a lead accepts them, and
    a rejected name is not proposed again. Call inside the transaction that keeps the drafts. The audit entry has no
    names, because a lead may read it who is in the control arm of a sample."""
    wanted = distinct(one.name for one in drafts)
    if not wanted:
        return
    lock_bank(benchmark)
    found = ToolName.objects.filter(benchmark=benchmark, key__in=list(wanted)).select_related("tool")
    known = {one.key: one for one in found}
    tools = [
        BankTool(benchmark=benchmark, name=name, state=ToolState.PROPOSED, drafted=True)
        for key, name in wanted.items()
        if key not in known
    ]
    BankTool.objects.bulk_create(tools)
    known |= {one.key: one for one in ToolName.objects.bulk_create(named(tool, tool.name) for tool in tools)}
    rows = [(known[key_of(one.name)], one) for one in drafts if key_of(one.name)]
    DraftedName.objects.bulk_create(
        (
            DraftedName(name=name, sample_id=one.sample, field=one.field.value, source=source)
            for name, one in rows
            if name.tool.drafted and name.tool.state == ToolState.PROPOSED
        ),
        ignore_conflicts=True,
    )
    if tools:
        audit.record(None, "tool.draft", benchmark, benchmark.slug, data={"model": source, "tools": len(tools)})


def write_names(benchmark: Benchmark, names: Sequence[ToolName]) -> None:
    """Store names of tools. Of a name that only models proposed, the proposal is no longer needed, and its drafts stay
    with the name. Call with the bank locked."""
    found = ToolName.objects.filter(benchmark=benchmark, key__in=[one.key for one in names]).proposed_by_models()
    proposals = {one.key: one for one in found.select_related("tool")}
    for one in names:
        if held := proposals.get(one.key):
            proposal, held.tool, held.name = held.tool, one.tool, one.name
            held.save(update_fields=["tool", "name"])
            proposal.delete()
    ToolName.objects.bulk_create(one for one in names if one.key not in proposals)


def named(tool: BankTool, name: str) -> ToolName:
    return ToolName(benchmark_id=tool.benchmark_id, tool=tool, name=name, key=key_of(name))


def lock_bank(benchmark: Benchmark) -> None:
    """One change of the bank at a time: of two people who name a new tool at once the second finds it there."""
    Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)


def lock_bank_for(benchmark: Benchmark, content: Mapping[str, Any] | None) -> None:
    """Lock the bank if it lacks a name of this content (JSON). Call before locking the sample that gets the content. An
    invalid content is rejected later."""
    try:
        names = content_from_json(content)[0].plan.names if content is not None else ()
    except InvalidInput:
        return
    wanted = distinct(names)
    if wanted and wanted.keys() - _known(benchmark, wanted):
        lock_bank(benchmark)


def record_tool(actor: User | None, action: str, tool: BankTool, **about: Any) -> None:
    audit.record(
        actor, action, tool, tool.benchmark.slug, **{**about, "data": {"tool": tool.name} | about.get("data", {})}
    )
