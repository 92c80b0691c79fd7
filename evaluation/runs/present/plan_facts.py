"""The reasons why the plans of a run fail, for its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy

from evaluation.common.links import Count, RunLinks
from evaluation.common.plan_errors import plan_counts
from evaluation.models import Metric
from evaluation.runs.present.numbers import Metrics
from evaluation.store.selection import Selection
from webapp.common.translation import Text


@dataclass(frozen=True, slots=True)
class PlanError:
    """A kind of missing or extra entries of plans. ``row``: its share, None if no metric has it; ``n``: the number of
    targets or entries, in ``plans`` plans. ``term``: its entry in the glossary.
    """

    label: str
    row: Metric | None
    n: int
    plans: Count
    term: str = ""


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """The reasons why plans fail. ``lost``: of the missing targets, in ``lacking`` plans; ``picks``: of the extra
    entries, in ``adding`` plans; ``order``, ``chance``: of the ``complete`` plans; ``change``: ΔF1 of the queries with
    ``both`` lists.
    """

    lost: Sequence[PlanError]
    missing: int
    lacking: Count
    picks: Sequence[PlanError]
    extra: int
    adding: Count
    order: Metric | None
    disordered: Count
    chance: Metric | None
    complete: Count
    change: Metric | None
    both: Count


LOST = (
    ("omitted", gettext_lazy("omitted"), "functional_omission"),
    ("unrecognized", gettext_lazy("not recognized"), ""),
    ("occluded", gettext_lazy("of these tagged occluded"), ""),
)
PICKS = (
    ("in_scene", gettext_lazy("in scene"), "spurious_in_scene"),
    ("repeated", gettext_lazy("repeated"), "spurious_repeat"),
    ("hallucinated", gettext_lazy("hallucinated"), "spurious_hallucinated"),
)


def plan_facts(metrics: Metrics, found: Selection, links: RunLinks) -> PlanFacts | None:
    """Return the reasons; None without a scored plan."""
    counts = plan_counts(found.snapshot, links.narrowed).get(links.run)
    if counts is None:
        return None

    def parts(named: Sequence[tuple[str, Text, str]]) -> list[PlanError]:
        return [
            PlanError(str(label), metrics.get(metric), counts.errors[name].n, counts.plans(name, links), metric)
            for name, label, metric in named
            if name in counts.errors
        ]

    on = {name: counts.population(name, links) for name in counts.populations}
    return PlanFacts(
        lost=parts(LOST),
        missing=counts.missing,
        lacking=on["lacking"],
        picks=parts(PICKS),
        extra=counts.extra,
        adding=on["adding"],
        order=metrics.get("complete_out_of_order"),
        disordered=on["disordered"],
        chance=metrics.get("chance_out_of_order"),
        complete=on["complete"],
        change=metrics.get("f1_difference"),
        both=on["both"],
    )
