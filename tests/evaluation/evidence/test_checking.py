"""Models that check annotators: what is asked and kept, who sees a flag and when, and the rates of the lead."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from annotation.drafting import Arm
from annotation.models import (
    Annotation,
    Benchmark,
    CheckAnswer,
    EvidenceTest,
    GoldCheck,
    QualityRules,
    Review,
    Revision,
    Sample,
)
from evaluation.experiments.write.evidence import EvidenceChoices, create_evidence
from evaluation.experiments.write.states import start_all
from evaluation.metrics.intervals import rate_interval
from evaluation.models import Endpoint, Experiment, Trajectory
from tests.annotation.work_data import next_review, reviewed, submitted
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import serving, spoken
from tests.evaluation.experiments.drafting_data import reseed
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput, NotAllowed
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
SECRET_MODEL = "zebra-checker"
BOX = [{"box": [10, 10, 60, 50], "label": ""}]


def checked(benchmark: Benchmark, endpoint: Endpoint, lea: User, **choices: Any) -> Experiment:
    given = EvidenceChoices(**{"purpose": "check", **choices})
    experiment = create_evidence(actor=lea, benchmark=benchmark, endpoint=endpoint, choices=given)
    start_all(actor=lea, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    return experiment


def ask(benchmark: Benchmark, endpoint_at: EndpointAt, lea: User, says: str, **choices: Any) -> list[Any]:
    """Check with a model that always says this; return the bodies that it received."""
    with serving(spoken(says)) as server:
        endpoint = endpoint_at(server.url, model=SECRET_MODEL)
        checked(benchmark, endpoint, lea, **choices)
        bodies = server.seen.bodies()
    endpoint.delete()
    return bodies


def review_page(user: User, sample: Sample) -> str:
    return signed_in(user).get(f"/benchmarks/kitchen/review/samples/{sample.key}/").content.decode()


def test_submitted_questions_are_asked_from_the_image_and_from_the_crop(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    sample = submitted(ana, to_do, gold_boxes=BOX)
    bodies = ask(to_do, endpoint_at, lea, "<answer>A</answer>")
    assert len(bodies) == 2, "gold of other samples is not asked about"
    text = json.dumps(bodies)
    assert "Which colour is the mug?" in text
    assert "B. white" in text
    sizes = {
        next(part["image_url"]["url"] for part in body["messages"][0]["content"] if part["type"] == "image_url")
        for body in bodies
    }
    assert len(sizes) == 2, "another image for each condition"
    tests = EvidenceTest.objects.filter(revision__annotation__sample=sample)
    assert set(tests.values_list("condition", "answer", "right", "model", "purpose")) == {
        ("image", "A", False, SECRET_MODEL, "check"), ("crop", "A", False, SECRET_MODEL, "check"),
    }  # fmt: skip
    assert not Trajectory.objects.exists(), "a check is no run"
    assert Annotation.objects.get(sample=sample).state == "submitted", "a check decides nothing"


def test_a_reviewer_sees_a_flag_only_after_the_blind_answer(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User, rui: User
) -> None:
    submitted(ana, to_do, gold_boxes=BOX)
    ask(to_do, endpoint_at, lea, "<answer>A</answer>")
    sample = next_review(rui, to_do)
    reseed(to_do, rui, Arm.SHOWN, sample)
    page = review_page(rui, sample)
    assert "data-mismatch" not in page
    assert SECRET_MODEL not in page
    answer = {"answer": "B", "unsure": False, "seconds": 3.0}
    url = f"/benchmarks/kitchen/review/blind/{sample.key}/"
    sent = signed_in(rui).post(url, answer, content_type="application/json")
    assert sent.status_code == 200
    assert SECRET_MODEL not in sent.content.decode()
    page = review_page(rui, sample)
    assert page.count("data-mismatch") == 2
    assert "A. black" in page
    for person in (ana, rui):
        client = signed_in(person)
        for path in ("evidence/", "experiments/", f"experiments/{Experiment.objects.get().pk}/"):
            assert client.get(f"/benchmarks/kitchen/{path}").status_code == 403


@pytest.mark.parametrize("says", ["<answer>B</answer>", "I would rather not say.", "<answer>green</answer>"])
def test_an_equal_answer_and_one_that_cannot_be_read_are_no_flag(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User, rui: User, says: str
) -> None:
    submitted(ana, to_do, gold_boxes=BOX)
    ask(to_do, endpoint_at, lea, says)
    sample = next_review(rui, to_do)
    reviewed(rui, sample, "accept")
    page = signed_in(lea).get("/api/v1/benchmarks/kitchen/evidence/").json()["checking"]
    assert page["flags"]["hits"] == 0
    unread = [one["unread"] for one in page["conditions"]]
    assert unread == ([0, 0] if says == "<answer>B</answer>" else [1, 1])
    assert page["flags"]["n"] == (1 if says == "<answer>B</answer>" else 0)


def test_undecided_open_answers_are_counted_and_no_flag(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    submitted(ana, to_do, gold_boxes=BOX, answer_type="open", options={}, answer=["a porcelain mug"])
    ask(to_do, endpoint_at, lea, "<answer>something of clay</answer>")
    found = signed_in(lea).get("/api/v1/benchmarks/kitchen/evidence/").json()["checking"]
    assert [(one["undecided"], one["mismatch"]["n"]) for one in found["conditions"]] == [(1, 0), (1, 0)]
    assert (found["flags"]["n"], found["flags"]["value"], found["waiting"]) == (0, None, 0)


def test_gold_checks_are_never_asked_about_and_look_like_any_sample(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    gold = to_do.samples.get(key="one")
    GoldCheck.objects.create(sample=gold, active=True, added_by=lea)
    QualityRules.objects.create(benchmark=to_do, check_first=1, check_share=0.0)
    first = submitted(ana, to_do, gold_boxes=BOX)
    assert first == gold
    assert CheckAnswer.objects.filter(check_of__sample=gold).exists()
    second = submitted(ana, to_do, gold_boxes=BOX)
    work = "/benchmarks/kitchen/annotate/samples"
    before = [signed_in(ana).get(f"{work}/{one.key}/").status_code for one in (first, second)]
    ask(to_do, endpoint_at, lea, "<answer>A</answer>")
    assert set(EvidenceTest.objects.values_list("revision__annotation__sample", flat=True)) == {second.pk}
    pages = [signed_in(ana).get(f"{work}/{one.key}/") for one in (first, second)]
    assert [page.status_code for page in pages] == before
    assert not any(SECRET_MODEL in page.content.decode() for page in pages)


def test_the_lead_sees_rates_and_no_sample_that_still_waits(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User, rui: User
) -> None:
    # Ana is wrong on the first two, as the model says, and right on the others.
    for answer in ("B", "B", "B", "A"):
        submitted(ana, to_do, gold_boxes=BOX, answer=[answer])
    ask(to_do, endpoint_at, lea, "<answer>A</answer>")
    reseed(to_do, rui, Arm.SHOWN, *to_do.samples.filter(annotations__isnull=False))
    client = signed_in(lea)
    found = client.get("/api/v1/benchmarks/kitchen/evidence/").json()["checking"]
    assert (found["flags"]["hits"], found["flags"]["n"], found["waiting"]) == (3, 4, 3)
    assert (found["precision"]["n"], found["flagged"]) == (0, [])
    page = client.get("/benchmarks/kitchen/evidence/").content.decode()
    assert "new-0" not in page, "the lead may still review it blind"
    attempts = client.get(f"/benchmarks/kitchen/experiments/{Experiment.objects.get().pk}/").content.decode()
    assert "new-0" not in attempts
    reviewed(rui, next_review(rui, to_do), "return", reasons=["wrong_answer"])
    reviewed(rui, next_review(rui, to_do), "accept")
    fixed = next_review(rui, to_do)
    changed = Revision.objects.get(annotation__sample=fixed)
    reviewed(rui, fixed, "fix_and_accept", content=_changed(changed, "A"))
    found = client.get("/api/v1/benchmarks/kitchen/evidence/").json()["checking"]
    assert (found["precision"]["hits"], found["precision"]["n"], found["waiting"]) == (2, 3, 0)
    assert [(one["sample"], one["confirmed"]) for one in found["flagged"]] == [
        ("new-0", True), ("new-1", False), ("new-2", True),
    ]  # fmt: skip
    page = client.get("/benchmarks/kitchen/evidence/").content.decode()
    assert "new-0" in page
    assert Review.objects.count() == 3


def _changed(revision: Revision, answer: str) -> dict[str, Any]:
    return {
        "question": revision.question, "answer_type": "mc", "options": revision.options, "answer": [answer],
        "gold_boxes": BOX, "facets": {"category": ["Color"]},
    }  # fmt: skip


def test_bad_choices_name_their_field_and_only_a_lead_asks(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    endpoint = endpoint_at("http://127.0.0.1:9/v1")
    with pytest.raises(InvalidInput, match="No question"):
        checked(to_do, endpoint, lea)
    submitted(ana, to_do, gold_boxes=BOX)
    wrong: dict[str, Any] = {
        "purpose": "gossip", "conditions": ["masked"], "samples": "id=new-0", "sampling": "hot", "images": "huge",
        "prompt": "draft@1",
    }  # fmt: skip
    for field, value in wrong.items():
        with pytest.raises(InvalidInput) as refused:
            checked(to_do, endpoint, lea, **{field: value})
        assert refused.value.field == field
    with pytest.raises(InvalidInput, match="facets"):
        checked(to_do, endpoint, lea, samples="q=mug")
    with pytest.raises(NotAllowed):
        create_evidence(actor=ana, benchmark=to_do, endpoint=endpoint, choices=EvidenceChoices("check"))
    assert not Experiment.objects.exists()


def test_a_second_check_asks_only_what_is_new(to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User) -> None:
    submitted(ana, to_do, gold_boxes=BOX)
    with serving(spoken("<answer>A</answer>")) as server:
        endpoint = endpoint_at(server.url)
        checked(to_do, endpoint, lea)
        submitted(ana, to_do, gold_boxes=BOX, question="Which colour is the plate?")
        checked(to_do, endpoint, lea)
        assert len(server.seen.requests) == 4
    assert EvidenceTest.objects.count() == 4


def test_the_interval_of_a_rate_covers_a_known_one_with_several_questions_per_image() -> None:
    """Rate .3, 40 images of 1 to 3 questions whose flags are alike with chance .5."""
    rng, covered = np.random.default_rng(9), 0
    for _ in range(200):
        sizes = rng.integers(1, 4, 40)
        image = np.repeat(np.arange(40), sizes)
        common, alike = rng.random(40) < 0.3, rng.random(len(image)) < 0.5
        flags = np.where(alike, common[image], rng.random(len(image)) < 0.3).astype(np.float64)
        found = rate_interval(flags, image)
        covered += found is not None and found.low <= 0.3 <= found.high
    assert covered >= 184, "95% of 200 less three standard errors"
