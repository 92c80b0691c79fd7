"""The home page: what is true for the person who looks, and nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import transaction

from annotation.benchmarks.write.benchmark import add_member, set_public
from annotation.benchmarks.write.invitations import invite_person
from annotation.content.samples import save_samples
from annotation.models import Annotation, Benchmark, BenchmarkQueue, QualityRules, Sample
from annotation.workflow import Role
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.schema import Step, Trajectory
from evaluation.scoring.write import score_benchmark
from tests.annotation.pages_data import make_benchmark
from tests.conftest import signed_in
from tests.evaluation import records, run_pages
from tests.worlds import made_once
from webapp.accounts.actions import accept_invitation
from webapp.accounts.models import User
from webapp.jobs.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@made_once
def kitchen(lea: User) -> Benchmark:
    return make_benchmark(lea, count=4)


def home(user: User) -> Any:
    return signed_in(user).get("/").context


def scored(lea: User, slug: str = "desk", **fields: Any) -> Benchmark:
    benchmark = make_benchmark(lea, slug, **fields)
    save_samples(actor=lea, benchmark=benchmark, records=records.samples())
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lea), records.trajectories(), None)
    score_benchmark(actor=lea, benchmark=benchmark)
    return benchmark


def test_before_there_is_a_benchmark_it_says_how_to_begin(lea: User, admin: User, client: Any) -> None:
    assert b"manage.py demo" in client.get("/").content
    assert b'name="slug"' in signed_in(admin).get("/").content
    assert b'name="slug"' not in signed_in(lea).get("/").content


def test_a_benchmark_begun_at_home_removes_metadata_like_any_new_benchmark(admin: User) -> None:
    browser = signed_in(admin)
    form = browser.get("/").text.split("/benchmarks/new/", 1)[1].split("</form>")[0]
    given = {"title": "Kitchen"} | dict(re.findall(r'type="hidden" name="(\w+)" value="(\w+)"', form))
    assert browser.post("/benchmarks/new/", given).status_code == 302
    assert Benchmark.objects.get().remove_metadata


def test_a_visitor_reads_what_sightline_is_and_what_is_public(kitchen: Benchmark, client: Any) -> None:
    assert client.get("/").context["cards"] == []
    make_benchmark(None, "street", public=True)
    page = client.get("/")
    assert [card.benchmark.slug for card in page.context["cards"]] == ["street"]
    assert b"Did it look at the evidence" in page.content
    assert b"Recent runs" not in page.content


def test_what_waits_leads_to_exactly_that_many(kitchen: Benchmark, lea: User, ana: User) -> None:
    add_member(actor=lea, benchmark=kitchen, user=ana, role=Role.ANNOTATOR)
    Sample.objects.filter(key__gte="mug-002").update(state="to_do")
    Annotation.objects.create(sample=Sample.objects.get(key="mug-001"), author=ana, state="returned")
    context = home(ana)
    assert [(row.words, row.count) for row in context["waiting"]] == [("Returned to me", 1), ("To annotate", 2)]
    assert context["next"].sample.key == "mug-001"
    for row in context["waiting"]:
        assert signed_in(ana).get(row.href).context["total"] == row.count


def test_continuing_opens_the_studio_on_the_picture_that_was_shown(kitchen: Benchmark, lea: User, ana: User) -> None:
    add_member(actor=lea, benchmark=kitchen, user=ana, role=Role.ANNOTATOR)
    Sample.objects.filter(key__gte="mug-002").update(state="to_do")
    BenchmarkQueue.objects.create(benchmark=kitchen, order="random")
    context = home(ana)
    begin, shown = context["waiting"][0].begin, context["next"].sample.key
    opened = signed_in(ana).post(begin, {"sample": shown})
    assert (opened.status_code, opened["location"]) == (303, f"/benchmarks/kitchen/annotate/samples/{shown}/")


def test_with_gold_checks_no_picture_is_shown_beforehand(kitchen: Benchmark, lea: User, ana: User) -> None:
    add_member(actor=lea, benchmark=kitchen, user=ana, role=Role.ANNOTATOR)
    Sample.objects.filter(key__gte="mug-002").update(state="to_do")
    QualityRules.objects.create(benchmark=kitchen, check_first=3)
    context = home(ana)
    assert (len(context["waiting"]), context["next"]) == (1, None)
    assert b'data-key="c"' in signed_in(ana).get("/").content


def test_where_nothing_waits_nothing_is_claimed(kitchen: Benchmark, lea: User, sam: User) -> None:
    for person in (lea, sam):
        context = home(person)
        assert (context["waiting"], context["next"]) == ([], None)
    assert b"You aren't a member of any benchmark yet" in signed_in(sam).get("/").content


def test_recent_runs_have_their_quadrants_or_say_that_nothing_was_zoomed(lea: User, sam: User) -> None:
    scored(lea)
    runs = {row.run.model.name: row for row in home(lea)["runs"]}
    assert sum(runs["Model A"].quadrants) == pytest.approx(1)
    assert (runs["Model A"].population, runs["Model B"].population) == (2, 0)
    assert runs["Model B"].quadrants is None
    assert b"no zoom calls" in signed_in(lea).get("/").content
    assert home(sam)["runs"] == []


def test_what_happened_is_told_in_sentences_to_those_it_concerns(lea: User, ana: User, sam: User) -> None:
    desk = scored(lea)
    add_member(actor=lea, benchmark=desk, user=ana, role=Role.ANNOTATOR)
    news = home(ana)["news"]
    assert [(str(happening.actor), happening.text) for happening in news] == [
        ("Lea Moreau", "added a member as annotator to Desk"),
        ("Lea Moreau", "scored 2 runs of Desk"),
        ("Lea Moreau", "created Desk"),
    ]
    assert home(sam)["news"] == []


def test_who_accepts_an_invitation_joins_and_adds_nobody(kitchen: Benchmark, lea: User, rui: User) -> None:
    _, secret = invite_person(actor=lea, benchmark=kitchen, email=rui.email, roles=[Role.REVIEWER])
    accept_invitation(secret, actor=rui)
    happening = home(rui)["news"][0]
    assert (str(happening.actor), happening.text) == (str(rui), "joined Kitchen as reviewer")
    log = signed_in(lea).get("/benchmarks/kitchen/settings/log/").content.decode()
    assert "accepted an invitation" in log


def test_my_jobs_stand_there_until_they_are_done(kitchen: Benchmark, lea: User, ana: User) -> None:
    Job.objects.create(kind="tests.any", title="Score a run", created_by=lea, state="failed", error="The disk is full.")
    Job.objects.create(kind="tests.any", title="Done already", created_by=lea, state="done")
    assert [job.title for job in home(lea)["jobs"]] == ["Score a run"]
    assert b"The disk is full." in signed_in(lea).get("/").content
    assert list(home(ana)["jobs"]) == []


@pytest.mark.endurance
def test_it_takes_the_same_queries_for_one_benchmark_and_for_many(lea: User, django_assert_num_queries: Any) -> None:
    client = signed_in(lea)
    for number in range(3):
        scored(lea, f"desk-{number}")
        Sample.objects.filter(key="cup").update(state="to_do")
        # session, person; cards: benchmarks, roles, pictures; what waits: benchmarks, roles, four kinds, two of them
        # with the rules of the queues, the next sample with the rule; runs: benchmarks with gold checks, runs, metrics,
        # how fresh they are (3); jobs; news: benchmarks, entries.
        with django_assert_num_queries(24):
            answer = client.get("/")
        assert len(answer.context["cards"]) == number + 1


def test_a_visitor_sees_a_real_case_and_gets_to_the_demo_without_an_account(lea: User, client: Any) -> None:
    """Two runs on one sample, one of which looked at the evidence; nothing of a private benchmark."""
    benchmark = run_pages.make_benchmark(lea, kinds={"seen": 2, "missed": 1})
    look = Step("crop", {}, run_pages.MISSED, image_in="original")
    elsewhere = Trajectory("Model D", "seen-00", steps=(look,), answer="B")
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lea), [elsewhere], None)
    score_benchmark(actor=lea, benchmark=benchmark)
    assert client.get("/").context.get("case") is None
    set_public(actor=lea, benchmark=benchmark, public=True)
    page = client.get("/")
    case = page.context["case"]
    assert (case.benchmark, case.seen.correct, case.missed.correct) == (benchmark, True, False)
    assert case.seen.coverage > case.missed.coverage
    html = page.content.decode()
    for look in (case.seen, case.missed):
        address = f"/benchmarks/{benchmark.slug}/trajectories/{look.trajectory}/"
        assert address in html
        assert client.get(address).status_code == 200
    leaderboard = f"/benchmarks/{benchmark.slug}/leaderboard/"
    assert leaderboard in html
    assert client.get(leaderboard).status_code == 200
