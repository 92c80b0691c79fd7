"""One result file as a benchmark and as a run: samples first, a board of both, and one undo that takes both back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.models import Benchmark, Gold, ImportRecord, Sample
from evaluation.imports.write.undo import ask_undo
from evaluation.models import Metric, Run, Trajectory
from tests.evaluation.import_data import say, sent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scratch")]

DATA = Path(__file__).resolve().parents[2] / "data"
FILES = [
    ("lmms_eval_20260101_120000_samples_vstar_bench.jsonl", "lmms-eval", {"0": ("A", "A")}),
    ("vlmevalkit_prediction.tsv", "vlmevalkit", None),
    ("inspect_log.json", "inspect", {"direct_attributes/0": ("A", "ANSWER: A")}),
    ("seal_eval_result.json", "seal", {"demo_0001": ("A", "The kettle is green.")}),
    ("shapes/react.json", "react", None),
]
TABLE = (
    b"qid,question,A,B,answer,prediction,x1,y1,x2,y2\nq1,Which?,cup,jar,A,B. jar,1,2,30,40\nq2,Why?,cup,jar,B,B,,,,\n"
)


@pytest.mark.parametrize(("name", "format", "found"), FILES, ids=[row[1] for row in FILES])
@pytest.mark.endurance
def test_a_result_file_gives_samples_a_run_and_a_board(lea, run_jobs, name, format, found):
    create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    said = say("import_benchmark", "kitchen", DATA / name, "--with-runs", "--model", "M")
    assert f"Format {format}" in said
    samples = Sample.objects.with_gold()
    assert samples.count() >= 1
    assert {sample.extra["gold_source"] for sample in samples} == {format}
    assert {sample.state for sample in samples} == {"in_review"}
    assert not any(sample.gold.revision.gold_boxes.exists() for sample in samples)
    if found is not None:
        assert {t.sample.key: (t.sample.gold.revision.answers[0], t.answer) for t in Trajectory.objects.all()} == found
    say("score", "kitchen")
    assert Metric.objects.filter(metric="accuracy", slice_by="").exists()
    assert "M" in say("leaderboard", "kitchen")
    ask_undo(actor=lea, record=ImportRecord.objects.get(kind="samples"))
    run_jobs()
    assert [list(model.objects.all()) for model in (Sample, Gold, Trajectory, Run)] == [[], [], [], []]
    assert set(ImportRecord.objects.values_list("state", flat=True)) == {"undone"}


def test_the_same_file_twice_changes_nothing_and_a_second_run_joins():
    path = DATA / "lmms_eval_20260101_120000_samples_vstar_bench.jsonl"
    say("import_benchmark", "kitchen", path, "--with-runs", "--model", "M")
    again = say("import_benchmark", "kitchen", path, "--with-runs", "--model", "M")
    assert again.count("unchanged") == 2
    assert (Sample.objects.count(), Trajectory.objects.count()) == (1, 1)
    say("import_runs", "kitchen", path, "--model", "N")
    assert Run.objects.count() == 2


def test_a_table_of_results_gives_its_questions_without_the_boxes_of_the_model(tmp_path):
    (path := tmp_path / "mine.csv").write_bytes(TABLE)
    say("import_benchmark", "kitchen", path, "--with-runs", "--model", "M")
    sample = Sample.objects.with_gold().get(key="q1")
    assert (sample.gold.revision.answers, sample.extra) == (["A"], {"gold_source": "table"})
    assert not sample.gold.revision.gold_boxes.exists()
    step = Trajectory.objects.get(sample__key="q1").steps.get()
    assert (step.x1, step.y2, Trajectory.objects.get(sample__key="q1").answer) == (1, 40, "B. jar")


def test_a_file_without_gold_is_refused_in_a_sentence(tmp_path):
    (path := tmp_path / "mine.csv").write_bytes(b"qid,question,prediction\nq1,Which?,B\n")
    with pytest.raises(CommandError, match="no column with the question or the gold answer"):
        say("import_benchmark", "kitchen", path, "--with-runs")
    path.write_bytes(b'qid,question,gt,bbox\nq1,Which?,B,"[1, 2, 3, 4]"\n')
    with pytest.raises(CommandError, match="no column with answers of a model"):
        say("import_benchmark", "kitchen", path, "--with-runs", "--format", "table")
    with pytest.raises(CommandError, match="contain no questions"):
        say("import_benchmark", "kitchen", DATA / "shapes/sharegpt.json", "--with-runs")
    assert not Sample.objects.exists()


@pytest.fixture
def bench(lea) -> Benchmark:
    return create_benchmark(actor=lea, slug="kitchen", title="Kitchen")


def test_on_the_page_one_button_imports_both(lea, client, run_jobs, bench):
    client.force_login(lea)
    rows = [
        {"doc_id": n, "target": "A", "filtered_resps": ["B"], "input": f"Which cup is number {n}?\nA. this\nB. that"}
        for n in range(3)
    ]
    content = "\n".join(map(json.dumps, rows)).encode()
    address = sent(client, run_jobs, content, "x_samples_v.jsonl")
    assert "This file contains 3 samples and the run of one model" in client.get(address).content.decode()
    client.post(address + "choose/", {"both": "on", "model": "M"})
    run_jobs()
    record = ImportRecord.objects.get()
    assert (record.kind, record.format, record.preview["counts"]["new"]) == ("samples", "lmms-eval", 3)
    client.post(address + "commit/")
    run_jobs()
    assert (Sample.objects.count(), Trajectory.objects.count()) == (3, 3)
    assert Run.objects.get().model.name == "M"
