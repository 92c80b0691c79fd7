"""An upload is read without a row written; what was counted is what the import then does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.models import ImportIssue, ImportRecord
from annotation.workflow import Role
from evaluation.imports.write import upload
from evaluation.imports.write.preview.reservoir import ReservoirSample
from evaluation.models import Run, Trajectory
from tests.evaluation import records
from tests.evaluation.import_data import File, kitchen, lines, native, picture, run_rows, sample_rows, zip_of
from tests.evaluation.scores import with_scores
from tests.worlds import made_once
from webapp.common.errors import Conflict, InvalidInput, NotAllowed, TooLarge
from webapp.jobs.models import Job

pytestmark = pytest.mark.django_db

COUNTED = ("read", "trajectories", "new", "changed", "unchanged", "repeated", "failed", "steps", "refused", "repaired",
           "noted", "issues", "interventions", "judgements", "rollout_groups")  # fmt: skip


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.SCRATCH = tmp_path
    return tmp_path


@made_once
def benchmark(lea, rui):
    return kitchen(lea, (rui, Role.RESEARCHER))


def totals(counts):
    return {name: counts.get(name, 0) for name in COUNTED}


def read(lea, benchmark, content, name="file.json", run_jobs=None, **more):
    record = upload.store_upload(actor=lea, benchmark=benchmark, file=File(content, name), **more)
    run_jobs()
    record.refresh_from_db()
    return record


def committed(lea, record, run_jobs):
    upload.commit(actor=lea, record=record)
    run_jobs()
    record.refresh_from_db()
    return record


STRANGER = {"model": "Model A", "sample_id": "mugg", "answer": "B", "steps": []}
ODD_BOX = {
    "model": "Model C", "sample_id": "cup", "answer": "B",
    "steps": [{"tool": "zoom_in", "bbox": [1, 2], "image_in": "original"}],
}  # fmt: skip


def test_reading_writes_no_row_and_the_import_counts_what_reading_counted(lea, benchmark, run_jobs):
    rows = [*run_rows(), STRANGER, ODD_BOX, run_rows()[0]]
    judged = {"model": "Model A", "sample_id": "cup", "kind": "reliability", "verdict": "Yes"}
    helped = {"model": "Model Z", "sample_id": "cup", "condition": "visual", "correct": True}
    group = {"group_id": "g", "rollouts": [{"image_tokens": 10, "acc": 1, "format": 1, "sufficient": True}]}
    content = native(trajectories=rows, judgements=[judged, judged], interventions=[helped], rollout_groups=[group])
    record = read(lea, benchmark, content, run_jobs=run_jobs)
    assert (record.state, record.kind, record.format) == ("preview", "runs", "native")
    assert (Run.objects.count(), Trajectory.objects.count(), ImportIssue.objects.count()) == (0, 0, 0)
    counted = totals(record.preview["counts"])
    assert counted["refused"] == 1
    assert counted["repeated"] == 1
    assert counted["judgements"] == 2
    done = committed(lea, record, run_jobs)
    assert (done.state, done.error) == ("done", "")
    assert totals(done.counts) == counted
    groups = {(g["severity"], g["rule"]): g["count"] for g in record.preview["issues"]}
    stored = {}
    for issue in ImportIssue.objects.filter(record=record):
        key = (issue.severity, issue.rule)
        stored[key] = stored.get(key, 0) + 1
    assert groups == stored


def test_a_file_of_which_half_is_there_counts_new_changed_and_unchanged_as_the_import_does(lea, benchmark, run_jobs):
    committed(lea, read(lea, benchmark, native(trajectories=run_rows()[:4]), run_jobs=run_jobs), run_jobs)
    rows = run_rows()
    rows[1] = {**rows[1], "answer": "changed"}
    record = read(lea, benchmark, native(trajectories=rows), run_jobs=run_jobs)
    counted = totals(record.preview["counts"])
    assert (counted["new"], counted["changed"], counted["unchanged"]) == (4, 1, 3)
    assert next(run for run in record.preview["runs"] if run["model"] == "Model A")["there"] == 4
    assert totals(committed(lea, record, run_jobs).counts) == counted


def test_duplicates_across_batches_are_counted_alike(lea, benchmark, run_jobs):
    rows = [{"model": "M", "sample_id": "mug", "answer": str(n % 3), "rollout": n % 1500} for n in range(3200)]
    record = read(lea, benchmark, lines(rows), "trajectories.jsonl", run_jobs, choices={"score": False})
    counted = totals(record.preview["counts"])
    assert counted["repeated"]
    assert totals(committed(lea, record, run_jobs).counts) == counted


@pytest.mark.one_database
def test_the_numbers_of_the_preview_are_those_of_the_scores_after_the_import(lea, benchmark, run_jobs):
    record = read(lea, benchmark, native(trajectories=run_rows()), run_jobs=run_jobs)
    shown = {(r["model"], r["sample"], r["condition"], r["rollout"]): r for r in record.preview["records"]}
    assert len(shown) == 8
    committed(lea, record, run_jobs)
    scored = with_scores(Trajectory.objects.select_related("run__model", "sample"))
    assert len(scored) == 8
    for t in scored:
        score = t.score
        one = shown[t.run.model.name, t.sample.key, t.condition, t.rollout]
        assert (one["read"], one["correct"], one["coverage"]) == (score.letter, score.correct, score.coverage)
        assert (one["usable"], one["unusable"]) == (score.usable_crops, score.unusable_crops)
        assert (one["population"], one["grounded"]) == (score.in_population, score.grounded)
        if score.crop_index is not None:
            box = next(c["box"] for c in one["crops"] if c["turn"] == one["scored_by"])
            assert box == [score.crop_x1, score.crop_y1, score.crop_x2, score.crop_y2]


def test_samples_with_pictures_are_counted_as_they_are_imported(lea, run_jobs, benchmark):
    rows = sample_rows()
    rows[0] |= {"width": 900, "gold_boxes": [[500, 400, 1060, 460]], "question": "Which colour now?"}
    rows.append({**rows[1], "id": "new one", "image": "wall.jpg"})
    rows.append({**rows[1], "facets": {"odd": "x" * 300}})
    pictures = zip_of({"kitchen.jpg": picture(), "__MACOSX/kitchen.jpg": b"no", "notes.txt": b"no"})
    record = read(lea, benchmark, native(samples=rows), images=File(pictures, "pictures.zip"), run_jobs=run_jobs)
    assert record.kind == "samples"
    counted = totals(record.preview["counts"])
    done = committed(lea, record, run_jobs)
    assert (done.state, done.error) == ("done", "")
    assert totals(done.counts) == counted
    assert counted["refused"] >= 1
    again = read(lea, benchmark, native(samples=rows), images=File(pictures, "pictures.zip"), run_jobs=run_jobs)
    assert again.pk != record.pk
    assert "is already imported" in upload.blocking_reason(again)


def test_a_file_of_samples_and_runs_is_imported_one_after_the_other(lea, benchmark, run_jobs):
    empty = create_benchmark(actor=lea, slug="empty")
    content = native(samples=sample_rows(), trajectories=run_rows())
    first = read(lea, empty, content, run_jobs=run_jobs)
    assert first.kind == "samples"
    committed(lea, first, run_jobs)
    second = upload.other_kind(actor=lea, record=first)
    run_jobs()
    second.refresh_from_db()
    assert (second.kind, second.preview["counts"]["new"]) == ("runs", 8)
    assert upload.other_kind(actor=lea, record=first).pk == second.pk


def test_who_may_import_runs_alone_gets_the_runs_of_such_a_file(rui, benchmark, run_jobs):
    record = read(rui, benchmark, native(samples=sample_rows(), trajectories=run_rows()), run_jobs=run_jobs)
    assert record.kind == "runs"
    with pytest.raises(NotAllowed, match="don't let you import samples"):
        upload.other_kind(actor=rui, record=record)
    with pytest.raises(NotAllowed, match="contains samples"):
        upload.store_upload(actor=rui, benchmark=benchmark, file=File(native(samples=sample_rows())))


def test_two_clicks_make_one_record_and_one_import(lea, benchmark, run_jobs):
    content = native(trajectories=run_rows())
    first = upload.store_upload(actor=lea, benchmark=benchmark, file=File(content))
    second = upload.store_upload(actor=lea, benchmark=benchmark, file=File(content))
    assert first.pk == second.pk
    assert Job.objects.filter(kind="evaluation.dry_run").count() == 1
    with pytest.raises(Conflict, match="still being read"):
        upload.commit(actor=lea, record=first)
    run_jobs()
    upload.commit(actor=lea, record=first)
    upload.commit(actor=lea, record=first)
    assert Job.objects.filter(kind="evaluation.import").count() == 1
    assert upload.store_upload(actor=lea, benchmark=benchmark, file=File(content)).state == "running"
    run_jobs()
    with pytest.raises(Conflict, match="already imported"):
        upload.commit(actor=lea, record=first)


def test_choices_made_while_a_file_is_read_are_obeyed(lea, benchmark, run_jobs):
    row = {"sample_id": "mug", "answer": "B", "steps": []}
    record = upload.store_upload(actor=lea, benchmark=benchmark, file=File(lines([row]), "trajectories.jsonl"))
    upload.update_choices(actor=lea, record=record, choices={"model": "Mine", "setting": "base"})
    run_jobs()
    record.refresh_from_db()
    assert record.preview["runs"] == [{"model": "Mine", "setting": "base", "records": 1, "there": None}]
    committed(lea, record, run_jobs)
    assert str(Run.objects.get()) == "Mine, base"


@pytest.mark.one_database
@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"", "a.json", "is empty"),
        (b"\x80\x04pickled", "a.pkl", "Pickles can run code"),
        (b"\x89PNG\r\n", "a.png", "is an image"),
        (b"just text", "a.txt", "has an unknown format"),
        (b"\x00\x01\x02\x03" * 99, "a.bin", "has an unknown format"),
        (b"PK\x03\x04 broken", "a.zip", "has an unknown format"),
    ],
)
def test_a_file_that_is_nothing_we_read_is_refused_in_a_sentence(lea, benchmark, content, name, says):
    with pytest.raises(InvalidInput, match=says):
        upload.store_upload(actor=lea, benchmark=benchmark, file=File(content, name))
    assert not ImportRecord.objects.exists()


@pytest.mark.one_database
def test_a_file_over_the_limit_is_refused(lea, benchmark, settings, home):
    settings.MAX_UPLOAD_BYTES = 100
    with pytest.raises(TooLarge, match="larger than 100"):
        upload.store_upload(actor=lea, benchmark=benchmark, file=File(b"x" * 101))
    assert [p for p in home.rglob("*") if p.is_file()] == []


@pytest.mark.one_database
@pytest.mark.parametrize("name", ["../out.png", "/etc/out.png", "a/../../out.png", "C:\\out.png"])
def test_a_zip_that_points_outside_itself_is_refused(lea, benchmark, name, home):
    pictures = File(zip_of({name: picture(4, 4)}), "p.zip")
    with pytest.raises(InvalidInput, match="unsafe name"):
        upload.store_upload(actor=lea, benchmark=benchmark, file=File(native(samples=sample_rows())), images=pictures)
    assert not list(home.rglob("out.png"))


@pytest.mark.one_database
def test_a_wrong_format_is_said_and_another_can_be_chosen(lea, benchmark, run_jobs):
    record = read(lea, benchmark, native(trajectories=run_rows()), run_jobs=run_jobs)
    assert (record.kind, record.format) == ("runs", "native")
    upload.update_choices(actor=lea, record=record, choices={"format": "deepeyes"})
    run_jobs()
    record.refresh_from_db()
    assert "another format" in upload.blocking_reason(record) or "No row" in upload.blocking_reason(record)
    upload.update_choices(actor=lea, record=record, choices={"format": "native"})
    run_jobs()
    record.refresh_from_db()
    assert upload.blocking_reason(record) == ""


def test_a_file_is_read_again_after_the_benchmark_has_changed(lea, benchmark, run_jobs):
    record = read(lea, benchmark, native(trajectories=[STRANGER, STRANGER]), run_jobs=run_jobs)
    assert "No row of this file can be imported" in upload.blocking_reason(record)
    mug = next(r for r in records.samples() if r.id == "mug")
    save_samples(actor=lea, benchmark=benchmark, records=[replace(mug, id="mugg")])
    upload.read_again(actor=lea, record=record)
    run_jobs()
    record.refresh_from_db()
    assert upload.blocking_reason(record) == ""
    assert record.preview["counts"]["new"] == 1


def test_an_import_whose_worker_was_killed_goes_on_from_its_last_batch(lea, benchmark, run_jobs, monkeypatch):
    rows = [{"model": "M", "sample_id": "mug", "answer": "B", "rollout": n} for n in range(2600)]
    record = read(lea, benchmark, lines(rows), "trajectories.jsonl", run_jobs, choices={"score": False})
    from evaluation.imports.write import runs as module

    whole, calls = module.save_trajectories, []

    def dies_in_the_second_batch(*args):
        calls.append(len(args[1]))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(*args)

    monkeypatch.setattr(module, "save_trajectories", dies_in_the_second_batch)
    upload.commit(actor=lea, record=record)
    with pytest.raises(KeyboardInterrupt):
        run_jobs()
    kept = Trajectory.objects.count()
    assert 0 < kept < 2600
    Job.objects.filter(kind="evaluation.import").update(lease_until="2020-01-01T00:00Z")
    run_jobs()
    record.refresh_from_db()
    assert (record.state, record.counts["new"], Trajectory.objects.count()) == ("done", 2600, 2600)
    assert sum(calls[2:]) == 2600 - kept


@pytest.mark.one_database
@pytest.mark.parametrize(
    ("box", "space", "doubted"),
    [
        ([10, 10, 300, 300], "", False),
        ([10, 10, 300, 300], "norm1", True),
        ([0.1, 0.1, 0.3, 0.3], "", True),
        ([0.1, 0.1, 0.3, 0.3], "norm1", False),
        ([10, 10, 5000, 300], "", True),
    ],
)
def test_coordinates_that_put_boxes_outside_their_pictures_are_doubted(lea, benchmark, run_jobs, box, space, doubted):
    step = {"tool": "zoom_in", "bbox": box, "image_in": "original"}
    rows = [{"model": "M", "sample_id": "mug", "rollout": n, "steps": [step]} for n in range(25)]
    record = read(lea, benchmark, lines(rows), "trajectories.jsonl", run_jobs=run_jobs, choices={"coordinates": space})
    boxes = record.preview["boxes"]
    assert (boxes["boxes"], boxes["doubted"]) == (25, doubted)
    outside = [one for one in record.preview["issues"] if one["rule"] == "box-outside-image"]
    assert [one["count"] for one in outside] == ([25 - boxes["inside"]] if boxes["inside"] < 25 else [])


def test_a_box_outside_its_image_is_an_issue_with_file_and_line_where_it_is_read_and_where_it_is_kept(
    lea, benchmark, run_jobs
):
    """D1.13."""
    boxes = [[0.1, 0.1, 0.5, 0.5], [1.2, 1.2, 1.5, 1.5], [0.2, 0.2, 0.4, 0.4]]
    rows = [
        {
            "model": "M",
            "sample_id": "mug",
            "rollout": n,
            "steps": [{"tool": "crop", "bbox": box, "image_in": "original"}],
        }
        for n, box in enumerate(boxes)
    ]
    record = read(lea, benchmark, lines(rows), "t.jsonl", run_jobs=run_jobs, choices={"coordinates": "norm1"})
    assert (record.preview["boxes"]["inside"], record.preview["boxes"]["boxes"]) == (2, 3)
    [group] = [one for one in record.preview["issues"] if one["rule"] == "box-outside-image"]
    [example] = group["examples"]
    assert (group["lines"], example["field"], "1.2" in example["found"]) == ([2], "steps[0].bbox", True)
    upload.commit(actor=lea, record=record)
    run_jobs()
    [kept] = record.issues.filter(rule="box-outside-image")
    assert (kept.line, kept.severity) == (2, "noted")


def test_five_are_drawn_alike_every_time_and_the_last_of_a_key_counts():
    first, second = ReservoirSample(), ReservoirSample()
    for draw in (first, second):
        for n in range(500):
            draw.take(n, n)
        draw.take(499, "again")
    assert first.records() == second.records()
    assert len(first.records()) == 40
    assert max(n for n in first.records() if n != "again") > 40
