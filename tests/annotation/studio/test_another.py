"""Another question about an image: asked with one click, known to whom it may be, and within the limit."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from annotation.content.questions import MOST_QUESTIONS
from annotation.models import Annotation, Assignment, CheckAnswer, Draft, Gold, Lease, Sample
from annotation.quality.write.checks import add_checks, draw_checks, set_check_rules
from annotation.queue import image_questions
from annotation.queue.assignment import next_to_annotate
from annotation.queue.image_questions import questions_on_image
from annotation.queue.leases import ANNOTATE, take
from annotation.queue.pauses import pause
from annotation.queue.skip import skip
from annotation.studio.write.another import ask_another
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from tests.annotation.quality.test_checks import RULES, held, is_check, kitchen
from tests.annotation.work_data import content, drafted, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.actions import create_token
from webapp.accounts.scopes import Scope
from webapp.common.errors import Conflict, NotAllowed
from webapp.common.models import AuditEntry

__all__ = ["kitchen"]
pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
BASE = "/benchmarks/desks/annotate"
API = "/api/v1/benchmarks/desks/questions"
LOOSE = re.compile(r"\b[A-Za-z0-9]{64}\b|\b\d\d:\d\d(:\d\d)?\b|\d{4}-\d\d-\d\d[T ][0-9:.+]+")
"""Times and tokens."""


@made_once
def desks(ana, rui, lea):
    return to_annotate(3, slug="desks", annotator=ana, reviewer=rui, lead=lea)


@made_once
def drawn(ana, desks):
    """Ana has a draft of the first sample, with a box and a facet."""
    return drafted(ana, desks, question="How many mugs are there?")


def known(user, sample) -> list[tuple[str, str]]:
    return [(row.key, row.question) for row in questions_on_image(user, sample).rows]


def loaded(key: str, slug: str = "desks") -> Sample:
    return Sample.objects.select_related("benchmark", "image").get(benchmark__slug=slug, key=key)


def test_another_question_is_a_sample_of_its_own_that_waits_for_who_asked(ana, drawn):
    made = ask_another(actor=ana, sample=drawn)
    assert (made.key, made.state, made.asked_from, made.image) == ("s-0000-2", "to_do", drawn, drawn.image)
    assert (made.width, made.height) == (1000, 800)
    assert Lease.objects.filter(sample=made, user=ana, seat=ANNOTATE).exists()
    assert Assignment.objects.get().sample == made
    assert not Annotation.objects.filter(sample=made).exists()
    entry = AuditEntry.objects.get(action="sample.ask")
    assert (entry.actor, entry.data) == (ana, {"from": "s-0000"})
    save_draft(actor=ana, sample=made, version=0, content=content(question="Which mug is empty?"))
    assert known(ana, drawn) == [("s-0000", "How many mugs are there?"), ("s-0000-2", "Which mug is empty?")]


def test_the_queue_gives_it_to_who_asked_and_to_nobody_else(ana, lea, drawn, desks, bo):
    desks.memberships.create(user=bo, role="annotator")
    made = ask_another(actor=ana, sample=drawn)
    Lease.objects.all().delete()
    assert [take_one(bo, desks).key, take_one(ana, desks).key] == ["s-0001", made.key]


def test_boxes_and_facets_are_copied_with_their_source_and_nothing_else(ana, drawn):
    made = ask_another(actor=ana, sample=drawn, copy=True)
    begun = Draft.objects.get(annotation__sample=made).content
    assert begun["gold_boxes"] == [{"box": [100, 100, 120, 115], "label": "mug", "source": "s-0000"}]
    assert begun["facets"] == {"category": ["Color"]}
    assert (begun["question"], begun["answer"], begun["options"]) == ("", [], {})
    submit(actor=ana, sample=made, version=1, content=begun | content(gold_boxes=begun["gold_boxes"]))
    box = made.annotations.get().revisions.get().gold_boxes.get()
    assert (box.x1, box.label, box.source) == (100, "mug", "s-0000")


def test_further_questions_are_numbered_from_the_first(ana, drawn):
    second = ask_another(actor=ana, sample=drawn)
    third = ask_another(actor=ana, sample=second)
    assert (third.key, third.asked_from) == ("s-0000-3", drawn)


def test_the_next_number_is_one_that_no_sample_has(ana, drawn, desks):
    Sample.objects.create(benchmark=desks, key="s-0000-2")
    Sample.objects.create(benchmark=desks, key="s-0000-old")
    assert ask_another(actor=ana, sample=drawn).key == "s-0000-3"


def test_the_same_request_twice_makes_one_sample(ana, drawn):
    first, second = (ask_another(actor=ana, sample=drawn, key="one") for _ in "ab")
    assert first == second
    assert drawn.asked.count() == 1


def test_an_image_has_five_questions_unless_the_schema_says_otherwise(ana, drawn):
    for _ in range(MOST_QUESTIONS - 1):
        ask_another(actor=ana, sample=drawn)
    with pytest.raises(Conflict, match="has 5 questions") as refused:
        ask_another(actor=ana, sample=drawn)
    assert refused.value.code == "too_many_questions"
    # What is discarded makes room.
    drawn.asked.filter(key="s-0000-3").update(state="discarded")
    assert ask_another(actor=ana, sample=drawn).key == "s-0000-6"


@pytest.mark.parametrize(("most", "is_full"), [(1, True), (2, False), (None, False)])
def test_the_schema_of_the_benchmark_limits_the_questions(ana, drawn, most, is_full, monkeypatch):
    monkeypatch.setattr(image_questions, "most_questions", lambda benchmark: most)
    assert questions_on_image(ana, drawn).is_full is is_full


def test_who_is_paused_gets_no_other_question(ana, lea, drawn, desks):
    pause(actor=lea, benchmark=desks, reason="Lunch.", user=ana)
    with pytest.raises(Conflict, match="paused") as refused:
        ask_another(actor=ana, sample=drawn)
    assert refused.value.code == "paused"


def test_a_sample_without_an_image_has_no_other_question(ana, drawn):
    Sample.objects.update(image=None)
    with pytest.raises(Conflict, match="no image"):
        ask_another(actor=ana, sample=loaded("s-0000"))


def test_who_does_not_annotate_may_not_ask(rui, sam, drawn):
    for person in (rui, sam):
        with pytest.raises(NotAllowed):
            ask_another(actor=person, sample=drawn)


def test_nobody_is_shown_or_given_the_draft_of_another(ana, lea, drawn, bo, desks):
    desks.memberships.create(user=bo, role="annotator")
    ask_another(actor=ana, sample=drawn)
    for person in (bo, lea):
        assert known(person, drawn) == [("s-0000", "")]
        made = ask_another(actor=person, sample=drawn, copy=True)
        assert not Annotation.objects.filter(sample=made).exists()


def test_who_sees_gold_is_shown_accepted_questions_and_gets_their_boxes(ana, rui, lea, desks):
    gold = submitted(ana, desks, question="How many mugs are there?")
    reviewed(rui, next_review(rui, desks), "accept")
    made = ask_another(actor=lea, sample=gold, copy=True)
    assert known(lea, made) == [("s-0000", "How many mugs are there?"), ("s-0000-2", "")]
    assert Draft.objects.get(annotation__sample=made).content["gold_boxes"][0]["source"] == "s-0000"


def test_a_skipped_question_goes_to_the_queue(ana, bo, drawn, desks):
    desks.memberships.create(user=bo, role="annotator")
    made = ask_another(actor=ana, sample=drawn)
    skip(actor=ana, sample=made, reason="Nothing else to ask.")
    assert known(ana, drawn) == [("s-0000", "How many mugs are there?")]
    assert [take_one(bo, desks).key for _ in "a"] == ["s-0000-2"]


def test_nearly_the_same_question_about_the_image_is_a_warning(ana, drawn):
    made = ask_another(actor=ana, sample=drawn)

    def warned(question: str, sample: Sample = made, version: int = 0) -> list[str]:
        saved = save_draft(actor=ana, sample=sample, version=version, content=content(question=question))
        return [one.text for one in saved.checks if one.level == "warning"]

    assert warned("How many black mugs are there?") == [
        "Nearly the same question as s-0000, which has the same image. Ask for something else."
    ]
    assert warned("Which mug is empty?", version=1) == []
    # It does not stand in the way.
    assert warned("How many mugs are there?", version=2)
    submit(actor=ana, sample=made, version=3, content=content(question="How many mugs are there?"))
    assert "Nearly the same question as s-0000-2" in studio(ana, "s-0000")


def test_a_question_that_the_person_may_not_know_is_no_warning(ana, bo, drawn, desks):
    desks.memberships.create(user=bo, role="annotator")
    made = ask_another(actor=bo, sample=drawn)
    saved = save_draft(actor=bo, sample=made, version=0, content=content(question="How many mugs are there?"))
    assert saved.checks == []


# Pages


def studio(user, key: str, base: str = BASE) -> str:
    return " ".join(signed_in(user).get(f"{base}/samples/{key}/").content.decode().split())


def test_the_studio_shows_the_questions_and_one_click_opens_another(ana, drawn):
    assert "questions__list" not in studio(ana, "s-0000")
    answer = signed_in(ana).post(f"{BASE}/another/s-0000/", {"key": "k"})
    assert (answer.status_code, answer.url) == (303, f"{BASE}/samples/s-0000-2/")
    html = studio(ana, "s-0000-2")
    strip = html[html.index("questions__list") : html.index("</ol>", html.index("questions__list"))]
    assert re.findall(r'href="([^"]+)"( aria-current)?', strip) == [
        (f"{BASE}/samples/s-0000/", ""),
        (f"{BASE}/samples/s-0000-2/", " aria-current"),
    ]
    assert "How many mugs are there?" in strip


def test_a_full_image_says_so_in_place_of_the_button(ana, drawn):
    for _ in range(MOST_QUESTIONS - 1):
        ask_another(actor=ana, sample=drawn)
    html = studio(ana, "s-0000")
    assert "The image has 5 questions (limit: 5)." in html
    assert "Ask another" not in html
    answer = signed_in(ana).post(f"{BASE}/another/s-0000/")
    assert answer.status_code == 409
    assert b"has 5 questions (limit: 5)" in answer.content


def test_the_page_of_a_sample_asks_for_annotators_and_leads_only(ana, rui, lea, desks):
    submitted(ana, desks)
    reviewed(rui, next_review(rui, desks), "accept")
    asking = [
        b"another/s-0000/" in signed_in(one).get("/benchmarks/desks/samples/s-0000/").content for one in (ana, lea, rui)
    ]
    assert asking == [True, True, False]


@pytest.mark.parametrize("asked", [1, 4])
def test_the_studio_asks_as_much_for_two_questions_as_for_five(ana, drawn, asked, django_assert_num_queries):
    for number in range(asked):
        made = ask_another(actor=ana, sample=drawn)
        save_draft(actor=ana, sample=made, version=0, content=content(question=f"Which is number {number}?"))
    client = signed_in(ana)
    client.get(f"{BASE}/samples/s-0000/")
    with django_assert_num_queries(26):
        client.get(f"{BASE}/samples/s-0000/")


# API


def program(user, *scopes: Scope) -> Client:
    _, secret = create_token(name="program", actor=user, scopes=list(scopes))
    return Client(headers={"Authorization": f"Bearer {secret}"})


def test_a_program_reads_the_questions_of_an_image_and_asks_another(ana, drawn):
    client = program(ana, Scope.READ, Scope.ANNOTATE)
    for _ in "ab":
        headers = {"Idempotency-Key": "one"}
        answer = client.post(f"{API}/s-0000/", {"copy": True}, content_type="application/json", headers=headers)
        assert (answer.status_code, answer.json()) == (201, {"id": "s-0000-2", "asked_from": "s-0000"})
    assert client.get(f"{API}/s-0000-2/").json() == {
        "questions": [
            {"number": 1, "id": "s-0000", "question": "How many mugs are there?", "own": True},
            {"number": 2, "id": "s-0000-2", "question": "", "own": True},
        ],
        "count": 2,
        "most": 5,
    }


def test_a_program_is_told_why_no_other_question_can_be_asked(ana, drawn):
    client = program(ana, Scope.READ, Scope.ANNOTATE)
    for _ in range(MOST_QUESTIONS - 1):
        ask_another(actor=ana, sample=drawn)
    answer = client.post(f"{API}/s-0000/", {}, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "too_many_questions")
    assert client.post(f"{API}/s-9/", {}, content_type="application/json").status_code == 404
    assert program(ana, Scope.READ).post(f"{API}/s-0000/", {}, content_type="application/json").status_code == 403


# Gold checks


def asked_from_each(ana, samples) -> list[Any]:
    """What becomes of asking from each, with names made alike."""
    told = []
    for sample in samples:
        answer = signed_in(ana).post(f"/benchmarks/kitchen/annotate/another/{sample.key}/", {"copy": "yes"})
        made = Sample.objects.filter(asked_from=sample).latest("pk")
        shown = studio(ana, made.key, "/benchmarks/kitchen/annotate")
        page = LOOSE.sub("", shown).replace(made.key, "MADE").replace(sample.key, "KEY")
        told.append((answer.status_code, page.replace(sample.image.sha256, "SHA")))
    return told


@pytest.mark.parametrize("drafts", [False, True])
def test_asking_from_a_gold_check_is_like_asking_from_any_sample(ana, lea, kitchen, drafts):
    set_check_rules(actor=lea, benchmark=kitchen, **{**RULES, "check_first": 1})
    check = take_one(ana, kitchen)
    other = held(ana, kitchen.samples.get(key="s-0005"))
    assert (is_check(check), is_check(other)) == (True, False)
    for sample in (check, other) if drafts else ():
        save_draft(actor=ana, sample=sample, version=0, content=content(question="Half a"))
    one, two = asked_from_each(ana, (check, other))
    assert one == two
    assert one[0] == 303
    copied = [bool(Draft.objects.filter(annotation__sample__asked_from=sample)) for sample in (check, other)]
    assert copied == [drafts, drafts]


def test_the_gold_of_a_check_is_never_copied(ana, lea, kitchen):
    set_check_rules(actor=lea, benchmark=kitchen, **{**RULES, "check_first": 1})
    check = take_one(ana, kitchen)
    assert Gold.objects.filter(sample=check).exists()
    made = ask_another(actor=ana, sample=check, copy=True)
    assert not Draft.objects.filter(annotation__sample=made).exists()
    assert known(ana, check) == [(check.key, ""), (made.key, "")]


def test_what_others_asked_from_a_check_shows_in_neither_id_nor_limit(ana, bo, lea, kitchen):
    for _ in range(MOST_QUESTIONS - 1):
        ask_another(actor=lea, sample=loaded("s-0000", "kitchen"))
    set_check_rules(actor=lea, benchmark=kitchen, **{**RULES, "check_first": 1})
    answer = CheckAnswer.objects.create(check_of=loaded("s-0000", "kitchen").gold_check, user=ana, place=1001)
    assert take(ana, answer.check_of.sample_id, ANNOTATE, timedelta(minutes=15), 1001)
    before = known(ana, loaded("s-0000", "kitchen"))
    made = ask_another(actor=ana, sample=loaded("s-0000", "kitchen"))
    assert before == [("s-0000", "")]
    assert int(made.key.removeprefix("s-0000-")) > MOST_QUESTIONS + 1


def test_a_sample_that_was_not_assigned_is_nothing_to_ask_from_while_checks_run(ana, lea, kitchen):
    set_check_rules(actor=lea, benchmark=kitchen, **{**RULES, "check_first": 1})
    with pytest.raises(NotAllowed, match="not assigned to you"):
        ask_another(actor=ana, sample=loaded("s-0005", "kitchen"))
    client = program(ana, Scope.READ, Scope.ANNOTATE)
    assert client.get("/api/v1/benchmarks/kitchen/questions/s-0005/").status_code == 403


def test_a_further_question_is_no_gold_check(ana, rui, lea, desks):
    submitted(ana, desks)
    reviewed(rui, next_review(rui, desks), "accept")
    made = ask_another(actor=ana, sample=loaded("s-0000"))
    submit(actor=ana, sample=made, version=0, content=content(question="Which mug is empty?"))
    reviewed(rui, next_review(rui, desks), "accept")
    with pytest.raises(Conflict, match="s-0000-2"):
        add_checks(actor=lea, benchmark=desks, keys=["s-0000", "s-0000-2"])
    assert draw_checks(actor=lea, benchmark=desks, n=2) == 1
    assert next_to_annotate(actor=ana, benchmark=desks) is not None
