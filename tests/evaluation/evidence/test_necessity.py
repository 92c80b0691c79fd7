"""Gold questions under conditions: what a model is shown, the results, and the facet that a lead sets and undoes."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from annotation.content.evidence import keep_answer
from annotation.content.facet_batches import undo_batch
from annotation.content.revisions import make_gold
from annotation.evidence import FACET, Condition, Purpose
from annotation.imaging.decoding import decode
from annotation.models import (
    Benchmark,
    EvidenceTest,
    FacetBatch,
    FacetValue,
    GoldBox,
    GoldCheck,
    QualityRules,
    Revision,
    Sample,
)
from annotation.queue.assignment import next_to_annotate
from annotation.queue.editor import studio_json
from evaluation.evidence.read.necessity import result_of
from evaluation.evidence.read.necessity import tested_gold as gold_with_answers
from evaluation.evidence.write import set_facet
from evaluation.experiments.write.evidence import EvidenceChoices, create_evidence
from evaluation.experiments.write.states import start_all
from evaluation.models import Endpoint, Experiment
from evaluation.runner.evidence import Asked, EvidenceRecipe, EvidenceTurn
from evaluation.runner.images import SourceImage
from evaluation.runner.templates import load_prompt
from evaluation.stand_in.catalogue import brain_of
from evaluation.stand_in.chat import chat_of
from evaluation.stand_in.recorded import Recorded
from tests.annotation.work_data import another_size
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import serving, spoken
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
IMAGE, SMALL, MASKED, CROP, QUESTION = Condition
NEEDED = {CROP: True, IMAGE: True, MASKED: False, QUESTION: False, SMALL: False}
NOT_NEEDED = {CROP: True, MASKED: True, QUESTION: False, SMALL: True}


@pytest.fixture
def gold(to_do: Benchmark) -> dict[str, Revision]:
    """The two gold questions with a box each, by key."""
    found = {one.gold_of.sample.key: one for one in Revision.objects.filter(gold_of__isnull=False)}
    for revision in found.values():
        GoldBox.objects.create(
            revision=revision, position=0, x1=20, y1=20, x2=60, y2=50, image_width=100, image_height=100
        )
    return found


def asked(benchmark: Benchmark, endpoint: Endpoint, lea: User, **choices: Any) -> Experiment:
    given = EvidenceChoices(**{"purpose": "evidence", "sampling": "greedy", **choices})
    experiment = create_evidence(actor=lea, benchmark=benchmark, endpoint=endpoint, choices=given)
    start_all(actor=lea, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    return experiment


def answered(revision: Revision, results: dict[Condition, bool | None], times: int = 2) -> None:
    for condition, right in results.items():
        for number in range(times):
            keep_answer(
                revision.pk, condition, Purpose.EVIDENCE, answer="x", right=right, model=f"m-{number}", digest="d"
            )


def test_each_condition_shows_its_part_of_the_image_and_never_the_answer(
    to_do: Benchmark, gold: dict[str, Revision], endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(spoken("<answer>2</answer>")) as server:
        experiment = asked(to_do, endpoint_at(server.url), lea)
        bodies = server.seen.bodies()
    assert (experiment.state, experiment.attempts.filter(state="done").count()) == ("done", 10)
    assert all('"2"' not in json.dumps(body["messages"]) for body in bodies)
    tests = EvidenceTest.objects.filter(revision=gold["one"])
    assert set(tests.values_list("condition", "right")) == {(one.value, True) for one in Condition}
    sent = {one.arm: one for one in experiment.attempts.filter(sample__key="one")}
    pictures = {}
    for name, attempt in sent.items():
        request = json.loads(bytes(attempt.exchanges.get().request))
        parts = request["messages"][0]["content"]
        listed = parts if isinstance(parts, list) else []
        urls = [part["image_url"]["url"] for part in listed if part["type"] == "image_url"]
        assert len(urls) == (0 if name == "question" else 1)
        if urls:
            image = experiment.images.get(sha256=urls[0].removeprefix("sha256:"))
            pictures[name] = decode(objects.read(image.name))
    whole, masked = pictures["image"], pictures["masked"]
    assert whole.shape == masked.shape
    inside = np.abs(whole[20:50, 20:60].astype(int) - masked[20:50, 20:60]).mean()
    outside = np.abs(whole[60:, 70:].astype(int) - masked[60:, 70:]).mean()
    assert inside > 5 * max(outside, 1)
    assert pictures["crop"].shape[0] < whole.shape[0]
    assert max(pictures["small"].shape[:2]) <= 1024


def test_a_gold_without_boxes_is_asked_only_where_no_box_is_needed(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(spoken("<answer>3</answer>")) as server:
        experiment = asked(to_do, endpoint_at(server.url), lea)
    states = set(experiment.attempts.values_list("arm", "state"))
    assert {arm for arm, state in states if state == "skipped"} == {"masked", "crop"}
    assert experiment.attempts.filter(error="").exclude(state="skipped").count() == 6


def as_received(request: Any) -> bytes:
    """The request as an endpoint gets it, with the images in it."""
    body = json.loads(json.dumps(request.body))
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "image_url":
                image = request.images[part["image_url"]["url"].removeprefix("sha256:")]
                part["image_url"]["url"] = f"data:{image.media_type};base64,{b64encode(image.data).decode()}"
    return json.dumps(body).encode()


@pytest.mark.endurance
def test_the_stand_in_reads_the_evidence_and_nothing_else() -> None:
    """Its rate is 1 while the evidence is shown, and 0 without it."""
    recorded = Recorded.read()
    known = next(one for one in recorded.samples if one.gold_boxes and one.row.get("options"))
    brain = brain_of("reader:p=1,q=0", recorded, 0)
    source = SourceImage("x", *known.size, load=known.image.read_bytes)
    recipe = EvidenceRecipe(tuple(Condition), "reader", "http://127.0.0.1:9/v1", load_prompt("evidence"))
    right = {}
    for condition in Condition:
        question = Asked(known.question, known.row["options"], known.gold_boxes)
        request = EvidenceTurn(recipe, condition, question, source).next()
        said = brain.respond(chat_of(as_received(request))).text
        right[condition] = f"<answer>{known.answers[0]}</answer>" in said
    assert (right[IMAGE], right[CROP], right[MASKED], right[QUESTION]) == (True, True, False, False)


def test_a_lead_previews_sets_and_undoes_the_facet(
    to_do: Benchmark, gold: dict[str, Revision], lea: User, django_assert_max_num_queries: Any
) -> None:
    answered(gold["one"], NEEDED)
    answered(gold["two"], NOT_NEEDED)
    client, api = signed_in(lea), "/api/v1/benchmarks/kitchen/evidence/"
    found = client.get(api).json()["necessity"]
    assert found == {
        "samples": 2, "needed": 1, "not_needed": 1, "undefined": 0, "unreadable_at_1024": 1, "readable_at_1024": 1,
        "changes": 2,
    }  # fmt: skip
    page = client.get("/benchmarks/kitchen/evidence/").content.decode()
    assert "1 samples would get “yes”, 1 would get “no”" in page
    preview = client.post(f"{api}facet/", {"preview": True}, content_type="application/json").json()
    assert (preview["batch"], preview["yes"], preview["no"], preview["replaced"]) == (None, 1, 1, 0)
    assert not FacetValue.objects.filter(name=FACET).exists()
    sent = client.post("/benchmarks/kitchen/evidence/facet/", {"least": "2", "expected": "2"})
    assert sent.status_code == 302
    values = dict(FacetValue.objects.filter(name=FACET).values_list("sample__key", "value"))
    assert values == {"one": "yes", "two": "no"}
    rows = client.get(f"{api}samples/").json()["results"]
    assert [(one["sample"], one["needs_evidence"]) for one in rows] == [("one", True), ("two", False)]
    assert rows[0]["conditions"]["crop"] == {"correct": 2, "incorrect": 0, "undecided": 0, "unread": 0}
    samples = client.get("/api/v1/benchmarks/kitchen/samples/?facet.needs_evidence=yes").json()["results"]
    assert [one["key"] if "key" in one else one["id"] for one in samples] == ["one"]
    with django_assert_max_num_queries(40):
        client.get("/benchmarks/kitchen/evidence/")
    batch = FacetBatch.objects.get()
    FacetValue.objects.filter(name=FACET, sample__key="two").update(value="unclear")
    undone = client.post(f"{api}facet/undo/", {"batch": batch.pk}, content_type="application/json").json()
    assert undone == {"restored": 1, "kept": 1}
    assert dict(FacetValue.objects.filter(name=FACET).values_list("sample__key", "value")) == {"two": "unclear"}
    with pytest.raises(Conflict, match="undone already"):
        undo_batch(actor=lea, batch=batch)
    assert set(AuditEntry.objects.filter(action__startswith="benchmark.facets").values_list("action", flat=True)) == {
        "benchmark.facets", "benchmark.facets_undo",
    }  # fmt: skip


def test_too_few_answers_leave_the_result_undefined_and_set_nothing(
    to_do: Benchmark, gold: dict[str, Revision], lea: User
) -> None:
    answered(gold["one"], NEEDED, times=1)
    answered(gold["two"], dict.fromkeys(Condition, None))
    with pytest.raises(Conflict, match="No sample would change"):
        set_facet(actor=lea, benchmark=to_do, least=2)
    batch = set_facet(actor=lea, benchmark=to_do, least=1)
    assert [change[2] for change in batch.changes] == ["yes"]


def test_a_preview_that_is_out_of_date_sets_nothing_and_only_a_lead_sets(
    to_do: Benchmark, gold: dict[str, Revision], lea: User, ana: User
) -> None:
    answered(gold["one"], NEEDED)
    answered(gold["two"], NOT_NEEDED)
    with pytest.raises(Conflict) as refused:
        set_facet(actor=lea, benchmark=to_do, least=2, expected=1)
    assert refused.value.code == "changed"
    with pytest.raises(InvalidInput):
        set_facet(actor=lea, benchmark=to_do, least=0)
    with pytest.raises(NotAllowed):
        set_facet(actor=ana, benchmark=to_do, least=2)
    assert not FacetValue.objects.filter(name=FACET).exists()


def test_another_gold_has_other_answers_and_loses_the_facet(
    to_do: Benchmark, gold: dict[str, Revision], lea: User
) -> None:
    answered(gold["one"], NEEDED)
    set_facet(actor=lea, benchmark=to_do, least=2)
    first = gold["one"]
    second = Revision.objects.create(
        annotation=first.annotation, number=2, question="Another?", answer_type="open", answers=["2"],
        facets={FACET: ["yes"], "scene": ["desk"]}, submitted_at=first.submitted_at, digest="e" * 64,
    )  # fmt: skip
    make_gold(second)
    names = set(FacetValue.objects.filter(sample__key="one").values_list("name", flat=True))
    assert names == {"scene"}
    assert signed_in(lea).get("/api/v1/benchmarks/kitchen/evidence/").json()["necessity"]["samples"] == 0


def test_the_facet_of_a_gold_check_is_never_shown_to_its_annotator(
    to_do: Benchmark, gold: dict[str, Revision], lea: User, ana: User
) -> None:
    answered(gold["one"], NEEDED)
    set_facet(actor=lea, benchmark=to_do, least=2)
    check = Sample.objects.get(key="one")
    # Even if a sample to do had the facet, from a file.
    other = to_do.samples.get(key="new-3")
    FacetValue.objects.create(sample=other, benchmark=to_do, name=FACET, value="no")
    GoldCheck.objects.create(sample=check, active=True, added_by=lea)
    QualityRules.objects.create(benchmark=to_do, check_first=1, check_share=0.0)
    assert next_to_annotate(actor=ana, benchmark=to_do) == check
    assert FACET not in studio_json(ana, check, {})["content"].get("facets", {})


def test_the_lead_sees_the_image_of_each_condition(to_do: Benchmark, gold: dict[str, Revision], lea: User) -> None:
    client, seen = signed_in(lea), set()
    for condition in Condition:
        sent = client.get(f"/benchmarks/kitchen/evidence/images/one/{condition}/")
        assert sent.status_code == (404 if condition is QUESTION else 200)
        seen.add(sent.content)
    assert len(seen) >= 4
    assert client.get("/benchmarks/kitchen/evidence/images/one/mirror/").status_code == 404
    assert client.get("/benchmarks/kitchen/evidence/images/none/crop/").status_code == 404


def test_a_lead_asks_a_model_on_the_page_and_over_the_api(
    to_do: Benchmark, gold: dict[str, Revision], endpoint_at: EndpointAt, lea: User
) -> None:
    client, url = signed_in(lea), "/benchmarks/kitchen/experiments/evidence/"
    with serving(spoken("<answer>2</answer>")) as server:
        endpoint = endpoint_at(server.url)
        assert client.get(f"{url}?purpose=evidence").status_code == 200
        form = {
            "purpose": "evidence", "endpoint": endpoint.pk, "conditions": ["crop", "question"], "sampling": "greedy",
            "budget_usd": "5", "budget_calls": "20", "start": "yes",
        }  # fmt: skip
        assert client.post(url, form | {"purpose": "check"}).status_code == 400
        assert client.post(url, form).status_code == 302
        body = {"endpoint": endpoint.name, "purpose": "evidence", "conditions": ["image"], "start": "all"}
        sent = client.post(f"/api/v1{url}", body, content_type="application/json")
        assert (sent.status_code, sent.json()["kind"]) == (201, "evidence")
        run_waiting()
        page = client.get(f"/benchmarks/kitchen/experiments/{sent.json()['id']}/").content.decode()
    assert "Condition" in page
    assert EvidenceTest.objects.values("condition").distinct().count() == 3


def test_answers_on_an_image_that_was_replaced_do_not_count(gold: dict[str, Revision], lea: User) -> None:
    key, revision = next(iter(gold.items()))
    benchmark, sample = revision.annotation.sample.benchmark, revision.annotation.sample
    answered(revision, NEEDED)
    assert [result_of(one, 1).key for one in gold_with_answers(benchmark)] == [key]
    another_size(sample, (sample.width or 100, sample.height or 100), lea, boxes="kept")
    assert not gold_with_answers(benchmark).exists()
    answered(revision, NEEDED)
    [found] = gold_with_answers(benchmark)
    assert result_of(found, 1).needs
