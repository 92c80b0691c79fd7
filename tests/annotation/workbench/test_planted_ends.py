"""Toolchains that run on an image and end at another answer are not verified, however their end is decided."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
import pytest
from django.utils import timezone

from annotation.chain_answers import SPELLED
from annotation.content.checks import validate_gold
from annotation.content.samples import save_samples
from annotation.images import chain_runs
from annotation.images.store import store_pictures
from annotation.models import BenchmarkSchema, Image, Sample, VerifiedChain
from annotation.schema import ORIGINAL, AnswerType, SampleContent, SampleRecord, ToolCall
from annotation.workbench.write import answer_end, verify_chain
from tests.annotation.work_data import to_annotate
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

CELL, ACROSS, DOWN, PLANTED = 40, 8, 6, 100
MEASURES = {
    "contours": "total_contours",
    "connected_components_with_stats": "total_components",
    "contour_area": "total_area",
    "arc_length": "total_perimeter",
}
"""Tools that count or measure dots, and where their result is."""
SHOWN = ("crop", "colorspace_gray", "resize")
"""The last tool of toolchains whose image a person must count in."""
REQUIRED = {"toolchain": {"use": "required", "steps": [1, 12], "end_verified": True}}


def dots(random: Random) -> bytes:
    """White dots in a part of the cells of a grid."""
    picture = np.zeros((DOWN * CELL, ACROSS * CELL, 3), np.uint8)
    for column in range(ACROSS):
        for row in range(DOWN):
            if random.random() < 0.7:
                center = (column * CELL + CELL // 2, row * CELL + CELL // 2)
                cv2.circle(picture, center, random.randint(6, 12), (255, 255, 255), -1)
    return bytes(cv2.imencode(".png", picture)[1])


def chain(random: Random, last: str) -> tuple[ToolCall, ...]:
    """A crop of whole cells, then the last tool."""
    wide, high = random.randint(2, 4), random.randint(2, 3)
    x, y = CELL * random.randint(0, ACROSS - wide), CELL * random.randint(0, DOWN - high)
    crop = ToolCall("crop", {"x": x, "y": y, "width": CELL * wide, "height": CELL * high}, ORIGINAL, "a")
    if last == "crop":
        return (crop,)
    size = {"width": 2 * CELL * wide, "height": 2 * CELL * high} if last == "resize" else {}
    return crop, ToolCall(last, size, "a", "b")


def found_in(sample: Sample, calls: tuple[ToolCall, ...]) -> str:
    """What the last step measures, or a person counts in its image."""
    last = chain_runs.run_whole(sample, calls).steps[-1]
    if calls[-1].tool in MEASURES:
        return f"{last.measurements[MEASURES[calls[-1].tool]]:g}"
    gray = last.image if last.image.ndim == 2 else last.image[:, :, 0]
    return str(cv2.connectedComponents((gray > 127).astype(np.uint8))[0] - 1)


def content(random: Random, calls: tuple[ToolCall, ...], found: str, *, planted: bool) -> SampleContent:
    """The question with the answer that the end gives, or with a planted incorrect one; as number, word or option."""
    away = random.choice((1, 2, 3))
    answer = f"{float(found) + away:g}" if planted else found
    if random.random() < 0.4:
        options = {"A": answer, "B": found if planted else f"{float(found) + away:g}"}
        about: dict[str, Any] = {"options": options, "answers": ("A",)}
        return SampleContent("How many?", AnswerType.MULTIPLE_CHOICE, **about, reference_toolchain=calls)
    word = SPELLED[int(answer)] if answer.isdecimal() and int(answer) < len(SPELLED) else answer
    said = random.choice((answer, word, f"{answer} dots"))
    return SampleContent("How many?", AnswerType.OPEN, answers=(said,), reference_toolchain=calls)


def decided(sample: Sample, given: SampleContent, found: str, author: User, other: User) -> bool:
    """Try all that people can do to verify the end; whether it can become gold then."""
    if given.reference_toolchain[-1].tool in MEASURES:
        try:
            verify_chain(actor=author, sample=sample, content=given)
        except InvalidInput:
            verify_chain(actor=author, sample=sample, content=given, reason="It does.")
            answer_end(actor=other, sample=sample, answer=given.answers[0])
    else:
        letter = next((letter for letter, text in given.options.items() if text == found), found)
        answer_end(actor=other, sample=sample, answer=letter)
    return not [one for one in validate_gold(sample, given, {}) if "verified" in str(one.text.template)]


@pytest.mark.parametrize(("planted", "verified"), [(True, 0), (False, PLANTED)], ids=["planted", "correct"])
def test_of_a_hundred_toolchains_only_those_that_end_at_the_answer_are_verified(
    planted: bool, verified: int, tmp_path: Path, settings: Any, ana: User, rui: User
) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    random = Random(11)
    benchmark = to_annotate(0, annotator=ana, reviewer=rui)
    schema = {"number": 1, "state": "active", "activated_at": timezone.now()}
    BenchmarkSchema.objects.create(benchmark=benchmark, content=REQUIRED, **schema)
    benchmark.forget_schema()
    records = [SampleRecord(f"s-{number:03}", SampleContent(), "dots.png") for number in range(PLANTED)]
    images = store_pictures(
        actor=None, benchmark=benchmark, records=records[:1], folder=tmp_path, embedded={"dots.png": dots(random)}
    )
    Image.objects.update(state=Image.State.READY)
    save_samples(actor=None, benchmark=benchmark, records=records, pictures=images)
    count = 0
    for number, sample in enumerate(Sample.objects.select_related("image").order_by("key")):
        sample.benchmark = benchmark
        calls = chain(random, [*MEASURES, *SHOWN][number % (len(MEASURES) + len(SHOWN))])
        found = found_in(sample, calls)
        given = content(random, calls, found, planted=planted)
        save_samples(
            actor=None, benchmark=benchmark, records=[SampleRecord(sample.key, given, "dots.png")], pictures=images
        )
        count += decided(sample, given, found, ana, rui)
    assert VerifiedChain.objects.values("sample").distinct().count() == PLANTED
    assert count == verified
