"""The second benchmark of the demo: what its people find to do, and who sees it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.board.read.items import missing_mentions
from annotation.building import OPEN
from annotation.models import Annotation, AuditItem, Benchmark, BuildItem, GoldCheck, Lease, Sample
from annotation.schema import Box, SampleContent, SampleRecord
from annotation.workflow import Role
from evaluation.demo.work import SLUG, build_demo_work
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting
from webapp.notifications.models import Notification

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
    given: dict[str, Any] = {
        "folder": tmp_path,
        "records": [record(number) for number in range(24)],
        "people": people,
        "second": make_user("Ben Okoro"),
        "admin": make_user("Ada Kern", is_staff=True),
        "scene": (tmp_path / "0.png").read_bytes(),
    }
    build_demo_work(**given)
    build_demo_work(**given)
    return Benchmark.objects.get()


def test_there_is_work_of_every_kind(built: Benchmark, ana: User) -> None:
    """Twelve samples to do, four in review, one returned with a comment, two disputes, an audit, three gold checks."""
    states = Counter(Sample.objects.filter(benchmark=built).values_list("state", flat=True))
    assert states == {"to_do": 12, "returned": 1, "in_review": 4, "disputed": 2, "accepted": 4}
    returned = Annotation.objects.get(state="returned")
    assert (returned.author, returned.comments.count()) == (ana, 1)
    for disputed in Sample.objects.filter(state="disputed"):
        found = disputed.annotations.order_by("author__name")
        assert [(one.author.name, one.revisions.get().answers) for one in found] == [
            ("Ana Lind", ["B"]), ("Ben Okoro", ["A"]),
        ]  # fmt: skip
    assert GoldCheck.objects.count() == 3
    places = [place for place, sample in enumerate(built.samples.order_by("pk")) if hasattr(sample, "gold_check")]
    assert places != [0, 1, 2], "the place of a sample does not tell a check"
    sent, gold = returned.revisions.get().gold_boxes.get(), record(0).content.gold_boxes[0]
    assert (sent.x2 - sent.x1) * (sent.y2 - sent.y1) > gold.area, "the comment is true of the box it is on"
    assert not Lease.objects.exists(), "nobody holds a sample"
    assert Annotation.objects.filter(state="in_review").count() == 0
    assert built.guidelines.count() == 1


def test_one_accepted_sample_waits_for_an_audit_by_a_lead(built: Benchmark, people: dict[Role, User]) -> None:
    """Its author and its reviewer can't audit it, and no gold check is drawn."""
    item = AuditItem.objects.undecided().get()
    assert (item.revision.author.name, hasattr(item.sample, "gold_check")) == ("Ben Okoro", False)
    found = {role: AuditItem.objects.for_person(user).exists() for role, user in people.items()}
    assert (found[Role.LEAD], found[Role.REVIEWER]) == (True, False)


def test_a_lead_can_set_a_facet_of_many_samples(built: Benchmark, people: dict[Role, User]) -> None:
    assert [(one.name, [option.value for option in one.values]) for one in built.task.facets] == [
        ("category", ["Counting"])
    ]
    page = signed_in(people[Role.LEAD]).get(reverse("annotation:work-samples", args=[SLUG])).content.decode()
    assert re.search(r'<option[^>]*value="category"', page)


def test_each_open_stage_of_the_board_has_one_item(built: Benchmark, people: dict[Role, User]) -> None:
    stages = Counter(BuildItem.objects.filter(benchmark=built).values_list("stage", flat=True))
    assert stages == dict.fromkeys((stage.value for stage in OPEN), 1)
    shown = signed_in(people[Role.LEAD]).get(f"/benchmarks/{SLUG}/board/")
    assert shown.status_code == 200
    stopped = BuildItem.objects.get(stage="mention_check")
    assert missing_mentions(stopped) == ["mallet"]


def test_everyone_has_an_entry_in_their_inbox(built: Benchmark) -> None:
    names = {one.person.name for one in Notification.objects.select_related("person")}
    assert names == {"Ada Kern", "Ana Lind", "Ben Okoro", "Lea Moreau", "Mira Sato", "Rui Costa"}


def test_an_annotator_who_gets_checks_sees_no_board_and_no_audit(built: Benchmark, ana: User) -> None:
    page = signed_in(ana)
    assert [page.get(f"/benchmarks/{SLUG}/{path}/").status_code for path in ("board", "quality")] == [403, 403]
    assert page.get(f"/benchmarks/{SLUG}/samples/").url == f"/benchmarks/{SLUG}/annotate/"
    keys = Sample.objects.filter(gold_check__isnull=False).values_list("key", flat=True)
    told = [str(one.data) for one in Notification.objects.filter(person=ana)]
    assert not [key for key in keys for one in told if key in one]


def test_it_is_private_and_everyone_finds_their_work(built: Benchmark, people: dict[Role, User], sam: User) -> None:
    """D7.13, D2.5"""
    assert not built.public
    assert Client().get(f"/benchmarks/{SLUG}/").status_code == 404
    assert signed_in(sam).get(f"/benchmarks/{SLUG}/").status_code == 404
    waiting = {role: signed_in(user).get("/").context["waiting"] for role, user in people.items()}
    assert waiting[Role.ANNOTATOR], "how many is not told while checks run"
    assert sum(row.count for row in waiting[Role.REVIEWER]) == 6


def pressed(name: str, page: str) -> str:
    """Press *Continue* on a page as this person, and return what opens: the name of a page."""
    client = signed_in(User.objects.get(name=name))
    form = re.search(r'<form method="post"[^>]* action="([^"]+/next/)"', client.get(page).content.decode())
    assert form, f"{name} finds no Continue on {page}"
    answer = client.post(form[1], follow=True)
    assert answer.status_code == 200
    return str(answer.resolver_match.url_name)


def test_continue_leads_everyone_to_work(built: Benchmark, people: dict[Role, User]) -> None:
    """Each dispute has one adjudicator, so the site admin reviews. Leads also audit. No work waits for a researcher,
    whose home page has no Continue."""
    run_waiting()
    assert [pressed(name, "/") for name in ("Ana Lind", "Ben Okoro")] == ["annotate-sample"] * 2
    assert [pressed(name, "/") for name in ("Rui Costa", "Lea Moreau")] == ["adjudication"] * 2
    assert pressed("Ada Kern", "/") == "review-sample"
    assert "/benchmarks/demo-work/audit/" in signed_in(people[Role.LEAD]).get(f"/benchmarks/{SLUG}/review/").text
    assert pressed("Lea Moreau", f"/benchmarks/{SLUG}/audit/") == "audit-sample"
    home = signed_in(people[Role.RESEARCHER]).get("/")
    assert (home.context["waiting"], "Continue" in home.text) == ([], False)


def test_leads_create_benchmarks(built: Benchmark, lea: User, ana: User) -> None:
    """D7.13: Lea got 403; the pages of others offer nothing that they are refused."""
    lead = signed_in(lea)
    assert "/benchmarks/new/" in lead.get("/benchmarks/").content.decode()
    answer = lead.post("/benchmarks/new/", {"slug": "second", "title": "Second"})
    assert answer.status_code == 302
    assert Benchmark.objects.get(slug="second").memberships.get().user == lea
    assert signed_in(ana).get("/benchmarks/new/").status_code == 403
    assert "/benchmarks/new/" not in signed_in(ana).get("/benchmarks/").content.decode()
