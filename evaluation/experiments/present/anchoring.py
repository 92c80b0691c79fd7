"""Anchoring as its page and the API show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from annotation.drafting import Decision, Field
from evaluation.experiments.read.anchoring import GOLD, SECONDS, Anchoring
from evaluation.metrics.anchoring import LEAST_IMAGES, ArmMean, Contrast, Why

FIELD_WORDS = {
    Field.QUESTION.value: gettext_lazy("Question"),
    Field.OPTIONS.value: gettext_lazy("Options"),
    Field.ANSWER.value: gettext_lazy("Answer"),
    Field.BOXES.value: gettext_lazy("Boxes"),
    Field.TOOLCHAIN.value: gettext_lazy("Toolchain"),
    Field.TARGETS.value: gettext_lazy("Targets"),
    Field.DISTRACTORS.value: gettext_lazy("Distractors"),
}
MEASURE_WORDS = {
    Field.BOXES.value: gettext_lazy("Boxes: IoU with the draft"),
    Field.QUESTION.value: gettext_lazy("Question: likeness to the draft"),
    Field.OPTIONS.value: gettext_lazy("Options: likeness to the draft"),
    Field.ANSWER.value: gettext_lazy("Answer: equal to the draft"),
    Field.TOOLCHAIN.value: gettext_lazy("Toolchain: equal steps"),
    Field.TARGETS.value: gettext_lazy("Targets: equal tools and steps"),
    Field.DISTRACTORS.value: gettext_lazy("Distractors: equal tools"),
    GOLD: gettext_lazy("Boxes: IoU with gold"),
    SECONDS: gettext_lazy("Seconds until the submission"),
}


@dataclass(frozen=True)
class MeasureRow:
    """A measure in both arms. ``interval``: of the difference, or why it is undefined."""

    label: str
    shown: str
    shown_n: int
    withheld: str
    withheld_n: int
    difference: str
    interval: str
    defined: bool


@dataclass(frozen=True)
class FieldRow:
    """A field: its drafts, and what people did with those that they saw."""

    label: str
    drafts: int
    accepted: int
    dismissed: int
    left: int


def measure_rows(found: Anchoring) -> list[MeasureRow]:
    return [_row(name, one) for name, one in found.contrasts.items()]


def field_rows(found: Anchoring) -> list[FieldRow]:
    rows = []
    for name, label in FIELD_WORDS.items():
        counts = found.decisions.get(name, {})
        decided = (counts.get(one.value, 0) for one in (Decision.ACCEPTED, Decision.DISMISSED, Decision.LEFT))
        if found.drafts.get(name):
            rows.append(FieldRow(str(label), found.drafts[name], *decided))
    return rows


def _row(name: str, one: Contrast) -> MeasureRow:
    digits = 1 if name == SECONDS else 3
    interval = one.interval
    shown = f"{interval.low:+.{digits}f} … {interval.high:+.{digits}f}" if interval else why_words(one)
    difference = "" if one.difference is None else f"{one.difference:+.{digits}f}"
    return MeasureRow(
        str(MEASURE_WORDS[name]), _mean(one.shown, digits), one.shown.n, _mean(one.withheld, digits), one.withheld.n,
        _minus(difference), _minus(shown), interval is not None,
    )  # fmt: skip


def why_words(one: Contrast) -> str:
    """Return why the difference is undefined, as a sentence."""
    few = one.shown if one.why is Why.FEW_SHOWN else one.withheld
    arm = gettext("with drafts") if one.why is Why.FEW_SHOWN else gettext("without drafts")
    message = gettext("undefined: %(images)s images %(arm)s, %(least)s needed")
    return message % {"images": few.images, "arm": arm, "least": LEAST_IMAGES}


def _mean(arm: ArmMean, digits: int) -> str:
    return gettext("n/a") if arm.mean is None else f"{arm.mean:.{digits}f}"


def _minus(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}") if text[:1] in "+-" else text


def anchoring_json(found: Anchoring) -> list[dict[str, Any]]:
    """The measures as data: null where undefined, with the reason."""
    return [
        {
            "measure": name,
            "shown": one.shown.mean,
            "shown_n": one.shown.n,
            "withheld": one.withheld.mean,
            "withheld_n": one.withheld.n,
            "difference": one.difference,
            "low": one.interval.low if one.interval else None,
            "high": one.interval.high if one.interval else None,
            "undefined": one.why.value if one.why else "",
        }
        for name, one in found.contrasts.items()
    ]
