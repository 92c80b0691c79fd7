"""The second benchmark of the demo: what its people find to do, and who sees it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from django.test import Client

from annotation.models import Annotation, Benchmark, GoldCheck, Lease, Sample
from annotation.schema import Box, SampleContent, SampleRecord
from annotation.workflow import Role
from evaluation.demo.work import SLUG, build_demo_work
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PICTURES = 4


def record(number: int) -> SampleRecord:
    content = SampleContent(
        f"Which number is on plate {number}?", options={"A": "4", "B": "7"}, answers=("B",),
        gold_boxes=(Box(100 + 10 * number, 100, 120 + 10 * number, 115),),
    )  # fmt: skip
    return SampleRecord(f"n-{number}", content, f"{number % PICTURES}.png", facets={"category": ("Counting",)})


@made_once
def people(lea: User, ana: User, rui: User) -> dict[Role, User]:
    return {Role.LEAD: lea, Role.ANNOTATOR: ana, Role.REVIEWER: rui, Role.RESEARCHER: make_user("Mira Sato")}


@pytest.fixture
def built(people: dict[Role, User], tmp_path: Path, settings: Any) -> Benchmark:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    for number in range(PICTURES):
        picture = np.full((800, 1000, 3), 40 * number, np.uint8)
        (tmp_path / f"{number}.png").write_bytes(bytes(cv2.imencode(".png", picture)[1]))
    given = {
        "folder": tmp_path,
        "records": [record(number) for number in range(24)],
        "people": people,
        "second": make_user("Ben Okoro"),
    }
    build_demo_work(**given)
    build_demo_work(**given)
    return Benchmark.objects.get()


def test_the_annotator_the_reviewer_and_the_lead_have_work(built: Benchmark, ana: User) -> None:
    """D7.13: twelve samples for Ana, one of them returned with a comment; four to review, one disputed; checks."""
    states = Counter(Sample.objects.filter(benchmark=built).values_list("state", flat=True))
    assert states == {"to_do": 11, "returned": 1, "in_review": 3, "disputed": 1, "accepted": 3}
    returned = Annotation.objects.get(state="returned")
    assert (returned.author, returned.comments.count()) == (ana, 1)
    disputed = Sample.objects.get(annotations__author__name="Ben Okoro")
    answers = [one.revisions.get().answers for one in disputed.annotations.all()]
    assert sorted(answers) == [["A"], ["B"]]
    assert GoldCheck.objects.count() == 3
    places = [place for place, sample in enumerate(built.samples.order_by("pk")) if hasattr(sample, "gold")]
    assert places != [0, 1, 2], "the place of a sample does not tell a check"
    sent, gold = returned.revisions.get().gold_boxes.get(), record(0).content.gold_boxes[0]
    assert (sent.x2 - sent.x1) * (sent.y2 - sent.y1) > gold.area, "the comment is true of the box it is on"
    assert not Lease.objects.exists(), "nobody holds a sample"
    assert Annotation.objects.filter(state="in_review").count() == 0


def test_it_is_private_and_everyone_finds_their_work(built: Benchmark, people: dict[Role, User], sam: User) -> None:
    """D7.13, D2.5"""
    assert not built.public
    assert Client().get(f"/benchmarks/{SLUG}/").status_code == 404
    assert signed_in(sam).get(f"/benchmarks/{SLUG}/").status_code == 404
    waiting = {role: signed_in(user).get("/").context["waiting"] for role, user in people.items()}
    assert waiting[Role.ANNOTATOR], "how many is not told while checks run"
    assert sum(row.count for row in waiting[Role.REVIEWER]) == 4


def test_leads_create_benchmarks(built: Benchmark, lea: User, ana: User) -> None:
    """D7.13: Lea got 403; the pages of others offer nothing that they are refused."""
    lead = signed_in(lea)
    assert "/benchmarks/new/" in lead.get("/benchmarks/").content.decode()
    answer = lead.post("/benchmarks/new/", {"slug": "second", "title": "Second"})
    assert answer.status_code == 302
    assert Benchmark.objects.get(slug="second").memberships.get().user == lea
    assert signed_in(ana).get("/benchmarks/new/").status_code == 403
    assert "/benchmarks/new/" not in signed_in(ana).get("/benchmarks/").content.decode()
