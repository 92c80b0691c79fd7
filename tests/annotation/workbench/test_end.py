"""Answering from the last image of a toolchain: another person, from it alone, and once."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone

from annotation.content.checks import validate_gold
from annotation.content.json import calls_to_json, content_from_json
from annotation.models import BenchmarkSchema, Gold, ImageReplacement, Revision, Sample, VerifiedChain
from annotation.queue.assignment import next_to_annotate
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
    BenchmarkSchema.objects.create(
        benchmark=sample.benchmark, number=1, state="active", content=REQUIRED, activated_at=timezone.now()
    )
    sample.benchmark.forget_schema()
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
    assert first_chain(lea, waiting)["otherwise"] is None
    answer_end(actor=rui, sample=waiting, answer="A")
    shown = first_chain(lea, waiting)
    assert (shown["verified"], shown["otherwise"]["by"], shown["otherwise"]["observed"]) == (None, str(rui), "A")
    answer_end(actor=lea, sample=waiting, answer="B")
    shown = first_chain(lea, waiting)
    assert (shown["verified"]["by"], shown["otherwise"]) == (str(lea), None)


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
    BenchmarkSchema.objects.create(
        benchmark=sample.benchmark, number=1, state="active", content=REQUIRED, activated_at=timezone.now()
    )
    sample.benchmark.forget_schema()
    two = replace(parsed(CHAIN), options={"A": "forty", "B": "209 dots"}, answers=("B",))
    with pytest.raises(InvalidInput) as refused:
        verify_chain(actor=ana, sample=sample, content=two)
    assert refused.value.code == "measured_otherwise"
    assert verify_chain(actor=ana, sample=sample, content=two, reason="Most are hidden.").how == "seen"
    assert obstacles(sample, two) == ["reference_toolchain"]


def test_without_a_toolchain_there_is_nothing_to_answer(sample: Sample, rui: User) -> None:
    assert signed_in(rui).get(PAGE).status_code == 409


def test_the_workbench_says_what_was_measured(sample: Sample, ana: User) -> None:
    body = {"calls": calls_to_json(CHAIN), "focus": 4, "side": 320, "known": [], "full": True, "answer": ["two"]}
    told = signed_in(ana).post(
        "/benchmarks/kitchen/toolchain/run/s-0000/", json.dumps(body), content_type="application/json"
    ).json()["end"]  # fmt: skip
    assert told["agrees"] is (told["observed"] == "2")
    assert told["image"]
