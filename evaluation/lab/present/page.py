"""The page of a lab: one line per arm with its conclusion, and the curves as positions in their boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from annotation.common.sentences import translated
from evaluation.common.arm_cases import cases
from evaluation.common.arms import LEADING, LabData
from evaluation.common.figures import Axis, axis_of
from evaluation.common.links import Count, RunLinks
from evaluation.lab.present.cases import quadrant_cases
from evaluation.lab.present.curves import Curve, Early, curve_of, early_of
from evaluation.lab.read import Found, QuadrantEffect, Skipped
from evaluation.metrics.columns import Quadrant
from evaluation.metrics.lab import (
    EFFECT,
    EQUIVALENT,
    SMALL,
    UNDECIDED,
    ArmEffect,
    clusters_to_decide,
    with_changed,
    with_churn,
)
from evaluation.models import Run
from evaluation.runner.arms.catalogue import SHAM, Arm, Estimand, Part
from webapp.common.drawing import as_percent, scale
from webapp.common.formatting import MINUS, NOT_AVAILABLE, decimal, percent, percentage_points, span

ESTIMAND_WORDS = {
    Estimand.PREFIX: gettext_lazy("continued prefix"),
    Estimand.TURN: gettext_lazy("regenerated turn"),
}
ESTIMAND_HELP = {
    Estimand.PREFIX: gettext_lazy(
        "Everything up to the answer is fixed, and only the answer is drawn. An effect is the direct effect of what "
        "was changed. No effect means: not used beyond the text, which may repeat what the crops show."
    ),
    Estimand.TURN: gettext_lazy(
        "Everything up to the last observation is fixed; later text and the answer are drawn. An effect includes what "
        "goes through that text."
    ),
}
CONCLUSIONS = {
    EFFECT: gettext_lazy("effect"),
    EQUIVALENT: gettext_lazy("no effect beyond ±%(margin)s"),
    SMALL: gettext_lazy("small effect, within ±%(margin)s"),
    UNDECIDED: gettext_lazy("undecided: below %(detectable)s not detectable"),
}
FEW_IMAGES = gettext_lazy("undecided: %(clusters)s images are too few")
"""The conclusion if even the largest difference could not be ruled out."""
PARTS = {
    Part.CROPS: gettext_lazy("Crops"),
    Part.IMAGE: gettext_lazy("Full image"),
    Part.TEXT: gettext_lazy("Text"),
    Part.QUESTION: gettext_lazy("Question"),
}


@dataclass(frozen=True)
class Line:
    """One arm of the forest plot. Positions along the axis are percentages; "" without an interval. ``changed_n``,
    ``excess_n``: the samples whose answers are compared; for the sham arm, those with two draws.
    """

    arm: Arm
    effect: ArmEffect
    words: str
    n: Count
    seeds: int
    holm: float | None
    confirmed: bool
    conclusion: str
    kind: str
    skipped: Count
    failed: Count
    changed_n: Count
    excess_n: Count
    left: str = ""
    width: str = ""
    point: str = ""

    @property
    def accuracy(self) -> str:
        return percent(self.effect.accuracy)

    @property
    def delta(self) -> str:
        return percentage_points(self.effect.delta)

    @property
    def ends(self) -> str:
        if self.effect.low is None or self.effect.high is None:
            return NOT_AVAILABLE
        return span(percentage_points(self.effect.low), percentage_points(self.effect.high))

    @property
    def detectable(self) -> str:
        return NOT_AVAILABLE if self.effect.detectable is None else decimal(100 * self.effect.detectable, 1)


@dataclass(frozen=True)
class Group:
    """The arms that change one part."""

    label: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class QuadrantCell:
    """The effect of an arm on the samples of a recorded quadrant. ``fewer``: not on all of them."""

    delta: str
    ends: str
    n: Count
    fewer: bool


@dataclass(frozen=True)
class Page:
    """``headline``: the effect of the crops as a sentence; ``missing``: what is needed to decide it, if undecided;
    ``answers``: how many answers changed; ``shown``: the arm of these three. ``band``: position and width of the
    margin. ``unused``: arms that changed nothing in any trajectory, with the reasons.
    """

    headline: str
    decided: str
    missing: str
    margin: str
    groups: Sequence[Group]
    axis: Axis
    zero: str
    band: tuple[str, str]
    curves: Sequence[Curve]
    early: Early | None
    restored: str
    restored_n: Count
    sham: Line | None
    shown: Line | None
    quadrants: Sequence[tuple[str, Sequence[QuadrantCell]]]
    quadrant_n: Sequence[tuple[str, Count]]
    answers: str
    unused: Sequence[tuple[str, Sequence[tuple[str, Count]]]]


def page_of(run: Run, found: Found, skipped: Mapping[str, Skipped]) -> Page:
    """``skipped``: attempts that had nothing to change, by arm."""
    links, data = RunLinks.of(run), found.data
    ends = [end for effect in found.effects.values() for end in (effect.low, effect.high, effect.delta)]
    margin = found.design.margin
    axis = axis_of([*ends, -margin, margin, 0.0])
    lines = [line_of(arm, found, links, axis, skipped) for arm in found.effects]
    groups = [
        Group(str(label), [line for line in lines if line.arm.kind.changes is part]) for part, label in PARTS.items()
    ]
    low, high = (scale(end, axis.low, axis.high) for end in (-margin, margin))
    headline, decided = _headline(found)
    ran = {str(arm) for arm in data.arms}
    shown = _shown_arm(found) if _is_scored(found) else None
    gold = Arm("gold", "", data.estimand)
    return Page(
        headline=headline,
        decided=decided,
        missing=_missing(found) if decided == UNDECIDED else "",
        margin=decimal(100 * margin, 1),
        groups=[group for group in groups if group.lines],
        axis=axis,
        zero=as_percent(scale(0, axis.low, axis.high)),
        band=(as_percent(low), as_percent(high - low)),
        curves=[curve_of(family, trend, data, links) for family, trend in found.trends.items()],
        early=early_of(found, links),
        restored=_restored(found),
        restored_n=cases(data, gold, links) if gold in data.arms else Count(0),
        sham=_sham_line(found, links, skipped),
        shown=next((line for line in lines if line.arm == shown), None),
        quadrants=[_quadrant_row(arm, effects, data, links) for arm, effects in found.quadrants.items()],
        quadrant_n=[
            (name, quadrant_cases(data, Arm(SHAM, "", data.estimand), code, links, data.quadrant == code))
            for code, name in enumerate(Quadrant.NAMES)
        ],
        answers=_answers(found),
        unused=[(name.partition("@")[0], _reasons(name, of, links)) for name, of in skipped.items() if name not in ran],
    )


def line_of(arm: Arm, found: Found, links: RunLinks, axis: Axis, skipped: Mapping[str, Skipped]) -> Line:
    effect, data = found.effects[arm], found.data
    holm = found.holm.get(str(arm))
    kind = effect.label(holm)
    sham = data.arms[Arm(SHAM, "", data.estimand)]
    changed = with_changed(data.arms[arm], sham)
    values: dict[str, Any] = {}
    if effect.low is not None and effect.high is not None and effect.delta is not None:
        left, right = (scale(end, axis.low, axis.high) for end in (effect.low, effect.high))
        point = scale(effect.delta, axis.low, axis.high)
        values = {"left": as_percent(left), "width": as_percent(right - left), "point": as_percent(point)}
    elif effect.delta is not None:
        values = {"point": as_percent(scale(effect.delta, axis.low, axis.high))}
    return Line(
        arm=arm, effect=effect, words=translated(arm.words), n=cases(data, arm, links),
        seeds=data.seeds(arm), holm=holm, confirmed=str(arm) in found.design.confirm,
        conclusion=conclusion(effect, kind), kind=kind, skipped=_skipped(skipped, arm, links),
        failed=links.count(data.failed.get(arm, 0), condition=str(arm), failed="yes"),
        changed_n=cases(data, arm, links, changed), excess_n=cases(data, arm, links, changed & with_churn(sham)),
        **values,
    )  # fmt: skip


def conclusion(effect: ArmEffect, kind: str) -> str:
    """Return the conclusion, with the numbers that it is based on."""
    if effect.delta is None:
        return NOT_AVAILABLE
    if kind == UNDECIDED and (effect.detectable is None or effect.detectable >= 1):
        return str(FEW_IMAGES) % {"clusters": decimal(effect.clusters)}
    seen = NOT_AVAILABLE if effect.detectable is None else gettext("%(points)s points") % {
        "points": decimal(100 * effect.detectable, 1)
    }  # fmt: skip
    margin = gettext("%(points)s points") % {"points": decimal(100 * effect.margin, 0)}
    return str(CONCLUSIONS[kind]) % {"margin": margin, "detectable": seen}


def _sham_line(found: Found, links: RunLinks, skipped: Mapping[str, Skipped]) -> Line | None:
    data = found.data
    arm = next((one for one in data.arms if one.family == SHAM), None)
    if arm is None:
        return None
    draws = data.arms[arm]
    n = int(draws.known.sum())
    churn = next((one.churn for one in found.effects.values()), None)
    accuracy = float(draws.means[draws.known].mean()) if n else None
    effect = ArmEffect(n, 0, accuracy=accuracy, churn=churn)
    return Line(
        arm=arm, effect=effect, words=translated(arm.words), n=cases(data, arm, links), seeds=data.seeds(arm),
        holm=None, confirmed=False, conclusion="", kind="", skipped=_skipped(skipped, arm, links),
        failed=links.count(data.failed.get(arm, 0), condition=str(arm), failed="yes"),
        changed_n=cases(data, arm, links, with_churn(draws)), excess_n=Count(0),
    )  # fmt: skip


def _skipped(skipped: Mapping[str, Skipped], arm: Arm, links: RunLinks) -> Count:
    """Return the skipped attempts of an arm, in all experiments."""
    n = skipped.get(str(arm), Skipped()).n
    return Count(n, _skipped_list(links, arm=str(arm)) if n else "")


def _skipped_list(links: RunLinks, **terms: str) -> str:
    return f"{reverse('evaluation:lab-skipped', args=[links.slug, links.run])}?{urlencode(terms)}"


def _reasons(arm: str, of: Skipped, links: RunLinks) -> list[tuple[str, Count]]:
    """Each reason with the attempts that were skipped for it."""
    return [
        (translated(reason).rstrip("."), Count(n, _skipped_list(links, arm=arm, reason=reason)))
        for reason, n in of.reasons.items()
    ]


def _shown_arm(found: Found) -> Arm | None:
    """Return the most informative arm about the crops."""
    for label in LEADING:
        arm = next((one for one in found.effects if one.label == label), None)
        if arm is not None and found.effects[arm].delta is not None:
            return arm
    return None


def _answers(found: Found) -> str:
    """Return how many answers change under the arm of the headline, and how many change between sham draws; "" if
    unknown.
    """
    arm = _shown_arm(found)
    effect = found.effects[arm] if arm is not None else None
    if arm is None or effect is None or effect.changed is None or effect.churn is None:
        return ""
    message = gettext(
        "With “%(what)s”, %(changed)s%% of the answers differ from those of sham. Between sham draws, %(churn)s%% do."
    )
    return message % {
        "what": translated(arm.words), "changed": percent(effect.changed), "churn": percent(effect.churn),
    }  # fmt: skip


def _headline(found: Found) -> tuple[str, str]:
    """Return the most informative arm about the crops as a sentence, and its conclusion."""
    if not _is_scored(found):
        return gettext("The arms are not scored yet."), UNDECIDED
    arm = _shown_arm(found)
    if arm is None:
        return gettext("No arm changes the crops yet."), UNDECIDED
    effect = found.effects[arm]
    kind = effect.label(found.holm.get(str(arm)))
    values = {
        "what": translated(arm.words), "points": decimal(abs(100 * (effect.delta or 0)), 1),
        "low": percentage_points(effect.low), "high": percentage_points(effect.high),
        "margin": decimal(100 * effect.margin, 0), "n": decimal(effect.n), "clusters": decimal(effect.clusters),
        "delta": percentage_points(effect.delta),
        "detectable": NOT_AVAILABLE if effect.detectable is None else decimal(100 * effect.detectable, 1),
    }  # fmt: skip
    if kind == UNDECIDED and (effect.detectable is None or effect.detectable >= 1):
        return str(_FEW) % values, kind
    return str(_HEADLINES[kind, bool((effect.delta or 0) < 0)]) % values, kind


def _missing(found: Found) -> str:
    """Return what is needed to decide the effect of the headline; "" if the arm is missing, or has no scores."""
    arm = _shown_arm(found)
    effect = found.effects[arm] if arm is not None and _is_scored(found) else None
    if effect is None or effect.delta is None:
        return ""
    needed = clusters_to_decide(effect)
    values = {
        "needed": decimal(needed), "clusters": decimal(effect.clusters),
        "more": decimal((needed or 0) - effect.clusters),
        "margin": decimal(100 * effect.margin, 0),
        "detectable": NOT_AVAILABLE if effect.detectable is None else decimal(100 * effect.detectable, 1),
    }  # fmt: skip
    is_blind = effect.detectable is None or effect.detectable >= 1
    reach = _NO_REACH if is_blind else _REACH
    return f"{(_FAR if needed is None else _NEEDED) % values} {reach % values}"


_NEEDED = gettext_lazy(
    "To decide it with a chance of 80%%, run the arms on about %(needed)s images, %(more)s more than now. This assumes "
    "that further images behave like these."
)
_FAR = gettext_lazy(
    "To decide it, the arms would need several thousand images like these: the effect is close to the margin of "
    "%(margin)s points."
)
_REACH = gettext_lazy(
    "With %(clusters)s images, the smallest effect that can be detected is %(detectable)s points; the margin is "
    "%(margin)s points."
)
_NO_REACH = gettext_lazy("With %(clusters)s images, an effect of any size could be missed.")
_FEW = gettext_lazy(
    "Undecided: with “%(what)s”, accuracy changes by %(delta)s points (%(low)s to %(high)s). The run may use its crops "
    "or ignore them; %(clusters)s images are too few to decide."
)
_HEADLINES = {
    (EFFECT, True): gettext_lazy(
        "The crops matter: with “%(what)s”, accuracy falls by %(points)s points (%(low)s to %(high)s, n = %(n)s)."
    ),
    (EFFECT, False): gettext_lazy(
        "The crops mislead: with “%(what)s”, accuracy rises by %(points)s points (%(low)s to %(high)s, n = %(n)s)."
    ),
    (SMALL, True): gettext_lazy(
        "The crops matter little: with “%(what)s”, accuracy falls by %(points)s points, within ±%(margin)s (n = %(n)s)."
    ),
    (SMALL, False): gettext_lazy(
        "The crops matter little: with “%(what)s”, accuracy rises by %(points)s points, within ±%(margin)s (n = %(n)s)."
    ),
    **dict.fromkeys(
        ((EQUIVALENT, True), (EQUIVALENT, False)),
        gettext_lazy(
            "The crops don't matter: with “%(what)s”, accuracy changes by less than %(margin)s points (%(low)s to "
            "%(high)s, n = %(n)s)."
        ),
    ),
    **dict.fromkeys(
        ((UNDECIDED, True), (UNDECIDED, False)),
        gettext_lazy(
            "Undecided: with “%(what)s”, accuracy changes by %(delta)s points (%(low)s to %(high)s). The run may use "
            "its crops or ignore them; %(n)s samples from %(clusters)s images are too few to decide."
        ),
    ),
}


def _is_scored(found: Found) -> bool:
    """Return whether any draw of the reference has a score: draws arrive before they are scored."""
    sham = found.data.sham
    return sham is not None and bool(np.isfinite(sham.correct).any())


def _restored(found: Found) -> str:
    if found.restored is None or not _is_scored(found):
        return ""
    value, interval = found.restored.value, found.restored.interval
    if value is None:
        return gettext("Restoration: n/a, the sham arm is always correct.")
    ends = "" if interval is None else f" ({span(decimal(interval.low, 2), decimal(interval.high, 2))})"
    return gettext("Restoration %(value)s%(ends)s: the share of errors that crops of the gold region correct.") % {
        "value": decimal(value, 2), "ends": ends,
    }  # fmt: skip


def _quadrant_row(
    arm: Arm, effects: Sequence[QuadrantEffect], data: LabData, links: RunLinks
) -> tuple[str, Sequence[QuadrantCell]]:
    cells = []
    for code, one in enumerate(effects):
        low, high = one.effect.low, one.effect.high
        # If no draw changed, the interval has no width. This is not certainty.
        is_flat = low is None or high is None or low == high
        ends = "" if is_flat else span(percentage_points(low), percentage_points(high))
        n = quadrant_cases(data, arm, code, links, one.rows)
        fewer = 0 < n.n < int((data.quadrant == code).sum())
        cells.append(QuadrantCell(percentage_points(one.effect.delta), ends, n, fewer))
    return translated(arm.words), cells


def quadrant_heads() -> list[str]:
    return [name.replace("-", MINUS) for name in Quadrant.NAMES]
