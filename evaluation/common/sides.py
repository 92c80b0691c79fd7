"""The results of every run on one sample, as rows of a table and as crops on the image."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from annotation.schema import SampleContent
from evaluation.common.frame import frame_of, gold_corners, marks_of
from evaluation.common.trajectory.answer import short_answer
from evaluation.common.trajectory.read import Corners, read_crops, read_on_sample
from evaluation.metrics.columns import Outcome
from evaluation.metrics.plans import OUTCOMES
from evaluation.models import Run


@dataclass(frozen=True, slots=True)
class RunRow:
    """One trajectory. ``number``: its mark on the image;  ``letter``: of its run; ``crop``: its last
    one, when asked for."""

    number: int
    letter: str
    name: str
    baseline: bool
    href: str
    said: str
    score: Any
    quadrant: str
    outcome: str
    crop: Corners | None

    @property
    def mark(self) -> dict[str, Any]:
        """For static/js/elements/frame.js; the shares of the crop that gave the score may be another's."""
        return {"turn": self.number, "label": self.letter, "tool": self.name, "executed": self.crop, "requested": None}


def rows_of(
    slug: str,
    trajectories: Sequence[Any],
    content: SampleContent,
    crops: Mapping[int, Corners],
    letters: Mapping[int, str],
) -> list[RunRow]:
    """``letters``: of every run of the benchmark, by primary key."""
    return [
        _row(slug, number, trajectory, content, crops.get(trajectory.pk), letters[trajectory.run_id])
        for number, trajectory in enumerate(trajectories, 1)
    ]


def _row(slug: str, number: int, trajectory: Any, content: SampleContent, crop: Corners | None, letter: str) -> RunRow:
    score = trajectory.score
    code = score.plan_outcome if score else Outcome.NONE
    address = reverse("evaluation:trajectory", args=[slug, trajectory.pk])
    return RunRow(
        number=number,
        letter=letter,
        name=str(trajectory.run),
        baseline=trajectory.run.model.baseline,
        href=f"{address}?{urlencode({'sample': trajectory.sample.key})}",
        said=_said(trajectory, score, content),
        score=score,
        quadrant=score.quadrant if score else "",
        outcome=gettext(OUTCOMES[code][0]) if code in OUTCOMES else "",
        crop=crop,
    )


def _said(trajectory: Any, score: Any, content: SampleContent) -> str:
    if trajectory.error:
        return gettext("failed")
    if score is None:
        return gettext("not scored")
    if score.unread:
        return gettext("unread")
    return short_answer(score.letter, content.options) or ("" if content.plan.targets else gettext("none"))


Marked = Callable[[Sequence[dict[str, Any]]], dict[str, Any]]
"""The marks of an image with these turns."""


@dataclass(frozen=True)
class Side:
    """One run on the sample: ``row`` is None without a trajectory. ``marks``: for static/js/elements/frame.js."""

    letter: str
    run: Run
    row: RunRow | None
    crops: Sequence[dict[str, Any]]
    marks: dict[str, Any]

    @property
    def marks_id(self) -> str:
        return f"frame-marks-{self.letter}"


def sides_of(
    slug: str, runs: Sequence[Run], sample: Any, content: SampleContent, letters: Mapping[int, str]
) -> list[Side]:
    """Return the results of these runs on a sample, in their order, with all of their crops. Three queries.

    ``letters``: of every run of the benchmark, by primary key.
    """
    found = [one for one in read_on_sample(sample) if one.run_id in {run.pk for run in runs}]
    crops = read_crops(found, sample)
    rows = dict(zip((one.run_id for one in found), rows_of(slug, found, content, {}, letters), strict=True))
    looked = {one.run_id: crops.get(one.pk, []) for one in found}
    marked = partial(marks_of, frame_of(slug, sample), gold_corners(sample))
    return [_side(letters[run.pk], run, rows.get(run.pk), looked.get(run.pk, []), marked) for run in runs]


def _side(letter: str, run: Run, row: RunRow | None, crops: Sequence[tuple[int, Corners]], marked: Marked) -> Side:
    turns = [{"turn": turn, "executed": box, "requested": None} for turn, box in crops]
    return Side(
        letter,
        run,
        row,
        [{"box": box, "turn": turn} for turn, box in crops],
        marked(turns),
    )
