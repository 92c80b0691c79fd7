"""People say in a queue what answers say, blind to the model, and so audit the reader."""

from __future__ import annotations

import io
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.utils.html import strip_tags

from annotation.benchmarks.write.benchmark import add_member, set_public
from annotation.common.access import gold_known_to
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.answers.read.groups import read_groups
from evaluation.answers.write import decide_answers, take_back
from evaluation.common.judging.words import ANSWERS
from evaluation.common.judging.write import delete_queue
from evaluation.exports.read.formats import export_as
from evaluation.imports.write.runs import import_runs
from evaluation.judging.read.audit import ReaderAudit, audit_reader
from evaluation.judging.read.judges import kinds_of
from evaluation.judging.write.queues import draw_judging, judge_item, next_to_judge, skip_the_rest, take_back_last
from evaluation.models import Judgement, JudgingQueue, Metric
from evaluation.publish.bundle import publish
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.answers_data import REFUSAL, make_kitchen, said
from tests.evaluation.crawl import counted_links, wrong_links
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@made_once
def kitchen(lea: User, ana: User) -> Benchmark:
    benchmark = make_kitchen(lea)
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    return benchmark


def drawn(lea: User, kitchen: Benchmark, **changes: Any) -> JudgingQueue:
    return draw_judging(actor=lea, benchmark=kitchen, about=ANSWERS, **{"terms": {}, "size": 40, "people": 1} | changes)


def judge_all(user: User, queue: JudgingQueue, words: dict[str, dict[str, str]]) -> int:
    """Say of each answer what stands under its text; None of the others."""
    n = 0
    while item := next_to_judge(actor=user, queue=queue):
        judge_item(actor=user, item=item, said=words.get(item.trajectory.answer or "", {"verdict": "none"}))
        n += 1
    return n


def audited(user: User, queue: JudgingQueue) -> ReaderAudit:
    found = audit_reader(user, queue)
    assert found is not None
    return found


def test_a_queue_asks_once_of_each_answer_whatever_its_crops(lea: User, kitchen: Benchmark) -> None:
    queue = drawn(lea, kitchen)
    assert (queue.drawn_from, queue.items.count()) == (9, 9)
    assert set(queue.items.values_list("kind", flat=True)) == {"answer"}
    assert drawn(lea, kitchen, terms={"unread": "yes"}).drawn_from == 7
    with pytest.raises(Conflict, match="No trajectory of this list has an answer"):
        drawn(lea, kitchen, terms={"unanswered": "yes"})


@pytest.mark.endurance
def test_what_was_read_is_held_against_what_people_read(lea: User, ana: User, kitchen: Benchmark) -> None:
    said(lea, kitchen, {"s0": "A", "s1": "B", "s2": "C. lamp"}, "Model B")
    queue = drawn(lea, kitchen)
    assert audit_reader(ana, queue) is None
    words = {"B": {"answer": "B"}, "A": {"answer": "A"}, "C. lamp": {"answer": "D"}, "Quai": {"verdict": "different"},
             "hmm neither": {"verdict": "undecided"}}  # fmt: skip
    assert judge_all(ana, queue, words) == 12
    found = audited(ana, queue)
    assert (found.n, found.correct, found.unread, found.unclear, found.changed) == (4, 3, 7, 1, 0)
    assert [(row.people, row.reader) for row in found.differences] == [("D", "C")]
    interval = found.interval
    assert interval is not None
    assert 0 < interval.low < 0.75 < interval.high < 1
    page = signed_in(ana).get(f"/benchmarks/kitchen/judging/{queue.pk}/")
    assert "3 of 4 read correctly" in strip_tags(page.content.decode())
    assert sorted(counted_links(page).values()) == [1, 3, 4, 7]
    assert wrong_links(signed_in(ana), page) == {}


def test_people_who_differ_are_counted_apart(lea: User, ana: User, kitchen: Benchmark) -> None:
    queue = drawn(lea, kitchen, terms={"q": "sample:s7"}, people=2)
    judge_all(ana, queue, {"B": {"answer": "B"}})
    judge_all(lea, queue, {"B": {"answer": "A"}})
    assert (audited(lea, queue).n, audited(lea, queue).unclear) == (0, 1)


def test_what_is_said_in_a_queue_is_in_no_score_and_stays_beside_a_decision(
    lea: User, ana: User, kitchen: Benchmark
) -> None:
    before = list(Metric.objects.order_by("pk").values_list("metric", "slice", "value", "n"))
    queue = drawn(lea, kitchen, terms={"unread": "yes"})
    judge_all(ana, queue, {REFUSAL: {"answer": "B"}})
    score_benchmark(actor=lea, benchmark=kitchen)
    assert list(Metric.objects.order_by("pk").values_list("metric", "slice", "value", "n")) == before
    decide_answers(actor=lea, benchmark=kitchen, said={read_groups(kitchen, lea).groups[0].key: "0"})
    assert (Judgement.objects.given().count(), Judgement.objects.decisions().count()) == (7, 6)
    delete_queue(actor=lea, queue=queue)
    assert (Judgement.objects.given().count(), Judgement.objects.decisions().count()) == (0, 6)
    assert kinds_of(kitchen, lea) == []


def test_an_answer_that_is_none_is_refused_and_one_is_taken_back(lea: User, ana: User, kitchen: Benchmark) -> None:
    queue = drawn(lea, kitchen, terms={"q": "sample:s7 or sample:sign"})
    for _ in range(2):
        item = next_to_judge(actor=ana, queue=queue)
        assert item is not None
        for wrong in ({}, {"answer": "E"}, {"verdict": "yes"}, {"verdict": "leave"}):
            with pytest.raises(InvalidInput, match="Choose what the answer means"):
                judge_item(actor=ana, item=item, said=wrong)
        if not Judgement.objects.exists():
            choice = {"answer": "B"} if item.trajectory.sample.key == "s7" else {"verdict": "same"}
            judge_item(actor=ana, item=item, said=choice)
    assert take_back_last(actor=ana, queue=queue) is not None
    assert not Judgement.objects.exists()


def test_a_question_shows_the_answer_without_model_and_image(lea: User, ana: User, kitchen: Benchmark) -> None:
    said(lea, kitchen, {"s0": "<i>lamp</i> or not"}, "Secret Model")
    queue = drawn(lea, kitchen, terms={"q": 'run:"Secret Model"'})
    client = signed_in(ana)
    address = client.post(f"/benchmarks/kitchen/judging/{queue.pk}/next/").url
    page = client.get(address).content.decode()
    assert "&lt;i&gt;lamp&lt;/i&gt; or not" in page
    assert "What does this answer mean?" in page
    assert "Secret Model" not in page
    client.post(address, {"choice": "=none", "seconds": "3"})
    kept = Judgement.objects.get()
    assert (kept.verdict, kept.answer, kept.person, kept.decides) == ("none", None, ana, False)
    assert kept.text_digest


def test_answers_that_judges_are_asked_about_are_left_out_until_they_have_finished(
    lea: User, ana: User, kitchen: Benchmark
) -> None:
    queue = drawn(lea, kitchen, terms={"q": "sample:s6"})
    found = read_groups(kitchen, lea)
    assert found.withheld
    assert "hmm neither" not in {group.text for group in found.groups}
    judge_all(lea, queue, {})
    assert "hmm neither" in {group.text for group in read_groups(kitchen, lea).groups}


def test_what_somebody_has_decided_is_not_drawn(lea: User, kitchen: Benchmark) -> None:
    """Whoever judges could have read the decision, on this sample or on another one."""
    refusals = next(group for group in read_groups(kitchen, lea).groups if group.raw == REFUSAL)
    decide_answers(actor=lea, benchmark=kitchen, said={refusals.key: "?"})
    assert drawn(lea, kitchen, terms={"q": "sample:s1"}).drawn_from == 1, "it was left for a judge"
    JudgingQueue.objects.all().delete()
    take_back(actor=lea, benchmark=kitchen, keys=[refusals.key])
    decide_answers(actor=lea, benchmark=kitchen, said={refusals.key: "0"})
    said(lea, kitchen, {"s7": REFUSAL}, "Model B")
    with pytest.raises(Conflict, match="still to be decided"):
        drawn(lea, kitchen, terms={"q": "sample:s1 or sample:s7 unread"})
    assert drawn(lea, kitchen).drawn_from == 3


def test_nobody_decides_answers_while_judges_are_asked(
    lea: User, ana: User, kitchen: Benchmark, tmp_path: Path
) -> None:
    """A judge who has not begun could read the decision first; to refuse single answers would name them."""
    group = next(group for group in read_groups(kitchen, lea).groups if group.raw == "hmm neither")
    decide_answers(actor=lea, benchmark=kitchen, said={group.key: "0"})
    out = io.BytesIO()
    export_as("native", kitchen, out)
    take_back(actor=lea, benchmark=kitchen, keys=[group.key])
    queue, client = drawn(lea, kitchen, terms={"q": "sample:s0"}), signed_in(lea)
    with pytest.raises(Conflict, match="when it is finished or deleted"):
        decide_answers(actor=None, benchmark=kitchen, said={group.key: "0"})
    assert client.post("/benchmarks/kitchen/answers/", {"group": group.key, "said": "0"}).status_code == 409
    page = client.get("/benchmarks/kitchen/answers/").content.decode()
    assert 'name="said"' not in page
    assert "A judging queue asks" in page
    decide_answers(actor=None, benchmark=kitchen, said={group.key: "?"})
    take_back(actor=lea, benchmark=kitchen, keys=[group.key])
    path = tmp_path / "kitchen.json"
    path.write_bytes(out.getvalue())
    record, _ = import_runs(actor=lea, benchmark=kitchen, path=path, format="native")
    assert (record.counts["refused"], Judgement.objects.decisions().count()) == (1, 0)
    judge_all(ana, queue, {})
    import_runs(actor=lea, benchmark=kitchen, path=path, format="native")
    assert Judgement.objects.decisions().count() == 1


QUAY = {"Quai": {"verdict": "different"}}
RESULTS = ("leaderboard/", "runs/", "trajectories/", "trajectories/?q=%22neither%22", "answers/", "export/", "import/")


def seen(user: User) -> set[int]:
    """How the pages and the API answer this person about results."""
    client = signed_in(user)
    found = {client.get(f"/benchmarks/kitchen/{page}").status_code for page in RESULTS}
    api = ("answers/", "answers/report/", "trajectories/?q=%22neither%22", "leaderboard/", "export/")
    return found | {client.get(f"/api/v1/benchmarks/kitchen/{page}").status_code for page in api}


@pytest.mark.parametrize("role", [Role.LEAD, Role.RESEARCHER, "admin"])
@pytest.mark.endurance
def test_who_was_handed_a_question_about_an_answer_sees_no_results_until_they_have_finished(
    lea: User, kitchen: Benchmark, role: str
) -> None:
    judge = make_user("Mira Sato", is_staff=role == "admin")
    if role != "admin":
        add_member(actor=lea, benchmark=kitchen, user=judge, role=Role(role))
        # A second role opens nothing.
        add_member(actor=lea, benchmark=kitchen, user=judge, role=Role.REVIEWER)
    queue = drawn(lea, kitchen, terms={"q": "sample:s6 or sample:s7"})
    assert seen(judge) == {200}
    next_to_judge(actor=judge, queue=queue)
    assert seen(judge) == {403}
    assert kitchen not in gold_known_to(judge)
    why = signed_in(judge).get("/benchmarks/kitchen/trajectories/?q=%22neither%22").content.decode()
    assert "judged or skipped every question" in why
    assert "Model A" not in signed_in(judge).get("/").content.decode()
    assert (seen(lea), kitchen in gold_known_to(lea)) == ({200}, True)
    judge_all(judge, queue, {})
    assert (seen(judge), kitchen in gold_known_to(judge)) == ({200}, True)


@pytest.mark.endurance
def test_who_skips_the_rest_of_a_queue_sees_results_again(lea: User, ana: User, kitchen: Benchmark) -> None:
    queue = drawn(lea, kitchen, people=2)
    item = next_to_judge(actor=lea, queue=queue)
    assert item is not None
    judge_item(actor=lea, item=item, said={"verdict": "undecided"})
    next_to_judge(actor=lea, queue=queue)
    client, page = signed_in(lea), f"/benchmarks/kitchen/judging/{queue.pk}/"
    assert "Skip remaining" in client.get(page).content.decode()
    assert seen(lea) == {403}
    assert client.post(f"{page}skip/").url == page
    assert seen(lea) == {200}
    assert "Skip remaining" not in client.get(page).content.decode()
    assert (next_to_judge(actor=lea, queue=queue), Judgement.objects.count()) == (None, 1)
    with pytest.raises(Conflict, match="its models are shown"):
        take_back_last(actor=lea, queue=queue)
    assert judge_all(ana, queue, QUAY) == 9
    assert skip_the_rest(actor=ana, queue=queue) == 0


def test_judging_and_open_access_exclude_each_other(lea: User, ana: User, kitchen: Benchmark, tmp_path: Path) -> None:
    """Judges could sign out, and read whose answers they are."""
    set_public(actor=lea, benchmark=kitchen, public=True)
    with pytest.raises(Conflict, match=r"sign out .* Close Kitchen under Settings first"):
        drawn(lea, kitchen)
    set_public(actor=lea, benchmark=kitchen, public=False)
    queue = drawn(lea, kitchen)
    with pytest.raises(Conflict, match=r"sign out .* Finish or delete"):
        set_public(actor=lea, benchmark=kitchen, public=True)
    with pytest.raises(Conflict, match="look up their questions about Kitchen in a copy"):
        publish(benchmark=kitchen, folder=tmp_path / "copy", cases=[], most=1, today=date(2026, 1, 1))
    judge_all(ana, queue, QUAY)
    set_public(actor=lea, benchmark=kitchen, public=True)


def test_a_queue_about_answers_is_drawn_on_the_page(lea: User, kitchen: Benchmark) -> None:
    client = signed_in(lea)
    assert "9 an answer" in client.get("/benchmarks/kitchen/judging/").content.decode()
    client.post("/benchmarks/kitchen/judging/", {"size": 5, "people": 1, "about": "answers"})
    queue = JudgingQueue.objects.get()
    assert set(queue.items.values_list("kind", flat=True)) == {"answer"}
    assert "one answer at a time" in client.get(f"/benchmarks/kitchen/judging/{queue.pk}/").content.decode()


@pytest.mark.endurance
def test_what_all_judges_of_a_finished_queue_say_is_proposed_and_decided_by_a_person(
    lea: User, ana: User, rui: User, kitchen: Benchmark
) -> None:
    add_member(actor=lea, benchmark=kitchen, user=rui, role=Role.ANNOTATOR)
    queue = drawn(lea, kitchen, terms={"q": "sample:s0 or sample:s6 or sample:sign"}, people=2)
    words = {REFUSAL: {"answer": "C"}, "Quai": {"verdict": "same"}, "hmm neither": {"answer": "A"}}
    judge_all(ana, queue, words)
    assert {group.agreed for group in read_groups(kitchen, None).groups} == {""}
    judge_all(rui, queue, words | {"hmm neither": {"verdict": "none"}})
    found = {group.text: group for group in read_groups(kitchen, lea).groups}
    assert {text: group.agreed for text, group in found.items()} == {REFUSAL: "C", "Quai": "same", "hmm neither": ""}
    assert not Judgement.objects.decisions().exists()

    client, page = signed_in(lea), "/benchmarks/kitchen/answers/"
    shown = client.get(page).content.decode()
    assert re.search(r"Judges agree.*C: lamp.*on 1 of 6:.*Ana Lind.*Rui Costa", shown)
    assert shown.count("data-judged") == 2
    assert "<kbd>=</kbd> as the judges agree" in shown
    chosen = re.findall(r'name="judged" value="([^"]+)" checked', client.get(f"{page}?all=%3D").content.decode())
    assert chosen == [f"{found[REFUSAL].key} C", f"{found['Quai'].key} y"]
    assert client.post(page, {"act": "judged", "judged": f"{found[REFUSAL].key} B"}).status_code == 409
    assert client.post(page, {"act": "judged"}).status_code == 400
    done = client.post(page, {"act": "judged", "judged": chosen}, follow=True).content.decode()
    assert "7 answers in 2 groups decided" in done
    decided = Judgement.objects.decisions()
    assert set(decided.values_list("person", "answer", "verdict")) == {(lea.pk, "C", None), (lea.pk, None, "same")}
    assert Judgement.objects.given().count() == 6


def test_what_judges_agree_on_is_about_the_text_of_then(lea: User, ana: User, kitchen: Benchmark) -> None:
    queue = drawn(lea, kitchen, terms={"q": "sample:s6"})
    judge_all(ana, queue, {"hmm neither": {"answer": "A"}})
    said(lea, kitchen, {"s6": "hmm nothing"})
    assert {group.text: group.agreed for group in read_groups(kitchen, lea).groups}["hmm nothing"] == ""


def test_who_has_open_questions_is_told_of_no_agreement_whatever_it_is_about(
    lea: User, ana: User, kitchen: Benchmark
) -> None:
    judge_all(ana, drawn(lea, kitchen, terms={"q": "sample:s0"}), {REFUSAL: {"answer": "C"}})
    assert read_groups(kitchen, lea).groups[0].agreed == "C"
    # The same text stands on another sample, about which Lea is asked.
    other = drawn(lea, kitchen, terms={"q": "sample:s1"})
    found = read_groups(kitchen, lea)
    assert (found.groups[0].n, found.groups[0].agreed, found.groups[0].votes) == (5, "", [])
    assert "Judges agree" not in signed_in(lea).get("/benchmarks/kitchen/answers/").content.decode()
    judge_all(lea, other, {REFUSAL: {"answer": "C"}})
    assert (read_groups(kitchen, lea).groups[0].n, read_groups(kitchen, lea).groups[0].agreed) == (6, "C")
