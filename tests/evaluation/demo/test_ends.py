"""The ends of the demo's toolchains: measured, answered from the last image, or answered otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.samples import save_samples
from annotation.images.store import store_pictures
from annotation.models import VerifiedChain
from annotation.schema import ORIGINAL, AnswerType, Box, SampleContent, SampleRecord, ToolCall
from annotation.workflow import Role
from evaluation.demo.ends import UNKNOWN, decide_ends
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
DOTS = 4
CROP = ToolCall("crop", {"x": 20, "y": 20, "width": 200, "height": 100}, ORIGINAL, "a")
COUNT = ToolCall("contours", {"mode": "external"}, "a", "b")
ONE, TWO = (Box(20, 20, 220, 120),), (Box(20, 20, 60, 60), Box(200, 60, 220, 120))


def test_each_end_is_decided_once(tmp_path: Path, settings: Any, lea: User) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    picture = np.zeros((160, 240, 3), np.uint8)
    for dot in range(DOTS):
        cv2.circle(picture, (45 + 45 * dot, 70), 12, (255, 255, 255), -1)
    (tmp_path / "dots.png").write_bytes(bytes(cv2.imencode(".png", picture)[1]))
    said: dict[str, Any] = {
        "count": {"answers": (str(DOTS),), "gold_boxes": ONE, "reference_toolchain": (CROP, COUNT)},
        "reading": {"answers": ("7.6",), "gold_boxes": ONE, "reference_toolchain": (CROP, COUNT)},
        "one-place": {"answers": ("white",), "gold_boxes": ONE, "reference_toolchain": (CROP,)},
        "two-places": {"answers": ("equal",), "gold_boxes": TWO, "reference_toolchain": (CROP,)},
        "no-toolchain": {"answers": ("white",), "gold_boxes": ONE},
    }
    records = [
        SampleRecord(key, SampleContent(f"{key}?", AnswerType.OPEN, **about), "dots.png") for key, about in said.items()
    ]
    benchmark = create_benchmark(actor=None, slug="dots")
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.REVIEWER)
    images = store_pictures(actor=None, benchmark=benchmark, records=records, folder=tmp_path, embedded={})
    save_samples(actor=None, benchmark=benchmark, records=records, pictures=images)
    run_waiting()
    for _ in range(2):
        decide_ends(benchmark=benchmark, person=lea)
    found = VerifiedChain.objects.order_by("sample__key").values_list("sample__key", "how", "observed", "matches")
    assert list(found) == [
        ("count", "measured", "4", True),
        ("one-place", "blind", "white", True),
        ("reading", "blind", "7.6", True),
        ("two-places", "blind", UNKNOWN, False),
    ]
