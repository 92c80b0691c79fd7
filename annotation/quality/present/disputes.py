"""The samples two raters disagree on, worst first, with both boxes over the image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext

from annotation.content.drawn_on import boxes_in_pixels_of
from annotation.content.image_history import size_of
from annotation.imaging.evidence import moved_into, wide_area
from annotation.models import Benchmark, Image, Sample
from annotation.quality.present.matrix import name_of
from annotation.quality.read.adjudicable import adjudicable
from annotation.quality.read.agreement import Pair, Said, Work
from annotation.schema import AnswerType, Box

MOST = 8
SIDE = 480


@dataclass(frozen=True)
class Dispute:
    """The content of a sample's tile: ``boxes`` of the first, the second and gold in pixels of the visible part.
    ``href`` links to its adjudication if the reader can decide it, else to its page.
    """

    key: str
    href: str
    kind: str
    question: str
    pair: Pair
    names: tuple[str, str]
    said: str
    settled: str
    picture: str = ""
    width: float = 0
    height: float = 0
    boxes: tuple[Sequence[Box], Sequence[Box], Sequence[Box]] = ((), (), ())


def worst_first(pairs: Sequence[Pair]) -> list[Pair]:
    """The disputed pairs: those whose answers differ too, then the smallest overlap first."""
    disputed = [pair for pair in pairs if pair.disputed]
    return sorted(disputed, key=lambda p: (p.boxes.iou if p.boxes else 1.0, p.same is not False, p.place.key))


def disputes_of(benchmark: Benchmark, work: Work, pairs: Sequence[Pair], *, reader: Any, named: bool) -> list[Dispute]:
    """Tiles of the worst ``MOST``. Two queries. ``named`` False: people stay unnamed."""
    shown = pairs[:MOST]
    samples = Sample.objects.filter(pk__in=[pair.sample for pair in shown]).select_related("image").in_bulk()
    waiting = adjudicable(reader, benchmark, samples)
    return [_dispute(benchmark, work, pair, samples[pair.sample], named, pair.sample in waiting) for pair in shown]


def _dispute(benchmark: Benchmark, work: Work, pair: Pair, sample: Sample, named: bool, waits: bool) -> Dispute:
    second = name_of(work, pair.second_by)
    names = (
        (name_of(work, pair.first_by), second)
        if named
        else (gettext("one"), second if pair.second_by is None else gettext("other"))
    )
    gold = work.gold.get(pair.sample)
    found = Dispute(
        key=pair.place.key,
        href=reverse(
            "annotation:adjudication" if waits else "evaluation:sample", args=[benchmark.slug, pair.place.key]
        ),
        kind=_kind(pair),
        question=pair.first.content.question or gettext("No question"),
        pair=pair,
        names=names,
        said=_answers(pair, names),
        settled=gettext("adjudicate") if waits else gettext("has gold") if gold else gettext("no gold yet"),
    )
    golds = _boxes(gold, sample) if gold and pair.second_by is not None else ()
    return _with_picture(found, benchmark, sample, (_boxes(pair.first, sample), _boxes(pair.second, sample), golds))


def _boxes(said: Said, sample: Sample) -> Sequence[Box]:
    """The boxes on the image that the sample has; none of an image of another shape."""
    return boxes_in_pixels_of(said.content.gold_boxes, said.size, size_of(sample)) or ()


def _kind(pair: Pair) -> str:
    apart = pair.boxes is not None and pair.boxes.iou < 0.5
    if apart and pair.same is False:
        return gettext("boxes and answer")
    return gettext("boxes") if apart else gettext("answer") if pair.same is False else ""


def _answers(pair: Pair, names: tuple[str, str]) -> str:
    first, second = short_answer(pair.first), short_answer(pair.second)
    if first == second:
        return gettext("both answered %(answer)s") % {"answer": first} if first else gettext("neither answered")
    none = gettext("no answer")
    return f"{names[0]} {first or none} · {names[1]} {second or none}"


def short_answer(said: Said) -> str:
    """Return a short answer: the letter, the first accepted text, or that there is none."""
    if said.content.unanswerable is not None:
        return gettext("cannot be answered")
    answer = next(iter(said.content.answers), "")
    return answer if said.content.answer_type is AnswerType.MULTIPLE_CHOICE or len(answer) <= 40 else f"{answer[:39]}…"


def _with_picture(
    found: Dispute, benchmark: Benchmark, sample: Sample, boxes: tuple[Sequence[Box], Sequence[Box], Sequence[Box]]
) -> Dispute:
    image = sample.image
    every = [box for several in boxes for box in several]
    if image is None or image.state != Image.State.READY:
        return found
    area = wide_area(image.width, image.height, every)
    corners = ",".join(str(round(value)) for value in area.as_list())
    address = reverse("annotation:region", args=[benchmark.slug, image.sha256, corners, SIDE])
    one, other, gold = ([moved_into(area, box) for box in several] for several in boxes)
    return replace(found, picture=address, width=area.width, height=area.height, boxes=(one, other, gold))
