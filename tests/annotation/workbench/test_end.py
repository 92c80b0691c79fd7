"""Answering from the last image of a toolchain: another person, from it alone, and once."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone

from annotation.chain_answers import answer_digest
from annotation.common.chain_marks import verifies
from annotation.content.chains.read import digest_of
from annotation.content.checks import validate_gold
from annotation.content.json import calls_to_json, content_from_json
from annotation.content.revisions import content_of
from annotation.images import chain_runs
from annotation.models import BenchmarkSchema, Gold, ImageReplacement, Revision, Sample, VerifiedChain
from annotation.queue.assignment import next_to_annotate
from annotation.review.write.decisions import next_to_review
from annotation.schema import SampleContent, ToolCall
from annotation.studio.write.submit import submit
from annotation.validation import blocking
from annotation.workbench.write import answer_end, verify_chain
from tests.annotation.work_data import another_size, content
from tests.annotation.workbench.test_page import CHAIN, sample
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

__all__ = ["sample"]
pytestmark = pytest.mark.one_database
PAGE = "/benchmarks/kitchen/toolchain/end/s-0000/"
TO_IMAGE = (ToolCall("crop", {"x": 300, "y": 150, "width": 500, "height": 400}), ToolCall("colorspace_gray"))
REQUIRED = {"toolchain": {"use": "required", "steps": [1, 12], "end_verified": True}}


def said(calls: Any = TO_IMAGE) -> dict[str, Any]:
    return content(reference_toolchain=calls_to_json(calls), options={"A": "black", "B": "white"}, answer=["B"])


def parsed(calls: Any = TO_IMAGE) -> SampleContent:
    return content_from_json(said(calls))[0]


def require_ends(sample: Sample) -> None:
    state = {"number": 1, "state": "active", "activated_at": timezone.now()}
    BenchmarkSchema.objects.create(benchmark=sample.benchmark, content=REQUIRED, **state)
    sample.benchmark.forget_schema()


@pytest.fixture
def waiting(sample: Sample, ana: User) -> Sample:
    """Ana submitted a toolchain that ends in an image; the schema requires verified ends."""
    require_ends(sample)
    next_to_annotate(actor=ana, benchmark=sample.benchmark)
    submit(actor=ana, sample=sample, version=0, content=said())
    return sample


def obstacles(sample: Sample, given: SampleContent | None = None) -> list[str]:
    found = blocking(validate_gold(sample, given or parsed(), {"category": ["Color"]}))
    return [one.field for one in found if "end" in str(one.text.template)]


def test_another_person_answers_from_the_last_image_alone(waiting: Sample, rui: User) -> None:
    page = signed_in(rui).get(PAGE)
    shown = page.content.decode()
    assert page.status_code == 200
    assert shown.count("data:image/") == 1
    assert "gold_boxes" not in shown
    assert obstacles(waiting) == ["reference_toolchain"]
    assert signed_in(rui).post(PAGE, {"answer": "B"}).status_code == 302
    mark = VerifiedChain.objects.get()
    assert (mark.how, mark.observed, mark.matches, mark.person) == ("blind", "B", True, rui)
    assert obstacles(waiting) == []
    assert AuditEntry.objects.filter(action="chain.answer_end").count() == 1


def test_another_answer_does_not_verify_and_nobody_tries_twice(waiting: Sample, rui: User, lea: User) -> None:
    assert not answer_end(actor=rui, sample=waiting, answer="A").matches
    with pytest.raises(Conflict):
        answer_end(actor=rui, sample=waiting, answer="B")
    assert obstacles(waiting) == ["reference_toolchain"]
    assert answer_end(actor=lea, sample=waiting, answer="B").matches
    assert obstacles(waiting) == []


def test_whoever_answered_otherwise_does_not_verify_by_sight(waiting: Sample, rui: User, lea: User) -> None:
    answer_end(actor=rui, sample=waiting, answer="A")
    with pytest.raises(Conflict) as refused:
        verify_chain(actor=rui, sample=waiting, content=parsed())
    assert refused.value.code == "answered"
    assert verify_chain(actor=lea, sample=waiting, content=parsed()).how == "seen"


def test_an_answer_from_the_toolchain_on_a_replaced_image_is_refused(waiting: Sample, rui: User, lea: User) -> None:
    another_size(waiting, (800, 600), lea, old=(900, 900))
    old = ImageReplacement.objects.get().image.sha256
    assert signed_in(rui).post(PAGE, {"answer": "B", "image": old}).status_code == 409
    assert not VerifiedChain.objects.exists()
    assert waiting.image is not None
    assert f'name="image" value="{waiting.image.sha256}"' in signed_in(rui).get(PAGE).content.decode()
    assert signed_in(rui).post(PAGE, {"answer": "B", "image": waiting.image.sha256}).status_code == 302


def test_another_answer_is_shown_until_the_end_is_verified(waiting: Sample, rui: User, lea: User) -> None:
    record_gold(waiting)
    assert first_chain(lea, waiting)["mark"] is None
    answer_end(actor=rui, sample=waiting, answer="A")
    shown = first_chain(lea, waiting)["mark"]
    assert (shown["shows"], shown["verifies"], shown["by"], shown["observed"]) == (False, False, str(rui), "A")
    answer_end(actor=lea, sample=waiting, answer="B")
    shown = first_chain(lea, waiting)["mark"]
    assert (shown["shows"], shown["verifies"], shown["by"]) == (True, True, str(lea))


def test_the_review_links_the_page_and_explains_a_mark_that_does_not_verify(
    contradicting: Sample, rui: User, lea: User
) -> None:
    answer_end(actor=lea, sample=contradicting, answer="B")
    client = signed_in(rui)
    next_to_review(actor=rui, benchmark=contradicting.benchmark)
    given = {"answer": "B", "seconds": 5, "unsure": False}
    answered = client.post("/benchmarks/kitchen/review/blind/s-0000/", json.dumps(given), "application/json")
    assert answered.status_code == 200, answered.content
    page = client.get("/benchmarks/kitchen/review/samples/s-0000/")
    assert f'href="{PAGE}" data-part="ask"' in page.content.decode()
    assert page.context["review"]["chain"]["mark"]["measured"] == measured(contradicting)


def record_gold(sample: Sample) -> None:
    revision = Revision.objects.get(annotation__sample=sample)
    Gold.objects.create(sample=sample, revision=revision, accepted_at=timezone.now())


def first_chain(viewer: User, sample: Sample) -> Any:
    page = signed_in(viewer).get(f"/benchmarks/kitchen/toolchain/samples/{sample.key}/")
    return page.context["bench"]["chains"][0]


def test_the_author_does_not_answer(waiting: Sample, ana: User, lea: User) -> None:
    waiting.benchmark.memberships.create(user=ana, role="reviewer")
    with pytest.raises(NotAllowed):
        answer_end(actor=ana, sample=waiting, answer="B")
    assert signed_in(ana).get(PAGE).status_code == 403
    with pytest.raises(InvalidInput):
        answer_end(actor=lea, sample=waiting, answer=" ")


def test_that_a_person_saw_it_does_not_meet_the_schema(waiting: Sample, rui: User) -> None:
    assert verify_chain(actor=rui, sample=waiting, content=parsed()).how == "seen"
    assert obstacles(waiting) == ["reference_toolchain"]


def test_another_toolchain_answer_or_option_is_not_verified(waiting: Sample, rui: User) -> None:
    answer_end(actor=rui, sample=waiting, answer="B")
    for change in (
        {"reference_toolchain": TO_IMAGE[:1]}, {"answers": ("A",)}, {"options": {"A": "black", "B": "gray"}},
    ):  # fmt: skip
        assert obstacles(waiting, replace(parsed(), **change)) == ["reference_toolchain"]
    assert waiting.image is not None
    waiting.image.sha256 = "0" * 64
    assert obstacles(waiting) == ["reference_toolchain"]


def test_two_is_not_four_components(sample: Sample, ana: User) -> None:
    """A measured mismatch blocks acceptance, also with a reason."""
    require_ends(sample)
    two = replace(parsed(CHAIN), options={"A": "forty", "B": "209 dots"}, answers=("B",))
    with pytest.raises(InvalidInput) as refused:
        verify_chain(actor=ana, sample=sample, content=two)
    assert refused.value.code == "measured_otherwise"
    assert verify_chain(actor=ana, sample=sample, content=two, reason="Most are hidden.").how == "seen"
    assert obstacles(sample, two) == ["reference_toolchain"]


@pytest.fixture
def contradicting(sample: Sample, ana: User) -> Sample:
    """Ana submitted a toolchain that ends in an image and counts many components in it. The answer is "two"."""
    require_ends(sample)
    next_to_annotate(actor=ana, benchmark=sample.benchmark)
    submit(actor=ana, sample=sample, version=0, content=said(CHAIN) | {"options": {"A": "black", "B": "two"}})
    return sample


def counted(sample: Sample) -> SampleContent:
    return content_of(Revision.objects.filter(annotation__sample=sample).with_content().get())


def measured(sample: Sample) -> str:
    last = chain_runs.run_whole(sample, CHAIN).steps[-1]
    return f"{last.measurements['total_components']:g}"


def test_a_blind_answer_does_not_overrule_a_number_that_contradicts_it(
    contradicting: Sample, rui: User, lea: User
) -> None:
    count = measured(contradicting)
    assert count != "2"
    answered = signed_in(rui).post(PAGE, {"answer": "B"}, follow=True).content.decode()
    assert f"is the gold answer, but the last step measures {count}." in answered
    mark = VerifiedChain.objects.get()
    assert (mark.how, mark.observed, mark.matches) == ("blind", "B", True)
    given = counted(contradicting)
    assert not verifies(mark, given)
    assert obstacles(contradicting, given) == ["reference_toolchain"]
    reason = [str(one.text) for one in validate_gold(contradicting, given, {}) if "verified" in str(one.text)]
    assert reason == [
        f"The end of the toolchain is not verified: its last step measures {count}, but the answer is “two”. "
        "Change the toolchain or the answer."
    ]
    record_gold(contradicting)
    shown = first_chain(lea, contradicting)["mark"]
    assert (shown["shows"], shown["verifies"], shown["measured"]) == (False, False, count)


@pytest.mark.parametrize(
    ("how", "observed", "measurements", "verified"),
    [
        ("measured", "2", {"total_components": 2}, True),
        ("measured", "2", {"total_components": 4}, False),
        ("measured", "2", {}, False),
        ("blind", "B", {}, True),
        ("blind", "B", {"total_components": 2}, True),
        ("blind", "B", {"total_components": 4}, False),
        ("blind", "A", {}, False),
        ("blind", "A", {"total_components": 2}, False),
        ("seen", "", {"total_components": 4}, False),
        ("seen", "", {}, False),
    ],
)
def test_a_mark_verifies_what_was_measured_and_answered_and_not_what_it_claims(
    waiting: Sample, rui: User, how: str, observed: str, measurements: Any, verified: bool
) -> None:
    given = replace(parsed(), options={"A": "red", "B": "two"})
    assert waiting.image is not None
    VerifiedChain.objects.create(
        sample=waiting, digest=digest_of(given.reference_toolchain), image=waiting.image.sha256, person=rui, how=how,
        observed=observed, measurements=measurements, answer_digest=answer_digest(given), matches=True,
    )  # fmt: skip
    assert obstacles(waiting, given) == ([] if verified else ["reference_toolchain"])


def test_without_a_toolchain_there_is_nothing_to_answer(sample: Sample, rui: User) -> None:
    assert signed_in(rui).get(PAGE).status_code == 409


def test_the_workbench_says_what_was_measured(sample: Sample, ana: User) -> None:
    body = {"calls": calls_to_json(CHAIN), "focus": 4, "side": 320, "known": [], "full": True, "answer": ["two"]}
    told = signed_in(ana).post(
        "/benchmarks/kitchen/toolchain/run/s-0000/", json.dumps(body), content_type="application/json"
    ).json()["end"]  # fmt: skip
    assert told["agrees"] is (told["observed"] == "2")
    assert told["image"]
