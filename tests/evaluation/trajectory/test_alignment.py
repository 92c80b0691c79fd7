"""A trajectory beside the closest accepted chain: which one, what was added, left out or changed, and the same numbers
as the scores."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from django.urls import reverse

from annotation.content.chains.read import digest_of
from annotation.content.json import calls_to_json
from annotation.models import AcceptedChain, Benchmark, Sample
from annotation.schema import ToolCall
from evaluation.common.exports import sample_rows
from evaluation.models import Trajectory
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.chain_data import make_chains
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

NEARER = tuple(ToolCall(name) for name in ("crop", "blur", "canny"))
"""Beside the gold's crop/canny/canny: the calls of the first run on the second kind of sample."""


@made_once
def benchmark(lea: User) -> Benchmark:
    """Two runs on five kinds of samples; one sample has a further accepted chain."""
    made: Benchmark = make_chains(lea, times=1)
    sample = made.samples.get(key="s1-0")
    AcceptedChain.objects.create(
        sample=sample, digest=digest_of(NEARER), calls=calls_to_json(NEARER), note="by edges", accepted_by=lea
    )
    score_benchmark(actor=lea, benchmark=made)
    return made


def tab_of(lea: User, model: str, key: str) -> Any:
    trajectory = Trajectory.objects.get(run__model__name=model, sample__key=key)
    return signed_in(lea).get(reverse("evaluation:trajectory", args=["chains", trajectory.pk]) + "?tab=toolchain")


def aligned(lea: User, key: str, **terms: str) -> Any:
    return signed_in(lea).get(reverse("evaluation:sample-chains", args=["chains", key]), terms)


@pytest.mark.parametrize(
    ("model", "key", "rows", "counts"),
    [
        ("Model 0", "s0-0", [("=", "Crop", "crop"), ("=", "Binarize", "threshold")], ""),
        (
            "Model 1",
            "s1-0",
            [("=", "crop", "Crop"), ("−", "canny", None), ("≠", "canny", "Crop")],
            "1 missing, 1 changed",
        ),
        ("Model 1", "s0-0", [("−", "Crop", None), ("−", "Binarize", None)], "2 missing"),
        (
            "Model 0",
            "s4-0",
            [("+", None, "canny"), ("≠", "binarize", "a > b"), ("≠", "blur", "binarize")],
            "1 added, 2 changed",
        ),
    ],
)
@pytest.mark.endurance
def test_each_row_says_whether_the_call_is_the_same_another_added_or_missing(
    benchmark: Benchmark, lea: User, model: str, key: str, rows: Any, counts: str
) -> None:
    page = tab_of(lea, model, key)
    table = page.context["alignment"]
    assert [(row.sign, row.reference, row.predicted) for row in table.rows] == rows
    assert table.counts == counts
    html = page.content.decode()
    signs = Counter(f'<td class="sign" title="{row.kind}">{row.sign}</td>' for row in table.rows)
    assert {sign: html.count(sign) for sign in signs} == signs
    assert f"distance {table.distance}" in html


@pytest.mark.endurance
def test_the_pages_have_the_distance_and_the_chain_of_the_scores(benchmark: Benchmark, lea: User) -> None:
    rows = {(row["model"], row["sample"]): row for row in sample_rows(benchmark)}
    assert len(rows) == 10
    for (model, key), row in rows.items():
        table = tab_of(lea, model, key).context["alignment"]
        assert (table.distance if table else None) == row["edit_distance"]
        lines = {str(line.row.name): line for line in aligned(lea, key).context["lines"]}
        line = next(line for name, line in lines.items() if model in name)
        closest = line.nearest_distance if line.nearest else line.distance
        assert row["edit_distance"] in (closest, None)


def test_the_closest_accepted_chain_is_named_on_both_pages_and_another_can_be_chosen(
    benchmark: Benchmark, lea: User
) -> None:
    tab = tab_of(lea, "Model 0", "s1-0")
    words = tab.context["chain_words"]
    assert all(part in words for part in ("closest of 2", str(lea), "by edges"))
    assert words in tab.content.decode()
    page = aligned(lea, "s1-0")
    assert [(one.place, list(one.distances), one.shown) for one in page.context["references"]] == [
        (0, [1, 2], False), (1, [0, 2], True),
    ]  # fmt: skip
    html = page.content.decode()
    assert '<span class="tag tag--gold">accepted 1</span>' in html
    kinds = [[cell.kind for cell in line.cells] for line in page.context["lines"]]
    assert kinds == [["same", "same", "same"], ["same", "missing", "changed"]]
    beside_gold = aligned(lea, "s1-0", chain="0")
    first = beside_gold.context["lines"][0]
    assert (first.distance, first.nearest.place, first.nearest_distance) == (1, 1, 0)
    assert "0 to accepted 1" in " ".join(beside_gold.content.decode().split())


def test_an_added_call_opens_a_column_and_moves_no_other(benchmark: Benchmark, lea: User) -> None:
    page = aligned(lea, "s4-0")
    assert page.context["table"].heads == ["+", "1", "2"]
    assert [[(cell.kind, cell.tool) for cell in line.cells] for line in page.context["lines"]] == [
        [("added", "canny"), ("changed", "a > b"), ("changed", "binarize")],
        [("", ""), ("missing", ""), ("changed", "my tool")],
    ]  # fmt: skip
    assert "a &gt; b" in page.content.decode()


def test_the_table_as_a_file_has_a_row_for_every_call_and_every_missing_one(benchmark: Benchmark, lea: User) -> None:
    rows = json.loads(b"".join(aligned(lea, "s1-0", chain="0", format="json")))
    assert [(row["model"], row["kind"], row["reference_tool"], row["tool"], row["distance"]) for row in rows] == [
        ("Model 0", "same", "crop", "opencv_crop", 1), ("Model 0", "changed", "canny", "blur", 1),
        ("Model 0", "same", "canny", "canny", 1), ("Model 1", "same", "crop", "Crop", 2),
        ("Model 1", "missing", "canny", None, 2), ("Model 1", "changed", "canny", "Crop", 2),
    ]  # fmt: skip
    assert b"".join(aligned(lea, "s2-0", format="csv")).startswith(b"run,model,setting,distance,column,")
    assert aligned(lea, "s1-0", format="xls").status_code == 400


def test_without_a_reference_the_runs_are_laid_beside_the_one_in_their_middle(benchmark: Benchmark, lea: User) -> None:
    page = aligned(lea, "s2-0")
    assert page.context["reference"] is None
    assert [line.center for line in page.context["lines"]] == [True, False]
    assert "This sample has no reference toolchain." in page.content.decode()


def test_a_stranger_sees_no_chains(benchmark: Benchmark, sam: User) -> None:
    assert Sample.objects.filter(key="s1-0").exists()
    assert aligned(sam, "s1-0").status_code == 404
