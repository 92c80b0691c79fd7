"""Naming people with @ in comments: only those who can see the sample, and everyone once."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.common.access import allowed, members_who_may
from annotation.content.comments import add_comment
from annotation.content.mentions import named_in
from annotation.models import Benchmark, Comment, Mention
from annotation.quality.write.checks import add_checks, set_check_rules
from annotation.workflow import Right
from tests.annotation.quality.test_checks import RULES, is_check
from tests.annotation.work_data import annotation_of, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.notifications.test_notify import kinds, told
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.notifications.models import Notification

pytestmark = pytest.mark.django_db


@made_once
def benchmark(ana: User, rui: User, lea: User) -> Benchmark:
    return to_annotate(14, annotator=ana, reviewer=rui, lead=lea)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@Ana Lind, look", ["Ana Lind"]),
        ("ask @ana  lind", ["Ana Lind"]),
        ("ask @Ana.", ["Ana"]),
        ("@Ana Lindgren", ["Ana"]),
        ("@Anabel", []),
        ("mail@ana", []),
        ("@Ana and @Rui Costa and @Ana", ["Ana", "Rui Costa"]),
        ("@(Bo)* .", ["(Bo)*"]),
    ],
)
def test_names_after_an_at_sign_are_found(text: str, expected: list[str]) -> None:
    people = [User(pk=n, name=name) for n, name in enumerate(["Ana", "Ana Lind", "Rui Costa", "(Bo)*", ""])]
    assert [one.name for one in named_in(text, people)] == expected


def test_a_mention_is_stored_and_told_instead_of_a_reply(
    ana: User, rui: User, lea: User, sam: User, benchmark: Benchmark
) -> None:
    annotation = annotation_of(ana, submitted(ana, benchmark))
    add_comment(actor=rui, annotation=annotation, text="@Ana Lind @Lea Moreau @Sam Ode @Rui Costa: which mug?")
    assert set(Mention.objects.values_list("person", flat=True)) == {ana.pk, lea.pk}
    assert told(ana) == ["Rui Costa mentioned you on s-0000 on Kitchen."]
    assert kinds(lea) == ["mention"]
    assert not Notification.objects.of(sam).exists()
    assert not Notification.objects.of(rui).exists()
    for person in (ana, lea):
        assert signed_in(person).get(Notification.objects.get(person=person).path).status_code == 200


def test_names_are_offered_of_those_who_can_see_the_sample(
    ana: User, rui: User, lea: User, sam: User, benchmark: Benchmark, bo: User
) -> None:
    benchmark.memberships.create(user=bo, role="annotator")
    sample = submitted(ana, benchmark)
    url = reverse("annotation:review-comments", args=["kitchen", sample.key])
    assert signed_in(ana).get(url).json() == {"people": ["Lea Moreau", "Rui Costa"]}
    assert signed_in(rui).get(url).json() == {"people": ["Ana Lind", "Lea Moreau"]}
    assert signed_in(bo).get(url).status_code == 403
    assert signed_in(sam).get(url).status_code == 404


@pytest.mark.endurance
def test_a_comment_on_a_gold_check_offers_and_answers_the_same_and_reaches_leads_only(
    ana: User, rui: User, lea: User, benchmark: Benchmark, bo: User
) -> None:
    benchmark.memberships.create(user=bo, role="annotator")
    for _ in range(2):
        submitted(bo, benchmark)
        reviewed(rui, next_review(rui, benchmark), "accept")
    add_checks(actor=lea, benchmark=benchmark, keys=["s-0000", "s-0001"])
    set_check_rules(actor=lea, benchmark=benchmark, **{**RULES, "check_first": 1})
    benchmark = Benchmark.objects.get(pk=benchmark.pk)
    answers = []
    for sample in (submitted(ana, benchmark), submitted(ana, benchmark)):
        url = reverse("annotation:review-comments", args=["kitchen", sample.key])
        sent = signed_in(ana).post(url, {"text": "@Rui Costa @Lea Moreau why?"}, content_type="application/json")
        comment = sent.json()["comment"] | {"id": 0, "at": "", "url": ""}
        answers.append((is_check(sample), sent.status_code, comment, signed_in(ana).get(url).json()))
    (first, *of_check), (second, *of_sample) = answers
    assert (first, second) == (True, False)
    assert of_check == of_sample
    assert Mention.objects.count() == 4
    assert Notification.objects.of(rui).count() == 1
    assert kinds(lea) == ["mention", "mention"]
    on_check = Notification.objects.of(lea).earliest("pk")
    assert signed_in(lea).get(on_check.path).status_code == 200
    assert not Notification.objects.of(ana).exists()


def test_an_unsaved_sample_offers_no_names(ana: User, benchmark: Benchmark) -> None:
    sample = take_one(ana, benchmark)
    url = reverse("annotation:review-comments", args=["kitchen", sample.key])
    assert signed_in(ana).get(url).status_code in (200, 403)
    assert not Comment.objects.exists()


def test_members_who_may_are_those_of_whom_access_says_so(
    ana: User, rui: User, lea: User, sam: User, benchmark: Benchmark
) -> None:
    benchmark.memberships.create(user=ana, role="reviewer")
    for right in Right:
        people = {one for one in (ana, rui, lea, sam) if allowed(one, benchmark, right)}
        assert set(members_who_may(benchmark, right)) == people, right
