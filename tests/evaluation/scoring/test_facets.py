"""Scores by facet after the facets changed: stale until they are computed again, while gold stays the same."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.content.facet_batches import undo_batch
from annotation.content.freeze import gold_digest
from annotation.models import Benchmark, FacetBatch, FacetValue
from annotation.task.write import CHANGE, KEEP, activate, save_draft
from annotation.work.write.facets import set_facet
from evaluation.models import Metric, Run, Scoring
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.write import score_benchmark

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
