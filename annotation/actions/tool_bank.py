"""The tool bank: annotators propose tools by naming them, the lead accepts, renames, merges or refuses.

No submitted revision is written to: a plan keeps its words, and the bank says what they mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.actions.access import allowed, require
from annotation.actions.tool_segments import place_segments
from annotation.models import BankTool, Benchmark, PlanTool, ToolName
from annotation.tool_bank import LONGEST_NAME, Bank, KnownTool, ToolState, distinct, key_of
from annotation.tool_bank.segments import SEGMENTS
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput


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


def know_names(actor: User | None, benchmark: Benchmark, names: Iterable[str]) -> list[BankTool]:
    """Take the names that the bank lacks into it: what a lead or an import names is accepted, what others name is
    proposed. Call inside the transaction that submits them. One query when all are known, none without names."""
    wanted = distinct(names)
    if not wanted:
        return []
    new = wanted.keys() - _known(benchmark, wanted)
    if not new:
        return []
    _lock(benchmark)
    new -= _known(benchmark, new)
    settled = actor is None or allowed(actor, benchmark, Right.MANAGE)
    state = ToolState.ACCEPTED if settled else ToolState.PROPOSED
    tools = [
        BankTool(benchmark=benchmark, name=name, state=state, proposed_by=None if settled else actor)
        for key, name in wanted.items()
        if key in new
    ]
    BankTool.objects.bulk_create(tools)
    ToolName.objects.bulk_create(_name(tool, tool.name) for tool in tools)
    for tool in [] if settled else tools:
        _record(actor, "tool.propose", tool, after=tool.state)
    return tools


def _known(benchmark: Benchmark, keys: Iterable[str]) -> set[str]:
    return set(ToolName.objects.filter(benchmark=benchmark, key__in=list(keys)).values_list("key", flat=True))


def _name(tool: BankTool, name: str) -> ToolName:
    return ToolName(benchmark_id=tool.benchmark_id, tool=tool, name=name, key=key_of(name))


def add_tool(*, actor: User | None, benchmark: Benchmark, name: str, segment: str, aliases: Sequence[str]) -> BankTool:
    """A tool that no plan has named yet. Raises ``Conflict`` when a name is taken, ``InvalidInput``."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        _lock(benchmark)
        tool = BankTool.objects.create(
            benchmark=benchmark, name=_checked(name), segment=_segment(segment),
            decided_by=actor, decided_at=timezone.now(),
        )  # fmt: skip
        _give_names(tool, (name, *aliases))
        _record(actor, "tool.add", tool, after=tool.state, data={"segment": segment, "aliases": list(aliases)})
    return tool


def accept_tool(*, actor: User | None, tool: BankTool, name: str, segment: str, aliases: Sequence[str]) -> BankTool:
    """Accept a tool (proposed, refused or merged), or change an accepted one: its name, its other names, its segment.

    A name it had stays one of its names while a submitted plan says it. Raises ``Conflict`` for a name of another tool.
    """
    require(actor, tool.benchmark, Right.MANAGE)
    with transaction.atomic():
        _lock(tool.benchmark)
        stored = BankTool.objects.get(pk=tool.pk)
        before = _facts(stored)
        stored.name, stored.segment = _checked(name), _segment(segment)
        _give_names(stored, (name, *aliases), exactly=True)
        _decide(stored, actor, ToolState.ACCEPTED)
        if _facts(stored) != before:
            data = {"before": before, "after": _facts(stored)}
            _record(actor, "tool.accept", stored, before=before["state"], after=stored.state, data=data)
        place_segments(tool.benchmark, using(stored))
    return stored


def merge_tool(*, actor: User | None, tool: BankTool, into: BankTool) -> BankTool:
    """From now on every name of ``tool`` means ``into``; what was merged into ``tool`` follows."""
    require(actor, tool.benchmark, Right.MANAGE)
    with transaction.atomic():
        _lock(tool.benchmark)
        target = BankTool.objects.filter(benchmark=tool.benchmark, pk=into.pk, state=ToolState.ACCEPTED).first()
        if target is None or target.pk == tool.pk:
            raise InvalidInput("A tool is merged into another one that is accepted. Choose such a tool.", field="into")
        stored = BankTool.objects.get(pk=tool.pk)
        before = stored.state
        _decide(stored, actor, ToolState.MERGED, merged_into=target)
        BankTool.objects.filter(merged_into=stored).update(merged_into=target)
        _record(actor, "tool.merge", stored, before=before, after=stored.state, data={"into": target.name})
        place_segments(tool.benchmark, using(target))
    return stored


def refuse_tool(*, actor: User | None, tool: BankTool, reason: str) -> BankTool:
    """A plan with this tool is not submitted any more; its author reads why. What was submitted stays as it is."""
    require(actor, tool.benchmark, Right.MANAGE)
    if not reason.strip():
        raise InvalidInput("Enter a reason. The annotators who proposed the tool read it.", field="reason")
    with transaction.atomic():
        _lock(tool.benchmark)
        stored = BankTool.objects.get(pk=tool.pk)
        if stored.merged.exists():
            raise Conflict(f"Other tools are merged into {stored.name}. Merge it into another one instead.")
        before = stored.state
        _decide(stored, actor, ToolState.REFUSED, reason=reason.strip())
        _record(actor, "tool.refuse", stored, before=before, after=stored.state, reason=stored.reason)
    return stored


def using(tool: BankTool) -> list[int]:
    """The samples whose gold plan names the tool, by whatever name."""
    keys = ToolName.objects.meaning(tool).values("key")
    golds = PlanTool.objects.of_gold(tool.benchmark_id).filter(key__in=keys)
    return list(golds.order_by().values_list("revision__gold_of__sample", flat=True).distinct())


def _lock(benchmark: Benchmark) -> None:
    """One change of the bank at a time: of two people who name a new tool at once the second finds it there."""
    Benchmark.objects.select_for_update().get(pk=benchmark.pk)


def _decide(
    tool: BankTool, actor: User | None, state: ToolState, *, merged_into: BankTool | None = None, reason: str = ""
) -> None:
    tool.state, tool.merged_into, tool.reason = state, merged_into, reason
    tool.decided_by, tool.decided_at = actor, timezone.now()
    tool.save()


def _facts(tool: BankTool) -> dict[str, Any]:
    names = tool.names.order_by("name").values_list("name", flat=True)
    return {"name": tool.name, "state": str(tool.state), "segment": tool.segment, "names": list(names)}


def _give_names(tool: BankTool, names: Iterable[str], *, exactly: bool = False) -> None:
    """These are names of the tool; with ``exactly`` the others are taken away, unless a submitted plan says them."""
    wanted = distinct(map(_checked, names))
    taken = ToolName.objects.filter(benchmark=tool.benchmark_id, key__in=list(wanted)).exclude(tool=tool)
    other = taken.select_related("tool").first()
    if other is not None:
        raise Conflict(f"{other.name} is a name of {other.tool.name}. Merge the two, or choose another.", field="name")
    had = {one.key: one for one in tool.names.all()}
    if exactly:
        dropped = [key for key in had if key not in wanted]
        said = PlanTool.objects.filter(key__in=dropped, revision__annotation__sample__benchmark=tool.benchmark_id)
        ToolName.objects.filter(tool=tool, key__in=set(dropped) - set(said.values_list("key", flat=True))).delete()
    ToolName.objects.bulk_create(_name(tool, name) for key, name in wanted.items() if key not in had)


def _checked(name: str) -> str:
    plain = " ".join(name.split())
    if not plain or len(plain) > LONGEST_NAME or "\0" in plain:
        raise InvalidInput(f"A tool's name has 1 to {LONGEST_NAME} characters.", field="name")
    return plain


def _segment(code: str) -> str:
    if code and code not in SEGMENTS:
        raise InvalidInput(f"{code[:20]} is not a segment. Choose one from the list.", field="segment")
    return code


def _record(actor: User | None, action: str, tool: BankTool, **about: Any) -> None:
    audit.record(
        actor=actor, action=action, subject=tool, benchmark=tool.benchmark.slug,
        **{**about, "data": {"tool": tool.name} | about.get("data", {})},
    )  # fmt: skip
