"""The API answers as its schema says, whatever is asked of it."""

from __future__ import annotations

import io
import json
import re
import tomllib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import get_resolver
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from rest_framework import serializers

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.benchmarks.write.trash import delete_benchmark
from annotation.content.evidence import keep_answer
from annotation.content.freeze import freeze_version
from annotation.content.people import PLACEHOLDERS, uids_of
from annotation.evidence import Condition, Purpose
from annotation.guidelines.api import PublishGuidelineSerializer
from annotation.guidelines.write import add_image, publish
from annotation.models import Benchmark, BuildItem, PortableUpload, Revision, Sample, Webhook
from annotation.planning.write.packages import save_package
from annotation.portable.read.project import export_project
from annotation.queue.settings import set_queue
from annotation.review.api import DecisionForm
from annotation.studio.write.submit import submit
from annotation.task.api import SaveDraftSerializer
from annotation.webhooks.write import add_webhook, send_test
from annotation.workflow import Role
from evaluation.experiments.api.endpoints import NewEndpoint
from evaluation.experiments.api.experiments import NewArms, NewExperiment, NewJudge
from evaluation.experiments.write.prompts import create_prompt
from evaluation.exports.api.portable import PortableCreateSerializer, PortableExportSerializer
from evaluation.exports.write.comparison import start_comparison
from evaluation.exports.write.files import start_export
from evaluation.imports.api.records import ChoicesSerializer
from evaluation.models import Attempt, Endpoint, Exchange, Experiment, Judgement, JudgingQueue, Lineage, Run, SentImage
from evaluation.query.check import Vocabulary, read
from evaluation.query.syntax import terms_in
from evaluation.rewards.api.sent import RolloutSentSerializer
from evaluation.trajectories.write.marks import correct_failure, tag_trajectories, write_note
from evaluation.trajectories.write.slices import save_slice
from evaluation.trash.write.runs import delete_run
from evaluation.trash.write.samples import delete_samples
from tests.annotation.portable.files import png
from tests.annotation.work_data import content, next_review, reviewed, submitted, to_annotate
from tests.api_fuzz import rules
from tests.conftest import run_waiting, signed_in
from tests.evaluation.board_data import make_board
from tests.evaluation.import_data import native, run_rows
from tests.evaluation.scores import with_scores
from tests.factories import make_user
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.api_forms import Form

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
KNOWN = {"slug": "kitchen", "key": "s-0000", "table": "pairs"}
ASKED = 3
"""Requests of each address: few, since the whole site answers each of them."""
DOCUMENT: list[bytes] = []
"""The schema, once a test has asked for it."""


@pytest.mark.endurance
def test_what_is_read_looks_as_the_schema_says(ana: User, rui: User, lea: User) -> None:
    # Imported here: every process that runs tests would wait for it.
    import schemathesis

    kitchen = to_annotate(2, annotator=ana, reviewer=rui, lead=lea)
    submitted(ana, kitchen)
    reviewed(rui, next_review(rui, kitchen), "accept")
    client = signed_in(lea)
    schema = schemathesis.openapi.from_dict(document_for(client)).include(
        method="GET", path_regex="^(?!.*(compare|adjudications/{))"
    )
    # The tables of all letters take longer to make than all requests.
    schema.config.generation.codec = "ascii"
    answered = {}
    for found in schema.get_all_operations():
        operation = found.ok()
        if {one.name for one in operation.path_parameters} <= set(KNOWN):
            answered[operation.path] = _asked(client, operation)
    assert len(answered) >= 9
    assert all(200 in statuses for statuses in answered.values()), answered


@pytest.mark.endurance
def test_every_get_answers_what_the_schema_says_and_is_not_sent_again_while_nothing_changes(lea: User) -> None:
    import schemathesis

    client = signed_in(lea)
    ids = everything(lea)
    benchmark = Benchmark.objects.get(slug=ids["slug"])
    disputed_desk(lea, benchmark)
    ids["name"] = add_image(actor=lea, benchmark=benchmark, data=png(7)).name
    publish(actor=lea, benchmark=benchmark, body="# Question\n", must_read=False, based_on=0)
    schema = schemathesis.openapi.from_dict(closed(document_for(client))).include(method="GET")
    pair: dict[str, Any] = {"run": [ids["run"], ids["other"]]}
    sliced = {"by": "category", "slice": "Chart"}
    queries: dict[str, list[dict[str, Any]]] = {
        "run_charts": [{}, sliced], "leaderboard": [{}, sliced, {"reference": ids["other"]}],
        "compare": [pair, {**pair, "by": "category"}], "compare_slices": [{**pair, "least": 1}],
        "compare_crops": [pair], "toolchains": [{"by": "category"}], "trajectory_facets": [{"q": "wrong"}],
        "judges": [{}, {"by": "category"}], "agreement": [{}, {"limit": 1}],
        "samples": [{"missing_from": ids["other"]}],
    }  # fmt: skip
    empty = []
    for found in schema.get_all_operations():
        operation = found.ok()
        name = operation.definition.raw["operationId"]
        known = {**ids, "id": ids["of"].get(name), "key": "desk" if name == "adjudication" else ids["key"]}
        parts = {one.name: known[one.name] for one in operation.path_parameters}
        for query in queries.get(name, [{}]):
            case = operation.Case(path_parameters=parts, query=query)
            answer = _answer(client, case)
            assert answer.status_code == 200, (name, query)
            if not answer.streaming:
                listed = answer["Content-Type"].startswith("application/json")
                read = answer.json() if listed else {}
                empty += [name] if isinstance(read, dict) and read.get("results") == [] else []
                again = client.get(answer.request["PATH_INFO"], query, headers={"If-None-Match": answer["ETag"]})
                assert (again.status_code, again.content) == (304, b""), name
    assert empty == []


@pytest.mark.parametrize(
    ("choices", "fits"),
    [
        ({}, True),
        ({"kind": "runs", "format": "table", "mapping": {"columns": {"sample": "id"}, "boxes": "xywh"}}, True),
        ({"coordinates": ""}, True),
        ({"coordinates": "1024x768", "replaces": 0}, True),
        ({"coordinates": "1024"}, False),
        ({"coordinates": "0x768"}, False),
        ({"format": "guess"}, False),
        ({"kind": "runs", "format": "mapped", "mapping": {"rows": "[*]", "texts": {"log": "react"}}}, True),
        ({"mapping": {"sample": 7}}, False),
        ({"mapping": None}, False),
        ({"mapping": []}, False),
        ({"mapping": {"columns": {"sample": 7}}}, False),
        ({"mapping": {"columns": {"sample": ""}}}, False),
        ({"mapping": {"columns": {}, "boxes": "round"}}, False),
        ({"mapping": {"columns": {}, "rows": {}}}, False),
        ({"replaces": -1}, False),
        ({"both": True, "answer_is_not_gold": False}, True),
        ({"both": "perhaps"}, False),
        ({"answer_is_not_gold": 7}, False),
        ({"mapping": {"columns": {"sample": "id"}, "list": "dev"}}, True),
        ({"mapping": {"columns": {"sample": "id"}, "list": 3}}, False),
    ],
)
def test_what_can_be_said_of_an_import_is_what_the_schema_says(choices: Any, fits: bool, lea: User) -> None:
    """D7.20."""
    document = document_for(signed_in(lea))
    described = {**document["components"]["schemas"]["PatchedChoicesRequest"], "components": document["components"]}
    assert jsonschema.Draft4Validator(described).is_valid(choices) is fits
    assert ChoicesSerializer(data=choices).is_valid() is fits


def test_files_are_described_as_bytes_and_queries_by_their_grammar(lea: User) -> None:
    """D7.20: an upload was described as an address, and any text as a query."""
    document = document_for(signed_in(lea))
    schemas = document["components"]["schemas"]
    for form, names in {"UploadRequest": ("file", "images"), "CallRequest": ("image", "template")}.items():
        assert {schemas[form]["properties"][name]["format"] for name in names} == {"binary"}
    parameters = [
        one for path in document["paths"].values() for part in path.values() for one in part.get("parameters", ())
    ]
    queried = [one["schema"].get("format") for one in parameters if one["name"] == "q"]
    assert (
        sorted(map(str, queried)) == ["None", "None"] + ["trajectory-query"] * 4
    )  # of samples it is words to look for


def test_a_body_that_needs_something_is_needed_itself(lea: User) -> None:
    """D7.20: of an object described by hand the schema allowed to send nothing."""
    paths = document_for(signed_in(lea))["paths"]
    needed = {
        part["operationId"]: part["requestBody"].get("required", False)
        for path in paths.values()
        for part in path.values()
        if "requestBody" in part
    }
    optional = {name for name, one in needed.items() if not one}
    assert optional == {
        "board_sample_pair",
        "endpoint_change",
        "evidence_facet",
        "experiment_change",
        "import_choose",
        "judging_label",
        "portable_export",
        "portable_update",
        "question_ask",
        "score",
        "study_change",
        "webhook_change",
    }


def test_what_the_fuzzer_is_told_is_about_operations_that_there_are(lea: User) -> None:
    document = document_for(signed_in(lea))
    operations = {part["operationId"]: part for path in document["paths"].values() for part in path.values()}
    told = tomllib.loads(Path(rules.__file__).with_name("schemathesis.toml").read_text())["operations"]
    for one in told:
        paths = [path for path in document["paths"] if re.search(one["include-path-regex"], path)]
        assert paths, one
    for rule in (rules.BOTH, rules.NEEDS, rules.EITHER):
        for name, parts in rule.items():
            assert set(parts) <= {parameter["name"] for parameter in operations[name]["parameters"]}
    for name, fields in rules.UNSAID.items():
        known = {rules.ANY, *body_of(document, operations[name])["properties"]}
        assert set(fields) <= known, name
        assert all(reason.endswith(".") for reason in fields.values()), name


def test_every_form_refuses_an_unknown_field_and_says_so(lea: User) -> None:
    document = document_for(signed_in(lea))
    bodies = [
        body_of(document, part)
        for path in document["paths"].values()
        for part in path.values()
        if "requestBody" in part
    ]
    assert len(bodies) >= 24
    assert all(body["additionalProperties"] is False for body in bodies)
    names = {name for name in document["components"]["schemas"] if name.endswith("Request")}
    assert all(document["components"]["schemas"][name]["additionalProperties"] is False for name in names)
    forms = list(forms_below(Form))
    assert len(forms) >= 20
    for form in forms:
        sent = form(data={"unheard": 1})
        assert not sent.is_valid()
        assert "unheard" in sent.errors


ENDPOINT = {"name": "local", "base_url": "https://api.example.com/v1", "model": "m"}
EXPERIMENT = {"endpoint": "local", "protocol": "base"}
ROLLOUT = {"rollout": "1", "acc": 1, "format": 0.5}
GUIDELINE = {"body": "# Question", "based_on": 0}


@pytest.mark.parametrize(
    ("form", "sent", "fits"),
    [
        (NewEndpoint, ENDPOINT, True),
        (NewEndpoint, ENDPOINT | {"base_url": "HTTP://[::1]:8000/v1"}, True),
        (NewEndpoint, ENDPOINT | {"base_url": "api.example.com/v1"}, False),
        (NewEndpoint, ENDPOINT | {"base_url": "https://a@api.example.com/v1"}, False),
        (NewEndpoint, ENDPOINT | {"base_url": "https://api.example.com/v1?x=1"}, False),
        (NewEndpoint, ENDPOINT | {"name": "My model"}, False),
        (NewEndpoint, ENDPOINT | {"dialect": "mine"}, False),
        (NewEndpoint, ENDPOINT | {"family": ""}, True),
        (NewEndpoint, ENDPOINT | {"key_name": "lower"}, False),
        (NewEndpoint, ENDPOINT | {"key": " sk-12345678\n"}, True),
        (NewEndpoint, ENDPOINT | {"key": "sk-1"}, False),
        (NewEndpoint, ENDPOINT | {"key": "sk-1234 5678"}, False),
        (NewEndpoint, ENDPOINT | {"limits": {"in_flight": 4, "tokens_per_minute": None}}, True),
        (NewEndpoint, ENDPOINT | {"limits": {"in_flight": 0.5}}, False),
        (NewEndpoint, ENDPOINT | {"limits": {"in_flight": "4"}}, False),
        (NewEndpoint, ENDPOINT | {"limits": {"per_hour": 4}}, False),
        (NewEndpoint, ENDPOINT | {"prices": {}}, True),
        (NewEndpoint, ENDPOINT | {"prices": {"input": 1, "output": 2.5, "cached": None}}, True),
        (NewEndpoint, ENDPOINT | {"prices": {"input": 1}}, False),
        (NewEndpoint, ENDPOINT | {"prices": {"input": 1, "output": -1}}, False),
        (NewExperiment, EXPERIMENT, True),
        (NewExperiment, EXPERIMENT | {"images": "fit:1568"}, True),
        (NewExperiment, EXPERIMENT | {"images": "fit:65536"}, False),
        (NewExperiment, EXPERIMENT | {"images": "pixels:27"}, False),
        (NewExperiment, EXPERIMENT | {"budget_usd": 1e6}, False),
        (NewExperiment, EXPERIMENT | {"prompt": "zoom@1"}, True),
        (NewExperiment, EXPERIMENT | {"prompt": "Zoom 1"}, False),
        (NewExperiment, EXPERIMENT | {"lineage": "GRPO", "step": 0}, True),
        (NewExperiment, EXPERIMENT | {"lineage": "", "step": None}, True),
        (NewExperiment, EXPERIMENT | {"lineage": "GRPO"}, False),
        (NewExperiment, EXPERIMENT | {"step": 5}, False),
        (NewExperiment, EXPERIMENT | {"confirm_frame": "yes"}, False),
        (NewExperiment, EXPERIMENT | {"confirm_frame": 1}, False),
        (NewExperiment, EXPERIMENT | {"sampling": 0}, False),
        (NewArms, {"endpoint": "local", "margin": 0}, False),
        (NewArms, {"endpoint": "local", "margin": 50.5}, False),
        (NewArms, {"endpoint": "local", "sampling": ""}, True),
        (NewJudge, {"endpoint": "local", "question": "answer", "votes": 3}, True),
        (NewJudge, {"endpoint": "local", "question": "answer", "votes": "3"}, False),
        (NewJudge, {"endpoint": "local", "question": "answer", "votes": True}, False),
        (RolloutSentSerializer, ROLLOUT | {"completion": "B"}, True),
        (RolloutSentSerializer, ROLLOUT | {"boxes": []}, True),
        (RolloutSentSerializer, ROLLOUT, False),
        (RolloutSentSerializer, ROLLOUT | {"boxes": [], "completion": "B"}, False),
        (DecisionForm, {"decision": "discard"}, True),
        (DecisionForm, {"decision": "keep", "letters": ["A", "B"]}, True),
        (DecisionForm, {"decision": "keep", "letters": ["A", "A"]}, False),
        (DecisionForm, {"decision": "return", "comments": {"A": ""}}, True),
        (DecisionForm, {"decision": "accept", "content": {}}, True),
        (PortableExportSerializer, {"version": 1, "people": "named"}, True),
        (PortableExportSerializer, {"version": "1"}, False),
        (PortableExportSerializer, {"version": 0}, False),
        (PortableCreateSerializer, {"slug": "copy-2"}, True),
        (PortableCreateSerializer, {"slug": "-copy"}, False),
        (PortableCreateSerializer, {"slug": "Copy"}, False),
        (PublishGuidelineSerializer, GUIDELINE, True),
        (PublishGuidelineSerializer, GUIDELINE | {"body": 7}, False),
        (PublishGuidelineSerializer, GUIDELINE | {"body": "a\0b"}, False),
        (PublishGuidelineSerializer, GUIDELINE | {"note": ""}, True),
        (PublishGuidelineSerializer, GUIDELINE | {"based_on": "0"}, False),
        (SaveDraftSerializer, {"content": {}, "version": 0}, True),
        (SaveDraftSerializer, {"content": None, "version": 0}, False),
    ],
)
def test_a_form_accepts_what_its_schema_describes(form: type[Form], sent: Any, fits: bool, lea: User) -> None:
    document = document_for(signed_in(lea))
    name = f"{form.__name__.removesuffix('Serializer')}Request"
    described = {**document["components"]["schemas"][name], "components": document["components"]}
    assert jsonschema.Draft4Validator(nullable(described)).is_valid(sent) is fits
    assert form(data=sent).is_valid() is fits


@settings(database=None)
@given(query=rules.queries())
def test_what_the_fuzzer_takes_for_a_query_is_one(query: str) -> None:
    assert list(terms_in(read(query, Vocabulary())))


def notified_webhook(lea: User, board: Benchmark) -> Webhook:
    """A webhook with a delivery."""
    with override_settings(SEAL_KEY="only for these tests: a key of many characters"):
        hook, _ = add_webhook(
            actor=lea, benchmark=board, url="https://hooks.example.org/a", format="json", kinds=["freeze"]
        )
        send_test(actor=lea, webhook=hook)
    return hook


def imported_runs(lea: User, board: Benchmark) -> Any:
    """The record of an import with a rollout group and an issue."""
    group = {"group_id": "g", "rollouts": [{"image_tokens": 9, "acc": 1, "format": 1, "sufficient": True}]}
    rows = [{**row, "model": "Model N"} for row in (*run_rows(), {**run_rows()[0], "sample_id": "nowhere"})]
    address = f"/api/v1/benchmarks/{board.slug}/imports/"
    sent: Any = (
        signed_in(lea)
        .post(address, {"file": SimpleUploadedFile("runs.json", native(trajectories=rows, rollout_groups=[group]))})
        .json()
    )
    run_waiting()
    signed_in(lea).post(f"{address}{sent['id']}/commit/")
    run_waiting()
    return sent


def everything(lea: User) -> dict[str, Any]:
    """A scored benchmark with some of all that is listed: the parts of addresses; ``of``: the ids of operations."""
    board = make_board(lea)
    hook = notified_webhook(lea, board)
    first, second = Run.objects.filter(model__name__in=("Model C", "Model D")).order_by("model__name")
    one = next(one for one in with_scores(first.trajectories.all()) if one.score.correct is False)
    tag_trajectories(actor=lea, benchmark=board, trajectories=[one.pk], name="glare")
    write_note(actor=lea, trajectory=one, text="Look again.", turn=1)
    correct_failure(actor=lea, trajectory=one, failure="crop_ignored")
    save_slice(actor=lea, benchmark=board, name="Wrong", query="wrong")
    JudgingQueue.objects.create(benchmark=board, seed="kitchen", drawn_from=1, created_by=lea)
    for judge in ("judge-1", "judge-2"):
        Judgement.objects.create(run=first, sample=one.sample, kind="answer", judge=judge, verdict="yes")
    freeze_version(actor=lea, benchmark=board, note="First.")
    sent = imported_runs(lea, board)
    endpoint = Endpoint.objects.create(benchmark=board, name="local", base_url="http://127.0.0.1:9/v1", model="m")
    experiment = Experiment.objects.create(
        benchmark=board, endpoint=endpoint, endpoint_name="local", model="m", setting="base", recipe={"model": "m"},
        recipe_digest="0" * 64,
    )  # fmt: skip
    attempt = Attempt.objects.create(experiment=experiment, sample=one.sample, digest="0" * 64)
    Exchange.objects.create(
        attempt=attempt, n=0, request_digest="0" * 64, request=b'{"url":"sha256:%s"}' % (b"0" * 64), response=b"{}",
        started_at=timezone.now(),
    )  # fmt: skip
    SentImage.objects.create(
        experiment=experiment, sha256="0" * 64, name="sent/00/image.png", media_type="image/png", bytes=4, width=1,
        height=1,
    )  # fmt: skip
    objects.put("sent/00/image.png", b"\x89PNG")
    run_by = dict.fromkeys(
        ("experiment", "experiment_export", "attempts", "exchanges", "exchange_image"), experiment.pk
    )
    judge = Experiment.objects.create(
        benchmark=board, kind="judge", source=first, endpoint_name="local", model="j", setting="base", state="done",
        recipe={"model": "j", "question": "reliability"}, recipe_digest="1" * 64,
    )  # fmt: skip
    study = Experiment.objects.create(
        benchmark=board, kind="human", model="People", setting="study 1", state="running", recipe={},
        design={"facets": [], "n": 2, "people": 3, "roles": ["annotator"], "seed": "x", "strata": []},
    )  # fmt: skip
    lineage = Lineage.objects.create(benchmark=board, name="GRPO")
    run_by |= {"study": study.pk, "study_answers": study.pk, "lineage": lineage.pk, "judge_labels": judge.pk}
    save_package(
        actor=lea, benchmark=board, title="Mugs", query="", people=[], due_at=timezone.now() + timedelta(days=9),
        priority=0,
    )  # fmt: skip
    gold = Revision.objects.get(gold_of__sample=one.sample)
    keep_answer(gold.pk, Condition.CROP, Purpose.EVIDENCE, answer="A", right=True, model="m")
    fill_trash(lea, first)
    run_by |= portable_files(lea, board)
    create_prompt(actor=lea, benchmark=board, slug="mine", role="user", text="{{ question }} {{ options }}")
    return {
        "attempt": attempt.pk, "prompt": "mine", "n": 0, "number": built(board), "sha256": "0" * 64,
        "slug": board.slug, "key": "mug", "table": "judges", "run": first.pk, "other": second.pk, "job_id": sent["job"],
        "of": {"run": first.pk, "run_charts": first.pk, "run_metrics": first.pk,
               "run_lab": first.pk, "trajectory": one.pk,
               "import": sent["id"], "import_issues": sent["id"], "endpoint": endpoint.pk,
               "webhook": hook.pk, "webhook_deliveries": hook.pk, **run_by},
    }  # fmt: skip


def portable_files(lea: User, board: Benchmark) -> dict[str, Any]:
    """A written portable file, two uploaded ones, and a placeholder."""
    uids_of(board, [make_user("Pia Wolf", email=f"pia{PLACEHOLDERS}", is_active=False).pk])
    file = start_export(actor=lea, benchmark=board, number=None, named=False)
    upload = PortableUpload.objects.create(file_name="a.sightline", bytes=1, state="ready", created_by=lea)
    update = PortableUpload.objects.create(
        file_name="b.sightline", bytes=1, state="failed", created_by=lea, benchmark=board, updates=True
    )
    comparisons = {}
    other = create_benchmark(actor=lea, slug="empty")
    for name, benchmark, files in (("portable", board, [other]), ("files", None, [other, board])):
        sent = [SimpleUploadedFile(one.slug, portable_bytes(one)) for one in files]
        comparisons[name] = start_comparison(actor=lea, files=sent, benchmark=benchmark).pk
    run_waiting()
    return {
        **{f"{name}_{part}": pk for name, pk in comparisons.items() for part in ("comparison", "comparison_samples")},
        "portable_export_state": file.pk, "portable_export_file": file.pk, "portable_upload_state": upload.pk,
        "portable_update_state": update.pk,
    }  # fmt: skip


def portable_bytes(board: Benchmark) -> bytes:
    out = io.BytesIO()
    export_project(actor=None, benchmark=board, out=out, named=False)
    return out.getvalue()


def built(board: Benchmark) -> int:
    """The number of an item of the building board."""
    return BuildItem.objects.create(benchmark=board, number=1, targets=["saw"], entered_at=timezone.now()).number


def fill_trash(lea: User, run: Run) -> None:
    """Delete a run of the same model, a sample, and a benchmark."""
    Sample.objects.create(benchmark=run.benchmark, key="deleted")
    delete_samples(actor=lea, benchmark=run.benchmark, keys=["deleted"])
    delete_run(actor=lea, run=Run.objects.create(benchmark=run.benchmark, model=run.model, setting="old", number=99))
    delete_benchmark(actor=lea, benchmark=create_benchmark(actor=lea, slug="trashed"), title="trashed")


def disputed_desk(lea: User, board: Benchmark) -> None:
    """A sample that two people annotated, with other answers."""
    set_queue(actor=lea, benchmark=board, order="sequential", overlap=2)
    desk = Sample.objects.create(benchmark=board, key="desk", width=1000, height=800)
    for name, answer in (("Ana Lind", "A"), ("Bo Ek", "B")):
        person = make_user(name)
        add_member(actor=lea, benchmark=board, user=person, role=Role.ANNOTATOR)
        submit(actor=person, sample=desk, version=0, content=content(answer=[answer]))


@pytest.mark.parametrize(
    "sent",
    [
        {"decision": "keep", "letters": ["A"]}, {"decision": "return"}, {"decision": "accept"},
        {"decision": "discard", "content": {}},
    ],
)  # fmt: skip
def test_a_decision_without_what_it_needs_is_refused_as_described(sent: Any, ana: User, rui: User, lea: User) -> None:
    to_annotate(1, annotator=ana, reviewer=rui, lead=lea)
    client = signed_in(rui)
    key = Sample.objects.get().key
    answer = client.post(f"/api/v1/benchmarks/kitchen/adjudications/{key}/", sent, "application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")
    document = document_for(client)
    described = {**document["components"]["schemas"]["DecisionFormRequest"], "components": document["components"]}
    assert not jsonschema.Draft4Validator(nullable(described)).is_valid(sent)


LENIENT = {
    serializers.BooleanField, serializers.CharField, serializers.ChoiceField, serializers.FloatField,
    serializers.IntegerField,
}  # fmt: skip
"""Fields that take values of other types: the number 0 for the text "0". ``webapp.common.api`` has strict ones."""


def test_what_is_sent_has_the_types_of_the_description() -> None:
    assert get_resolver().url_patterns, "loads every module of the API"
    forms = list(Form.__subclasses__())
    for form in forms:
        forms.extend(form.__subclasses__())
    assert len(forms) > 30
    fields = [(f"{form.__name__}.{name}", field) for form in forms for name, field in form().fields.items()]
    fields += [(f"{name}[]", field.child) for name, field in fields if isinstance(field, serializers.ListField)]
    assert [name for name, field in fields if type(field) in LENIENT] == []


def body_of(document: Any, operation: Any) -> Any:
    """The schema of what is sent to an operation."""
    (content,) = operation["requestBody"]["content"].values()
    reference = content["schema"].get("$ref", "")
    return document["components"]["schemas"][reference.rpartition("/")[2]] if reference else content["schema"]


def forms_below(form: type[Form]) -> Iterator[type[Form]]:
    for one in form.__subclasses__():
        yield one
        yield from forms_below(one)


def nullable(part: Any) -> Any:
    """The document as JSON Schema, which has null among its types."""
    if isinstance(part, list):
        return [nullable(one) for one in part]
    if not isinstance(part, dict):
        return part
    inner = {name: nullable(one) for name, one in part.items()}
    return {"anyOf": [inner, {"type": "null"}]} if inner.pop("nullable", False) is True else inner


def closed(part: Any) -> Any:
    """The document, with objects that have no other properties than it names."""
    if isinstance(part, list):
        return [closed(one) for one in part]
    if not isinstance(part, dict):
        return part
    inner = {name: closed(one) for name, one in part.items()}
    if inner.get("type") == "object" and "properties" in inner:
        inner.setdefault("additionalProperties", False)
    return inner


def document_for(client: Client) -> Any:
    """Asked for once: it takes half a second, and nothing that a test does changes it."""
    if not DOCUMENT:
        answer = client.get("/api/v1/schema/", headers={"Accept": "application/vnd.oai.openapi+json"})
        assert answer.status_code == 200
        DOCUMENT.append(answer.content)
    return json.loads(DOCUMENT[0])


def _asked(client: Client, operation: Any) -> list[int]:
    """Status of the answers to requests made up from the schema; fails on one that is not as the schema says."""
    statuses = []

    @given(case=operation.as_strategy())
    @settings(
        max_examples=ASKED, database=None, deadline=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def ask(case: Any) -> None:
        case.path_parameters.update({name: KNOWN[name] for name in case.path_parameters})
        statuses.append(_answer(client, case).status_code)

    ask()
    return statuses


def _answer(client: Client, case: Any) -> Any:
    """What is answered; fails where it is not as the schema says."""
    from requests import Request
    from schemathesis.checks import not_a_server_error, response_schema_conformance
    from schemathesis.core.transport import Response

    found = client.get(case.formatted_path, query_params=dict(case.query or {}))
    # What is streamed is a file, which the schema does not describe.
    if not found.streaming:
        request = Request("GET", f"http://testserver{case.formatted_path}").prepare()
        headers = {name: [value] for name, value in found.headers.items()}
        answer = Response(found.status_code, headers, found.content, request, elapsed=0.0, verify=False)
        case.validate_response(answer, checks=[not_a_server_error, response_schema_conformance])
    return found
