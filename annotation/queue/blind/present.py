"""The visible parts of a revision before and after the blind answer: no gold before, except its crops if the answer is
given from these alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from annotation.common.keys import REVIEW, keys_json
from annotation.common.reasons import offered_reasons
from annotation.common.requests import body_of, flag_of, number_of, text_of
from annotation.common.sample import picture_json, revision_head
from annotation.content.revisions import revision_json
from annotation.imaging.evidence import crop_area
from annotation.models import BlindAnswer, Revision, Sample
from annotation.queue.blind.answers import next_condition
from annotation.queue.leases import queue_of
from annotation.schema import Box
from annotation.work_rules import Condition
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput

SHOWN_BEFORE = ("question", "answer_type", "options")
CROP_SIDE = 960
"""Longest side of a crop that is shown alone, at most eight times its own size."""


def blind_json(user: User, sample: Sample, revision: Revision) -> dict[str, Any]:
    """The image or the crops, the content (before the blind answer see ``SHOWN_BEFORE``) and the answer so far.
    ``open``: it is given, or not asked for."""
    blind = BlindAnswer.objects.from_the_picture().filter(revision=revision, reviewer=user).first()
    step = None if blind else next_condition(user, sample, revision)
    alone, open_ = step is Condition.CROP, step is None
    whole = revision_json(revision)
    return {
        "key": sample.key,
        "image": None if alone else picture_json(sample),
        "image_sha256": sample.image.sha256 if sample.image else "",
        "crops": crops_json(sample, revision) if alone else [],
        "condition": step,
        "before": _before(user, revision) if step is Condition.AFTER_CROP else None,
        "image_problem": sample.image_problem,
        "revision": revision_head(revision) if open_ else {"number": revision.number},
        "content": whole if open_ else {name: whole[name] for name in SHOWN_BEFORE},
        "blind": _blind(blind),
        "open": open_,
        "reasons": _reasons(sample, whole) if open_ else [],
        "keys": keys_json(user, REVIEW),
    }


def _reasons(sample: Sample, whole: dict[str, Any]) -> list[str]:
    planned = bool(whole["targets"] or whole["distractors"])
    return offered_reasons(sample.benchmark, toolchain=bool(whole["reference_toolchain"]), tool_plan=planned)


def crops_json(sample: Sample, revision: Revision) -> list[dict[str, Any]]:
    """The gold crops alone, each with its margin, as addresses and sizes in pixels of the original."""
    image, margin = sample.image, queue_of(sample.benchmark).blind_margin
    if image is None:
        return []
    areas = [
        crop_area(image.width, image.height, Box(box.x1, box.y1, box.x2, box.y2), margin) for box in revision.evidence
    ]
    return [
        {
            "src": reverse(
                "annotation:region",
                args=[sample.benchmark.slug, image.sha256, ",".join(str(round(v)) for v in area.as_list()), CROP_SIDE],
            ),
            "width": round(area.width),
            "height": round(area.height),
        }
        for area in areas
    ]


def _before(user: User, revision: Revision) -> dict[str, Any]:
    """The reviewer's answer from the crops alone. One key gives it again."""
    first = BlindAnswer.objects.get(revision=revision, reviewer=user, condition=Condition.CROP)
    words = revision.options.get(first.answer, first.answer)
    return {"answer": first.answer, "unsure": first.unsure, "words": words}


def _blind(blind: BlindAnswer | None) -> dict[str, Any] | None:
    if blind is None:
        return None
    return {"answer": blind.answer, "unsure": blind.unsure, "seconds": blind.seconds, "right": blind.right}


def blind_answer_of(request: HttpRequest) -> dict[str, Any]:
    """A blind answer as sent: answer, unsure, seconds, condition, image."""
    data = body_of(request)
    seconds = number_of(data, "seconds")
    if seconds is None:
        raise InvalidInput(gettext("seconds must be the time of the answer."), field="seconds")
    return {
        "answer": text_of(data, "answer"),
        "unsure": flag_of(data, "unsure"),
        "seconds": seconds,
        "condition": _condition(data),
        "image": text_of(data, "image", longest=64),
    }


def _condition(data: Mapping[str, Any]) -> str | None:
    """The source of the answer; None: the next one."""
    value = text_of(data, "condition")
    if value and value not in list(Condition):
        raise InvalidInput(
            gettext("condition must be one of %(conditions)s.") % {"conditions": ", ".join(Condition)},
            field="condition",
        )
    return value or None
