"""Scores by facet after the facets changed: stale until they are computed again, while gold stays the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotation.content.changes import facets_changed, fold_changes
from annotation.content.facet_batches import undo_batch
from annotation.content.freeze import gold_digest
from annotation.exchange.write.samples import import_samples
from annotation.models import BankTool, Benchmark, ContentChange, FacetBatch, FacetValue
from annotation.task.write import CHANGE, KEEP, activate, save_draft
from annotation.tools.write import accept_tool, merge_tool
from annotation.work.write.facets import set_facet
from evaluation.exports.write import import_project
from evaluation.models import Metric, Run, Scoring
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.load.columns import load_samples
from evaluation.scoring.settings import settings_of
from evaluation.scoring.write import score_benchmark, score_one
from tests.annotation.portable.files import exported
from tests.annotation.portable.test_update import changed, updated
from tests.annotation.portable.test_uploads import program
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def stale(benchmark: Benchmark) -> set[bool]:
    scorings = Scoring.objects.filter(run__benchmark=benchmark).select_related("run")
    return {StalenessChecker(benchmark).stale(one) for one in scorings}


def slices(benchmark: Benchmark) -> set[str]:
    rows = Metric.objects.filter(scoring__run__benchmark=benchmark, slice_by="category")
    return set(rows.values_list("slice", flat=True))


def in_force(lea: Any, board: Benchmark, values: list[str], decisions: Any = None) -> None:
    facet = {"name": "category", "kind": "single", "closed": True, "values": [{"value": one} for one in values]}
    draft = save_draft(actor=lea, benchmark=board, content={"facets": [facet]})
    activate(actor=lea, benchmark=board, version=draft.version, decisions=decisions)


@pytest.mark.endurance
def test_scores_are_stale_after_values_were_changed_or_set_and_after_an_undo(lea: Any, board: Benchmark) -> None:
    sample = board.samples.filter(gold__isnull=False).order_by("pk")[0]
    FacetValue.objects.filter(benchmark=board, name="category").delete()
    FacetValue.objects.create(sample=sample, benchmark=board, name="category", value="colour")
    score_benchmark(actor=lea, benchmark=board)
    assert (stale(board), slices(board), Run.objects.scored().exists()) == ({False}, {"colour"}, True)
    gold = gold_digest(board)

    in_force(lea, board, ["colour", "OCR"])
    assert stale(board) == {False}, "No value changed."
    in_force(lea, board, ["Color", "OCR"], {("category", "colour"): (KEEP, "")})
    assert stale(board) == {False}, "The value is kept."
    in_force(lea, board, ["Color", "OCR"], {("category", "colour"): (CHANGE, "Color")})
    assert stale(board) == {True}
    score_benchmark(actor=lea, benchmark=board, only_stale=True)
    assert (stale(board), slices(board)) == ({False}, {"Color"})

    board = Benchmark.objects.get(pk=board.pk)
    one = board.samples.filter(pk=sample.pk)
    set_facet(
        actor=lea, benchmark=board, samples=one, facet="category", value="OCR", remove=False, key="one"
    )  # fmt: skip
    assert stale(board) == {True}
    score_benchmark(actor=lea, benchmark=board, only_stale=True)
    assert (stale(board), slices(board)) == ({False}, {"OCR"})
    undo_batch(actor=lea, batch=FacetBatch.objects.get())
    assert stale(board) == {True}
    assert gold_digest(board) == gold


KEY = "Chart-0"


def native_with(tmp_path: Path, **changes: Any) -> Path:
    """The benchmark as a file, with one sample changed."""
    path = tmp_path / "kitchen.json"
    call_command("export_benchmark", "kitchen", "--format", "native", "--output", path)
    content = json.loads(path.read_text())
    [sample] = [one for one in content["samples"] if one["id"] == KEY]
    sample |= changes
    if sample.get("category") is None:
        sample.pop("category")
    path.write_text(json.dumps(content))
    return path


def by_import(**changes: Any) -> Callable[[User, Benchmark, Path], object]:
    def change(lea: User, board: Benchmark, tmp_path: Path) -> object:
        return import_samples(actor=lea, benchmark=board, path=native_with(tmp_path, **changes), format="native")

    return change


def by_update(lea: User, board: Benchmark, tmp_path: Path) -> None:
    twin = import_project(actor=lea, path=exported(board, tmp_path / "first"), slug="twin", lead=lea)
    changed(twin, KEY, lea, "Which mug?")
    assert updated(lea, board, exported(twin, tmp_path / "second"))["changed"] == 1


def by_lead(lea: User, board: Benchmark, _: Path) -> None:
    one = board.samples.filter(key=KEY)
    set_facet(actor=lea, benchmark=board, samples=one, facet="category", value="Map", remove=False, key="one")


def by_undo(lea: User, board: Benchmark, tmp_path: Path) -> None:
    by_lead(lea, board, tmp_path)
    score_benchmark(actor=lea, benchmark=board)
    undo_batch(actor=lea, batch=FacetBatch.objects.get())


def by_schema(lea: User, board: Benchmark, _: Path) -> None:
    values = [*category_values(board) - {"Math & more"}, "Mathematics"]
    in_force(lea, board, values, {("category", "Math & more"): (CHANGE, "Mathematics")})


def category_values(board: Benchmark) -> set[str]:
    return set(FacetValue.objects.filter(benchmark=board, name="category").values_list("value", flat=True))


def by_segment(lea: User, board: Benchmark, _: Path) -> None:
    accept_tool(actor=lea, tool=BankTool.objects.get(name="hammer"), name="hammer", segment="27", aliases=[])


def by_merging(lea: User, board: Benchmark, tmp_path: Path) -> None:
    accept_tool(actor=lea, tool=BankTool.objects.get(name="saw"), name="saw", segment="27", aliases=[])
    score_benchmark(actor=lea, benchmark=board)
    merge_tool(actor=lea, tool=BankTool.objects.get(name="level"), into=BankTool.objects.get(name="saw"))


WAYS = {
    "import of a file": by_import(category="Map"),
    "import that removes a facet": by_import(category=None),
    "import of another image cluster": by_import(image_group="picture 5"),
    "import of another size": by_import(width=2000, height=1600),
    "update from a portable file": by_update,
    "values set on the Work page": by_lead,
    "undo of values that were set": by_undo,
    "schema that renames a value": by_schema,
    "segment of a tool": by_segment,
    "merged tools": by_merging,
}


@pytest.mark.endurance
@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_change_facets_without_gold_makes_scores_stale(
    lea: User, board: Benchmark, tmp_path: Path, settings: Any, way: str
) -> None:
    settings.SCRATCH = tmp_path
    in_force(lea, board, [*category_values(board), "Map"])
    board = Benchmark.objects.get(pk=board.pk)
    score_benchmark(actor=lea, benchmark=board)
    accepted = set(board.samples.values_list("gold__revision", "gold__accepted_at"))
    assert stale(board) == {False}
    WAYS[way](lea, board, tmp_path)
    fresh = StalenessChecker(board)
    assert stale(board) == {True}
    if way != "update from a portable file":
        assert set(board.samples.values_list("gold__revision", "gold__accepted_at")) == accepted
        assert not any(fresh.read_before(one) for one in Scoring.objects.filter(run__benchmark=board))
    score_benchmark(actor=lea, benchmark=board, only_stale=True)
    assert stale(board) == {False}


@pytest.mark.endurance
def test_an_import_over_the_api_that_changes_a_facet_scores_again(
    lea: User, board: Benchmark, tmp_path: Path, settings: Any, run_jobs: Callable[[], int]
) -> None:
    settings.SCRATCH = tmp_path
    client, address = program(lea, Scope.IMPORT), "/api/v1/benchmarks/kitchen/imports/"
    file = SimpleUploadedFile("kitchen.json", native_with(tmp_path, category="Map").read_bytes())
    record = client.post(address, {"file": file}).json()
    run_jobs()
    assert client.post(f"{address}{record['id']}/commit/", {}, content_type="application/json").status_code == 202
    assert "Map" not in slices(board)
    run_jobs()
    assert "Map" in slices(board)
    assert stale(board) == {False}


def test_an_import_that_changes_no_facet_leaves_scores_fresh(lea: User, board: Benchmark, tmp_path: Path) -> None:
    for changes in ({}, {"extra": {"note": "bright"}}):
        by_import(**changes)(lea, board, tmp_path)
        assert stale(board) == {False}


def test_an_update_takes_no_facets_without_the_gold_of_the_file(lea: User, board: Benchmark, tmp_path: Path) -> None:
    twin = import_project(actor=lea, path=exported(board, tmp_path / "first"), slug="twin", lead=lea)
    in_force(lea, twin, [*category_values(twin), "Map"])
    by_lead(lea, Benchmark.objects.get(slug="twin"), tmp_path)
    assert not any(updated(lea, board, exported(twin, tmp_path / "second")).values())
    assert stale(board) == {False}


@pytest.mark.both_databases
def test_facets_that_change_while_scores_are_computed_make_them_stale(lea: User, board: Benchmark) -> None:
    run = Run.objects.scored().select_related("benchmark").order_by("pk")[0]
    samples = load_samples(board)
    facets_changed(board.pk)
    score_one(actor=lea, run=run, samples=samples, settings=settings_of(board))
    scoring = Scoring.objects.select_related("run").get(run=run)
    assert StalenessChecker(board).stale(scoring)


@pytest.mark.both_databases
def test_the_time_stays_when_changes_are_folded_into_one(board: Benchmark, monkeypatch: Any) -> None:
    monkeypatch.setattr("annotation.content.changes.MOST_ROWS", 1)
    facets_changed(board.pk)
    facets_changed(board.pk)
    before = ContentChange.objects.filter(benchmark=board).facets_changed_at()[0]["at"]
    assert fold_changes() > 0
    assert ContentChange.objects.get(benchmark=board).facets_at == before
    assert stale(board) == {True}
