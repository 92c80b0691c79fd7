"""A table of anybody's columns: mapped on the page or in a file, kept for next time; names that a person accepts."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError
from django.urls import reverse

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.models import ImportRecord, Sample
from evaluation.models import SampleAlias, SavedMapping, Trajectory
from tests.conftest import signed_in
from tests.evaluation.import_data import say, sent, with_researcher
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.usefixtures("scratch")]

NAME = "mine.csv"
TABLE = b"token,said,where,note\nmug,B,100 100 50 50,x\ncup,A,,y\nmugg,A,,z\n"
CHOSEN = {
    "column": ["token", "said", "where", "note"], "read_as": ["sample", "answer", "boxes", ""], "boxes": "xywh",
    "format": "table", "model": "M",
}  # fmt: skip


@pytest.fixture
def client(lea, rui):
    return with_researcher(lea, rui)


@pytest.mark.both_databases
def test_columns_are_chosen_on_the_page_and_kept_for_the_next_file(client, run_jobs):
    url = sent(client, run_jobs, TABLE, NAME)
    client.post(url + "choose/", {"format": "table"})
    run_jobs()
    text = client.get(url).content.decode()
    assert "No column is mapped to a sample" in text
    assert "100 100 50 50" in text
    client.post(url + "choose/", CHOSEN)
    run_jobs()
    page = client.get(url)
    assert "Commit 2 records" in page.content.decode()
    assert [(c["name"], c["read_as"]) for c in page.context["columns"]["rows"]][:2] == [
        ("token", "sample"), ("said", "answer"),
    ]  # fmt: skip
    counted = ImportRecord.objects.get().preview["counts"]
    client.post(url + "commit/")
    run_jobs()
    done = ImportRecord.objects.get()
    assert {n: done.counts.get(n) for n in ("new", "refused", "steps")} == {
        n: counted.get(n) for n in ("new", "refused", "steps")
    }
    step = Trajectory.objects.get(sample__key="mug").steps.get()
    assert (step.x1, step.y1, step.x2, step.y2) == (100, 100, 150, 150)
    saved = SavedMapping.objects.get()
    assert saved.mapping == {"columns": {"sample": "token", "answer": "said", "boxes": "where"}, "boxes": "xywh"}
    assert AuditEntry.objects.filter(action="mapping.save").count() == 1
    again = sent(client, run_jobs, b"note,where,said,token\nn,1 1 9 9,C,sign\n", "next.csv")
    client.post(again + "choose/", {"format": "table"})
    run_jobs()
    text = client.get(again).content.decode()
    assert "saved by Rui Costa" in text
    assert "Commit 1 record" in text


def test_a_table_of_samples_is_mapped_on_the_page_and_by_the_command(lea, run_jobs, tmp_path):
    create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    client = signed_in(lea)
    table = b"no,ask,truth,area,wide,high,light\n1,Which number?,17,0.1 0.2 0.3 0.4,100,80,dim\n"
    url = sent(client, run_jobs, table, NAME)
    page = client.get(url)
    assert ImportRecord.objects.get().kind == "samples"
    assert "No column is mapped to a question" in page.content.decode()
    columns = {"id": "no", "question": "ask", "answer": "truth", "boxes": "area", "width": "wide", "height": "high"}
    client.post(url + "choose/", {
        "format": "table", "column": [*columns.values(), "light"], "read_as": [*columns, "facet."], "boxes": "xyxy",
        "coordinates": "norm1",
    })  # fmt: skip
    run_jobs()
    page = client.get(url)
    assert "Commit 1 sample" in page.content.decode()
    assert page.context["columns"]["rows"][-1]["read_as"] == "facet."
    client.post(url + "commit/")
    run_jobs()
    [box] = Sample.objects.with_gold().get(key="1").gold.revision.gold_boxes.all()
    assert (box.x1, box.y1, box.x2, box.y2) == (10, 16, 30, 32)
    assert list(Sample.objects.get().facets.values_list("name", "value")) == [("light", "dim")]
    path, mapping = tmp_path / "mine.csv", tmp_path / "mapping.json"
    path.write_bytes(table)
    mapping.write_text(json.dumps({"columns": columns | {"facet.light": "light"}}))
    said = say("import_benchmark", "kitchen", path, "--mapping", mapping, "--coordinates", "norm1")
    assert "read 1, unchanged 1" in said


def test_two_columns_are_not_read_as_one_field(client, run_jobs):
    url = sent(client, run_jobs, TABLE, NAME)
    answer = client.post(url + "choose/", CHOSEN | {"read_as": ["sample", "sample", "", ""]})
    assert answer.status_code == 400
    assert "token and said are both mapped" in answer.content.decode()


def test_a_near_name_is_proposed_and_joined_only_when_a_person_says_so(client, run_jobs):
    url = sent(client, run_jobs, TABLE, NAME)
    client.post(url + "choose/", CHOSEN)
    run_jobs()
    page = client.get(url)
    assert page.context["strangers"] == [{"name": "mugg", "rows": 1, "near": ["mug"]}]
    alias = reverse("evaluation:import-alias", args=["kitchen", ImportRecord.objects.get().pk])
    client.post(alias, {"name": "mugg", "sample": "cup"})
    run_jobs()
    text = client.get(url).content.decode()
    assert "mugg is sample cup" in text
    assert ImportRecord.objects.get().preview["counts"].get("refused", 0) == 0
    client.post(alias, {"name": "mugg"})
    run_jobs()
    assert not SampleAlias.objects.exists()
    assert ImportRecord.objects.get().preview["counts"]["refused"] == 1
    assert set(AuditEntry.objects.filter(action__startswith="alias.").values_list("action", flat=True)) == {
        "alias.accept", "alias.forget",
    }  # fmt: skip
    refused = client.post(alias, {"name": "mug", "sample": "cup"}, follow=True)
    assert "is the ID of a sample" in refused.content.decode()


def test_the_command_takes_the_mapping_from_a_file(client, run_jobs, tmp_path):
    table, mapping = tmp_path / "mine.csv", tmp_path / "mapping.json"
    table.write_bytes(TABLE)
    mapping.write_text(json.dumps({"columns": {"sample": "token", "answer": "said"}}))
    assert "trajectories 2, new 2" in say("import_runs", "kitchen", table, "--mapping", mapping, "--model", "M")
    mapping.write_text("{}")
    with pytest.raises(CommandError, match="A mapping is a JSON object"):
        say("import_runs", "kitchen", table, "--mapping", mapping)
    mapping.write_text(json.dumps({"columns": {"sample": "token", "answer": "said"}}))
    with pytest.raises(CommandError, match="is for the format table"):
        say("import_runs", "kitchen", table, "--mapping", mapping, "--format", "native")
