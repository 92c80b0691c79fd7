"""The tool bank from and to a file: all lines of it, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from django.db import transaction
from django.utils import timezone

from annotation.common.access import require
from annotation.content.segments import place_segments
from annotation.content.tools import write_names
from annotation.models import BankTool, Benchmark, ToolName
from annotation.tool_bank import ToolState, key_of
from annotation.tool_bank.table import BadTable, BankRow
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit


def bank_rows(benchmark: Benchmark, states: Iterable[ToolState] = tuple(ToolState)) -> Iterator[BankRow]:
    """Every tool in one of these states as a line, without proposals of models. Two queries."""
    found = BankTool.objects.filter(benchmark=benchmark, state__in=[state.value for state in states]).known()
    tools = found.select_related("merged_into").prefetch_related("names")
    for tool in tools.order_by("name", "pk"):
        others = tuple(one.name for one in tool.names.all() if one.key != key_of(tool.name))
        merged_into = tool.merged_into.name if tool.merged_into else ""
        yield BankRow(tool.name, others, tool.segment, ToolState(tool.state), merged_into, tool.reason)


def import_bank(*, actor: User | None, benchmark: Benchmark, rows: Sequence[BankRow]) -> Counter[str]:
    """Add the tools that the bank lacks, and bring those it has up to date: name, state, and a segment that is given.
    Other names are added, none is removed. Returns how many are new, changed and as before.

    Raises ``BadTable`` with every line that does not fit the bank; then nothing is written.
    """
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        work = _Import(actor, benchmark)
        work.check(rows)
        for row in rows:
            work.take(row)
        for row in rows:
            work.merge(row)
        counts = work.write()
        if counts["new"] or counts["changed"]:
            audit.record(actor, "tool.import", benchmark, benchmark.slug, data=dict(counts))
            place_segments(benchmark)
    return counts


def check_bank(*, benchmark: Benchmark, rows: Sequence[BankRow]) -> None:
    """Raise ``BadTable`` where ``import_bank`` would, and write nothing."""
    _Import(None, benchmark).check(rows)


class _Import:
    """One file on its way into the bank. Call inside a transaction that has locked the benchmark."""

    def __init__(self, actor: User | None, benchmark: Benchmark) -> None:
        self.actor, self.benchmark = actor, benchmark
        names = ToolName.objects.filter(benchmark=benchmark).known().select_related("tool")
        tools: dict[int, BankTool] = {}
        self.by_key = {one.key: tools.setdefault(one.tool_id, one.tool) for one in names}
        self.before = {tool.pk: _facts(tool) for tool in tools.values()}
        self.new: list[BankTool] = []
        self.names: list[ToolName] = []

    def check(self, rows: Sequence[BankRow]) -> None:
        named = {key_of(row.name): row for row in rows}
        problems = [problem for row in rows for problem in (*self._taken(row), *self._nowhere(row, named))]
        first: dict[int, int] = {}
        for row in rows:
            tool = self.by_key.get(key_of(row.name))
            if tool and first.setdefault(tool.pk, row.line) != row.line:
                problems.append(f"Lines {first[tool.pk]} and {row.line} are one tool in the bank: {tool.name}.")
        if problems:
            raise BadTable(problems)

    def _taken(self, row: BankRow) -> Iterator[str]:
        own = self.by_key.get(key_of(row.name))
        for alias in row.aliases:
            other = self.by_key.get(key_of(alias))
            if other and other is not own:
                yield f"Line {row.line}: {alias} is a name of {other.name} in the bank. Merge the two there first."

    def _nowhere(self, row: BankRow, named: dict[str, BankRow]) -> Iterator[str]:
        if not row.merged_into:
            return
        key = key_of(row.merged_into)
        tool = self.by_key.get(key)
        state = named[key].state if key in named else ToolState(tool.state) if tool else None
        if state is not ToolState.ACCEPTED or key == key_of(row.name):
            yield f"Line {row.line}: {row.name} is merged into {row.merged_into}, which is not another accepted tool."

    def take(self, row: BankRow) -> None:
        """The tool as the line has it, but for what it is merged into."""
        tool = self.by_key.get(key_of(row.name))
        if tool is None:
            tool = BankTool(benchmark=self.benchmark)
            self.new.append(tool)
        tool.name, tool.segment = row.name, row.segment or tool.segment
        if row.state is not ToolState.PROPOSED or tool.pk is None:
            tool.state, tool.reason, tool.merged_into = row.state, row.reason, None
        tool.drafted = tool.drafted and row.state is ToolState.REFUSED
        for name in (row.name, *row.aliases):
            if key_of(name) not in self.by_key:
                self.by_key[key_of(name)] = tool
                self.names.append(ToolName(benchmark=self.benchmark, tool=tool, name=name, key=key_of(name)))

    def merge(self, row: BankRow) -> None:
        if row.merged_into:
            self.by_key[key_of(row.name)].merged_into = self.by_key[key_of(row.merged_into)]

    def write(self) -> Counter[str]:
        """Targets of merging are written before what is merged into them."""
        stored = {tool.pk: tool for tool in self.by_key.values() if tool.pk}
        changed = [tool for tool in stored.values() if _facts(tool) != self.before[tool.pk]]
        for tool in sorted((*self.new, *changed), key=lambda tool: tool.merged_into is not None):
            tool.merged_into = tool.merged_into  # its number, now that it has one
            tool.decided_by, tool.decided_at = self.actor, timezone.now()
            tool.save()
        for one in self.names:
            one.tool = one.tool
        write_names(self.benchmark, self.names)
        renamed = {one.tool_id for one in self.names} & set(stored)
        touched = {tool.pk for tool in changed} | renamed
        return Counter(new=len(self.new), changed=len(touched), unchanged=len(stored) - len(touched))


def _facts(tool: BankTool) -> tuple[str, str, str, str, int | None]:
    return tool.name, str(tool.state), tool.segment, tool.reason, tool.merged_into_id
