"""The page of a lab: one line per arm, what it says in a sentence, and the curves as positions in their boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from annotation.common.sentences import translated
from evaluation.common.figures import Axis, axis_of
from evaluation.common.links import Count, RunLinks
from evaluation.lab.read import Found, LabData
from evaluation.metrics.columns import Quadrant
from evaluation.metrics.lab import EFFECT, EQUIVALENT, SMALL, UNDECIDED, ArmEffect, Trend
from evaluation.models import Run
from evaluation.runner.arms.catalogue import FAMILIES, Arm, Estimand, Part
from webapp.common.drawing import as_percent, format_number, scale
from webapp.common.formatting import MINUS, NOT_AVAILABLE, decimal, p_value, percent, percentage_points

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
"""The conclusion where even the largest difference could not be ruled out."""
PARTS = {
    Part.CROPS: gettext_lazy("Crops"),
    Part.IMAGE: gettext_lazy("Full image"),
    Part.TEXT: gettext_lazy("Text"),
    Part.QUESTION: gettext_lazy("Question"),
}
LEFT, RIGHT, TOP, BOTTOM = 40.0, 420.0, 12.0, 190.0
"""The box of a curve."""


@dataclass(frozen=True)
class Line:
    """One arm of the forest. Positions along the axis are percentages; "" where there is no interval."""

    arm: Arm
    effect: ArmEffect
    words: str
    n: Count
    seeds: int
    holm: float | None
    confirmed: bool
    conclusion: str
    kind: str
    skipped: int
    failed: int
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
        return f"{percentage_points(self.effect.low)} to {percentage_points(self.effect.high)}"

    @property
    def detectable(self) -> str:
        return NOT_AVAILABLE if self.effect.detectable is None else decimal(100 * self.effect.detectable, 1)


@dataclass(frozen=True)
class Group:
    """The arms that change one part."""

    label: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class Dot:
    """A dose of a curve. ``low`` and ``high`` are the ends of its interval, "" without one."""

    x: str
    y: str
    label: str
    words: str
    href: str
    low: str = ""
    high: str = ""
    same: str = ""


@dataclass(frozen=True)
class Curve:
    """``fit``: path of the isotonic fit; ``band``: area of the intervals; ``agreement``: path of the share of answers
    that equal those of the sham arm. ``sentence``: slope, p and half dose in words."""

    family: str
    title: str
    dots: Sequence[Dot]
    fit: str
    band: str
    agreement: str
    sentence: str
    n: int


@dataclass(frozen=True)
class Early:
    path: str
    dots: Sequence[Dot]
    sentence: str


@dataclass(frozen=True)
class Page:
    """``headline``: what the crops did, in a sentence; ``band``: position and width of the margin."""

    headline: str
    decided: str
    margin: str
    groups: Sequence[Group]
    axis: Axis
    zero: str
    band: tuple[str, str]
    curves: Sequence[Curve]
    early: Early | None
    restored: str
    sham: Line | None
    quadrants: Sequence[tuple[str, Sequence[tuple[str, str, str]]]]
    quadrant_n: Sequence[tuple[str, int]]


def page_of(run: Run, found: Found, skipped: Mapping[str, int]) -> Page:
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
    return Page(
        headline=headline,
        decided=decided,
        margin=decimal(100 * margin, 1),
        groups=[group for group in groups if group.lines],
        axis=axis,
        zero=as_percent(scale(0, axis.low, axis.high)),
        band=(as_percent(low), as_percent(high - low)),
        curves=[_curve(family, trend, data, links) for family, trend in found.trends.items()],
        early=_early(found),
        restored=_restored(found),
        sham=_sham_line(found, links, skipped),
        quadrants=[_quadrant_row(arm, effects) for arm, effects in found.quadrants.items()],
        quadrant_n=[(name, int((data.quadrant == code).sum())) for code, name in enumerate(Quadrant.NAMES)],
    )


def line_of(arm: Arm, found: Found, links: RunLinks, axis: Axis, skipped: Mapping[str, int]) -> Line:
    effect = found.effects[arm]
    holm = found.holm.get(str(arm))
    kind = effect.label(holm)
    values: dict[str, Any] = {}
    if effect.low is not None and effect.high is not None and effect.delta is not None:
        left, right = (scale(end, axis.low, axis.high) for end in (effect.low, effect.high))
        point = scale(effect.delta, axis.low, axis.high)
        values = {"left": as_percent(left), "width": as_percent(right - left), "point": as_percent(point)}
    elif effect.delta is not None:
        values = {"point": as_percent(scale(effect.delta, axis.low, axis.high))}
    return Line(
        arm=arm, effect=effect, words=translated(arm.words), n=cases(found.data, arm, effect.n, links),
        seeds=found.data.seeds(arm), holm=holm, confirmed=str(arm) in found.design.confirm,
        conclusion=conclusion(effect, kind), kind=kind, skipped=skipped.get(str(arm), 0),
        failed=found.data.failed.get(arm, 0), **values,
    )  # fmt: skip


def conclusion(effect: ArmEffect, kind: str) -> str:
    """What is concluded, with the numbers that it rests on."""
    if effect.delta is None:
        return NOT_AVAILABLE
    if kind == UNDECIDED and (effect.detectable is None or effect.detectable >= 1):
        return str(FEW_IMAGES) % {"clusters": decimal(effect.clusters)}
    seen = NOT_AVAILABLE if effect.detectable is None else gettext("%(points)s points") % {
        "points": decimal(100 * effect.detectable, 1)
    }  # fmt: skip
    margin = gettext("%(points)s points") % {"points": decimal(100 * effect.margin, 0)}
    return str(CONCLUSIONS[kind]) % {"margin": margin, "detectable": seen}


def cases(data: LabData, arm: Arm, n: int, links: RunLinks) -> Count:
    """A count of samples with the list of their first draws; without a link where that has others too."""
    firsts = sum(outcome.seed == 0 for outcomes in data.rows[arm].values() for outcome in outcomes)
    return Count(n, links.list(condition=str(arm), rollout=0) if firsts == n else "")


def _sham_line(found: Found, links: RunLinks, skipped: Mapping[str, int]) -> Line | None:
    data = found.data
    arm = next((one for one in data.arms if one.family == "sham"), None)
    if arm is None:
        return None
    draws = data.arms[arm]
    n = int(draws.known.sum())
    churn = next((one.churn for one in found.effects.values()), None)
    accuracy = float(draws.means[draws.known].mean()) if n else None
    effect = ArmEffect(n, 0, accuracy=accuracy, churn=churn)
    count = cases(data, arm, n, links)
    return Line(
        arm=arm, effect=effect, words=translated(arm.words), n=count, seeds=data.seeds(arm), holm=None,
        confirmed=False, conclusion="", kind="", skipped=skipped.get(str(arm), 0), failed=data.failed.get(arm, 0),
    )  # fmt: skip


def _headline(found: Found) -> tuple[str, str]:
    """The arm that says most about the crops, in a sentence, and what it concludes."""
    for label in ("noise-100", "blank", "no-crops", "noise-75", "noise-50"):
        arm = next((one for one in found.effects if one.label == label), None)
        if arm is None or found.effects[arm].delta is None:
            continue
        effect = found.effects[arm]
        kind = effect.label(found.holm.get(str(arm)))
        if kind == UNDECIDED and (effect.detectable is None or effect.detectable >= 1):
            return str(_FEW) % {"clusters": decimal(effect.clusters), "what": translated(arm.words)}, kind
        values = {
            "what": translated(arm.words), "points": decimal(abs(100 * (effect.delta or 0)), 1),
            "low": percentage_points(effect.low), "high": percentage_points(effect.high),
            "margin": decimal(100 * effect.margin, 0), "n": decimal(effect.n),
            "detectable": NOT_AVAILABLE if effect.detectable is None else decimal(100 * effect.detectable, 1),
        }  # fmt: skip
        return str(_HEADLINES[kind, bool((effect.delta or 0) < 0)]) % values, kind
    return gettext("No arm changes the crops yet."), UNDECIDED


_FEW = gettext_lazy("Undecided: %(clusters)s images are too few to say whether “%(what)s” changes the accuracy.")
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
            "Undecided: with “%(what)s”, accuracy changes by %(low)s to %(high)s points. With n = %(n)s, an effect "
            "below %(detectable)s points can't be detected."
        ),
    ),
}


def _curve(family: str, trend: Trend, data: LabData, links: RunLinks) -> Curve:
    """Accuracy by dose with its intervals, the isotonic fit, and the agreement with the sham arm."""
    labels = ["sham", *(f"{family}-{format_number(dose)}" for dose in trend.doses[1:])]
    xs = [LEFT + (RIGHT - LEFT) * at / (len(labels) - 1) for at in range(len(labels))]
    dots = []
    for at, label in enumerate(labels):
        low, high = trend.low[at], trend.high[at]
        ends = {} if low is None or high is None else {"low": _down(low), "high": _down(high)}
        same = trend.agreement[at]
        said = "" if same is None else f" {gettext('Same answer as sham: %(same)s%%') % {'same': percent(same)}}."
        words = f"{label}: {percent(trend.accuracy[at])}%{_ends(low, high)}.{said}"
        dots.append(
            Dot(
                x=format_number(xs[at]),
                y=_down(trend.accuracy[at]),
                label=_tick(family, trend.doses[at]),
                words=words,
                href=links.list(condition=f"{label}@{data.estimand}", rollout=0),
                same="" if same is None else _down(same),
                **ends,
            )
        )
    known = [(x, same) for x, same in zip(xs, trend.agreement, strict=True) if same is not None]
    return Curve(
        family=family,
        title=gettext(FAMILIES[family].label),
        dots=dots,
        fit=_path(list(zip(xs, trend.fitted, strict=True))),
        band=_band(xs, trend.low, trend.high),
        agreement=_path(known),
        sentence=_trend_words(family, trend),
        n=trend.n,
    )


def _trend_words(family: str, trend: Trend) -> str:
    unit = 100.0 if family == "noise" else 1.0
    slope, low, high = (
        NOT_AVAILABLE if one is None else percentage_points(one * unit)
        for one in (trend.slope, trend.slope_low, trend.slope_high)
    )
    per = gettext("from no noise to full noise") if family == "noise" else gettext("for each step of the factor")
    said = gettext("Slope %(slope)s points %(per)s (%(low)s to %(high)s), one-sided p %(p)s.") % {
        "slope": slope, "per": per, "low": low, "high": high, "p": p_value(trend.p),
    }  # fmt: skip
    if trend.half is None:
        return f"{said} {gettext('It does not fall, so there is no half dose.')}"
    return f"{said} {gettext('Half of the fall is reached at %(half)s.') % {'half': _tick(family, trend.half)}}"


def _tick(family: str, dose: float) -> str:
    number = format_number(dose)
    return f"{number}%" if family in ("noise", "truncate") else f"×{number}" if dose else "×1"


def _early(found: Found) -> Early | None:
    early = found.early
    if early is None:
        return None
    points = [(share, same) for share, same in zip(early.shares, early.same, strict=True) if same is not None]
    at = [(LEFT + (RIGHT - LEFT) * share, same) for share, same in points]
    dots = [
        Dot(
            format_number(x),
            _down(same),
            f"{decimal(100 * share, 0)}%",
            gettext("%(share)s%% of the steps kept: %(same)s%% the same answer")
            % {"share": decimal(100 * share, 0), "same": percent(same)},
            "",
        )
        for (x, same), (share, _) in zip(at, points, strict=True)
    ]
    area = NOT_AVAILABLE if early.area is None else decimal(early.area, 3)
    sentence = gettext("Area over the curve: %(area)s. 0 means that the answer is settled before the reasoning.")
    return Early(_path(at), dots, sentence % {"area": area})


def _restored(found: Found) -> str:
    if found.restored is None:
        return ""
    value, interval = found.restored.value, found.restored.interval
    if value is None:
        return gettext("Restoration: n/a, the sham arm is always correct.")
    ends = "" if interval is None else f" ({decimal(interval.low, 2)} to {decimal(interval.high, 2)})"
    return gettext("Restoration %(value)s%(ends)s: the share of errors that crops of the gold region correct.") % {
        "value": decimal(value, 2), "ends": ends,
    }  # fmt: skip


def _quadrant_row(arm: Arm, effects: Sequence[ArmEffect]) -> tuple[str, Sequence[tuple[str, str, str]]]:
    cells = []
    for effect in effects:
        delta = percentage_points(effect.delta)
        ends = "" if effect.low is None or effect.high is None else (
            f"{percentage_points(effect.low)} to {percentage_points(effect.high)}"
        )  # fmt: skip
        cells.append((delta, ends, decimal(effect.n)))
    return translated(arm.words), cells


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({percent(low)} to {percent(high)})"


def _down(share: float) -> str:
    return format_number(BOTTOM - (BOTTOM - TOP) * share)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return f"M{' L'.join(f'{format_number(x)} {_down(share)}' for x, share in points)}" if len(points) > 1 else ""


def _band(xs: Sequence[float], low: Sequence[float | None], high: Sequence[float | None]) -> str:
    known = [(x, a, b) for x, a, b in zip(xs, low, high, strict=True) if a is not None and b is not None]
    if len(known) < 2:
        return ""
    there = [f"{format_number(x)} {_down(b)}" for x, _, b in known]
    back = [f"{format_number(x)} {_down(a)}" for x, a, _ in reversed(known)]
    return f"M{' L'.join([*there, *back])}Z"


def quadrant_heads() -> list[str]:
    return [name.replace("-", MINUS) for name in Quadrant.NAMES]
