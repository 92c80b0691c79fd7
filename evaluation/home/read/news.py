"""Runs and recent events for the home page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.utils.translation import ngettext_lazy

from annotation.common.access import gold_known_to
from annotation.models import Benchmark
from evaluation.models import Metric, Run, Scoring
from evaluation.scoring.freshness import StalenessChecker
from webapp.common.formatting import decimal
from webapp.common.models import AuditEntry

if TYPE_CHECKING:
    from annotation.models.querysets.samples import Person

QUADRANTS = (
    "valid_grounded_reasoning",
    "ground_success_answer_failure",
    "ungrounded_correct_answer",
    "dual_failure",
)
ACCURACY = "accuracy"
READ_BACK = 100
"""Entries of the audit log that are looked at; several of a kind in a row become one sentence."""

SENTENCES: Mapping[str, Any] = {
    "benchmark.create": ngettext_lazy("created %(title)s", "created %(title)s", "n"),
    "benchmark.public": ngettext_lazy(
        "changed the visibility of %(title)s", "changed the visibility of %(title)s", "n"
    ),
    "member.add": ngettext_lazy("added a member as %(after)s to %(title)s", "assigned %(n)s roles on %(title)s", "n"),
    "member.join": ngettext_lazy("joined %(title)s as %(after)s", "took %(n)s roles on %(title)s", "n"),
    "version.freeze": ngettext_lazy("froze version %(after)s of %(title)s", "froze %(n)s versions of %(title)s", "n"),
    "import.samples": ngettext_lazy(
        "imported samples into %(title)s (%(samples)s)", "imported samples into %(title)s %(n)s times", "n"
    ),
    "import.runs": ngettext_lazy(
        "imported trajectories into %(title)s (%(trajectories)s)",
        "imported trajectories into %(title)s %(n)s times",
        "n",
    ),
    "run.score": ngettext_lazy("scored a run of %(title)s", "scored %(n)s runs of %(title)s", "n"),
    "settings.change": ngettext_lazy(
        "changed the metric settings of %(title)s", "changed the metric settings of %(title)s", "n"
    ),
}
"""Action -> what a person did once, and several times in a row. Other actions are in the audit log only.

``member.join`` is ``member.add`` by the person who accepted an invitation.
"""


@dataclass(frozen=True)
class RecentRun:
    """A scored run with its four quadrants, None where no sample was zoomed into, and its accuracy with its n.

    ``low``, ``high``: the accuracies that undecided answers allow.
    """

    run: Run
    scoring: Scoring
    quadrants: list[float] | None
    population: int
    accuracy: float | None
    low: float | None
    high: float | None
    evaluated: int
    stale: bool


@dataclass(frozen=True)
class ActivityEvent:
    """One sentence of the news. ``actor`` None: the system or a command on the server did it."""

    actor: Any
    text: str
    at: datetime
    benchmark: str


def recent_runs(user: Person, most: int = 6) -> list[RecentRun]:
    """The runs scored last among the benchmarks a person may see. Two queries, and those of how fresh they are."""
    visible = gold_known_to(user)
    runs = Run.objects.filter(benchmark__in=visible).scored().select_related("model", "benchmark", "scoring")
    found = list(runs.order_by("-scoring__computed_at", "-pk")[:most])
    metrics: dict[int, dict[str, Metric]] = {}
    wanted = Metric.objects.filter(scoring__run__in=found, metric__in=[*QUADRANTS, ACCURACY]).on_slice()
    for metric in wanted:
        metrics.setdefault(metric.scoring_id, {})[metric.metric] = metric
    fresh = StalenessChecker(*{run.benchmark_id: run.benchmark for run in found}.values())
    return [_recent(run, metrics.get(run.scoring.pk, {}), fresh) for run in found]


def _recent(run: Run, metrics: dict[str, Metric], fresh: StalenessChecker) -> RecentRun:
    shares = [metrics[name].value for name in QUADRANTS if name in metrics]
    known = [share for share in shares if share is not None]
    accuracy = metrics.get(ACCURACY)
    return RecentRun(
        run=run,
        scoring=run.scoring,
        quadrants=known if len(known) == len(QUADRANTS) else None,
        population=metrics[QUADRANTS[0]].n if QUADRANTS[0] in metrics else 0,
        accuracy=accuracy.value if accuracy else None,
        low=accuracy.detail.get("low") if accuracy else None,
        high=accuracy.detail.get("high") if accuracy else None,
        evaluated=accuracy.n if accuracy else 0,
        stale=fresh.stale(run.scoring),
    )


def activity_events(user: Person, most: int = 8) -> list[ActivityEvent]:
    """Return the events on the benchmarks where a person has a role (for a site admin: on all), the latest first. Two
    queries.
    """
    everything = user.is_authenticated and user.is_staff
    mine = Benchmark.objects.all() if everything else Benchmark.objects.joined_by(user)
    titles = dict(mine.values_list("slug", "title"))
    entries = AuditEntry.objects.filter(benchmark__in=titles, action__in=SENTENCES).select_related("actor")[:READ_BACK]
    alike = groupby(entries, key=lambda entry: (entry.actor_id, _kind(entry), entry.benchmark))
    return [_happening(list(rows), titles) for _, rows in alike][:most]


def _kind(entry: AuditEntry) -> str:
    """Return the key of the sentence of an entry: a person who accepts an invitation joins."""
    return "member.join" if entry.action == "member.add" and "invitation" in entry.data else entry.action


def _happening(rows: list[AuditEntry], titles: Mapping[str, str]) -> ActivityEvent:
    """One sentence of entries that are alike; the time is that of the last."""
    last = rows[0]
    counts = last.data.get("counts", {})
    values = {
        "title": titles[last.benchmark],
        "n": len(rows),
        "after": last.after,
        "samples": decimal(counts.get("read", 0)),
        "trajectories": decimal(counts.get("trajectories", 0)),
    }
    text = str(SENTENCES[_kind(last)] % values)
    return ActivityEvent(last.actor, text, last.created, last.benchmark)
