"""Names of tools that a content says, in the bank of its benchmark. What the lead decides of them is in
``annotation.tools``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from annotation.common.access import allowed
from annotation.content.json import content_from_json
from annotation.models import BankTool, Benchmark, ToolName
from annotation.tool_bank import ToolState, distinct, key_of
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput


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
    ToolName.objects.bulk_create(named(tool, tool.name) for tool in tools)
    for tool in [] if settled else tools:
        record_tool(actor, "tool.propose", tool, after=tool.state)
    return tools


def _known(benchmark: Benchmark, keys: Iterable[str]) -> set[str]:
    return set(ToolName.objects.filter(benchmark=benchmark, key__in=list(keys)).values_list("key", flat=True))


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
