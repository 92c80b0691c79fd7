"""A log that no format fits: its keys are mapped on the page, by the command, over the API, and known the next time."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.models import ImportRecord, Sample
from annotation.schema import SampleContent, SampleRecord
from evaluation.imports.write import upload
from evaluation.models import SavedMapping, Trajectory
from tests.conftest import signed_in
from tests.evaluation.import_data import say, sent, with_researcher

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.usefixtures("scratch")]

NAME = "log.json"
MAPPING = {
    "rows": "results[*]", "sample": "meta.qid", "turns": "log[*]", "said": "log[*].thought",
    "calls": "log[*].actions[*]", "tool": "API_name", "arguments": "API_params", "box": "API_params.bbox",
    "box_form": "xywh", "coordinates": "pixel", "observation": "log[*].value", "answer": "log[-1].answer",
    "model": "config.model",
}  # fmt: skip


def row(sample, box, answer="B"):
    calls = [{"API_name": "zoom", "API_params": {"bbox": box}}]
    log = [{"thought": "<b>small</b>", "actions": calls, "value": "seen"}, {"thought": "so", "answer": answer}]
    return {"meta": {"qid": sample}, "log": log}


def log(*rows, model="Falcon"):
    return json.dumps({"config": {"model": model}, "results": rows}).encode()


LOG = log(row("mug", [100, 100, 50, 50]), row("cup", [1, 2, 3, 4]), row("stranger", [1, 2, 3, 4]))


@pytest.fixture
def client(lea, rui):
    return with_researcher(lea, rui)


def fields(**paths):
    return {f"path.{name}": path for name, path in paths.items()}


def values(page):
    return {row["field"].name: row["value"] for _, rows in page.context["fields"] for row in rows if row["value"]}


@pytest.mark.both_databases
def test_a_log_is_proposed_previewed_read_and_known_the_next_time(client, run_jobs):
    url = sent(client, run_jobs, LOG, NAME)
    text = client.get(url).content.decode()
    assert f'href="{url}keys/"' in text
    assert 'disabled aria-describedby="blocked"' in text
    page = client.get(url + "keys/")
    paths = {name: MAPPING[name] for name in ("rows", "sample", "calls", "tool", "box", "observation", "model")}
    assert values(page).items() >= paths.items()
    assert {f.label: f.value for f in page.context["preview"]["figures"]}.items() >= {
        "joined": 2, "rejected": 1, "calls": 2, "boxes": 2}.items()  # fmt: skip
    assert len(page.context["preview"]["rows"]) == 2
    assert "&lt;b&gt;small" in page.content.decode()
    assert ImportRecord.objects.get().options.get("mapping") is None
    client.post(url + "choose/", {"format": "mapped", "mapping": json.dumps(MAPPING)})
    run_jobs()
    assert "Commit 2 records" in client.get(url).content.decode()
    assert json.loads(client.get(url + "mapping.json").content) == MAPPING
    client.post(url + "commit/")
    run_jobs()
    step = Trajectory.objects.get(sample__key="mug").steps.get()
    assert (step.x1, step.y1, step.x2, step.y2, step.tool) == (100, 100, 150, 150, "zoom")
    assert SavedMapping.objects.get().mapping == MAPPING
    again = sent(client, run_jobs, log(row("sign", [1, 1, 9, 9]), model="Kite"), "next.json")
    text = client.get(again).content.decode()
    assert "saved by Rui Costa" in text
    assert "Commit 1 record" in text


def test_keys_are_put_into_fields_from_the_top_of_the_file(client, run_jobs):
    url = sent(client, run_jobs, LOG, NAME) + "keys/"
    at = "results[*].log[*].actions[*]"
    page = client.post(url, {"chosen": "results", "do": "put:rows"})
    assert values(page) == {"rows": "results[*]"}
    page = client.post(url, {**fields(rows="results[*]"), "chosen": "results[*].meta.qid", "do": "put:sample"})
    assert values(page)["sample"] == "meta.qid"
    given = fields(rows="results[*]", sample="meta.qid")
    page = client.post(url, {**given, "chosen": f"{at}.API_params.bbox", "do": "put:box"})
    assert (values(page)["calls"], values(page)["box"]) == ("log[*].actions[*]", "API_params.bbox")
    page = client.post(url, {**given, "chosen": "config.model", "do": "put:model"})
    assert values(page)["model"] == "config.model"
    page = client.post(url, {**given, "chosen": "results[*].log[*].thought", "do": "take:react"})
    assert [text["path"] for text in page.context["texts"]] == ["log[*].thought"]
    page = client.post(url, {"do": "load", "json": json.dumps(MAPPING)})
    assert values(page) == {k: v for k, v in MAPPING.items() if k not in ("box_form", "coordinates")}
    assert not SavedMapping.objects.exists()


def test_what_is_wrong_stands_at_its_field(client, run_jobs):
    url = sent(client, run_jobs, LOG, NAME) + "keys/"
    page = client.post(url, fields(rows="results[*]", sample="meta[", answer="log[-1].answer"))
    [wrong] = [row for _, rows in page.context["fields"] for row in rows if row["error"]]
    assert (wrong["field"].name, wrong["value"]) == ("sample", "meta[")
    page = client.post(url, {"do": "load", "json": "{"})
    assert "The mapping is not JSON" in page.content.decode()
    page = client.post(url, fields(sample="x"))
    assert "No key is mapped to an answer, a call or a verdict." in page.content.decode()


def test_boxes_that_lie_outside_can_be_read_otherwise_by_a_button(client, run_jobs):
    content = log(*(row(name, [500, 500, 900, 900]) for name in ("mug", "cup", "sign")))
    url = sent(client, run_jobs, content, NAME) + "keys/"
    given = fields(**{k: v for k, v in MAPPING.items() if k not in ("box_form", "coordinates")})
    page = client.post(url, {**given, "box_form": "xywh"})
    shown = page.context["preview"]
    assert (shown["doubted"], shown["inside"]) == (True, 0)
    ways = [way["do"] for way in shown["likelier"]]
    assert "boxes:xyxy,norm1000" in ways
    page = client.post(url, {**given, "box_form": "xywh", "do": "boxes:xyxy,norm1000"})
    assert not page.context["preview"]["doubted"]
    assert (page.context["form"].values["box_form"], page.context["space"]) == ("xyxy", "norm1000")


def test_a_key_that_holds_the_gold_answers_is_pointed_out(client, run_jobs, lea):
    quiz = create_benchmark(actor=lea, slug="quiz", title="Quiz")
    numbers = range(25)
    samples = [SampleRecord(f"q{n}", content=SampleContent(question=f"No. {n}?", answers=(f"n{n}",))) for n in numbers]
    save_samples(actor=lea, benchmark=quiz, records=samples)
    steps = [{"tool": "a", "args": {}}]
    rows = [{"qid": f"q{n}", "steps": steps, "target": f"n{n}", "said": f"m{n}"} for n in numbers]
    lead = signed_in(lea)
    url = sent(lead, run_jobs, json.dumps(rows).encode(), NAME, "quiz")
    lead.post(url + "choose/", {"format": "mapped"})
    run_jobs()
    page = lead.get(url + "keys/")
    assert values(page).get("answer") != "target"
    given = fields(rows="[*]", sample="qid")
    assert lead.post(url + "keys/", {**given, **fields(answer="target")}).context["preview"]["is_gold"]
    assert not lead.post(url + "keys/", {**given, **fields(answer="said")}).context["preview"]["is_gold"]


def test_the_command_takes_a_mapping_and_proposes_one(client, run_jobs, tmp_path):
    path, mapping = tmp_path / NAME, tmp_path / "mapping.json"
    path.write_bytes(LOG)
    mapping.write_text(json.dumps(MAPPING))
    with pytest.raises(CommandError, match=r'needs a mapping of its keys.*"calls": "log\[\*\].actions\[\*\]"'):
        say("import_runs", "kitchen", path, "--format", "mapped")
    with pytest.raises(CommandError, match="mapping is for the format mapped, not for table"):
        say("import_runs", "kitchen", path, "--format", "table", "--mapping", mapping)
    assert "trajectories 2, new 2" in say("import_runs", "kitchen", path, "--mapping", mapping)
    assert "unchanged 2" in say("import_runs", "kitchen", path, "--mapping", mapping)


def test_the_api_takes_a_mapping_with_the_file(client, rui, run_jobs):
    sent(client, run_jobs, LOG, NAME)
    pk = ImportRecord.objects.get().pk
    address = f"/api/v1/benchmarks/kitchen/imports/{pk}/"
    answer = client.patch(address, json.dumps({"format": "mapped", "mapping": MAPPING}), "application/json")
    assert answer.status_code == 202, answer.content
    run_jobs()
    assert client.get(address).json()["to_write"]["new"] == 2
    bad = client.patch(address, json.dumps({"mapping": {"rows": "a["}}), "application/json")
    assert bad.status_code == 400
    assert "is not a path" in bad.content.decode()


def gold_log(lea) -> bytes:
    """A log that has the correct answer of each sample under "target", and of one no option under "said"."""
    correct = {s.key: s.gold.revision.answers[0] for s in Sample.objects.with_gold() if s.gold.revision.answers}
    steps = [{"tool": "zoom", "args": {"box": [1, 2, 3, 4]}}]
    return json.dumps(
        [{"qid": k, "steps": steps, "target": a, "said": "who knows"} for k, a in correct.items()]
    ).encode()


def test_a_key_of_gold_answers_has_to_be_confirmed(client, lea, run_jobs, tmp_path):
    content = gold_log(lea)
    mapping = {"rows": "[*]", "sample": "qid", "calls": "steps[*]", "answer": "target"}
    (path := tmp_path / NAME).write_bytes(content)
    (chosen := tmp_path / "mapping.json").write_text(json.dumps(mapping))
    with pytest.raises(CommandError, match="The key target equals the gold answer"):
        say("import_runs", "kitchen", path, "--mapping", chosen)
    url = sent(client, run_jobs, content, NAME)
    client.post(url + "choose/", {"format": "mapped", "mapping": json.dumps(mapping)})
    run_jobs()
    page = client.get(url).content.decode()
    assert "The key target equals the gold answer" in page
    assert 'name="not_gold"' in page
    assert "Choose where the model" in upload.blocking_reason(ImportRecord.objects.get())
    client.post(url + "choose/", {"gold_asked": "on", "not_gold": "on"})
    run_jobs()
    assert upload.blocking_reason(ImportRecord.objects.get()) == ""
    say("import_runs", "kitchen", path, "--mapping", chosen, "--answer-is-not-gold")
    assert Trajectory.objects.exists()


def test_the_preview_says_how_answers_would_be_read_and_warns(client, lea, run_jobs):
    url = sent(client, run_jobs, gold_log(lea), NAME) + "keys/"
    given = fields(rows="[*]", sample="qid", calls="steps[*]", tool="tool", answer="said")
    page = client.post(url, given)
    read = page.context["preview"]["read"]
    assert (read["n"] > 0, read["alarm"]) == (True, "above the alarm of 2.0%")
    assert "the run will be provisional" in page.content.decode()
    page = client.post(url, {**given, **fields(answer="target")})
    assert page.context["preview"]["read"]["alarm"] == ""
    assert {part.label for part in page.context["preview"]["read"]["rules"]} >= {"letter"}
