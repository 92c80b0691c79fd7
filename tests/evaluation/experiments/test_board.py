"""Models at the building board: what they are sent, what of it counts, and what people may know before they checked."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.board.read.audits import batches_of, items_to_audit, proposals_for
from annotation.board.write.audits import check_text
from annotation.board.write.drafts import keep_description
from annotation.board.write.items import reject_item, set_description, set_image
from annotation.building import Stage
from annotation.building.rules import Finding
from annotation.models import AuditBatch, Benchmark, BuildItem, ItemAudit
from annotation.workflow import Role
from evaluation.experiments.write.board import (
    AuditChoices,
    DescribeChoices,
    RenderChoices,
    create_audit,
    create_describing,
    create_rendering,
)
from evaluation.experiments.write.endpoints import add_endpoint
from evaluation.experiments.write.prompts import create_prompt
from evaluation.experiments.write.states import retry_failed, start_all, start_trial, stop
from evaluation.models import Attempt, Endpoint, Exchange, Experiment, Prompt
from evaluation.runner.audits import EARLIER, AuditError, AuditRecipe
from evaluation.runner.templates import load_prompt
from evaluation.stand_in.recorded import Recorded
from evaluation.stand_in.server import Options, StandIn
from tests.annotation.board_data import brought, drawn, findings, photo, workshop
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import Answer, serving
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
BOARD, API = "/benchmarks/workshop/board/", "/api/v1/benchmarks/workshop/board/"


@pytest.fixture(autouse=True)
def files_elsewhere(tmp_path: Any, settings: Any) -> None:
    files = {"BACKEND": "webapp.common.objects.Folder", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}


@made_once
def bench(lea: User, ana: User, rui: User) -> Benchmark:
    """Four items of single tools wait at QC-I."""
    made = workshop(lea, annotator=ana, reviewer=rui)
    for _ in range(4):
        brought(lea, drawn(lea, made), Stage.TEXT_CHECK)
    return made


@contextmanager
def stand_in() -> Iterator[str]:
    with StandIn(Recorded({}, {}), Options()) as running:
        yield running.base_url


def asked(lea: User, bench: Benchmark, url: str, model: str = "auditor", **choices: Any) -> Experiment:
    values = {"preset": "stand-in", "base_url": url, "model": model}
    endpoint = add_endpoint(actor=lea, benchmark=bench, name=f"e-{Endpoint.objects.count()}", values=values)
    experiment = create_audit(actor=lea, benchmark=bench, endpoint=endpoint, choices=AuditChoices(**choices))
    start_all(actor=lea, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    return experiment


def generated(lea: User, bench: Benchmark, url: str, preset: str = "images", **choices: Any) -> Experiment:
    values = {"preset": preset, "base_url": url, "model": "painter"}
    endpoint = add_endpoint(actor=lea, benchmark=bench, name=f"p-{Endpoint.objects.count()}", values=values)
    experiment = create_rendering(actor=lea, benchmark=bench, endpoint=endpoint, choices=RenderChoices(**choices))
    start_all(actor=lea, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    return experiment


def checked(person: User, item: BuildItem, *, wrong: bool = False) -> BuildItem:
    said = findings(item)
    if wrong:
        said[0] = Finding(said[0].tool, said[0].essential, False)
    return check_text(actor=person, item=item, version=item.version, findings=said, valid_sequence=True)


def due(bench: Benchmark) -> BuildItem:
    """The only item of the newest batch that waits for a person."""
    [item] = batches_of(bench)[0].waiting
    return BuildItem.objects.select_related("benchmark").get(pk=item.pk)


def test_a_model_is_sent_the_tools_without_their_roles_and_its_exchanges_are_stored(
    bench: Benchmark, lea: User
) -> None:
    with stand_in() as url:
        experiment = asked(lea, bench, url)
    assert (experiment.state, experiment.attempts.filter(state="done").count()) == ("done", 4)
    first, second = Exchange.objects.filter(attempt=experiment.attempts.first()).order_by("n")
    item = BuildItem.objects.get(number=1)
    opening = json.loads(bytes(first.request))["messages"][0]["content"]
    assert all(f"- {tool}\n" in opening for tool in item.candidates)
    assert "target" not in opening.lower()
    assert f"1. {item.targets[0]}" in json.loads(bytes(second.request))["messages"][2]["content"]
    assert set(ItemAudit.objects.values_list("version", flat=True)) == {item.version}
    assert BuildItem.objects.filter(stage="text_check").count() == 4, "nothing of it counts yet"


STRICT = load_prompt("audit-tools").text + "\nBe strict."


def test_a_lead_writes_the_prompts_of_checks_and_reads_them_with_the_results(
    bench: Benchmark, lea: User, rui: User
) -> None:
    create_prompt(actor=lea, benchmark=bench, slug="strict", role="audit-tools", text=STRICT)
    with stand_in() as url:
        experiment = asked(lea, bench, url, tools_prompt="strict@1")
    assert experiment.attempts.filter(state="done").count() == 4
    sent = json.loads(bytes(Exchange.objects.order_by("attempt", "n").first().request))
    assert sent["messages"][0]["content"].endswith("Be strict.")
    batch = AuditBatch.objects.get()
    steps = load_prompt("audit-steps").text
    assert (batch.tools_text, batch.steps_text) == (STRICT, steps)
    assert batch.prompt == hashlib.sha256(f"{STRICT}\0{steps}".encode()).hexdigest()
    assert "Be strict." in signed_in(lea).get(BOARD).content.decode()
    assert "Be strict." not in signed_in(rui).get(BOARD).content.decode()
    [row] = signed_in(lea).get(f"{API}audits/").json()["audits"]
    assert (row["prompt"], row["tools_text"]) == (batch.prompt, STRICT)
    page = signed_in(lea).get(f"/benchmarks/workshop/experiments/{experiment.pk}/").content.decode()
    assert "strict@1" in page
    assert "audit-steps@1" in page
    [prompt] = Prompt.objects.all()
    assert prompt.frozen
    assert "Be strict." in signed_in(lea).get("/benchmarks/workshop/prompts/strict/").content.decode()


@pytest.mark.parametrize("whose", ["mine", "first", "default", "nobody's"])
def test_a_batch_with_only_the_digest_shows_the_prompts_that_have_it(bench: Benchmark, lea: User, whose: str) -> None:
    create_prompt(actor=lea, benchmark=bench, slug="strict", role="audit-tools", text=STRICT)
    tools, steps = load_prompt("audit-tools").text, load_prompt("audit-steps").text
    digest, text, names = {
        "mine": (hashlib.sha256(f"{STRICT}\0{steps}".encode()).hexdigest(), STRICT, "strict@1, audit-steps@1"),
        "default": (hashlib.sha256(f"{tools}\0{steps}".encode()).hexdigest(), tools, "audit-tools@1, audit-steps@1"),
        "first": (EARLIER, tools, "audit-tools@1, audit-steps@1"),
        "nobody's": ("0" * 64, "", ""),
    }[whose]
    AuditBatch.objects.create(benchmark=bench, model="auditor", prompt=digest, seed="0", share=0.5, created_by=lea)
    page = signed_in(lea).get(BOARD).content.decode()
    [row] = signed_in(lea).get(f"{API}audits/").json()["audits"]
    assert row["tools_text"] == text
    assert digest in page
    if names:
        assert row["texts_from"] == "prompts"
        assert names in page
        assert "You check an item" in page
    else:
        assert row["texts_from"] == "unknown"
        assert "only the SHA-256 of its texts, and no prompt has the same" in page


def test_a_prompt_of_checks_has_the_fields_that_its_request_needs(bench: Benchmark, lea: User) -> None:
    def written(role: str, text: str) -> None:
        create_prompt(actor=lea, benchmark=bench, slug="other", role=role, text=text)

    with pytest.raises(InvalidInput, match=r"needs the field \{\{ tools \}\}"):
        written("audit-tools", "{{ instruction }} {{ description }}")
    with pytest.raises(InvalidInput, match="unknown field 'steps'"):
        written("audit-tools", "{{ instruction }} {{ description }} {{ tools }} {{ steps }}")
    with pytest.raises(InvalidInput, match=r"needs the field \{\{ steps \}\}"):
        written("audit-steps", "Is the order valid?")
    with stand_in() as url, pytest.raises(InvalidInput, match="Allowed here: audit-steps"):
        asked(lea, bench, url, steps_prompt="audit-tools")
    assert not AuditBatch.objects.exists()


def test_checks_of_the_time_before_prompts_could_be_chosen_go_on() -> None:
    recipe = AuditRecipe("auditor", "http://localhost")
    earlier = {name: value for name, value in recipe.to_json().items() if not name.endswith("_prompt")}
    assert AuditRecipe.from_json({**earlier, "checks": EARLIER}) == recipe
    assert AuditRecipe.from_json(recipe.to_json()) == recipe
    with pytest.raises(AuditError, match="other texts"):
        AuditRecipe.from_json({**earlier, "checks": "0" * 64})


def test_people_who_agree_on_the_draw_let_the_findings_count_for_the_rest(bench: Benchmark, lea: User) -> None:
    with stand_in() as url:
        asked(lea, bench, url)
    item = due(bench)
    assert AuditBatch.objects.get().state == "drawn"
    assert not items_to_audit(bench).exists(), "no second model is asked meanwhile"
    checked(lea, item)
    assert set(BuildItem.objects.values_list("stage", flat=True)) == {"image"}
    [facts] = batches_of(bench)
    assert (facts.batch.state, facts.items, facts.drawn, facts.found.items, facts.found.checked) == (
        "passed",
        4,
        1,
        0,
        1,
    )
    assert facts.found.interval is not None
    assert facts.found.interval.high > 0.7, "one item says little"
    other = BuildItem.objects.exclude(pk=item.pk).first()
    assert other is not None
    decision = other.decisions.get(stage="text_check")
    assert (decision.person, decision.model, decision.details["confirmed"]) == (None, "auditor", 1)
    assert AuditEntry.objects.get(action="build.audit_settled").data["counted"] == 3


def test_one_disagreement_sends_the_rest_of_the_batch_to_people(bench: Benchmark, lea: User) -> None:
    with stand_in() as url:
        asked(lea, bench, url)
    item = due(bench)
    checked(lea, item, wrong=True)
    [facts] = batches_of(bench)
    assert (facts.batch.state, facts.found.items, facts.found.checked) == ("people", 1, 1)
    assert BuildItem.objects.filter(stage="text_check").count() == 4
    assert items_to_audit(bench).count() == 4
    page = signed_in(lea).get(BOARD).content.decode()
    assert "1 of 1 (95% interval: 21% to 100%)" in page
    [row] = signed_in(lea).get(f"{API}audits/").json()["audits"]
    assert (row["disagreements"], row["waiting"], row["state"]) == (1, [], "people")


def test_a_finding_against_the_plan_stops_the_items_of_a_confirmed_batch(bench: Benchmark, lea: User) -> None:
    with stand_in() as url:
        asked(lea, bench, url)
    item = due(bench)
    odd = BuildItem.objects.exclude(pk=item.pk).order_by("pk").first()
    assert odd is not None
    row = ItemAudit.objects.get(item=odd)
    row.findings = [one | {"essential": one["tool"] == odd.candidates[-1]} for one in row.findings]
    row.save()
    checked(lea, item)
    odd.refresh_from_db()
    assert odd.stage == "text_check"
    assert [one.verdict for one in odd.decisions.filter(model="auditor")] == ["stopped"]
    assert proposals_for(lea, odd) is None, "Lea has not checked it herself"
    odd.benchmark = bench
    checked(lea, odd, wrong=True)
    found = proposals_for(lea, BuildItem.objects.get(pk=odd.pk))
    assert found is not None
    assert {(one.tool, one.essential) for one in found.moves} == {(odd.targets[0], False), (odd.candidates[-1], True)}
    page = signed_in(lea).get(f"{BOARD}items/{odd.number}/").content.decode()
    assert "Findings of auditor" in page
    assert "make it a distractor" in page


def test_a_drawn_item_that_leaves_is_replaced_by_another(bench: Benchmark, lea: User) -> None:
    with stand_in() as url:
        asked(lea, bench, url)
    item = due(bench)
    reject_item(actor=lea, item=item, version=item.version, to=Stage.DISCARDED, reasons=["other"])
    other = due(bench)
    assert other.pk != item.pk
    checked(lea, other)
    assert AuditBatch.objects.get().state == "passed"


def test_a_share_of_the_items_is_drawn_by_the_seed_and_never_less_than_a_tenth(bench: Benchmark, lea: User) -> None:
    with stand_in() as url:
        with pytest.raises(InvalidInput) as refused:
            asked(lea, bench, url, share=0.05)
        assert refused.value.field == "share"
        asked(lea, bench, url, share=0.5)
    [facts] = batches_of(bench)
    assert (facts.drawn, len(facts.waiting)) == (2, 2)
    assert [item.pk for item in batches_of(bench)[0].waiting] == [item.pk for item in facts.waiting]
    checked(lea, BuildItem.objects.select_related("benchmark").get(pk=facts.waiting[0].pk))
    assert AuditBatch.objects.get().state == "drawn", "half of the draw is not enough"


def test_a_malformed_answer_fails_its_item_alone_and_an_empty_batch_is_for_people(bench: Benchmark, lea: User) -> None:
    said = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": '{"saw": true}'}}]})
    with serving(Answer(body=said.encode())) as server:
        experiment = asked(lea, bench, server.url)
    assert set(experiment.attempts.values_list("state", "error_kind")) == {("failed", "malformed")}
    assert AuditBatch.objects.get().state == "people"
    with stand_in() as url:
        other = asked(lea, bench, url)
        assert retry_failed(actor=lea, experiment=experiment) == 4
        run_waiting()
    assert set(experiment.attempts.values_list("state", flat=True)) == {"skipped"}, "its batch is settled"
    assert other.attempts.filter(state="done").count() == 4


def test_a_stopped_experiment_lets_people_check_what_there_is(bench: Benchmark, lea: User) -> None:
    with stand_in() as url:
        values = {"preset": "stand-in", "base_url": url, "model": "auditor"}
        endpoint = add_endpoint(actor=lea, benchmark=bench, name="local", values=values)
        experiment = create_audit(actor=lea, benchmark=bench, endpoint=endpoint, choices=AuditChoices())
        start_trial(actor=lea, experiment=experiment)
        run_waiting()
    experiment.refresh_from_db()
    assert (experiment.state, AuditBatch.objects.get().state) == ("ready", "asking")
    stop(actor=lea, experiment=experiment)
    assert AuditBatch.objects.get().state == "drawn"
    assert batches_of(bench)[0].items == 3


def test_nobody_sees_what_others_found_before_their_own_check(bench: Benchmark, lea: User) -> None:
    other = make_user("ida")
    add_member(actor=None, benchmark=bench, user=other, role=Role.LEAD)
    with stand_in() as url:
        experiment = asked(lea, bench, url)
    item = due(bench)
    said = [Finding(one.tool, True, True) for one in findings(item)]
    check_text(
        actor=lea, item=item, version=item.version, findings=said, valid_sequence=True, note="All of it is needed here"
    )
    attempt = experiment.attempts.get(item=item)
    places = (
        f"{BOARD}items/{item.number}/", f"{API}items/{item.number}/",
        f"/benchmarks/workshop/experiments/{experiment.pk}/attempts/{attempt.pk}/",
        f"/benchmarks/workshop/experiments/{experiment.pk}/exchanges.jsonl",
    )  # fmt: skip

    def seen(person: User) -> str:
        answers = [signed_in(person).get(place) for place in places]
        return "\n".join(b"".join(a.streaming_content).decode() if a.streaming else a.content.decode() for a in answers)

    assert "All of it is needed here" in seen(lea)
    assert f'"sample":"{item}"' in seen(lea)
    blind = seen(other)
    assert "All of it is needed here" not in blind
    assert "which is a distractor" not in blind
    assert f'"sample":"{item}"' not in blind
    now = BuildItem.objects.select_related("benchmark").get(pk=item.pk)
    check_text(actor=other, item=now, version=now.version, findings=said, valid_sequence=True)
    assert "All of it is needed here" in seen(other)


def test_a_generated_image_waits_for_a_person_and_names_model_prompt_and_seed(
    bench: Benchmark, lea: User, rui: User
) -> None:
    for item in BuildItem.objects.select_related("benchmark").order_by("number")[:2]:
        checked(lea, item)
    with stand_in() as url:
        experiment = generated(lea, bench, url, size="256x256")
    assert experiment.attempts.filter(state="done").count() == 2
    one, other = BuildItem.objects.filter(stage="image_check").select_related("image").order_by("number")
    assert one.image is not None
    assert (one.image.width, one.image.height) == (256, 256)
    assert one.image != other.image
    assert one.rendered is not None
    assert set(one.rendered) == {"model", "prompt", "seed"}
    [exchange] = Exchange.objects.filter(attempt__item=one)
    sent = json.loads(bytes(exchange.request))
    assert (sent["prompt"], sent["seed"], sent["response_format"]) == (
        one.description, one.rendered["seed"], "b64_json",
    )  # fmt: skip
    assert "painter" in signed_in(rui).get(f"{BOARD}items/{one.number}/").content.decode()
    # A rejected image is generated with another seed; an uploaded one was not generated.
    back = reject_item(actor=lea, item=_again(one), version=one.version, to=Stage.IMAGE, reasons=["scene_unrealistic"])
    with stand_in() as url:
        generated(lea, bench, url, size="256x256", items=[one.number])
    new = _again(back)
    assert new.image != one.image
    assert new.rendered is not None
    assert new.rendered["seed"] != one.rendered["seed"]
    back = reject_item(actor=lea, item=new, version=new.version, to=Stage.IMAGE, reasons=["scene_unrealistic"])
    assert set_image(actor=lea, item=back, version=back.version, data=photo()).rendered is None


def _again(item: BuildItem) -> BuildItem:
    found: BuildItem = BuildItem.objects.select_related("benchmark", "image").get(pk=item.pk)
    return found


def test_what_is_no_image_fails_its_item_alone_and_no_address_is_followed(bench: Benchmark, lea: User) -> None:
    checked(lea, _again(BuildItem.objects.get(number=1)))
    answers: list[tuple[dict[str, Any], str]] = [
        ({"data": [{"url": "http://127.0.0.1:9/secret.png"}]}, "server"),
        ({"data": [{"b64_json": base64.b64encode(b"GIF89a no image").decode()}]}, "malformed"),
        ({"data": [{"b64_json": "%%%"}]}, "malformed"),
        ({"data": []}, "server"),
    ]
    for body, kind in answers:
        with serving(Answer(body=json.dumps(body).encode())) as server:
            experiment = generated(lea, bench, server.url)
            assert [path for path, *_ in server.seen.requests] == ["/v1/images/generations"], body
        assert experiment.attempts.get().error_kind == kind, body
    assert BuildItem.objects.get(number=1).stage == "image"


def test_an_endpoint_without_seeds_is_sent_none(bench: Benchmark, lea: User) -> None:
    checked(lea, _again(BuildItem.objects.get(number=1)))
    body = {
        "data": [{"b64_json": base64.b64encode(photo()).decode()}],
        "usage": {"input_tokens": 20, "output_tokens": 272},
    }
    with serving(Answer(body=json.dumps(body).encode())) as server:
        generated(lea, bench, server.url, "openai-images")
        [sent] = server.seen.bodies()
    assert {"seed", "response_format"}.isdisjoint(sent)
    item = BuildItem.objects.get(number=1)
    assert item.rendered is not None
    assert item.rendered["seed"] is None
    assert Exchange.objects.get().output_tokens == 272


def test_only_leads_ask_models_and_each_kind_of_endpoint_has_its_purpose(
    bench: Benchmark, lea: User, ana: User
) -> None:
    values = {"preset": "images", "base_url": "http://127.0.0.1:9/v1", "model": "painter"}
    painter = add_endpoint(actor=lea, benchmark=bench, name="painter", values=values)
    with pytest.raises(InvalidInput, match="does not answer questions"):
        create_audit(actor=lea, benchmark=bench, endpoint=painter, choices=AuditChoices())
    with pytest.raises(InvalidInput, match="No item is at the stage"):
        create_rendering(actor=lea, benchmark=bench, endpoint=painter, choices=RenderChoices())
    with pytest.raises(InvalidInput, match="Item 99"):
        create_rendering(actor=lea, benchmark=bench, endpoint=painter, choices=RenderChoices(items=[99]))
    with pytest.raises(NotAllowed):
        create_audit(actor=ana, benchmark=bench, endpoint=painter, choices=AuditChoices())
    assert signed_in(ana).get(f"{BOARD}audits/new/").status_code == 403
    page = signed_in(lea).post(f"{BOARD}images/new/", {"endpoint": painter.pk, "items": "one"}).content.decode()
    assert "Enter numbers of items" in page
    sent = {"endpoint": "painter", "items": [1]}
    said = signed_in(lea).post(f"{API}images/", json.dumps(sent), content_type="application/json")
    assert (said.status_code, said.json()["error"]["field"]) == (400, "items")
    assert not Attempt.objects.exists()


GOOD = "On the bench lie {tools}. Nothing else is near."


def to_describe(lea: User, bench: Benchmark) -> BuildItem:
    return brought(lea, drawn(lea, bench), Stage.DESCRIPTION)


def described(
    lea: User, bench: Benchmark, url: str, preset: str = "generic", model: str = "m-1", **choices: Any
) -> Experiment:
    values = {"preset": preset, "base_url": url, "model": model}
    endpoint = add_endpoint(actor=lea, benchmark=bench, name=f"d-{Endpoint.objects.count()}", values=values)
    experiment = create_describing(actor=lea, benchmark=bench, endpoint=endpoint, choices=DescribeChoices(**choices))
    start_all(actor=lea, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    return experiment


def describing(text: str) -> Answer:
    message = {"role": "assistant", "content": json.dumps({"description": text})}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "model": "m-1"}
    return Answer(body=json.dumps(body).encode())


def good(item: BuildItem) -> str:
    return GOOD.format(tools=", ".join(f"a {tool}" for tool in item.candidates))


def fresh(item: BuildItem) -> BuildItem:
    return BuildItem.objects.select_related("benchmark").get(pk=item.pk)


def test_a_model_drafts_a_description_from_the_tools_without_their_roles_and_a_person_accepts_it(
    bench: Benchmark, lea: User, rui: User
) -> None:
    item = to_describe(lea, bench)
    with serving(describing(good(item))) as server:
        experiment = described(lea, bench, server.url)
        [body] = server.seen.bodies()
    said = body["messages"][0]["content"]
    assert item.instruction in said
    assert all(f"- {tool}\n" in said for tool in item.candidates)
    assert "target" not in said.lower()
    assert (experiment.kind, experiment.attempts.get().state) == ("describe", "done")
    item = fresh(item)
    assert (item.stage, item.description) == ("description", ""), "it counts once a person saves it"
    client, at = signed_in(lea), f"{BOARD}items/{item.number}/"
    assert "Draft of <bdi>m-1</bdi>" in client.get(at).content.decode()
    assert f">\n{good(item)}</textarea>" in client.get(f"{at}?draft").content.decode()
    assert client.get(f"{API}items/{item.number}/").json()["draft"]["text"] == good(item)
    assert good(item) not in signed_in(rui).get(at).content.decode()
    assert signed_in(rui).get(f"{API}items/{item.number}/").json()["draft"] is None
    client.post(at, {"version": item.version, "description": good(item)})
    item = fresh(item)
    assert (item.stage, item.description, item.draft) == ("text_check", good(item), None)
    decision = item.decisions.last()
    assert (decision.person, decision.details["draft"]["model"], decision.details["draft"]["likeness"]) == (
        lea,
        "m-1",
        1,
    )
    assert AuditEntry.objects.filter(action="build.draft", subject_id=str(item.pk)).exists()
    item = checked(lea, item)
    assert item.stage == "image", "QC-II finds every tool"
    assert "The draft of m-1 is accepted unchanged." in client.get(at).content.decode()


def test_a_draft_that_a_person_changed_says_how_much_of_it_is_kept(bench: Benchmark, lea: User) -> None:
    item = to_describe(lea, bench)
    with serving(describing(good(item))) as server:
        described(lea, bench, server.url)
    item = fresh(item)
    set_description(actor=lea, item=item, version=item.version, description=good(item) + " It is noon.")
    item = fresh(item)
    assert 0.8 < item.decisions.last().details["draft"]["likeness"] < 1
    checked(lea, item)
    page = signed_in(lea).get(f"{BOARD}items/{item.number}/").content.decode()
    assert "A draft of m-1 was shown:" in page


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A bench with nothing on it.", "does not mention"),
        ("On the bench lie {plurals}.", "no literal mention"),
        ("The glowing {first} lies next to {rest}.", "singles out"),
    ],
)
def test_a_draft_that_breaks_a_rule_or_qc_ii_fails_with_the_reason(
    bench: Benchmark, lea: User, text: str, reason: str
) -> None:
    item = to_describe(lea, bench)
    first, *rest = item.candidates
    plurals = ", ".join(f"{tool}s" for tool in item.candidates)
    with serving(describing(text.format(first=first, rest=", ".join(rest), plurals=plurals))) as server:
        experiment = described(lea, bench, server.url)
    attempt = experiment.attempts.get()
    assert (attempt.state, attempt.error_kind) == ("failed", "malformed")
    assert reason in attempt.error
    assert fresh(item).draft is None


def test_a_response_of_another_form_fails_and_an_item_that_moved_on_keeps_no_draft(bench: Benchmark, lea: User) -> None:
    item = to_describe(lea, bench)
    with serving(Answer(body=describing("").body)) as server:
        experiment = described(lea, bench, server.url)
    assert "1 to 5,000 characters" in experiment.attempts.get().error
    item = fresh(item)
    set_description(actor=lea, item=item, version=item.version, description=good(item))
    with pytest.raises(Conflict):
        keep_description(item=fresh(item), version=item.version, text=good(item), model="m-1", prompt="p")


def test_an_item_that_was_sent_back_gets_another_draft_and_the_old_one_is_gone(bench: Benchmark, lea: User) -> None:
    item = to_describe(lea, bench)
    with serving(describing(good(item)), describing(good(item) + " It is dusk.")) as server:
        described(lea, bench, server.url)
        item = fresh(item)
        reject_item(
            actor=lea, item=item, version=item.version, to=Stage.INSTRUCTION, reasons=["other"], note="Another task."
        )
        item = fresh(item)
        assert item.drafted is None
        brought(lea, item, Stage.DESCRIPTION)
        assert fresh(item).drafted is None
        described(lea, bench, server.url)
        assert len(server.seen.bodies()) == 2
    assert fresh(item).drafted["text"].endswith("It is dusk.")


def test_descriptions_are_drafted_over_the_api_and_in_the_form_by_leads(bench: Benchmark, lea: User, rui: User) -> None:
    item = to_describe(lea, bench)
    with stand_in() as url:
        values = {"preset": "stand-in", "base_url": url, "model": "auditor"}
        endpoint = add_endpoint(actor=lea, benchmark=bench, name="scenes", values=values)
        sent = signed_in(lea).post(
            f"{API}descriptions/", {"endpoint": "scenes", "items": [item.number]}, content_type="application/json"
        )
        assert sent.status_code == 201, sent.content
        page = signed_in(lea).post(
            f"{BOARD}descriptions/new/",
            {
                "endpoint": endpoint.pk,
                "items": item.number,
                "sampling": "instruct",
                "budget_usd": 1,
                "budget_calls": 9,
                "start": "yes",
            },
        )
        assert page.status_code == 302, page.content
        run_waiting()
    made = Experiment.objects.filter(kind="describe").order_by("-pk")[0]
    assert made.attempts.get().state == "done"
    assert fresh(item).drafted["model"] == "auditor"
    said = signed_in(lea).get(page.url).content.decode()
    assert "describe@1" in said
    assert signed_in(rui).get(f"{BOARD}descriptions/new/").status_code == 403
    gone = signed_in(lea).post(
        f"{API}descriptions/", {"endpoint": "scenes", "items": [1]}, content_type="application/json"
    )
    assert gone.json()["errors"]["items"] if "errors" in gone.json() else gone.status_code == 400


def test_the_prompt_of_descriptions_can_be_written_and_is_previewed_with_an_item(bench: Benchmark, lea: User) -> None:
    item = to_describe(lea, bench)
    text = load_prompt("describe").text + "\nBe brief."
    create_prompt(actor=lea, benchmark=bench, slug="brief", role="describe", text=text)
    form = {"slug": "other", "role": "describe", "text": text, "sample": item.number, "preview": "yes"}
    page = signed_in(lea).post("/benchmarks/workshop/new-prompt/", form).content.decode()
    assert f"- {item.candidates[0]}\n" in page
    with serving(describing(good(item))) as server:
        described(lea, bench, server.url, prompt="brief@1")
        assert server.seen.bodies()[0]["messages"][0]["content"].endswith("Be brief.")
    assert Prompt.objects.get().frozen
