"""One row of the list of trajectories: the image, the evidence, the answer, the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from evaluation.common.frame import Corners, Frame, frame_of, gold_corners
from evaluation.common.terms import UNNARROWED
from evaluation.metrics.columns import NoGrounding, Outcome
from evaluation.trajectories.present.facets import OUTCOMES, Terms
from evaluation.trajectories.present.shown import Fact
from webapp.common.translation import any_of

LOUPE_SIDE = 240
MARGIN = 0.25
"""The margin around the gold in its loupe, as a share of the longer side. It makes the position recognizable."""
MOST_DOTS = 10
LONGEST_ANSWER = 120


@dataclass(frozen=True, slots=True)
class Row:
    """The content of ``evaluation/trajectories/_row.html`` for one trajectory. Loupes are URLs, "" without one."""

    trajectory: Any
    href: str
    frame: Frame | None
    gold: Sequence[Corners]
    crops: Sequence[dict[str, Any]]
    gold_loupe: str
    crop_loupe: str
    crop_words: str
    question: str
    said: str
    wanted: str
    quadrant: str
    outcome: str
    dots: Sequence[bool]
    more_calls: int
    preview: str
    tags: Sequence[str]
    facts: Sequence[Fact]


def row_of(
    trajectory: Any, slug: str, terms: Terms, tags: Mapping[int, Sequence[str]], facts: Sequence[Fact],
    crops: Mapping[int, Corners],
) -> Row:  # fmt: skip
    """``crops``: of ``present_crops``."""
    sample, score = trajectory.sample, trajectory.score
    frame, gold = frame_of(slug, sample), gold_corners(sample)
    revision = sample.gold.revision if hasattr(sample, "gold") else None
    crop = crops.get(trajectory.pk)
    turn = score.crop_index + 1 if score and score.crop_index is not None else None
    calls = score.calls if score else 0
    return Row(
        trajectory=trajectory,
        href=f"{reverse('evaluation:trajectory', args=[slug, trajectory.pk])}?{urlencode(terms or UNNARROWED)}",
        frame=frame,
        gold=gold,
        crops=[{"box": crop, "turn": turn}] if crop else [],
        gold_loupe=frame.region(_around(gold[0], frame), LOUPE_SIDE) if frame and gold else "",
        crop_loupe=frame.region(crop, LOUPE_SIDE) if frame and crop else "",
        crop_words=_crop_words(trajectory, score, crop, turn),
        question=revision.question if revision else "",
        said=_said(trajectory, score, revision),
        wanted=_wanted(revision),
        quadrant=score.quadrant if score else "",
        outcome=str(OUTCOMES[score.plan_outcome]) if score and score.plan_outcome != Outcome.NONE else "",
        dots=[turn == place for place in range(1, min(calls, MOST_DOTS) + 1)],
        more_calls=max(0, calls - MOST_DOTS),
        preview=f"{reverse('evaluation:trajectory-preview', args=[slug, trajectory.pk])}?{urlencode(terms)}",
        tags=tags.get(trajectory.pk, ()),
        facts=facts,
    )


def _crop_words(trajectory: Any, score: Any, crop: Corners | None, turn: int | None) -> str:
    """Describe the scored crop. Under a condition, the crop sent to the model can differ from the image."""
    if crop:
        what = gettext("crop") if trajectory.condition == "none" else gettext("its place")
        return gettext("%(crop)s, turn %(turn)s") % {"crop": what, "turn": turn} if turn else what
    if score is None or not score.invoked:
        return gettext("no zoom call")
    if score.crop or score.no_grounding == NoGrounding.NAMES[NoGrounding.IMAGE_REPLACED]:
        return gettext("image replaced")
    return gettext("no usable crop") if not score.usable_crops else gettext("no single crop")


def _around(box: Corners, frame: Frame) -> list[float]:
    by = MARGIN * max(box[2] - box[0], box[3] - box[1])
    return [
        max(0.0, box[0] - by), max(0.0, box[1] - by), min(frame.width, box[2] + by), min(frame.height, box[3] + by),
    ]  # fmt: skip


def _said(trajectory: Any, score: Any, revision: Any) -> str:
    """Return the answer as read, with the option's text; or the plan; or the end of the last text."""
    if trajectory.plan is not None and not trajectory.answer:
        return ", ".join(map(str, trajectory.plan)) or gettext("an empty plan")
    letter = score.letter if score else ""
    options = revision.options if revision else {}
    if letter:
        return f"{letter} {options[letter]}" if letter in options else letter
    answer = (trajectory.answer or "").strip()
    return answer if len(answer) <= LONGEST_ANSWER else f"… {answer[-LONGEST_ANSWER:]}"


def _wanted(revision: Any) -> str:
    if revision is None:
        return ""
    targets = [tool for tool in revision.plan_tools.all() if tool.step is not None]
    if targets and not revision.answers:
        return ", ".join(tool.tool for tool in sorted(targets, key=lambda tool: tool.step))
    return any_of([f"{one} {revision.options[one]}" if one in revision.options else one for one in revision.answers])
