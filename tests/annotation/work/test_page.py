"""The lead's pages: every count leads to its samples, and what is done to chosen ones is told sample by sample."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Annotation, Benchmark, Lease, Pause, Receipt, Revision, Sample
from annotation.models.querysets.samples import SAMPLE_FILTERS
from annotation.queue.skip import skip
from annotation.work.present import rows_of
from annotation.workflow import Role
from tests.annotation.work_data import assigned, drafted, next_review, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from tests.factories import facet_of, make_user
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
WORK = "/benchmarks/kitchen/work/"
SAMPLES = f"{WORK}samples/"
QUEUE = "/benchmarks/kitchen/settings/queue/"


@made_once
def benchmark(ana: User, bo: User, rui: User, lea: User) -> Benchmark:
    """Work of every kind, of several people."""
    benchmark = to_annotate(30, annotator=[ana, bo], reviewer=rui, lead=lea)
    for _ in range(4):
        submitted(ana, benchmark)
    Lease.objects.all().delete()
    for decision in ("accept", "return", "discard", "accept"):
        reviewed(rui, next_review(rui, benchmark), decision, comment="Tighter.")
    for _ in range(11):
        submitted(bo, benchmark)
        Lease.objects.filter(user=bo).delete()
    skip(actor=bo, sample=Sample.objects.filter(state="to_do").select_related("benchmark").first(), reason="Blurred.")
    drafted(bo, benchmark)
    assigned(lea, benchmark, ana, "s-0028", "s-0029")
    return benchmark


@pytest.mark.both_databases
@pytest.mark.endurance
def test_every_count_leads_to_exactly_its_samples(benchmark: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    context = client.get(WORK).context
    counts = [count for _, _, count in context["states"]]
    assert sum(count.n for count in counts) == 30
    people = {str(row.at_work.user): row for row in context["people"]}
    counts += [count for row in people.values() for count in row.counts.values()]
    followed = [count for count in counts if count.n]
    assert len(followed) > 12
    for count in followed:
        page = client.get(count.href)
        assert page.context["total"] == count.n, count.href
        assert f'data-total="{count.n}"' in page.content.decode()
    ana, bo = people["Ana Lind"], people["Bo Ek"]
    assert {kind: count.n for kind, count in ana.counts.items() if count.n} == {
        "assigned": 2, "returned": 1, "accepted": 2, "submitted": 4,
    }  # fmt: skip
    assert (ana.at_work.decided, ana.at_work.came_back, ana.at_work.returned_share) == (4, 1, 0.25)
    assert (ana.at_work.week, ana.at_work.per_day, ana.at_work.days_left) == (4, None, None)
    assert (bo.at_work.week, bo.at_work.per_day, bo.at_work.returned_share) == (11, 11.0, None)
    assert {kind: bo.counts[kind].n for kind in ("waiting", "drafts", "holds", "skipped")} == {
        "waiting": 11, "drafts": 1, "holds": 1, "skipped": 1,
    }  # fmt: skip
    assert people["Rui Costa"].counts["reviewed"].n == 4
    assert context["whole"].days_left == pytest.approx(15 / 15)


def test_the_question_of_a_row_is_the_golds(benchmark: Benchmark, bo: User) -> None:
    """D8.10: not that of somebody else's revision, also where that is newer; without gold it is the newest."""
    sample = Sample.objects.filter(state="accepted").select_related("benchmark", "image").first()
    assert sample is not None
    theirs = Annotation.objects.create(sample=sample, author=bo, state="submitted")
    Revision.objects.create(annotation=theirs, number=1, author=bo, question="Which mug is theirs?")
    waiting = Sample.objects.filter(state="in_review").select_related("benchmark", "image").first()
    assert waiting is not None
    newest = Annotation.objects.get(sample=waiting)
    Revision.objects.create(annotation=newest, number=2, author=newest.author, question="Which one, again?")
    rows = rows_of(benchmark, [sample, waiting])
    assert [row.question for row in rows] == ["Which colour is the mug?", "Which one, again?"]


def test_it_takes_the_same_queries_for_few_and_for_many(
    benchmark: Benchmark, lea: User, django_assert_max_num_queries: Any
) -> None:
    client = signed_in(lea)
    for turn in range(2):
        with django_assert_max_num_queries(36):
            client.get(WORK)
        with django_assert_max_num_queries(29):
            client.get(SAMPLES)
        for number in range(3):
            person = make_user(f"P{number} Person", email=f"p{number}.{turn}@example.org")
            add_member(actor=None, benchmark=benchmark, user=person, role=Role.ANNOTATOR)
            drafted(person, benchmark)


def test_whose_work_a_sample_is_is_no_term_of_the_lists_that_others_see(
    benchmark: Benchmark, rui: User, bo: User
) -> None:
    assert "work" not in SAMPLE_FILTERS
    address = reverse("annotation:samples", args=["kitchen"])
    assert signed_in(rui).get(address, {"work": f"{bo.pk}:submitted"}).context["total"] == 30
    told = signed_in(rui).get("/api/v1/benchmarks/kitchen/samples/", {"work": f"{bo.pk}:submitted"})
    assert (told.status_code, told.json()["error"]["field"]) == (400, "work")


def test_a_term_without_sense_is_no_error(lea: User) -> None:
    to_annotate(2, lead=lea)
    client = signed_in(lea)
    for value in ("x", "1", "1:", "x:drafts", f"{10**30}:drafts", "1:nothing"):
        assert client.get(SAMPLES, {"work": value}).context["total"] == 0
    assert client.get(SAMPLES, {"work": " "}).context["total"] == 2


def posted(lead: User, verb: str, query: str = "", **data: Any) -> Any:
    return signed_in(lead).post(f"{SAMPLES}{verb}/{query}", data)


def test_chosen_samples_are_given_away_and_the_outcome_names_what_was_not(
    benchmark: Benchmark, lea: User, ana: User
) -> None:
    data = {"id": ["s-0000", "s-0020", "s-0021"], "key": "one", "assign-to": ana.pk}
    answers = [posted(lea, "assign", "?state=to_do", **data) for _ in range(2)]
    assert answers[0].status_code == 302
    assert answers[0]["Location"] == answers[1]["Location"], "Twice the same request is one."
    page = signed_in(lea).get(answers[0]["Location"])
    assert (page.context["done_n"], page.context["done"]) == (2, "assigned to Ana Lind")
    [(why, n, keys)] = page.context["refused"]
    assert (n, keys) == (1, ["s-0000"])
    assert why.startswith("It is accepted.")
    assert page.context["back"] == f"{SAMPLES}?state=to_do"
    assert Receipt.objects.filter(key="one").count() == 1


def test_all_that_match_are_returned_unless_others_match_by_then(benchmark: Benchmark, lea: User) -> None:
    data = {"key": "one", "return-reasons": "typo", "return-comment": "New rules."}
    wrong = posted(lea, "return", "?state=in_review", all="99", **data)
    assert wrong.status_code == 400
    assert "11 samples match now, not 99." in wrong.content.decode()
    assert benchmark.samples.in_state("in_review").count() == 11
    for _ in range(2):
        answer = posted(lea, "return", "?state=in_review", all="11", **data)
        assert signed_in(lea).get(answer["Location"]).context["done_n"] == 11
    assert benchmark.samples.in_state("returned").count() == 12


MISSING: list[tuple[str, dict[str, str], str, str]] = [
    ("assign", {}, "to", "Choose a person."),
    ("return", {}, "reasons", "Choose a reason, or write a comment."),
    ("return", {"return-reasons": "because"}, "reasons", "because"),
    ("discard", {"discard-comment": " "}, "reasons", "Choose a reason, or write a comment."),
    ("reopen", {}, "reason", "Enter a reason."),
]


def test_what_is_missing_is_said_beside_its_field_and_the_choice_is_kept(benchmark: Benchmark, lea: User) -> None:
    before = dict(benchmark.samples.values_list("key", "state"))
    for verb, data, field, said in MISSING:
        page = posted(lea, verb, id=["s-0003"], **data)
        assert page.status_code == 400
        assert said in str(page.context["forms"][verb].errors[field])
        assert page.context["chosen"] == {"s-0003"}
    assert dict(benchmark.samples.values_list("key", "state")) == before


def test_without_a_sample_it_is_said_that_one_is_missing(benchmark: Benchmark, lea: User, ana: User) -> None:
    page = posted(lea, "assign", **{"assign-to": ana.pk})
    assert (page.status_code, page.context["problem"]) == (400, "Choose at least one sample.")


def test_an_unknown_act_and_the_outcome_of_somebody_else_are_not_found(benchmark: Benchmark, lea: User) -> None:
    assert posted(lea, "paint", id=["s-0003"]).status_code == 404
    other = make_user("Ida Berg")
    add_member(actor=None, benchmark=benchmark, user=other, role=Role.LEAD)
    answer = posted(lea, "discard", id=["s-0020"], **{"discard-comment": "Twice."})
    assert signed_in(other).get(answer["Location"]).status_code == 404


def test_a_settled_sample_is_opened_again_from_its_page(benchmark: Benchmark, lea: User, ana: User) -> None:
    client = signed_in(lea)
    page = reverse("evaluation:sample", args=["kitchen", "s-0000"])
    form = reverse("annotation:work-reopen", args=["kitchen", "s-0000"])
    assert form in client.get(page).content.decode()
    assert form not in signed_in(ana).get(page).content.decode()
    assert client.post(form, {"reopen-reason": " "}).status_code == 400
    answer = client.post(form, {"reopen-reason": "The mug moved.", "key": "one"}, follow=True)
    assert answer.redirect_chain == [(page, 302)]
    assert "The mug moved." in answer.content.decode()
    assert Sample.objects.get(key="s-0000").state == "draft"
    refused = client.post(form, {"reopen-reason": "Again.", "key": "two"})
    assert refused.status_code == 400
    assert "can be reopened" in refused.content.decode()


def test_work_is_paused_and_goes_on_from_the_page(benchmark: Benchmark, lea: User, bo: User) -> None:
    client = signed_in(lea)
    wrong = client.post(f"{WORK}pause/", {"reason": ""})
    assert (wrong.status_code, wrong.context["pausing"]) == (400, True)
    client.post(f"{WORK}pause/", {"user": bo.pk, "reason": "Boxes are <b>too</b> large."})
    page = client.get(WORK)
    assert "Boxes are &lt;b&gt;too&lt;/b&gt; large." in page.content.decode()
    assert Pause.objects.standing().get().user == bo
    client.post(f"{WORK}resume/", {"user": bo.pk})
    client.post(f"{WORK}pause/", {"reason": "Lunch."})
    assert client.get(WORK).context["pause"].reason == "Lunch."
    assert client.post(f"{WORK}resume/", {"user": "999999999"}).status_code == 404
    client.post(f"{WORK}resume/")
    assert not Pause.objects.standing().exists()


def test_a_seat_is_released_from_the_page(benchmark: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    [lease] = client.get(WORK).context["leases"]
    answer = client.post(reverse("annotation:work-release", args=["kitchen", lease.pk]), follow=True)
    assert [str(said) for said in answer.context["messages"]] == [
        f"{lease.sample.key} is released. The draft of Bo Ek is kept."
    ]
    assert answer.context["leases"] == []


RULE = {
    "order": "facet", "facet": "room", "overlap": "2", "overlap_share": "15", "review_share": "80",
    "overlap_mode": "independent",
    "blind": "off", "blind_margin": "25", "lease_minutes": "30",
    "take_back_minutes": "10",
}  # fmt: skip


def test_the_rule_of_the_queue_is_set_and_shown(lea: User) -> None:
    benchmark = to_annotate(1, lead=lea)
    facet_of(benchmark.samples.first(), name="room", value="bath")
    client = signed_in(lea)
    answer = client.post(QUEUE, RULE, follow=True)
    [said] = map(str, answer.context["messages"])
    assert said.startswith("Changed: order, facet, annotators per sample")
    benchmark.refresh_from_db()
    queue = benchmark.queue
    assert (queue.order, queue.facet, queue.overlap, queue.overlap_share) == ("facet", "room", 2, 0.15)
    assert (queue.review_share, queue.blind, queue.lease_minutes, queue.take_back_minutes) == (0.8, "off", 30, 10)
    assert 'value="15"' in client.get(QUEUE).content.decode()
    assert "15% to 2 people each" in " ".join(client.get(WORK).content.decode().split())
    again = client.post(QUEUE, RULE, follow=True)
    assert [str(said) for said in again.context["messages"]] == ["No changes to save."]


WRONG = [
    ("order", "backwards"), ("facet", ""), ("facet", "unknown"), ("overlap", "0"), ("overlap", "x"),
    ("overlap_share", "101"), ("overlap_mode", "none"), ("review_share", "nan"), ("blind", "folded"),
    ("blind_margin", "201"), ("lease_minutes", "481"), ("take_back_minutes", "121"),
]  # fmt: skip


def test_a_rule_without_sense_is_refused_beside_its_field(lea: User) -> None:
    benchmark = to_annotate(1, lead=lea)
    facet_of(benchmark.samples.get(), name="room", value="bath")
    client = signed_in(lea)
    for name, value in WRONG:
        page = client.post(QUEUE, RULE | {name: value})
        assert (page.status_code, list(page.context["form"].errors)) == (400, [name])
    assert not hasattr(Benchmark.objects.get(), "queue")
