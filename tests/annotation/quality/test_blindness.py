"""While gold checks run, who is handed them finds out neither which samples are checks nor what their gold is."""

from __future__ import annotations

import json
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member, create_benchmark, set_public
from annotation.benchmarks.write.people import change_details
from annotation.common.access import known_to
from annotation.models import Benchmark, CheckAnswer, GoldCheck, Lease, Sample
from annotation.quality.write.checks import add_checks, set_check_rules
from annotation.review.write.decisions import under_review
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.workflow import Role
from tests.annotation.quality.test_checks import RULES, held, is_check
from tests.annotation.work_data import content, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, NotAllowed

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
BASE = "/benchmarks/kitchen"


@made_once
def kitchen(ana: User, rui: User, lea: User, bo: User) -> Benchmark:
    """Twelve samples, the first four accepted and known; every sample that Ana begins with is a check."""
    benchmark = to_annotate(12, annotator=[ana, bo], reviewer=rui, lead=lea)
    for _ in range(4):
        submitted(bo, benchmark)
        reviewed(rui, next_review(rui, benchmark), "accept")
    Lease.objects.filter(user=bo).delete()
    add_checks(actor=lea, benchmark=benchmark, keys=[f"s-000{n}" for n in range(4)])
    begin(lea, benchmark)
    return Benchmark.objects.get(pk=benchmark.pk)


def begin(lea: User, benchmark: Benchmark, first: int = 100) -> None:
    set_check_rules(actor=lea, benchmark=benchmark, **{**RULES, "check_first": first})


def test_checks_and_open_access_exclude_each_other(lea: User, kitchen: Benchmark) -> None:
    """D2.5"""
    for make_public in (
        lambda: set_public(actor=lea, benchmark=kitchen, public=True),
        lambda: change_details(
            actor=lea, benchmark=kitchen, title="K", description="", licence="", public=True, marks_open=False,
            remove_metadata=True, remote_allowed=False,
        ),
    ):  # fmt: skip
        with pytest.raises(Conflict, match="look up the gold"):
            make_public()
    page = signed_in(lea).post(f"{BASE}/settings/", {"title": "Kitchen", "public": "on"})
    assert (page.status_code, "public" in page.context["details"].errors) == (400, True)
    assert page.context["checks_run"]
    assert Client().get(f"{BASE}/samples/s-0000/").status_code == 404
    begin(lea, kitchen, 0)
    set_public(actor=lea, benchmark=kitchen, public=True)
    assert Client().get(f"{BASE}/samples/s-0000/").status_code == 200
    with pytest.raises(Conflict, match="look up the gold"):
        begin(lea, kitchen)
    said = {"check_first": 3, "check_share": 0, "box_measure": "iou", "box_least": 0.5, "pause_after": 3}
    page = signed_in(lea).post(f"{BASE}/quality/checks/rules/", said)
    assert (page.status_code, "check_share" in page.context["rules"].errors) == (400, True)


@pytest.mark.both_databases
def test_an_existing_benchmark_with_both_is_closed_by_the_migration(lea: User, kitchen: Benchmark) -> None:
    """D2.5"""
    other = create_benchmark(actor=lea, slug="open", title="Open", public=True)
    Benchmark.objects.filter(pk=kitchen.pk).update(public=True)
    assert Client().get(f"{BASE}/samples/s-0000/").status_code == 404
    import_module("annotation.migrations.0024_gold_checks_close_a_benchmark").close(apps, None)
    assert set(Benchmark.objects.filter(public=True)) == {other}


@pytest.mark.parametrize("second", [Role.REVIEWER, Role.RESEARCHER])
def test_a_second_role_gives_no_sight_of_gold_and_takes_no_check_away(
    ana: User, lea: User, kitchen: Benchmark, second: Role
) -> None:
    """D2.6"""
    add_member(actor=lea, benchmark=kitchen, user=ana, role=second)
    assert is_check(take_one(ana, kitchen))
    client = signed_in(ana)
    for page in ("samples/s-0000/", "judging/", "agreement/", "agreement/judges/", "export/", "audit/", "versions/",
                 "leaderboard/", "runs/", "data-card/", "trajectories/", "compare/", "slices/"):  # fmt: skip
        assert client.get(f"{BASE}/{page}").status_code == 403, page
    assert client.get(f"{BASE}/review/").status_code == (200 if second is Role.REVIEWER else 403)


@pytest.mark.parametrize("lead", ["role", "staff"])
def test_leads_are_handed_no_checks(ana: User, lea: User, admin: User, kitchen: Benchmark, lead: str) -> None:
    """D2.6"""
    person = admin if lead == "staff" else ana
    add_member(actor=lea, benchmark=kitchen, user=person, role=Role.LEAD if lead == "role" else Role.ANNOTATOR)
    assert not known_to(person, kitchen).handed_checks
    assert not is_check(take_one(person, kitchen))
    assert not CheckAnswer.objects.exists()


def test_only_what_was_handed_out_can_be_opened_saved_or_reviewed(ana: User, lea: User, kitchen: Benchmark) -> None:
    """D2.6: before a sample is handed out, no address tells whether it has gold."""
    add_member(actor=lea, benchmark=kitchen, user=ana, role=Role.REVIEWER)
    client = signed_in(ana)
    for key in ("s-0001", "s-0007"):
        said = [
            client.get(f"{BASE}/annotate/samples/{key}/"),
            client.get(f"{BASE}/toolchain/samples/{key}/"),
            client.get(f"{BASE}/review/samples/{key}/"),
            *(
                client.post(f"{BASE}/{step}/{key}/", json.dumps(body), content_type="application/json")
                for step, body in (
                    ("annotate/draft", {"version": 0, "content": content()}),
                    ("annotate/submit", {"version": 0, "content": content()}),
                    ("review/comments", {"text": "Small?"}),
                    ("toolchain/accept", {"calls": []}),
                )
            ),
        ]
        assert [one.status_code for one in said] == [403, 403, 409, 409, 409, 409, 403], key
    assert not Sample.objects.filter(key="s-0007").get().annotations.exists()


def test_who_held_a_sample_once_may_review_it_where_no_checks_run(ana: User, lea: User, kitchen: Benchmark) -> None:
    begin(lea, kitchen, 0)
    sample = submitted(ana, kitchen)
    past = timezone.now() - timedelta(hours=1)
    Lease.objects.create(sample=sample, seat="annotate", place=7, user=lea, expires_at=past)
    assert under_review(lea, sample)[0].author == ana
    begin(lea, kitchen)
    assert under_review(lea, sample)[0].author == ana


@pytest.mark.both_databases
def test_what_was_left_comes_back_first_whether_it_is_a_check_or_not(ana: User, lea: User, kitchen: Benchmark) -> None:
    """D2.6: a check that comes back where another sample does not would give itself away."""
    client = signed_in(ana)
    for first in (0, 1):
        (begin if first else begin_late)(lea, kitchen)
        sample = take_one(ana, kitchen)
        assert is_check(sample) == bool(first)
        client.post(f"{BASE}/annotate/release/{sample.key}/")
        assert take_one(ana, kitchen) == sample
        Lease.objects.filter(user=ana).delete()
        body = json.dumps({"version": 0, "content": content()})
        lost = client.post(f"{BASE}/annotate/draft/{sample.key}/", body, content_type="application/json")
        assert (lost.status_code, lost.json()["error"]["code"]) == (409, "lease_lost")
        assert take_one(ana, kitchen) == sample or not first
        held(ana, sample)
        submit(actor=ana, sample=sample, version=0, content=content())
        Lease.objects.filter(user=ana).delete()


def begin_late(lea: User, benchmark: Benchmark) -> None:
    """Checks run, and none comes now: their share is tiny."""
    set_check_rules(actor=lea, benchmark=benchmark, **{**RULES, "check_share": 1e-9})


@pytest.mark.both_databases
def test_the_order_is_random_beside_checks(ana: User, bo: User, lea: User, kitchen: Benchmark) -> None:
    """D2.6: in the order of ids a check would be the one that is out of order."""
    begin_late(lea, kitchen)
    first = set()
    for number in range(20):
        person = make_user(f"Person{number} Ek")
        add_member(actor=lea, benchmark=kitchen, user=person, role=Role.ANNOTATOR)
        sample = take_one(person, kitchen)
        first.add(sample.key)
        Lease.objects.filter(user=person).delete()
    assert len(first) > 1


def test_an_annotator_does_not_see_what_never_happens_to_a_check(ana: User, rui: User, lea: User, kitchen: Any) -> None:
    """D2.6: a check stays submitted, so an accepted sample reads the same."""
    begin_late(lea, kitchen)
    sample = submitted(ana, kitchen)
    before = studio(ana, sample)
    reviewed(rui, next_review(rui, kitchen), "accept")
    after = studio(ana, sample)
    assert before["studio"]["state"] == after["studio"]["state"] == "submitted"
    assert [event.action for event in after["events"]] == [event.action for event in before["events"]]
    with pytest.raises(Conflict, match="is submitted and read-only"):
        save_draft(actor=ana, sample=Sample.objects.select_related("benchmark").get(pk=sample.pk), version=0,
                   content=content())  # fmt: skip
    begin(lea, kitchen, 0)
    assert studio(ana, sample)["studio"]["state"] == "accepted"


def studio(user: User, sample: Sample) -> Any:
    return signed_in(user).get(f"{BASE}/annotate/samples/{sample.key}/").context


def test_counts_that_a_check_would_not_change_are_withheld(ana: User, lea: User, kitchen: Benchmark) -> None:
    """D2.6"""
    client = signed_in(ana)
    page = client.get(f"{BASE}/annotate/").context
    assert (page["to_do"], page["whole"], [tab.label for tab in page["tabs"]]) == (None, None, ["Annotate"])
    home = client.get("/").context
    assert [(row.kind, row.count) for row in home["waiting"]] == [("annotate", None)]
    assert [(words, n) for words, n, _ in home["cards"][0].counts] == [("samples", 12)]
    assert not home["cards"][0].states
    listed = client.get("/api/v1/benchmarks/").json()["results"]
    assert [(one["samples"], one["accepted"]) for one in listed] == [(12, None)]
    lead = signed_in(lea).get("/").context["cards"][0]
    assert lead.states
    with pytest.raises(NotAllowed):
        add_checks(actor=ana, benchmark=kitchen, keys=["s-0007"])
    assert GoldCheck.objects.count() == 4
