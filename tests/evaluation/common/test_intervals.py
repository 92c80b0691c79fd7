"""What an interval rests on is said alike everywhere: the design effect of clusters, and that it is not adjusted."""

from __future__ import annotations

import csv
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import transaction
from django.urls import reverse

from evaluation.common.design_effect import design_words
from evaluation.common.exports import EXPORTS
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.metrics.settings_help import counting_words
from evaluation.models import Metric, Run, Trajectory
from evaluation.scoring.settings import change_settings, settings_of
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board, tries
from tests.evaluation.run_pages import make_benchmark
from tests.evaluation.scores import with_scores

pytestmark = [pytest.mark.django_db]
BOARD = "/benchmarks/kitchen/leaderboard/"
DESIGN = re.compile(r"design effect [0-9.]+, equivalent to [0-9,]+ independent samples")


def words_of(answer):
    return " ".join(answer.content.decode().split())


def test_a_design_effect_is_said_where_samples_share_pictures():
    assert design_words(62, 45.706) == "design effect 1.36, equivalent to 46 independent samples"
    assert (design_words(62, 62.0), design_words(62, None), design_words(0, 0.0)) == ("", "", "")


@pytest.mark.both_databases
def test_board_and_page_of_a_run_say_the_same_design_effect(lea, board):
    client, run = signed_in(lea), Run.objects.get(model__name="Model C")
    kept = Metric.objects.get(scoring__run=run, metric="accuracy", slice_by="")
    assert kept.detail["deff"] == pytest.approx(kept.n / kept.detail["n_eff"])
    row = next(row for row in client.get(BOARD).context["ranked"] if row.row.run == run)
    number = next(
        one
        for one in client.get(reverse("evaluation:run", args=["kitchen", run.pk])).context["numbers"]
        if one.label == "Accuracy"
    )
    assert DESIGN.findall(row.accuracy.title) == DESIGN.findall(number.interval) == [
        design_words(kept.n, kept.detail["n_eff"])
    ]  # fmt: skip
    assert f"design effect {kept.detail['deff']:.2f}" in row.accuracy.title


@pytest.mark.one_database
def test_an_effective_number_that_is_undefined_is_not_said(lea, board):
    run = Run.objects.get(model__name="Model C")
    kept = Metric.objects.get(scoring__run=run, metric="accuracy", slice_by="")
    kept.detail |= {"deff": None, "n_eff": None}
    kept.save()
    row = next(row for row in signed_in(lea).get(BOARD).context["ranked"] if row.row.run == run)
    assert "design effect" not in row.accuracy.title
    assert "95% interval" in row.accuracy.title


@pytest.mark.one_database
def test_every_adjusted_p_names_its_family_and_how_many_comparisons_it_has(lea):
    """D1.5: against the reference, of adjacent ranks, and over all pairs; on the page, in the API and in exports."""
    client, benchmark = signed_in(lea), make_board(lea)
    answer = client.get(BOARD)
    row = next(row for row in answer.context["ranked"] if row.row.against)
    compared = [one.against for one in answer.context["board"].rows() if one.against]
    tested = sum(one.p_cluster is not None for one in compared)
    assert {(one.p_family, one.p_family_size) for one in compared} == {("reference", tested)}
    heads = answer.content.decode().split("</thead>")[0]
    assert (row.against.title + heads).count(row.row.against.family_words) == 2  # the head and the tooltip of the cell
    board = client.get("/api/v1/benchmarks/kitchen/leaderboard/").json()
    steps = [one["against"] for one in board["neighbours"]]
    assert {(one["p_family"], one["p_family_size"]) for one in steps} == {
        ("adjacent", sum(one["p_cluster"] is not None for one in steps))
    }
    pairs = list(EXPORTS["comparisons"].rows(benchmark))
    assert {(one["p_family"], one["p_family_size"]) for one in pairs} == {
        ("all_pairs", sum(one["p_cluster"] is not None for one in pairs))
    }
    export = {name: b"".join(client.get(BOARD, {"format": name}).streaming_content).decode() for name in ("csv", "md")}
    tidy = list(csv.DictReader(export["csv"].splitlines()))
    assert {one["against_p_family_size"] for one in tidy if one["against_p_family"]} == {str(tested)}
    assert row.row.against.family_words in export["md"]


@pytest.mark.one_database
def test_undecided_unread_and_missing_answers_are_counted_wherever_accuracy_is_shown(lea):
    """D1.6: in tables for papers, figures and the command, with how they count; and no page calls them no failure."""
    kinds = {"seen": 4, "undecided": 3, "unread": 2, "unanswered": 1}
    benchmark = make_benchmark(lea, kinds, models=["Model A", "Model B"], pictures=False)
    client, words = signed_in(lea), "5 undecided (2 unread), 1 unanswered"
    for left_out in (False, True):
        if left_out:
            change_settings(actor=lea, benchmark=benchmark, values={"undecided_answer": "exclude"})
            score_benchmark(actor=lea, benchmark=benchmark)
        said = counting_words(settings_of(benchmark)).split(";")[0]
        assert ("are excluded" in said) is left_out
        runs = [run.pk for run in Run.objects.of(benchmark)]
        for address, terms in (("leaderboard", {}), ("compare", {"run": runs})):
            url = f"/benchmarks/street/{address}/"
            files = {name: client.get(url, terms | {"format": name}) for name in ("md", "svg")}
            table, figure = (b"".join(one.streaming_content).decode() for one in files.values())
            assert (said in table, said in figure) == (True, True)
            assert figure.count(words) == 2
            assert "5 / 2 / 1" in table or table.replace("\\", "").count(words) == 2
        printed = StringIO()
        call_command("leaderboard", "street", stdout=printed)
        assert sum(line.split()[3:6] == ["5", "2", "1"] for line in printed.getvalue().splitlines()) == 2
        assert said in printed.getvalue()
        tidy = client.get("/benchmarks/street/leaderboard/", {"format": "csv"})
        rows = list(csv.DictReader(b"".join(tidy.streaming_content).decode().splitlines()))
        assert {(row["undecided"], row["unread"], row["missing_answer"]) for row in rows[:2]} == {("5", "2", "1")}
    one = next(one for one in with_scores(Trajectory.objects.order_by("pk")) if one.score.undecided)
    preview = client.get(
        reverse("evaluation:trajectory-preview", args=["street", one.pk]), headers={"HX-Request": "true"}
    )
    assert "no failure" not in words_of(preview).split("Failure</", 1)[1].split("</dd>")[0]


@pytest.mark.one_database
@pytest.mark.endurance
def test_intervals_beside_an_adjusted_p_say_that_they_are_not_adjusted(lea, unscored_board):
    with transaction.atomic():
        save_trajectories(RunRegistry(unscored_board, lea), tries("Model C", 5, 10, setting="code"), None)
    score_benchmark(actor=lea, benchmark=unscored_board)
    client = signed_in(lea)
    board = words_of(client.get(BOARD))
    for words in (
        ", unadjusted; p (clustered)",
        "Newcombe’s unadjusted 95% interval",
        "(Newcombe), unadjusted, on",
        "p adjusted within a model; intervals unadjusted",
    ):
        assert words in board
    runs = "&".join(f"run={run.pk}" for run in Run.objects.filter(model__name__in=["Model C", "Model D"]))
    page = words_of(client.get(f"/benchmarks/kitchen/compare/?{runs}"))
    assert "95% (Newcombe), unadjusted" in page
    assert "vs reference, Holm over 2 · 95% intervals, unadjusted" in page
    found = words_of(client.get(f"/benchmarks/kitchen/compare/slices/?{runs}&least=1"))
    assert "the 95% intervals are unadjusted" in found
