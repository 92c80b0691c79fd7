"""The qualification test: known samples first, and no others before they are passed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.guidelines.write import publish
from annotation.models import Annotation, Benchmark, CheckAnswer, GoldCheck, Image, Lease, QualificationAttempt, Sample
from annotation.quality.write.checks import draw_checks
from annotation.quality.write.qualification import set_qualification, waive
from annotation.queue.assignment import hand_out, next_to_annotate
from annotation.queue.check_work import standing
from annotation.queue.look_ahead import look_ahead
from annotation.queue.qualification import qualification_of
from annotation.queue.skip import skip
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.work.write.replacement import replace_image
from annotation.workflow import Role, SampleState
from tests.annotation.work_data import content, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db
WRONG = {"answer": ["A"]}
ANNOTATE = "/benchmarks/kitchen/annotate/"


@made_once
def kitchen(ana: User, rui: User, lea: User, bo: User) -> Benchmark:
    """Ten samples to annotate; of five the gold, made by Bo and reviewed by Rui, is known. Ana takes a test of two."""
    benchmark = to_annotate(10, annotator=ana, reviewer=rui, lead=lea)
    benchmark.memberships.create(user=bo, role="annotator")
    for _ in range(5):
        submitted(bo, benchmark)
        reviewed(rui, next_review(rui, benchmark), "accept")
    set_qualification(actor=lea, benchmark=benchmark, quiz_size=2, quiz_pass=1.0, quiz_attempts=2)
    return Benchmark.objects.select_related("quality").get(pk=benchmark.pk)


def annotated(user: User, benchmark: Benchmark, **changes: Any) -> Sample:
    """The next sample of this person, submitted."""
    sample = take_one(user, benchmark)
    submit(actor=user, sample=sample, version=0, content=content(**changes))
    return sample


def known(sample: Sample) -> bool:
    return Sample.objects.get(pk=sample.pk).state == SampleState.ACCEPTED


@pytest.mark.endurance
def test_known_samples_come_first_and_then_those_to_do(kitchen: Benchmark, ana: User) -> None:
    samples = [annotated(ana, kitchen) for _ in range(3)]
    assert [known(sample) for sample in samples] == [True, True, False]
    assert qualification_of(ana, kitchen).asked is False
    attempt = QualificationAttempt.objects.get()
    assert (attempt.user, attempt.number, attempt.passed) == (ana, 1, True)
    assert Annotation.objects.filter(author=ana).count() == 1


def test_who_fails_gets_other_samples_and_then_none(kitchen: Benchmark, ana: User) -> None:
    drawn = [{annotated(ana, kitchen, **WRONG).key for _ in range(2)} for _ in range(2)]
    assert not drawn[0] & drawn[1]
    assert next_to_annotate(actor=ana, benchmark=kitchen) is None
    now = qualification_of(ana, kitchen)
    assert (now.asked, now.passed_n, now.last_size, now.attempts_left) == (True, 0, 2, 0)
    assert not Annotation.objects.filter(author=ana).exists()


def test_the_second_attempt_counts(kitchen: Benchmark, ana: User) -> None:
    annotated(ana, kitchen, **WRONG)
    annotated(ana, kitchen)
    assert qualification_of(ana, kitchen).passed_n == 1
    annotated(ana, kitchen)
    annotated(ana, kitchen)
    assert not known(take_one(ana, kitchen))


def test_a_skipped_sample_is_not_passed(kitchen: Benchmark, ana: User) -> None:
    skip(actor=ana, sample=take_one(ana, kitchen), reason="Blurred.")
    annotated(ana, kitchen)
    attempt = QualificationAttempt.objects.get(number=1)
    assert attempt.passed is False


def test_the_question_is_given_and_stays(kitchen: Benchmark, ana: User) -> None:
    sample = take_one(ana, kitchen)
    shown = signed_in(ana).get(f"{ANNOTATE}samples/{sample.key}/").context["studio"]
    assert (shown["test"], shown["fixed"]) == (True, True)
    assert shown["content"]["question"] == sample.gold.revision.question
    assert not shown["content"]["answer"]
    assert not shown["content"]["gold_boxes"]
    submit(actor=ana, sample=sample, version=0, content=content(question="Another question?"))
    answer = CheckAnswer.objects.get(check_of__sample=sample, user=ana)
    assert (answer.same_question, answer.passed) == (True, True)


def test_what_comes_next_is_of_the_test_too(kitchen: Benchmark, ana: User) -> None:
    first = take_one(ana, kitchen)
    following = look_ahead(actor=ana, sample=first)
    assert following is not None
    assert following != first
    assert known(following)
    assert look_ahead(actor=ana, sample=first) == following


def test_an_attempt_that_was_left_goes_on(kitchen: Benchmark, ana: User) -> None:
    first = take_one(ana, kitchen)
    assert take_one(ana, kitchen) == first
    assert QualificationAttempt.objects.count() == 1
    assert qualification_of(ana, kitchen).is_open


def test_the_test_tells_nothing_of_gold_checks(kitchen: Benchmark, ana: User, lea: User) -> None:
    annotated(ana, kitchen, **WRONG)
    annotated(ana, kitchen, **WRONG)
    assert standing(ana, kitchen).n == 0
    assert not GoldCheck.objects.filter(active=True).exists()
    # Two attempts of two samples: what somebody saw in the test is not drawn as a check.
    assert QualificationAttempt.objects.count() == 2
    assert draw_checks(actor=lea, benchmark=kitchen, n=5) == 1


def test_samples_of_guidelines_and_own_ones_are_not_drawn(kitchen: Benchmark, ana: User, bo: User, lea: User) -> None:
    keys = kitchen.samples.filter(state="accepted").values_list("key", flat=True)[:4]
    body = "\n".join(f":::example sample={key} verdict=good\n:::\n" for key in keys)
    publish(actor=lea, benchmark=kitchen, body=body, must_read=False, based_on=0)
    for person in (ana, bo):
        assert next_to_annotate(actor=person, benchmark=kitchen) is None
        assert not qualification_of(person, kitchen).enough


def test_a_lead_who_annotates_takes_no_test(kitchen: Benchmark, lea: User) -> None:
    assert not known(take_one(lea, kitchen))


def test_a_waiver_opens_the_queue_and_is_kept(kitchen: Benchmark, ana: User, lea: User) -> None:
    take_one(ana, kitchen)
    made = waive(actor=lea, benchmark=kitchen, user=ana, reason="Wrote the guidelines.")
    assert qualification_of(ana, kitchen).asked is False
    entry = AuditEntry.objects.get(action="qualification.waive")
    assert (entry.actor, entry.reason, made.number) == (lea, "Wrote the guidelines.", 2)
    with pytest.raises(Conflict):
        waive(actor=lea, benchmark=kitchen, user=ana, reason="Again.")


@pytest.mark.parametrize("changes", [{"quiz_size": 51}, {"quiz_pass": 0.0}, {"quiz_pass": 1.1}, {"quiz_attempts": 0}])
def test_rules_out_of_range_are_refused(kitchen: Benchmark, lea: User, changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        set_qualification(
            actor=lea, benchmark=kitchen, **{"quiz_size": 2, "quiz_pass": 1.0, "quiz_attempts": 2} | changes
        )


def test_only_leads_change_it(kitchen: Benchmark, ana: User) -> None:
    with pytest.raises(NotAllowed):
        set_qualification(actor=ana, benchmark=kitchen, quiz_size=0, quiz_pass=1.0, quiz_attempts=1)
    with pytest.raises(NotAllowed):
        waive(actor=ana, benchmark=kitchen, user=ana, reason="I can do it.")


def test_gold_is_hidden_while_there_is_a_test(kitchen: Benchmark, ana: User, lea: User) -> None:
    key = kitchen.samples.filter(state="accepted").first().key
    address = f"/benchmarks/kitchen/samples/{key}/"
    assert signed_in(ana).get(address).status_code == 403
    set_qualification(actor=lea, benchmark=kitchen, quiz_size=0, quiz_pass=1.0, quiz_attempts=2)
    assert signed_in(ana).get(address).status_code == 200


def test_a_public_benchmark_has_no_test(kitchen: Benchmark, lea: User) -> None:
    set_qualification(actor=lea, benchmark=kitchen, quiz_size=0, quiz_pass=1.0, quiz_attempts=2)
    Benchmark.objects.filter(pk=kitchen.pk).update(public=True)
    with pytest.raises(Conflict):
        set_qualification(actor=lea, benchmark=kitchen, quiz_size=2, quiz_pass=1.0, quiz_attempts=2)


def test_nobody_below_the_mark_is_ever_assigned_a_sample(kitchen: Benchmark, ana: User, lea: User) -> None:
    """However often and in whatever order they ask."""
    set_qualification(actor=lea, benchmark=kitchen, quiz_size=1, quiz_pass=1.0, quiz_attempts=3)
    for _ in range(3):
        annotated(ana, Benchmark.objects.select_related("quality").get(pk=kitchen.pk), **WRONG)
    for _ in range(5):
        assert hand_out(ana, Benchmark.objects.select_related("quality").get(pk=kitchen.pk)) is None
    assert not Annotation.objects.filter(author=ana).exists()


def annotating_for_real(person: User) -> bool:
    """Whether the person has, or has had, a sample that is not of the test."""
    held = Lease.objects.filter(user=person).exclude(sample__state=SampleState.ACCEPTED)
    return Annotation.objects.filter(author=person).exists() or held.exists()


@pytest.mark.slow
@pytest.mark.endurance
def test_of_1000_random_attempts_none_below_the_mark_is_assigned_a_sample(rui: User, lea: User, bo: User) -> None:
    """People come in random order, answer at random, skip, leave, come back and look ahead. Whoever had all samples of
    an attempt right gets work; the others never do."""
    chance = random.Random(1000)
    benchmark = to_annotate(150, reviewer=rui, lead=lea, annotator=bo)
    for _ in range(10):
        submitted(bo, benchmark)
        reviewed(rui, next_review(rui, benchmark), "accept")
    set_qualification(actor=lea, benchmark=benchmark, quiz_size=2, quiz_pass=1.0, quiz_attempts=5)
    benchmark = Benchmark.objects.select_related("quality").get(pk=benchmark.pk)
    people: list[User] = []
    results: dict[int, list[bool]] = {}
    attempts = assigned = 0

    def passed(person: User) -> bool:
        answers = results[person.pk]
        return any(all(answers[at : at + 2]) for at in range(0, len(answers) - 1, 2))

    while attempts < 1000:
        if len(people) < 20:
            person = make_user(f"Person {len(results)}", email=f"p{len(results)}@example.org")
            add_member(actor=None, benchmark=benchmark, user=person, role=Role.ANNOTATOR)
            people.append(person)
            results[person.pk] = []
        person = chance.choice(people)
        sample = chance.choice((hand_out, lambda who, of: next_to_annotate(actor=who, benchmark=of)))(person, benchmark)
        if sample is None or not known(sample):
            assert (sample is not None) == passed(person), results[person.pk]
            assigned += passed(person)
            assert annotating_for_real(person) == passed(person)
            people.remove(person)
            continue
        assert not passed(person)
        if chance.random() < 0.1:
            following = look_ahead(actor=person, sample=sample)
            assert following is None or known(following)
            continue
        right = chance.random() < 0.35
        if not right and chance.random() < 0.2:
            skip(actor=person, sample=sample, reason="Blurred.")
        else:
            submit(actor=person, sample=sample, version=0, content=content(**({} if right else WRONG)))
        results[person.pk].append(right)
        attempts += len(results[person.pk]) % 2 == 0
    assert 20 < assigned < 140
    assert QualificationAttempt.objects.exclude(passed=None).count() == attempts
    for person in User.objects.filter(pk__in=results):
        assert passed(person) or not annotating_for_real(person)


def test_the_pages_show_how_it_stands(kitchen: Benchmark, ana: User, lea: User) -> None:
    annotated(ana, kitchen)
    assert signed_in(ana).get(ANNOTATE).context["test"].done == 1
    rows = signed_in(lea).get("/benchmarks/kitchen/quality/qualification/").context["rows"]
    assert {(row.person.name, row.state) for row, *_ in rows} == {("Ana Lind", "open"), ("Bo Ek", "new")}


def test_an_attempt_does_not_wait_for_a_sample_that_was_reopened(kitchen: Benchmark, ana: User) -> None:
    done = annotated(ana, kitchen)
    left = CheckAnswer.objects.exclude(check_of__sample=done).get()
    Sample.objects.filter(pk=left.check_of.sample_id).update(state=SampleState.DRAFT)
    assert next_to_annotate(actor=ana, benchmark=kitchen) is None
    assert qualification_of(ana, kitchen).asked is False
    assert not known(take_one(ana, kitchen))


TWICE = {"gold_boxes": [{"box": [200, 200, 240, 230], "label": "mug"}]}
"""The box of ``content`` in pixels of an image of twice the width and height."""


def replaced(lea: User, sample: Sample, size: tuple[int, int]) -> None:
    """The image of the sample is replaced by one of this size; boxes are scaled if that is possible."""
    digest = f"{Image.objects.count():064x}"
    image = Image.objects.create(sha256=digest, width=size[0], height=size[1], format="png", bytes=1)
    sample = Sample.objects.select_related("benchmark", "image").get(pk=sample.pk)
    replace_image(actor=lea, sample=sample, image=image, scale=True, comment="Sharper.", key=f"replace {sample.pk}")


def test_an_image_that_is_scaled_in_the_middle_fails_nobody(kitchen: Benchmark, ana: User, lea: User) -> None:
    first = take_one(ana, kitchen)
    draft = {"actor": ana, "sample": first, "content": content()}
    save_draft(**draft, version=0)
    replaced(lea, first, (2000, 1600))
    answer = CheckAnswer.objects.get(check_of__sample=first)
    assert answer.content["gold_boxes"][0]["box"] == TWICE["gold_boxes"][0]["box"]
    with pytest.raises(Conflict) as refused:
        submit(**draft, version=1, image=first.image.sha256 if first.image else "")
    assert refused.value.code == "image_replaced"
    fresh = Sample.objects.select_related("benchmark", "image").get(pk=first.pk)
    submit(actor=ana, sample=fresh, version=answer.version, content=answer.content)
    second = take_one(ana, kitchen)
    replaced(lea, second, (2000, 1600))
    fresh = Sample.objects.select_related("benchmark", "image").get(pk=second.pk)
    submit(actor=ana, sample=fresh, version=0, content=content(**TWICE))
    assert list(CheckAnswer.objects.values_list("passed", "iou")) == [(True, 1.0)] * 2
    assert QualificationAttempt.objects.get().passed


def test_another_sample_takes_the_place_of_one_that_is_returned(kitchen: Benchmark, ana: User, lea: User) -> None:
    first = take_one(ana, kitchen)
    replaced(lea, first, (900, 900))
    keys = {annotated(ana, kitchen).key for _ in range(2)}
    assert first.key not in keys
    assert QualificationAttempt.objects.get().passed
    [entry] = AuditEntry.objects.filter(action="qualification.replace")
    assert entry.data["before"] == first.key


def test_an_attempt_without_any_sample_left_is_none(kitchen: Benchmark, ana: User, lea: User) -> None:
    take_one(ana, kitchen)
    for number in range(5):
        replaced(lea, Sample.objects.get(key=f"s-{number:04}"), (900, 900))
    assert next_to_annotate(actor=ana, benchmark=kitchen) is None
    assert not QualificationAttempt.objects.exists()
    assert qualification_of(ana, kitchen).attempts_left == 2
