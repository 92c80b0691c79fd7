"""A log that no format fits: its keys are mapped on the page, by the command, over the API, and known the next time."""

from __future__ import annotations

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation.actions.benchmarks import create_benchmark
from annotation.actions.save_samples import save_samples
from annotation.models import ImportRecord
from annotation.schema import SampleContent, SampleRecord
from annotation.workflow import Role
from evaluation.models import SavedMapping, Trajectory
from tests.conftest import signed_in
from tests.evaluation.import_data import kitchen

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/benchmarks/kitchen/import/"
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


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.SCRATCH = tmp_path


@pytest.fixture
def client(lea, rui):
    kitchen(lea, (rui, Role.RESEARCHER))
    return signed_in(rui)


def sent(client, run_jobs, content=LOG, name="log.json"):
    url = client.post(PAGE, {"file": SimpleUploadedFile(name, content)}).url
    run_jobs()
    return url


def fields(**paths):
    return {f"path.{name}": path for name, path in paths.items()}


def values(page):
    return {row["field"].name: row["value"] for _, rows in page.context["fields"] for row in rows if row["value"]}


def test_a_log_is_proposed_previewed_read_and_known_the_next_time(client, run_jobs):
    url = sent(client, run_jobs)
    text = client.get(url).content.decode()
    assert "Say what each key is first" in text
    page = client.get(url + "keys/")
    paths = {name: MAPPING[name] for name in ("rows", "sample", "calls", "tool", "box", "observation", "model")}
    assert values(page).items() >= paths.items()
    assert {f.label: f.value for f in page.context["preview"]["figures"]}.items() >= {
        "joined": 2, "refused": 1, "calls": 2, "boxes": 2}.items()  # fmt: skip
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
    assert "as saved by Rui Costa" in text
    assert "Commit 1 record" in text


def test_keys_are_put_into_fields_from_the_top_of_the_file(client, run_jobs):
    url = sent(client, run_jobs) + "keys/"
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
    url = sent(client, run_jobs) + "keys/"
    page = client.post(url, fields(rows="results[*]", sample="meta[", answer="log[-1].answer"))
    [wrong] = [row for _, rows in page.context["fields"] for row in rows if row["error"]]
    assert (wrong["field"].name, wrong["value"]) == ("sample", "meta[")
    page = client.post(url, {"do": "load", "json": "{"})
    assert "The mapping is not JSON" in page.content.decode()
    page = client.post(url, fields(sample="x"))
    assert "No key says what the model did" in page.content.decode()


def test_boxes_that_lie_outside_can_be_read_otherwise_by_a_button(client, run_jobs):
    content = log(*(row(name, [500, 500, 900, 900]) for name in ("mug", "cup", "sign")))
    url = sent(client, run_jobs, content) + "keys/"
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
    content = SimpleUploadedFile("log.json", json.dumps(rows).encode())
    url = lead.post("/benchmarks/quiz/import/", {"file": content}).url
    run_jobs()
    lead.post(url + "choose/", {"format": "mapped"})
    run_jobs()
    page = lead.get(url + "keys/")
    assert values(page).get("answer") != "target"
    given = fields(rows="[*]", sample="qid")
    assert lead.post(url + "keys/", {**given, **fields(answer="target")}).context["preview"]["is_gold"]
    assert not lead.post(url + "keys/", {**given, **fields(answer="said")}).context["preview"]["is_gold"]


def test_the_command_takes_a_mapping_and_proposes_one(client, run_jobs, tmp_path):
    path, mapping, out = tmp_path / "log.json", tmp_path / "mapping.json", io.StringIO()
    path.write_bytes(LOG)
    mapping.write_text(json.dumps(MAPPING))
    with pytest.raises(CommandError, match=r'needs a mapping of its keys.*"calls": "log\[\*\].actions\[\*\]"'):
        call_command("import_runs", "kitchen", str(path), format="mapped")
    with pytest.raises(CommandError, match="mapping is for the format mapped, not for table"):
        call_command("import_runs", "kitchen", str(path), format="table", mapping=mapping)
    call_command("import_runs", "kitchen", str(path), mapping=mapping, stdout=out)
    assert "trajectories 2, new 2" in out.getvalue()
    call_command("import_runs", "kitchen", str(path), mapping=mapping, stdout=out)
    assert "unchanged 2" in out.getvalue()


def test_the_api_takes_a_mapping_with_the_file(client, rui, run_jobs):
    token_page = client.post(PAGE, {"file": SimpleUploadedFile("log.json", LOG)})
    run_jobs()
    pk = ImportRecord.objects.get().pk
    address = f"/api/v1/benchmarks/kitchen/imports/{pk}/"
    answer = client.patch(address, json.dumps({"format": "mapped", "mapping": MAPPING}), "application/json")
    assert (token_page.status_code, answer.status_code) == (302, 202), answer.content
    run_jobs()
    assert client.get(address).json()["to_write"]["new"] == 2
    bad = client.patch(address, json.dumps({"mapping": {"rows": "a["}}), "application/json")
    assert bad.status_code == 400
    assert "is no path" in bad.content.decode()
