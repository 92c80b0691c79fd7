"""Which columns are proposed for what: the one that holds ids of samples, never one of the correct answers."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError

from annotation.models import ImportRecord, Sample
from evaluation.imports.write import upload
from evaluation.models import Trajectory
from tests.evaluation.import_data import kitchen, say, sent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scratch"), pytest.mark.one_database]


def sample_answers() -> dict[str, str]:
    """The letter that is correct for each sample of the kitchen."""
    return {s.key: s.gold.revision.answers[0] for s in Sample.objects.with_gold() if s.gold.revision.answers}


def test_the_file_says_what_it_is_how_it_is_read_and_who_is_not_here(lea, tmp_path):
    kitchen(lea)
    (path := tmp_path / "run.json").write_text(
        json.dumps({"mug": {"pred": "B", "n1": 1}, "zz1": {"pred": "A", "n1": 2}})
    )
    said = say("import_runs", "kitchen", path, "--model", "M")
    assert "run.json is a JSON object of 2 records by id (“mug”, “zz1”); values have pred, n1." in said
    assert "Read as runs: key → sample, pred → answer." in said
    assert "1 name is not in kitchen, first: zz1." in said


def test_the_column_that_holds_ids_is_proposed_whatever_it_is_called(lea, tmp_path):
    kitchen(lea)
    (path := tmp_path / "run.csv").write_text("id,uid,prediction\n900,mug,B\n901,cup,A\n")
    said = say("import_runs", "kitchen", path, "--model", "M")
    assert "uid → sample" in said
    assert Trajectory.objects.count() == 2
    for name in ("mug", "cup"):
        (tmp_path / "out" / name).mkdir(parents=True)
        (tmp_path / "out" / name / "output.json").write_text(json.dumps({"id": 7, "prediction": "B"}))
    assert "folder → sample" in say("import_runs", "kitchen", tmp_path / "out", "--model", "N")
    assert Trajectory.objects.count() == 4


def test_an_object_by_split_and_id_joins_and_its_nested_answer_is_proposed(lea, tmp_path):
    kitchen(lea)
    rows = {f"val/{key}": {"model_output": {"thinking": "near", "final": "B"}} for key in ("mug", "cup")}
    (path := tmp_path / "run.json").write_text(json.dumps(rows))
    said = say("import_runs", "kitchen", path, "--model", "M")
    assert "key → sample, model_output.final → answer" in said
    assert {t.sample.key: t.answer for t in Trajectory.objects.all()} == {"mug": "B", "cup": "B"}


def test_a_column_of_correct_answers_is_no_verdict_whatever_it_is_called(lea, tmp_path):
    kitchen(lea)
    (path := tmp_path / "run.csv").write_text("id,Correct,prediction,score\nmug,white,(B) white,1\ncup,red,A,0\n")
    assert "score → correct" in say("import_runs", "kitchen", path, "--model", "M")
    assert {t.sample.key: t.judge_correct for t in Trajectory.objects.all()} == {"mug": True, "cup": False}
    (path := tmp_path / "other.csv").write_text("id,Correct,prediction\nmug,white,(B) white\n")
    assert "→ correct" not in say("import_runs", "kitchen", path, "--model", "N")


def test_of_several_lists_one_can_be_read(lea, tmp_path):
    kitchen(lea)
    rows = {"dev": [{"id": "mug", "pred": "B"}], "test": [{"id": "cup", "pred": "A"}]}
    (path := tmp_path / "run.json").write_text(json.dumps(rows))
    mapping = {"columns": {"sample": "id", "answer": "pred"}, "list": "test"}
    (chosen := tmp_path / "mapping.json").write_text(json.dumps(mapping))
    say("import_runs", "kitchen", path, "--model", "M", "--mapping", chosen)
    assert [t.sample.key for t in Trajectory.objects.all()] == ["cup"]


def test_a_gold_column_is_not_proposed_and_has_to_be_confirmed(lea, tmp_path):
    kitchen(lea)
    correct = sample_answers()
    rows = "".join(f"{key},{answer}\n" for key, answer in correct.items())
    (path := tmp_path / "gold.csv").write_text("key,answer\n" + rows)
    (chosen := tmp_path / "mapping.json").write_text(json.dumps({"columns": {"sample": "key", "answer": "answer"}}))
    with pytest.raises(CommandError, match="known format"):
        say("import_runs", "kitchen", path)
    count = len(correct)
    with pytest.raises(CommandError, match=f"equals the gold answer in {count} of {count} row"):
        say("import_runs", "kitchen", path, "--mapping", chosen)
    assert not Trajectory.objects.exists()
    say("import_runs", "kitchen", path, "--mapping", chosen, "--answer-is-not-gold")
    assert Trajectory.objects.count() == count


def test_on_the_page_gold_has_to_be_confirmed_too(lea, client, run_jobs):
    kitchen(lea)
    client.force_login(lea)
    rows = "".join(f"{key},{answer}\n" for key, answer in sample_answers().items())
    address = sent(client, run_jobs, b"key,answer\n" + rows.encode(), "gold.csv")
    columns = {"column": ["key", "answer"], "read_as": ["sample", "answer"], "model": "M"}
    client.post(address + "choose/", {"kind": "runs", "format": "table", **columns})
    run_jobs()
    record = ImportRecord.objects.get()
    page = client.get(address).content.decode()
    assert "These are the model" in page
    assert "equals the gold answer" in upload.blocking_reason(record)
    client.post(address + "choose/", {"gold_asked": "on", "not_gold": "on"})
    run_jobs()
    record = ImportRecord.objects.get()
    assert upload.blocking_reason(record) == ""
    client.post(address + "commit/")
    run_jobs()
    assert Trajectory.objects.exists()


def test_an_extracted_answer_is_kept_beside_what_was_said(lea, tmp_path):
    kitchen(lea)
    (path := tmp_path / "run.csv").write_text("idx,full_prediction,extraction\nmug,It is B.,B\n")
    say("import_runs", "kitchen", path, "--model", "M")
    only = Trajectory.objects.get()
    assert (only.answer, only.extra["file_reading"]) == ("It is B.", "B")


def test_a_list_of_texts_says_what_is_missing(lea, tmp_path):
    kitchen(lea)
    (path := tmp_path / "run.json").write_text(json.dumps(["B", "A. cup"]))
    with pytest.raises(CommandError, match="a list of 2 texts"):
        say("import_runs", "kitchen", path)


def test_a_plain_table_of_samples_needs_no_format(lea, tmp_path):
    (path := tmp_path / "bench.csv").write_text("image_id,question,label\nq1,What?,cup\nq2,Why?,jar\n")
    kitchen(lea)
    with pytest.raises(CommandError, match=r"Import it as samples \(import_benchmark\)"):
        say("import_runs", "kitchen", path)
    assert "read 2, new 2" in say("import_benchmark", "pantry", path)
    assert set(Sample.objects.filter(benchmark__slug="pantry").values_list("key", flat=True)) == {"q1", "q2"}
    (path := tmp_path / "run.csv").write_text("image_id,Prediction_text\nq1,cup\nq2,jar\n")
    with pytest.raises(CommandError, match=r"Import it as runs \(import_runs\)"):
        say("import_benchmark", "pantry", path)
    assert "trajectories 2, new 2" in say("import_runs", "pantry", path, "--model", "M")


def test_a_column_that_repeats_is_no_id_of_samples(lea, tmp_path):
    (path := tmp_path / "bench.csv").write_text("image_id,question,answer\n7,What?,cup\n7,Why?,jar\n")
    assert "read 2, new 2" in say("import_benchmark", "pantry", path)


def test_the_preview_shows_a_record_by_id_as_it_is_written(lea, client, run_jobs):
    kitchen(lea)
    client.force_login(lea)
    sent(client, run_jobs, json.dumps({"mug": {"pred": "B"}, "cup": {"pred": "A"}}).encode(), "run.json")
    raw = {row["sample"]: row["raw"] for row in ImportRecord.objects.get().preview["records"]}
    assert '"pred": "B"' in raw["mug"]
    assert '"pred": "A"' in raw["cup"]
