"""The tables of a run's page: effects of interventions, tools, plans, slices, and exclusions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext, gettext_lazy, ngettext

from evaluation.common.design_effect import METHODS
from evaluation.common.links import Count, RunLinks
from evaluation.glossary import outcome_slug
from evaluation.metrics.columns import Outcome, Quadrant
from evaluation.metrics.faithfulness import adjusted_over_arms
from evaluation.metrics.undecided import could_turn
from evaluation.models import Metric
from evaluation.runs.present.numbers import QUADRANT_METRICS, Metrics, half_width
from evaluation.schema import Condition
from evaluation.store.selection import Selection
from evaluation.store.snapshot import Snapshot
from webapp.common.drawing import Bar, stacked
from webapp.common.formatting import decimal, points_open, rate

EFFECTS = (
    ("ate_text", Condition.TEXT, gettext_lazy("Corrupted text")),
    ("ate_visual", Condition.VISUAL, gettext_lazy("Noise crops")),
    ("ate_placebo", Condition.PLACEBO, gettext_lazy("Placebo crops")),
)
PAIRS = (
    ("pairs_recorded", gettext_lazy("recorded")),
    ("pairs_trajectories", gettext_lazy("from trajectories")),
    ("pairs_arms", gettext_lazy("from arms of the lab")),
    ("unpaired", gettext_lazy("unpaired")),
)
OUTCOMES = (
    gettext_lazy("exact"),
    gettext_lazy("extra only"),
    gettext_lazy("missing only"),
    gettext_lazy("substitute"),
    gettext_lazy("out of order"),
)
MOST_TOOLS = 12
UNSLICED = ("", "calls")
SEGMENT = "segment"


@dataclass(frozen=True, slots=True)
class Effect:
    """One condition compared with no intervention, on the same samples."""

    label: str
    row: Metric
    n: Count
    lost: Count
    gained: Count
    p_holm: float | None
    provisional: bool

    @property
    def before(self) -> str:
        """The accuracy without the condition, with the range that undecided answers allow."""
        return self._accuracy("accuracy_none")

    @property
    def after(self) -> str:
        return self._accuracy("accuracy_intervened")

    @property
    def left_open(self) -> str:
        """The range of the effect that undecided answers allow."""
        return effect_open(self.row)

    def _accuracy(self, name: str) -> str:
        share, *ends = (self.row.detail.get(key) for key in (name, f"{name}_low", f"{name}_high"))
        return rate(share, *ends, provisional=self.provisional)

    @property
    def p_cluster(self) -> float | None:
        return self.row.detail.get("p_cluster")

    @property
    def pairs(self) -> list[str]:
        """The pairs of each kind and the samples without a pair, as texts. Empty in older scores that did not store
        them.
        """
        counts = [(self.row.detail.get(name, 0), words) for name, words in PAIRS]
        return [f"{decimal(count)} {words}" for count, words in counts if count]

    @property
    def turned(self) -> float:
        """Share of samples whose verdict flipped. Older scores lack it; it is then computed from both counts."""
        kept = self.row.detail.get("turned")
        return (self.lost.n + self.gained.n) / self.n.n if kept is None else float(kept)

    @property
    def turned_ends(self) -> tuple[float, float] | None:
        """The interval of that share; None in older scores that did not store it."""
        return self._ends("turned")

    @property
    def turned_method(self) -> str:
        return self._method("turned")

    @property
    def changed(self) -> float | None:
        """The share of answers that changed, if answers are recorded and can be read; None without any."""
        return self.row.detail.get("changed")

    @property
    def changed_ends(self) -> tuple[float, float] | None:
        return self._ends("changed")

    @property
    def changed_words(self) -> str:
        """The method and the n of its interval."""
        said = gettext("n = %(count)s with both answers") % {"count": decimal(self.row.detail.get("changed_n"))}
        return f"95% {method}, {said}" if (method := self._method("changed")) else said

    def _ends(self, name: str) -> tuple[float, float] | None:
        low, high = (self.row.detail.get(f"{name}_{end}") for end in ("low", "high"))
        return None if low is None or high is None else (low, high)

    def _method(self, name: str) -> str:
        method = self.row.detail.get(f"{name}_method", "")
        return str(METHODS.get(method, method))


def effect_open(row: Metric) -> str:
    """Return the range of an effect that undecided answers allow, as text; "" if there is none."""
    ends = row.detail.get("low"), row.detail.get("high")
    return points_open(*ends, could_turn=could_turn(row.value, *ends))


@dataclass(frozen=True, slots=True)
class Effects:
    """All effects with their common axis. ``beyond``: noise minus placebo, None without both; ``beyond_open``: its
    range due to undecided answers. ``provisional``: the range is shown instead of the point.
    """

    rows: Sequence[Effect]
    axis: float
    beyond: Metric | None
    beyond_n: Count
    provisional: bool

    @property
    def low(self) -> float:
        return -self.axis

    @property
    def beyond_open(self) -> str:
        return effect_open(self.beyond) if self.beyond else ""

    @property
    def uses_crops(self) -> bool:
        """Whether noise in the crops reduces accuracy significantly more than placebo crops."""
        return self.beyond is not None and self.beyond.ci_high is not None and self.beyond.ci_high < 0


def effects(
    metrics: Metrics, snapshot: Snapshot, population: str, links: RunLinks, *, provisional: bool = False
) -> Effects | None:
    """Return effects with samples. ``population``: the setting ``interv_population``."""
    found = [(label, condition, metrics[name]) for name, condition, label in EFFECTS if name in metrics]
    adjusted = adjusted_over_arms({row.metric: row.detail.get("p_cluster") for _, _, row in found})
    pairs = {"paired": "evidence" if population == "paired_mcot" else "yes"}

    def linked(row: Metric, n: int, **terms: str) -> Count:
        # Recorded pairs have no trajectories to list, and those of arms have other conditions.
        unlisted = row.detail.get("pairs_recorded") or row.detail.get("pairs_arms")
        return Count(n, "") if unlisted else links.recorded(snapshot, n, **terms)

    def flips(row: Metric, condition: str, way: str) -> Count:
        return linked(row, int(row.detail.get(way) or 0), condition=condition, flip=way)

    rows = [
        Effect(
            str(label),
            row,
            linked(row, row.n, condition=condition, **pairs),
            lost=flips(row, condition, "lost"),
            gained=flips(row, condition, "gained"),
            p_holm=adjusted.get(row.metric),
            provisional=provisional,
        )
        for label, condition, row in found
        if row.n
    ]
    if not rows:
        return None
    ends = [abs(end) for one in rows for end in (one.row.value, one.row.ci_low, one.row.ci_high) if end is not None]
    beyond = metrics.get("visual_beyond_placebo")
    if beyond is None or not beyond.n:
        return Effects(rows, max([0.1, *ends]), None, Count(0, ""), provisional)
    both = linked(beyond, beyond.n, condition=Condition.VISUAL, beside=Condition.PLACEBO, **pairs)
    return Effects(rows, max([0.1, *ends]), beyond, both, provisional)


@dataclass(frozen=True, slots=True)
class Judged:
    label: str
    row: Metric
    half: str
    n: Count
    missing: Count


def judged(metrics: Metrics, snapshot: Snapshot, links: RunLinks) -> list[Judged]:
    """Return reliability and sufficiency, if judged."""
    rows = [(kind, metrics[kind]) for kind in ("reliability", "sufficiency") if kind in metrics]
    return [
        Judged(
            kind.capitalize(),
            row,
            half_width(row),
            links.recorded(snapshot, row.n, judged=kind),
            links.recorded(snapshot, int(row.detail.get("not_judged") or 0), unjudged=kind),
        )
        for kind, row in rows
        if row.n
    ]


@dataclass(frozen=True, slots=True)
class ToolRow:
    tool: str
    used: float
    reference: float | None
    calls: int | None
    count: Count


@dataclass(frozen=True, slots=True)
class Tools:
    """``against``: the number of samples with a reference toolchain, of which the shares are; 0: shares of
    all calls.
    """

    rows: Sequence[ToolRow]
    against: Count
    more: int
    most: float


def tools(tables: Mapping[str, Any], links: RunLinks) -> Tools | None:
    """Return, for each tool, the share of samples that call it and of reference toolchains that contain it; without
    references, shares of calls. None if single calls are unknown.
    """
    if tables["tools"] is None:
        return None
    against, names = sum(row["predicted"] for row in tables["lengths"]), tables["tool_names"]
    if against:
        rows = [
            ToolRow(
                row["tool"],
                (row["tp"] + row["fp"]) / against,
                (row["tp"] + row["fn"]) / against,
                None,
                _calling(row, names, links),
            )
            for row in tables["tool_choices"]
        ]
        rows.sort(key=lambda row: (-max(row.used, row.reference or 0.0), row.tool))
    else:
        rows = [ToolRow(row["tool"], row["share"], None, row["calls"], Count(row["calls"])) for row in tables["tools"]]
    if not rows:
        return None
    most = max(max(row.used, row.reference or 0.0) for row in rows)
    return Tools(rows[:MOST_TOOLS], links.count(against, reference="yes"), max(0, len(rows) - MOST_TOOLS), most)


def _calling(row: Mapping[str, Any], names: Mapping[str, Sequence[str]], links: RunLinks) -> Count:
    """Return the trajectories on samples with a reference toolchain that call a tool under any of its names."""
    n, written = row["tp"] + row["fp"], names.get(row["tool"], ())
    return links.count(n, reference="yes", tool=json.dumps(list(written))) if written or not n else Count(n)


@dataclass(frozen=True, slots=True)
class OutcomeShare:
    """``term``: its entry in the glossary."""

    label: str
    share: float
    count: Count
    term: str


@dataclass(frozen=True, slots=True)
class PlanPart:
    """A part of a stacked bar: its position, its text and its count."""

    bar: Bar
    words: str
    count: Count


@dataclass(frozen=True, slots=True)
class PlanRow:
    """Plans with one number of targets, or of one segment: a stacked bar of the five outcomes."""

    name: str
    parts: Sequence[PlanPart]
    total: Count


@dataclass(frozen=True, slots=True)
class Plans:
    """``outcomes``: of all plans; ``sizes``, ``segments``: the same by number of targets and by segment, which overlap;
    ``prefixes``: SR@k.
    """

    outcomes: Sequence[OutcomeShare]
    sizes: Sequence[PlanRow]
    segments: Sequence[PlanRow]
    total: Count
    prefixes: Sequence[tuple[int, Metric]]


def plans(tables: Mapping[str, Any], metrics: Metrics, found: Selection, links: RunLinks) -> Plans | None:
    """Return the tables of plans; None without plans."""
    table = tables["outcomes"]
    sums = [sum(column) for column in zip(*table.values(), strict=True)] if table else []
    total = sum(sums)
    if not total:
        return None
    outcomes = [
        OutcomeShare(str(label), n / total, links.count(n, outcome=name), outcome_slug(name))
        for label, name, n in zip(OUTCOMES, Outcome.NAMES, sums, strict=True)
    ]
    prefixes = [(k, metrics[f"success_rate_at_{k}"]) for k in (1, 2, 3) if f"success_rate_at_{k}" in metrics]
    of_segments = found.plan_outcomes_by(SEGMENT)
    return Plans(
        outcomes,
        [_plan_row(size, counts, links, {"targets": size}) for size, counts in sorted(table.items())],
        [_plan_row(name, counts, links, {f"facet.{SEGMENT}": name}) for name, counts in of_segments.items()],
        links.count(total, planned="yes"),
        [(k, row) for k, row in prefixes if row.value is not None],
    )


def _plan_row(name: str, counts: Sequence[int], links: RunLinks, terms: Mapping[str, str]) -> PlanRow:
    bars = stacked(zip(Outcome.NAMES, counts, strict=True))
    parts = [
        PlanPart(bar, f"{name}: {n} {label}", links.count(n, outcome=bar.name, **terms))
        for bar, label, n in zip(bars, OUTCOMES, counts, strict=False)
    ]
    return PlanRow(name, parts, links.count(sum(counts), planned="yes", **terms))


@dataclass(frozen=True, slots=True)
class SliceRow:
    """The main numbers for one value of a facet: correct answers of those counted, the grounding population, plans."""

    value: str
    metrics: Metrics
    right: Count
    counted: Count
    population: Count
    planned: Count
    page: str

    @property
    def quadrants(self) -> Sequence[float | None]:
        return [row.value if (row := self.metrics.get(name)) else None for name in QUADRANT_METRICS]

    @property
    def quadrant_ranges(self) -> list[tuple[str, str]]:
        """The quadrants by name with the share of each, or the range that undecided answers allow; needs
        their details.
        """
        rows = zip(Quadrant.NAMES, map(self.metrics.get, QUADRANT_METRICS), strict=True)
        return [
            (name, rate(row.value, row.detail.get("low"), row.detail.get("high"), provisional=True))
            for name, row in rows
            if row
        ]


def slice_rows(rows: Sequence[Metric], facet: str, links: RunLinks, recorded: bool) -> list[SliceRow]:
    """Return the rows of a facet. ``recorded``: every answer counted in accuracy has a trajectory, so that a list can
    show them all.
    """
    by_value: dict[str, dict[str, Metric]] = {}
    for row in rows:
        by_value.setdefault(row.slice, {})[row.metric] = row
    return [_slice_row(value, metrics, facet, links, recorded) for value, metrics in by_value.items()]


def _slice_row(value: str, metrics: Metrics, facet: str, links: RunLinks, recorded: bool) -> SliceRow:
    accuracy = metrics.get("accuracy")
    n = {name: row.n for name, row in metrics.items()}
    counted = links.on_slice(facet, value, n.get("accuracy"), counted="yes")
    return SliceRow(
        value,
        metrics,
        right=links.on_slice(facet, value, accuracy.numerator if accuracy else 0, correct="yes"),
        counted=counted if recorded else Count(counted.n),
        population=links.on_slice(facet, value, n.get("grounded_score"), population="yes"),
        planned=links.on_slice(facet, value, n.get("exact_match"), planned="yes"),
        page=f"?{urlencode({'slice_by': facet, 'slice': value})}",
    )


@dataclass(frozen=True, slots=True)
class ExclusionCount:
    """An exclusion that is always shown: its label, its number, and its effect on the numbers."""

    label: str
    count: Count
    words: str
    term: str = ""
    """Its entry in the glossary, if there is one."""


def exclusion_counts(
    metrics: Metrics, counts: Mapping[str, int], missing: int | None, links: RunLinks, *, answers: bool = True
) -> list[ExclusionCount]:
    """Return the exclusions. ``missing``: samples without a trajectory; None on a slice whose samples are not listed.
    ``answers``: the run gives answers, so that counts of answers and crops are defined.
    """
    accuracy = metrics.get("accuracy")
    crops = int(accuracy.detail.get("unusable_crops", 0)) if accuracy else 0
    of_crops = ngettext("trajectories, %(count)s crops", "trajectories, %(count)s crops", crops)
    said = (
        (gettext("Failed"), "failed", gettext("trajectory ended in an error"), "failed"),
        (gettext("Unanswered"), "unanswered", gettext("no answer given; counted as incorrect"), "unanswered"),
        (gettext("Unread"), "unread",
         gettext("no option could be read; undecided, or incorrect by the metric settings"), "unread"),
        (gettext("Undecided"), "undecided",
         gettext("no rule can decide and no judgment exists; includes unread answers"), "undecided"),
        (gettext("Unusable crops"), "unusable", of_crops % {"count": f"{crops:,}"}, ""),
    )  # fmt: skip
    rows = [
        ExclusionCount(label, links.count(counts[name], **{name: "yes"}), words, term)
        for label, name, words, term in said
    ]
    rows = rows if answers else rows[:1]
    if replaced := counts["image_replaced"]:
        words = gettext("recorded on an image that was replaced; no grounding, the answer counts")
        rows.append(
            ExclusionCount(
                gettext("Image replaced"), links.count(replaced, no_grounding="image_replaced"), words, "image-replaced"
            )
        )
    if missing is not None:
        words = gettext("samples with gold and no trajectory")
        rows.insert(0, ExclusionCount(gettext("Missing"), Count(missing, links.missing), words, "missing"))
    unscored = counts["all"] - counts["scored"]
    if unscored:
        words = gettext("no gold, or imported after scoring")
        rows.append(ExclusionCount(gettext("Not scored"), links.count(unscored, scored="no"), words))
    return rows
