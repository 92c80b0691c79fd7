"""The curves of a lab as positions in their boxes: accuracy by dose, and answers by the share of steps kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext

from evaluation.common.arm_cases import cases
from evaluation.common.arms import LabData
from evaluation.common.links import Count, RunLinks
from evaluation.lab.read import Found
from evaluation.metrics.columns import Bools
from evaluation.metrics.lab import Trend, with_changed, with_churn
from evaluation.runner.arms.catalogue import FAMILIES, SHAM, Arm
from webapp.common.drawing import format_number
from webapp.common.formatting import NOT_AVAILABLE, decimal, p_value, percent, percentage_points, span

LEFT, RIGHT, TOP, BOTTOM = 40.0, 420.0, 12.0, 190.0
"""The box of a curve."""


@dataclass(frozen=True)
class Dot:
    """A dose of a curve. ``low`` and ``high`` are the ends of its interval, "" without one. ``shown``, ``ends``,
    ``agreed``: accuracy, its interval and the agreement with sham as text; ``answers``: the samples of the last."""

    x: str
    y: str
    label: str
    words: str
    cases: Count
    shown: str
    answers: Count
    ends: str = ""
    agreed: str = NOT_AVAILABLE
    low: str = ""
    high: str = ""
    same: str = ""


@dataclass(frozen=True)
class Curve:
    """``fit``: path of the isotonic fit; ``band``: area of the intervals; ``agreement``: path of the share of answers
    that equal those of the sham arm. ``sentence``: slope, p and half dose as text.
    """

    family: str
    title: str
    dots: Sequence[Dot]
    fit: str
    band: str
    agreement: str
    sentence: str
    n: Count


@dataclass(frozen=True)
class Early:
    path: str
    dots: Sequence[Dot]
    sentence: str


def curve_of(family: str, trend: Trend, data: LabData, links: RunLinks) -> Curve:
    """Return accuracy by dose with its intervals, the isotonic fit, and the agreement with the sham arm."""
    labels = ["sham", *(f"{family}-{format_number(dose)}" for dose in trend.doses[1:])]
    arms = [Arm.read(f"{label}@{data.estimand}") for label in labels]
    rows = np.logical_and.reduce([data.arms[arm].known for arm in arms])
    counts = [cases(data, arm, links, rows) for arm in arms]
    answers = [cases(data, arm, links, rows & with_answers(data, arm)) for arm in arms]
    xs = [LEFT + (RIGHT - LEFT) * at / (len(labels) - 1) for at in range(len(labels))]
    dots = []
    for at, label in enumerate(labels):
        low, high = trend.low[at], trend.high[at]
        ends = {} if low is None or high is None else {"low": _down(low), "high": _down(high)}
        same, shown = trend.agreement[at], percent(trend.accuracy[at])
        said = "" if same is None else f" {gettext('Same answer as sham: %(same)s%%') % {'same': percent(same)}}."
        words = f"{label}: {shown}%{_ends(low, high)}.{said}"
        dots.append(
            Dot(
                x=format_number(xs[at]),
                y=_down(trend.accuracy[at]),
                label=_tick(family, trend.doses[at]),
                words=words,
                cases=counts[at],
                shown=shown,
                answers=answers[at],
                ends=NOT_AVAILABLE if low is None or high is None else span(percent(low), percent(high)),
                agreed=NOT_AVAILABLE if same is None else percent(same),
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
        n=counts[0],
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


def early_of(found: Found, links: RunLinks) -> Early | None:
    early, data = found.early, found.data
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
            counted := cases(data, _kept(share, data), links, with_answers(data, _kept(share, data))),
            percent(same),
            counted,
        )
        for (x, same), (share, _) in zip(at, points, strict=True)
    ]
    area = NOT_AVAILABLE if early.area is None else decimal(early.area, 3)
    sentence = gettext("Area over the curve: %(area)s. 0 means that the answer is settled before the reasoning.")
    return Early(_path(at), dots, sentence % {"area": area})


def with_answers(data: LabData, arm: Arm) -> Bools:
    """(n,) the samples whose answers are compared with those of sham, of the sham arm with its other draws."""
    sham = data.arms[Arm(SHAM, "", data.estimand)]
    return with_churn(sham) if arm.family == SHAM else with_changed(data.arms[arm], sham)


def _kept(share: float, data: LabData) -> Arm:
    """Return the arm that keeps a share of the steps: sham keeps all."""
    label = SHAM if share == 1 else f"truncate-{format_number(100 * share)}"
    return Arm.read(f"{label}@{data.estimand}")


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({span(percent(low), percent(high))})"


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
