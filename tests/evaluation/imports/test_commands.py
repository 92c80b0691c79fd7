"""The commands of section N of the formats, as a person types them."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from PIL import Image as Picture

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.benchmarks.write.people import set_roles
from annotation.content.samples import save_samples
from annotation.exchange.write import samples as module
from annotation.models import Benchmark, ImportIssue, ImportRecord, Sample
from annotation.workflow import Role
from evaluation.common.saving.batches import RunRegistry, save_others, save_trajectories
from evaluation.models import Metric, Scoring, Trajectory
from evaluation.schema import Intervention, Judgement, JudgementKind, Rollout, RolloutGroup
from evaluation.scoring.settings import change_settings
from tests.evaluation.crawl import total
from tests.evaluation.records import samples, trajectories
from webapp.common import bulk

pytestmark = pytest.mark.django_db

MUG = {
    "id": "mug", "width": 1000, "height": 800, "question": "Which colour?", "answer_type": "mc",
    "options": {"A": "black", "B": "white"}, "answer": "B", "gold_boxes": [[100, 100, 200, 150]],
}  # fmt: skip
SAID_B = {
    "model": "M", "sample_id": "mug", "answer": "B",
    "steps": [{"tool": "zoom_in", "bbox": [90, 90, 300, 300], "image_in": "original", "image_out": "c"}],
}  # fmt: skip


def say(*words: object, **options: object) -> str:
    out = io.StringIO()
    call_command(*map(str, words), stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def write(tmp_path):
    def written(name="file.json", **sections):
        path = tmp_path / name
        path.write_text(json.dumps(sections))
        return path

    return written


def test_a_benchmark_and_a_run_go_in_and_a_leaderboard_comes_out(write):
    path = write(samples=[MUG], trajectories=[SAID_B])
    assert "read 1, new 1" in say("import_benchmark", "kitchen", path)
    assert "trajectories 1, new 1" in say("import_runs", "kitchen", path)
    assert "M: 1 of 1 samples" in say("score", "kitchen")
    assert Metric.objects.get(metric="accuracy", slice_by="").value == 1.0
    assert json.loads(say("describe_benchmark", "kitchen", "--format", "json"))["samples"] == 1


def test_images_come_from_a_zip_of_their_own_or_from_the_one_that_is_imported(tmp_path):
    Picture.new("RGB", (30, 20), "red").save(tmp_path / "mug.png")
    row = {"id": "mug", "image": "images/mug.png", "question": "Which?", "options": {"A": "x", "B": "y"}, "answer": "B"}
    (lone := tmp_path / "mugs.jsonl").write_text(json.dumps(row | {"bbox": [1, 2, 3, 4]}))
    with zipfile.ZipFile(whole := tmp_path / "bench.zip", "w") as archive:
        archive.write(lone, "mugs.jsonl")
        archive.write(tmp_path / "mug.png", "images/mug.png")
    for slug, words in (("one", (whole,)), ("two", (lone, "--images", whole))):
        say("import_benchmark", slug, *words)
        assert Sample.objects.get(benchmark__slug=slug).image.width == 30
    assert "unchanged 1" in say("import_benchmark", "one", whole)
    with pytest.raises(CommandError, match="not a folder or zip"):
        say("import_benchmark", "one", whole, "--images", lone)


def test_the_same_file_again_changes_nothing(write):
    path = write(samples=[MUG], trajectories=[SAID_B])
    for _ in range(2):
        said = say("import_benchmark", "kitchen", path), say("import_runs", "kitchen", path)
    assert "unchanged 1" in said[0]
    assert "unchanged 1" in said[1]
    assert (Sample.objects.count(), Trajectory.objects.count()) == (1, 1)


def test_the_database_looks_anew_at_tables_that_an_import_has_filled_and_at_no_others(write, monkeypatch):
    looked: list[str] = []
    monkeypatch.setattr(bulk, "refresh_statistics", lambda *tables: looked.extend(t.__name__ for t in tables))
    monkeypatch.setattr(bulk.StatisticsRefresher, "LEAST", 1)
    path = write(samples=[MUG], trajectories=[SAID_B])
    say("import_benchmark", "kitchen", path)
    assert {"Sample", "Gold", "Revision", "GoldBox"} <= set(looked)
    looked.clear()
    say("import_runs", "kitchen", path)
    assert looked == ["Trajectory", "Step"]
    say("import_benchmark", "kitchen", path)
    say("import_runs", "kitchen", path)
    assert looked == ["Trajectory", "Step"]


def test_an_unknown_sample_is_refused_with_its_line_and_the_rest_is_kept(write):
    stranger = {**SAID_B, "sample_id": "mugg"}
    path = write(samples=[MUG], trajectories=[stranger, SAID_B])
    say("import_benchmark", "kitchen", path)
    assert "refused 1" in say("import_runs", "kitchen", path)
    issue = ImportIssue.objects.get(severity="refused")
    assert (issue.rule, issue.field, issue.found) == ("unknown-sample", "sample_id", "mugg")
    assert Trajectory.objects.count() == 1


def test_the_last_of_two_records_of_a_sample_wins_and_is_reported(write):
    path = write(samples=[MUG], trajectories=[{**SAID_B, "answer": "A"}, SAID_B])
    say("import_benchmark", "kitchen", path)
    assert "repeated 1" in say("import_runs", "kitchen", path)
    assert Trajectory.objects.get().answer == "B"
    assert ImportIssue.objects.filter(rule="duplicate-record").count() == 1


def test_a_changed_question_becomes_a_new_revision_and_stays_one_sample(write):
    say("import_benchmark", "kitchen", write(samples=[MUG]))
    assert "changed 1" in say("import_benchmark", "kitchen", write(samples=[{**MUG, "question": "Which hue?"}]))
    sample = Sample.objects.get()
    assert sample.gold.revision.number == 2
    assert sample.gold.revision.question == "Which hue?"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "empty"),
        ("{}", "has an unknown format"),
        ("this is no benchmark", "has an unknown format"),
        ('{"a1": {"asked": "What?"}, "a2": {"asked": "Who?"}}', "a JSON object of 2 records by id"),
        ('{"samples": []}', "contains no samples"),
    ],
)
def test_a_wrong_file_ends_in_a_sentence(tmp_path, content, says):
    path = tmp_path / "wrong.json"
    path.write_text(content)
    with pytest.raises(CommandError, match=says):
        say("import_benchmark", "kitchen", path)
    assert not Sample.objects.exists()


def test_a_file_cut_off_keeps_what_came_before_and_says_so(write):
    path = write(samples=[MUG, {**MUG, "id": "cup"}])
    path.write_text(path.read_text()[:-40])
    said = say("import_benchmark", "kitchen", path)
    assert "refused 1" in said
    assert Sample.objects.get().key == "mug"


def test_settings_of_the_file_are_kept_and_wrong_ones_refused_in_a_sentence(write):
    path = write(samples=[MUG], trajectories=[SAID_B], settings={"ioa_threshold": 0.9})
    say("import_benchmark", "kitchen", path)
    assert Benchmark.objects.get().metric_settings.values == {"ioa_threshold": 0.9}
    say("import_runs", "kitchen", path)
    with pytest.raises(CommandError, match="no_crop = 'maybe': allowed are exclude, fail, full_image"):
        say("score", "kitchen", "--set", "no_crop=maybe")


def test_settings_of_a_call_are_for_that_call_unless_they_are_saved_and_are_said(write):
    """D1.7."""
    said = say("import_benchmark", "kitchen", write(samples=[MUG], trajectories=[SAID_B], settings={"alpha": 0.25}))
    assert "alpha=0.25" in said
    say("import_runs", "kitchen", write(samples=[MUG], trajectories=[SAID_B]))
    stored = Benchmark.objects.get().metric_settings
    for words, settings in (
        (["--set", "multi_crop=first"], {"alpha": 0.25, "multi_crop": "first"}),
        (["--set", "no_crop=fail"], {"alpha": 0.25, "no_crop": "fail"}),
        (["--set", "no_crop=fail", "--set", "alpha=0.5", "--save"], {"no_crop": "fail"}),
        ([], {"no_crop": "fail"}),
    ):
        said = say("score", "kitchen", *words)
        assert Scoring.objects.get().settings == settings
        assert all(f"{name}={value}" in said for name, value in settings.items())
        stored.refresh_from_db()
        assert stored.values == ({"no_crop": "fail"} if "alpha" not in settings else {"alpha": 0.25})
        assert ("--save" in said) is (settings != stored.values)


def test_rewards_are_computed_on_import_and_on_rescoring_and_shown(write, client, lea, tmp_path):
    """D1.8: the worked example; a group of a model is on the page of its run, and a change of alpha rewards again."""
    group = [
        {"image_tokens": 100, "acc": 1, "format": 1, "sufficient": True},
        {"image_tokens": 300, "acc": 1, "format": 1, "sufficient": False},
    ]
    groups = [{"group_id": "g", "rollouts": group, "model": "M"}, {"group_id": "h", "rollouts": group, "alpha": 1}]
    negative = {"group_id": "bad", "rollouts": [{**group[0], "image_tokens": -1}]}
    content = {"samples": [MUG], "trajectories": [SAID_B], "rollout_groups": [*groups, negative]}
    say("import_benchmark", "kitchen", write(**content))
    assert "rollout groups 2, new 3, refused 1" in say("import_runs", "kitchen", write(**content))

    def exported():
        say("export_metrics", "kitchen", "--rows", "rewards", "--output", tmp_path / "rewards.json")
        return json.loads((tmp_path / "rewards.json").read_text())

    names = ("reward_sufficiency", "reward_minimality", "reward_final")
    rows = exported()
    assert [row["group"] for row in rows] == ["g", "g", "h", "h"]
    assert [tuple(row[name] for name in names) for row in rows[:2]] == [(1, 2, 3), (0, pytest.approx(2 / 3), 2)]
    assert (rows[2]["alpha"], rows[2]["reward_final"]) == (1, 4)
    say("score", "kitchen", "--set", "alpha=0.25", "--save")
    assert [(row["alpha"], row["reward_final"]) for row in exported()] == [(0.25, 2.5), (0.25, 2), (1, 4), (1, 2)]

    client.force_login(lea)
    set_roles(actor=None, benchmark=Benchmark.objects.get(), user=lea, roles={Role.LEAD})
    first, second = client.get("/api/v1/benchmarks/kitchen/rewards/").json()["results"]
    assert first["settings"] == {"alpha": 0.25, "grim_zero": "zero"}
    assert [one["reward_final"] for one in second["rollouts"]] == [4, 2]
    run = Scoring.objects.get().run_id
    own, unnamed = client.get(f"/benchmarks/kitchen/runs/{run}/").context["rewards"]
    assert (own.groups.n, own.rollouts.n, own.final, unnamed.final) == (1, 2, 2.25, 3)
    [everything] = client.get("/benchmarks/kitchen/runs/").context["rewards"]
    assert (everything.groups.n, everything.sufficiency) == (2, 0.5)
    for line in (own, unnamed, everything):
        for count in (line.groups, line.rollouts, line.rewarded):
            assert total(client, count.href) == count.n
    [shown] = client.get(own.groups.href).context["page"]
    assert (shown.group_id, shown.final) == ("g", 2.25)
    assert [one.group.group_id for one in client.get(unnamed.rollouts.href).context["page"]] == ["h", "h"]


def test_an_import_that_was_killed_goes_on_from_its_last_batch(write, monkeypatch):
    path = write(samples=[{**MUG, "id": f"s{i:05d}"} for i in range(2500)])
    whole, calls = module.save_samples, []

    def dies_in_the_second_batch(**kwargs):
        calls.append(len(kwargs["records"]))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(**kwargs)

    monkeypatch.setattr(module, "save_samples", dies_in_the_second_batch)
    with pytest.raises(KeyboardInterrupt):
        say("import_benchmark", "kitchen", path)
    kept = Sample.objects.count()
    assert 0 < kept < 2500
    said = say("import_benchmark", "kitchen", path)
    assert "new 2500" in said  # of the whole import, both parts
    assert Sample.objects.count() == 2500
    assert sum(calls[2:]) == 2500 - kept
    assert ImportRecord.objects.get().state == "done"


def test_everything_exported_comes_back_byte_for_byte(tmp_path, lea):
    benchmark = create_benchmark(actor=lea, slug="first")
    save_samples(actor=lea, benchmark=benchmark, records=samples())
    others = [
        Intervention("Model A", "mug", "text", False, "A", "base"),
        Judgement("Model A", "mug", JudgementKind.RELIABILITY, "Yes.", None, "judge 1", "base"),
        RolloutGroup("g1", (Rollout(100, 1, 1, True), Rollout(300, 1, 0.5, False)), 0.25),
    ]
    with transaction.atomic():
        book = RunRegistry(benchmark, lea)
        save_trajectories(book, trajectories(), None)
        save_others(book, others, None)
    change_settings(actor=lea, benchmark=benchmark, values={"ioa_threshold": 0.4})
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    say("export_benchmark", "first", "--output", first)
    say("import_benchmark", "second", first)
    say("import_runs", "second", first)
    say("export_benchmark", "second", "--output", second)
    assert first.read_bytes() == second.read_bytes()
    assert set(json.loads(first.read_bytes())) == {
        "bank", "samples", "trajectories", "interventions", "judgements", "rollout_groups", "settings",
    }  # fmt: skip
