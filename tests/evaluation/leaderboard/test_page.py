"""The leaderboard: every number leads to what it counts, nothing is hidden, and who may see it."""

from __future__ import annotations

import csv
import json
import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.benchmarks.write.benchmark import add_member, create_benchmark, set_public
from annotation.models import Sample
from annotation.workflow import Role
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.leaderboard.present.columns import CHOICE
from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.metrics.catalogue import METRICS
from evaluation.models import Comparison, Metric, Model, Run, Scoring
from evaluation.models.querysets.runs import samples_without_trajectory
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board, tries
from tests.evaluation.lists import Lists
from webapp.jobs.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
COUNTED = re.compile(r'<a href="([^"]+)" data-count="(\d+)">')


def address(**terms):
    query = "&".join(f"{name}={value}" for name, value in terms.items())
    return f"/benchmarks/kitchen/leaderboard/?{query}"


def page(client, **terms):
    answer = client.get(address(**terms))
    assert answer.status_code == 200
    return answer


def text_of(answer):
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())))


def behind(lists, href):
    """How many the linked page lists."""
    parts = urlsplit(unescape(href))
    if missing := re.search(r"/runs/(\d+)/missing/$", parts.path):
        samples = samples_without_trajectory(Run.objects.get(pk=missing[1]))
        for name, value in parse_qsl(parts.query):
            samples = samples.having(name.removeprefix("facet."), value)
        return samples.count()
    assert parts.path == reverse("evaluation:trajectories", args=["kitchen"])
    return lists.count("kitchen", parts.query)


@pytest.mark.parametrize("undecided", ["incorrect", "exclude"])
@pytest.mark.endurance
def test_every_linked_number_lists_exactly_that_many(lea, undecided, unscored_board):
    change_settings(actor=lea, benchmark=unscored_board, values={"undecided_answer": undecided})
    score_benchmark(actor=lea, benchmark=unscored_board)
    client, lists, wrong = signed_in(lea), Lists(lea), []
    for terms, least in (
        ({}, 11),
        ({"reference": Run.objects.get(model__baseline=True).pk}, 11),
        ({"by": "category", "slice": "Chart"}, 11),
        ({"by": "category", "slice": "Math %26 more"}, 11),
        ({"by": "calls", "slice": "1"}, 11),
        ({"by": "targets", "slice": "3"}, 1),
        ({"by": "segment", "slice": "table"}, 11),
    ):
        links = COUNTED.findall(page(client, **terms).content.decode())
        assert len(links) >= least, terms
        wrong += [(href, n, listed) for href, n in links if (listed := behind(lists, href)) != int(n)]
    assert wrong == []


@pytest.mark.endurance
def test_the_numbers_are_the_metric_rows(lea, board):
    shown = {str(row.row.run): row for row in page(signed_in(lea)).context["ranked"]}
    assert set(shown) == {"Model A, base", "Model B", "Model C, base", "Model D, code"}
    accuracy = Metric.objects.get(metric="accuracy", slice_by="", scoring__run__model__name="Model D")
    cell = shown["Model D, code"].accuracy
    assert (cell.value, cell.low, cell.high) == (accuracy.value, accuracy.ci_low, accuracy.ci_high)
    assert (cell.text, cell.count) == ("44.4", 4)
    assert cell.title.startswith("4 of 9; 95% interval")


def test_what_is_undefined_is_not_available_and_never_0(lea, board):
    [baseline] = page(signed_in(lea), columns="usd_mean").context["baselines"]
    usd = [cell for cell in baseline.cells if "g-cost" in cell.classes]
    assert [cell.text for cell in usd] == ["n/a"]


def test_missing_failed_unread_and_unscored_are_all_said(lea, board):
    Scoring.objects.get(run__model__name="Model B").delete()
    answer = page(signed_in(lea))
    words = text_of(answer)
    [model_d] = [row for row in answer.context["ranked"] if row.row.run.model.name == "Model D"]
    assert [cell.text for cell in model_d.hidden_counts] == ["7 missing"]  # 16 samples, 9 tried
    [model_c] = [row for row in answer.context["ranked"] if row.row.run.model.name == "Model C"]
    assert [cell.text for cell in model_c.hidden_counts] == ["4 missing", "1 undecided", "1 of them unread"]
    assert "1 run is not scored." in words
    assert "run failed" in words
    assert [row.run.model.name for row, _ in answer.context["failed"]] == ["Endpoint down"]
    [(_, counts)] = answer.context["failed"]
    assert [count.text for count in counts] == ["4 missing", "12 failed", "12 unanswered"]
    assert all(count.text in words for count in counts)
    assert "Endpoint down" not in [row.row.run.model.name for row in answer.context["ranked"]]


@pytest.mark.endurance
def test_a_rank_is_the_same_on_the_board_and_on_the_page_of_the_run(lea, board):
    """Of runs that are ranked alone: neither page counts a baseline or a failed run among them."""
    client = signed_in(lea)
    answer = page(client)
    rows = [row.row for row in answer.context["ranked"] if row.row.standing and row.row.standing.rank]
    for row in rows:
        ranking = client.get(reverse("evaluation:run", args=["kitchen", row.run.pk])).context["ranking"]
        assert (ranking.of, ranking.own[50]) == (len(rows), row.standing.rank)
    [baseline] = answer.context["baselines"]
    alone = client.get(reverse("evaluation:run", args=["kitchen", baseline.row.run.pk]))
    assert alone.context["ranking"] is None
    assert "Rank by IoA threshold" not in text_of(alone)


def test_baselines_and_papers_have_no_rank_and_no_comparison_with_papers(lea, board):
    answer = page(signed_in(lea))
    [baseline] = answer.context["baselines"]
    assert baseline.row.standing is None
    assert baseline.row.against is not None
    assert "other samples, not compared" in text_of(answer)
    compact = len(answer.context["published"])
    everything = len(page(signed_in(lea), published="all").context["published"])
    assert 0 < compact < everything
    assert all(row.row.has_quadrants for row in answer.context["published"])


@pytest.mark.endurance
def test_a_difference_says_gained_lost_and_tie_as_the_adjusted_p_does(lea):
    make_board(lea)
    board = load_leaderboard(Run.objects.first().benchmark)
    assert str(board.reference.run) == "Model C, base"
    [model_d] = [row for row in board.ranked if row.run.model.name == "Model D"]
    stored = Comparison.objects.get(
        a__run__model__name__in=["Model C", "Model D"], b__run__model__name__in=["Model C", "Model D"]
    )
    assert (model_d.against.reference_only, model_d.against.row_only, model_d.against.n) == (5, 0, 9)
    assert model_d.against.difference == -abs(stored.difference)
    assert model_d.against.low < model_d.against.difference < model_d.against.high
    assert model_d.against.p_holm >= stored.p_value
    assert model_d.against.tie is (model_d.against.p_holm >= 0.05)


def test_neighbours_are_next_to_each_other_by_accuracy(lea, board):
    pairs = load_leaderboard(board, sorted_by="calls_mean").neighbours
    assert pairs
    for pair in pairs:
        assert pair.upper.value("accuracy") >= pair.lower.value("accuracy")
    ends = [row.run.pk for pair in pairs for row in (pair.upper, pair.lower)]
    assert ends[1:-1:2] == ends[2::2]


def test_sorting_puts_the_better_first_and_says_so(lea, board):
    answer = page(signed_in(lea), sort="effective_chain_mae")
    values = [row.row.value("effective_chain_mae") for row in answer.context["ranked"]]
    known = [value for value in values if value is not None]
    assert known == sorted(known)
    assert values[len(known) :] == [None] * (len(values) - len(known))
    assert answer.content.decode().count('aria-sort="ascending"') == 1


def test_a_slice_has_its_own_numbers_but_no_ranks_or_differences(lea, board):
    answer = page(signed_in(lea), by="category", slice="Chart")
    [model_c] = [row for row in answer.context["ranked"] if row.row.run.model.name == "Model C"]
    assert (model_c.n.count, model_c.accuracy.text) == (6, "100.0")
    assert model_c.row.standing is None
    assert model_c.row.against is None
    assert ("Chart", 6) in {facet.name: facet.values for facet, _ in answer.context["slices"]}["category"]


def test_column_groups_come_from_the_address(lea, board):
    content = page(signed_in(lea), groups="toolchain").content.decode()
    assert 'data-group="toolchain"' in content
    assert "g-planning" not in content
    assert "c-difference" not in content
    assert "c-accuracy" in content


@pytest.mark.both_databases
def test_rows_scored_otherwise_are_warned_of(lea, board):
    Scoring.objects.filter(run__model__name="Model D").update(settings={"ioa_threshold": 0.7}, gold_digest="other")
    words = text_of(page(signed_in(lea)))
    assert "Different metric settings. Model D, code" in words
    assert "Different versions. Model D, code" in words
    assert [str(row.run) for row in load_leaderboard(board).stale] == ["Model D, code"]


@pytest.mark.both_databases
@pytest.mark.endurance
def test_stale_scores_are_marked_and_can_be_made_again(lea, run_jobs, board):
    change_settings(actor=lea, benchmark=board, values={"ioa_threshold": 0.6})
    client = signed_in(lea)
    assert "runs have stale scores" in text_of(page(client))
    assert client.post("/benchmarks/kitchen/score/").status_code == 302
    client.post("/benchmarks/kitchen/score/")
    assert Job.objects.filter(kind="evaluation.score").count() == 1  # one at a time
    waiting = text_of(page(client))
    assert "Scoring" in waiting
    assert "Score now" not in waiting
    run_jobs()
    assert Job.objects.get(kind="evaluation.score").state == Job.State.DONE
    answer = page(client)
    assert "earlier state" not in text_of(answer)
    assert answer.context["board"].settings.ioa_threshold == 0.6


@pytest.mark.endurance
def test_scoring_needs_the_right(lea, ana, sam):
    benchmark = make_board(lea, public=True)
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    assert signed_in(ana).post("/benchmarks/kitchen/score/").status_code == 403
    assert signed_in(sam).post("/benchmarks/kitchen/score/").status_code == 403
    assert Client().post("/benchmarks/kitchen/score/").status_code == 302
    assert not Job.objects.filter(kind="evaluation.score").exists()
    assert "Score now" not in text_of(page(signed_in(sam)))


def test_a_public_board_is_read_without_sign_in_and_a_private_one_is_not_there(lea, sam, board):
    assert signed_in(sam).get(address()).status_code == 404
    assert Client().get(address()).status_code == 404
    set_public(actor=lea, benchmark=board, public=True)
    assert Client().get(address()).status_code == 200


@pytest.mark.parametrize("terms", [{"sort": "nonsense"}, {"reference": "9" * 30}, {"groups": "x"}])
def test_an_order_that_means_nothing_shows_the_whole_board(lea, terms, board):
    answer = page(signed_in(lea), **terms)
    assert answer.context["board"].whole
    assert len(answer.context["ranked"]) == 4


def test_a_slice_nobody_has_is_not_found(lea, board):
    answer = signed_in(lea).get(address(by="category", slice="Nothing"))
    assert answer.status_code == 404
    assert "No run has scores on category = Nothing." in text_of(answer)


def test_a_board_without_runs_says_what_to_do(lea):
    create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    words = text_of(page(signed_in(lea)))
    assert "No runs yet" in words
    assert "Import runs" in words


def file(client, **terms):
    answer = client.get(address(**terms))
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def test_a_file_holds_every_metric_of_exactly_this_slice(lea, board):
    client = signed_in(lea)
    rows = json.loads(file(client, by="category", slice="Chart", format="json", table="metrics"))
    assert {(row["slice_by"], row["slice"]) for row in rows} == {("category", "Chart")}
    assert len(rows) == Metric.objects.filter(slice_by="category", slice="Chart").count()
    answer = client.get(address(format="csv", table="metrics"))
    assert answer["Content-Disposition"] == 'attachment; filename="kitchen-metrics.csv"'
    lines = list(csv.DictReader(b"".join(answer.streaming_content).decode().splitlines()))
    accuracy = next(row for row in lines if row["model"] == "Model D" and row["metric"] == "accuracy")
    assert float(accuracy["value"]) == pytest.approx(4 / 9, abs=1e-15)
    assert client.get(address(format="md", table="metrics")).status_code == 400


@pytest.mark.endurance
def test_a_metric_has_one_label_a_run_one_letter_and_a_slice_its_own_size(lea, board):
    """D1.10, D1.11."""
    client = signed_in(lea)
    orders = [client.get(address(sort=name)) for name in ("accuracy", "calls_mean", "valid_grounded_reasoning")]
    found = [{row.row.run.pk: row.letter for row in one.context["ranked"]} for one in orders]
    assert found[0] == found[1] == found[2]
    assert list(dict(sorted(found[0].items())).values()) == sorted(found[0].values())
    labels = {head["column"].metric: head["column"].label for head in orders[0].context["heads"]}
    menu = {name: column.label for name, column in CHOICE.items()}
    assert labels.items() <= menu.items()
    assert all(label == METRICS[name].label for name, label in menu.items())
    slices = [client.get(address(by="category", slice="Chart")), client.get(address(q="grounded"))]
    whole, chart, asked = (one.context["board"].samples for one in (orders[0], *slices))
    assert (chart, whole) == (6, Sample.objects.filter(gold__isnull=False).count())
    assert 0 < asked < whole
    assert "<bdi>grounded</bdi>" in slices[1].content.decode()


def test_every_format_holds_the_view_as_it_stands(lea, board):
    Model.objects.filter(name="Model D").update(name="=HYPERLINK(1) & 50%_{$}")
    client = signed_in(lea)
    view = {
        "columns": "mean_ioa,calls_mean",
        "sort": "accuracy",
        "reference": Run.objects.get(model__name="Model A").pk,
    }
    shown = page(client, **view)
    [row] = [row for row in shown.context["ranked"] if row.row.run.setting == "code"]
    lines = list(csv.DictReader(file(client, format="csv", **view).decode().splitlines()))
    assert [line["band"] for line in lines[:6]] == ["ranked"] * 4 + ["baseline", "failed"]
    assert "mean_coverage" not in lines[0]
    [line] = [line for line in lines if line["setting"] == "code"]
    assert line["model"].startswith("'=HYPER")  # no formula
    assert float(line["accuracy"]) == row.accuracy.value
    assert (int(line["missing"]), line["against_reference"]) == (7, "Model A, base")
    objects = [json.loads(text) for text in file(client, format="jsonl", **view).decode().splitlines()]
    assert [one["model"] for one in objects] == [line["model"].removeprefix("'") for line in lines]
    assert objects[5]["accuracy"] is None  # a failed run has no value, not 0
    latex, markdown = (file(client, format=name, **view).decode() for name in ("tex", "md"))
    assert r"=HYPERLINK(1) \& 50\%\_\{\$\}, code" in latex
    assert latex.count("\\\\") == 2 + len(lines) + latex.count("\\emph")
    assert "Failed runs: n/a, not 0%" in markdown
    assert f"{row.accuracy.text} \\[{row.accuracy.spread}\\]" in markdown
    assert client.get(address(format="xls")).status_code == 400


def test_the_figure_is_a_drawing_that_stands_alone(lea, board):
    client = signed_in(lea)
    drawn = ElementTree.fromstring(file(client, format="svg"))
    assert len(drawn.findall(".//{*}circle")) == 4
    words = "".join(drawn.itertext())
    assert "Model C, base" in words
    assert " · 95% intervals · unfrozen gold, scored " in words
    assert file(client, format="png").startswith(b"\x89PNG")
    assert client.get(address(format="svg", by="category", slice="Nothing")).status_code == 404


def test_columns_are_chosen_ordered_and_pinned_by_address(lea, board):
    client = signed_in(lea)
    answer = page(client, columns="calls_mean,mean_ioa,nonsense,selection_f1", pin="selection_f1")
    names = [head["column"].metric for head in answer.context["heads"]]
    assert names == ["selection_f1", "calls_mean", "mean_ioa"]
    assert [band for band, *_ in answer.context["bands"]] == ["grounding", "pinned", "toolchain", "grounding"]
    first, second, third = answer.context["menu"].standing
    assert (first.earlier, third.later) == ("", "")
    moved = [head["column"].metric for head in client.get(address() + second.earlier[1:]).context["heads"]]
    assert moved == ["selection_f1", "mean_ioa", "calls_mean"]
    away = client.get(address() + third.away[1:]).context
    assert [head["column"].metric for head in away["heads"]] == ["calls_mean", "mean_ioa"]
    assert away["view"].editing  # the menu stays open


def test_intervals_stand_in_digits_when_asked_for(lea, board):
    assert 'class="spread' not in page(signed_in(lea)).content.decode()
    answer = page(signed_in(lea), intervals="yes", columns="calls_mean")
    [cell] = answer.context["ranked"][0].cells
    assert f'<span class="spread xs">{cell.spread}</span>' in answer.content.decode()


@pytest.mark.endurance
def test_settings_of_one_model_are_compared_with_its_base(lea, unscored_board):
    with transaction.atomic():
        save_trajectories(RunRegistry(unscored_board, lea), tries("Model C", 5, 10, setting="code"), None)
    score_benchmark(actor=lea, benchmark=unscored_board)
    answer = page(signed_in(lea))
    [one] = answer.context["ablations"]
    assert str(one.base.run) == "Model C, base"
    [(other, _)] = one.others
    [stored] = answer.context["board"].ablations
    difference = stored.others[0][1]
    assert (str(other.run), difference.row_only, difference.reference_only) == ("Model C, code", 0, 4)
    assert difference.p_holm == difference.p_value  # a family of one
    [told] = signed_in(lea).get(f"/api/v1/benchmarks/{unscored_board.slug}/leaderboard/").json()["ablations"]
    assert (told["base"], told["others"][0]["run"]) == (one.base.run.pk, other.run.pk)
    assert (told["others"][0]["row_only"], told["others"][0]["difference"]) == (0, difference.difference)


@pytest.mark.endurance
def test_the_board_takes_the_same_queries_for_few_runs_and_for_many(lea, django_assert_num_queries):
    benchmark = make_board(lea, public=True)
    # benchmark; what the tabs count, and the version; a job that scores; the board's: settings, gold, metrics,
    # standings, runs, comparisons, comparisons of one model, slices
    with CaptureQueriesContext(connection) as few:
        Client().get(address())
    for place in range(20):
        run = Run.objects.create(
            benchmark=benchmark, model=Run.objects.first().model, setting=f"again {place}", number=100 + place
        )
        copy_scores(Scoring.objects.get(run__model__name="Model C"), run)
    with django_assert_num_queries(len(few)):
        answer = Client().get(address())
    assert len(answer.context["ranked"]) == 24


def copy_scores(scoring, run):
    metrics = list(scoring.metrics.all())
    scoring.pk, scoring.run = None, run
    scoring._state.adding = True
    scoring.save()
    for metric in metrics:
        metric.pk, metric.scoring = None, scoring
    Metric.objects.bulk_create(metrics)
