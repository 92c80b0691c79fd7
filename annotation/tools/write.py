"""The tool bank: annotators propose tools by naming them; the lead accepts, renames, merges or rejects them.

Submitted revisions never change: a plan keeps its names, and the bank maps them to tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.segments import place_segments
from annotation.content.tools import lock_bank, named, record_tool, write_names
from annotation.models import BankTool, Benchmark, PlanTool, ToolName
from annotation.tool_bank import LONGEST_NAME, ToolState, distinct
from annotation.tool_bank.segments import SEGMENTS
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput


def add_tool(*, actor: User | None, benchmark: Benchmark, name: str, segment: str, aliases: Sequence[str]) -> BankTool:
    """Add a tool that no plan has named yet. Raises ``Conflict`` if a name is taken, ``InvalidInput``."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        lock_bank(benchmark)
        tool = BankTool.objects.create(
            benchmark=benchmark, name=_checked(name), segment=_segment(segment),
            decided_by=actor, decided_at=timezone.now(),
        )  # fmt: skip
        _give_names(tool, (name, *aliases))
        record_tool(actor, "tool.add", tool, after=tool.state, data={"segment": segment, "aliases": list(aliases)})
    return tool


def accept_tool(*, actor: User | None, tool: BankTool, name: str, segment: str, aliases: Sequence[str]) -> BankTool:
    """Accept a tool (proposed, rejected or merged), or change the names and segment of an accepted one.

    A former name stays while a submitted plan uses it. Raises ``Conflict`` for a name of another tool.
    """
    require(actor, tool.benchmark, Right.MANAGE)
    with transaction.atomic():
        lock_bank(tool.benchmark)
        stored = BankTool.objects.get(pk=tool.pk)
        before = _facts(stored)
        stored.name, stored.segment = _checked(name), _segment(segment)
        _give_names(stored, (name, *aliases), exactly=True)
        _decide(stored, actor, ToolState.ACCEPTED)
        if _facts(stored) != before:
            data = {"before": before, "after": _facts(stored)}
            record_tool(actor, "tool.accept", stored, before=before["state"], after=stored.state, data=data)
        place_segments(tool.benchmark, using(stored))
    return stored


def merge_tool(*, actor: User | None, tool: BankTool, into: BankTool) -> BankTool:
    """Merge ``tool`` into ``into``: every name of ``tool`` then means ``into``. Tools merged into ``tool`` follow."""
    require(actor, tool.benchmark, Right.MANAGE)
    with transaction.atomic():
        lock_bank(tool.benchmark)
        target = BankTool.objects.filter(benchmark=tool.benchmark, pk=into.pk, state=ToolState.ACCEPTED).first()
        if target is None or target.pk == tool.pk:
            raise InvalidInput(gettext("A tool can only be merged into an accepted tool. Choose one."), field="into")
        stored = BankTool.objects.get(pk=tool.pk)
        before = stored.state
        _decide(stored, actor, ToolState.MERGED, merged_into=target)
        BankTool.objects.filter(merged_into=stored).update(merged_into=target)
        record_tool(actor, "tool.merge", stored, before=before, after=stored.state, data={"into": target.name})
        place_segments(tool.benchmark, using(target))
    return stored


def refuse_tool(*, actor: User | None, tool: BankTool, reason: str) -> BankTool:
    """Reject a tool. Plans with it can no longer be submitted, and their authors see the reason. Submitted plans stay
    unchanged.
    """
    require(actor, tool.benchmark, Right.MANAGE)
    if not reason.strip():
        raise InvalidInput(gettext("Enter a reason. The annotators who proposed the tool read it."), field="reason")
    with transaction.atomic():
        lock_bank(tool.benchmark)
        stored = BankTool.objects.get(pk=tool.pk)
        if stored.merged.exists():
            raise Conflict(
                gettext("Other tools are merged into %(name)s. Merge it into another one instead.")
                % {"name": stored.name}
            )
        before = stored.state
        _decide(stored, actor, ToolState.REFUSED, reason=reason.strip())
        record_tool(actor, "tool.refuse", stored, before=before, after=stored.state, reason=stored.reason)
    return stored


def using(tool: BankTool) -> list[int]:
    """Return the samples whose gold plan names the tool, under any of its names."""
    keys = ToolName.objects.meaning(tool).values("key")
    golds = PlanTool.objects.of_gold(tool.benchmark_id).filter(key__in=keys)
    return list(golds.order_by().values_list("revision__gold_of__sample", flat=True).distinct())


def _decide(
    tool: BankTool, actor: User | None, state: ToolState, *, merged_into: BankTool | None = None, reason: str = ""
) -> None:
    tool.state, tool.merged_into, tool.reason = state, merged_into, reason
    tool.drafted = tool.drafted and state is ToolState.REFUSED
    tool.decided_by, tool.decided_at = actor, timezone.now()
    tool.save()


def _facts(tool: BankTool) -> dict[str, Any]:
    names = tool.names.order_by("name").values_list("name", flat=True)
    return {"name": tool.name, "state": str(tool.state), "segment": tool.segment, "names": list(names)}


def _give_names(tool: BankTool, names: Iterable[str], *, exactly: bool = False) -> None:
    """Add names to the tool; with ``exactly``, others are removed unless a submitted plan or a draft uses them."""
    wanted = distinct(map(_checked, names))
    taken = ToolName.objects.filter(benchmark=tool.benchmark_id, key__in=list(wanted)).known().exclude(tool=tool)
    other = taken.select_related("tool").first()
    if other is not None:
        raise Conflict(
            gettext("%(name)s is a name of %(tool)s. Merge the two, or choose another.")
            % {"name": other.name, "tool": other.tool.name},
            field="name",
        )
    had = {one.key: one for one in tool.names.all()}
    if exactly:
        dropped = [key for key in had if key not in wanted]
        said = PlanTool.objects.filter(key__in=dropped, revision__annotation__sample__benchmark=tool.benchmark_id)
        unused = set(dropped) - set(said.values_list("key", flat=True))
        ToolName.objects.filter(tool=tool, key__in=unused, drafts=None).delete()
    write_names(tool.benchmark, [named(tool, name) for key, name in wanted.items() if key not in had])


def _checked(name: str) -> str:
    plain = " ".join(name.split())
    if not plain or len(plain) > LONGEST_NAME or "\0" in plain:
        raise InvalidInput(
            gettext("A tool name must have 1 to %(limit)s characters.") % {"limit": LONGEST_NAME},
            field="name",
        )
    return plain


def _segment(code: str) -> str:
    if code and code not in SEGMENTS:
        raise InvalidInput(
            gettext("%(code)s is not a segment. Choose one from the list.") % {"code": code[:20]}, field="segment"
        )
    return code
