"""Results of audits: how often another person disagrees with accepted gold, and about what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from annotation.models import AuditItem, Benchmark
from annotation.quality.read.agreement import facet_values
from annotation.statistics import Interval, wilson


@dataclass(frozen=True)
class AuditRow:
    """One drawn sample with its values of the chosen facet; ``overtaken``: its gold has changed before the audit."""

    item: AuditItem
    key: str
    values: tuple[str, ...]
    overtaken: bool


@dataclass
class AuditGroup:
    """Drawn samples of one draw, or with one value of a facet, as ids."""

    name: str
    item: AuditItem | None = None
    drawn: list[str] = field(default_factory=list)
    agreed: list[str] = field(default_factory=list)
    disagreed: list[str] = field(default_factory=list)
    overtaken: list[str] = field(default_factory=list)

    @property
    def n(self) -> int:
        return len(self.agreed) + len(self.disagreed)

    @property
    def rate(self) -> float | None:
        """Share of the audited samples that were disagreed with."""
        return len(self.disagreed) / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's, 95%."""
        return wilson(len(self.disagreed), self.n)

    def add(self, row: AuditRow) -> None:
        self.drawn.append(row.key)
        said = {"agree": self.agreed, "disagree": self.disagreed}.get(row.item.verdict)
        if said is not None:
            said.append(row.key)
        elif row.overtaken:
            self.overtaken.append(row.key)


def audit_rows(benchmark: Benchmark, by: str = "") -> list[AuditRow]:
    """Every drawn sample, the newest draw first. One query, and one for the values of the facet ``by``."""
    found = AuditItem.objects.of(benchmark).select_related("draw__drawn_by", "sample__gold", "auditor")
    values = facet_values(benchmark, by) if by else {}
    return [
        AuditRow(item, item.sample.key, tuple(values.get(item.sample_id, ())), _overtaken(item))
        for item in found.order_by("-draw__number", "sample__key")
    ]


def _overtaken(item: AuditItem) -> bool:
    gold = getattr(item.sample, "gold", None)
    return gold is None or gold.revision_id != item.revision_id


def grouped(rows: Sequence[AuditRow], names: Callable[[AuditRow], Sequence[str]]) -> list[AuditGroup]:
    """One group for each name, in the order in which they come."""
    groups: dict[str, AuditGroup] = {}
    for row in rows:
        for name in names(row):
            groups.setdefault(name, AuditGroup(name, row.item)).add(row)
    return list(groups.values())


def by_reason(rows: Sequence[AuditRow]) -> list[tuple[str, list[str]]]:
    """Reason codes of disagreements with the ids of their samples, the most frequent first."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for reason in row.item.reasons:
            found.setdefault(reason, []).append(row.key)
    return sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))


def proposals(rows: Sequence[AuditRow]) -> list[AuditItem]:
    """Disagreements that wait for the lead, the oldest first."""
    waiting = [row.item for row in rows if row.item.verdict == AuditItem.Verdict.DISAGREE and not row.item.outcome]
    return sorted(waiting, key=_decided_at)


def _decided_at(item: AuditItem) -> datetime:
    if item.decided_at is None:
        raise ValueError(f"{item} has no verdict.")
    return item.decided_at
