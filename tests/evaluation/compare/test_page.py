"""Runs side by side: every number is a list of that length, and the one of the leaderboard."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.benchmarks.write.benchmark import create_benchmark
from evaluation.common.letters import letters_of
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.compare.read.runs import CELLS, compare_runs
from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.models import Comparison, Run, Scoring, Trajectory
from evaluation.schema import Trajectory as Record
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from evaluation.trash.write.runs import delete_run
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board, tries
from tests.evaluation.crawl import counted_links, wrong_links
from tests.evaluation.run_pages import make_benchmark
from tests.evaluation.scores import change_scores
from tests.factories import facet_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/compare/"


def run(name):
    return Run.objects.get(model__name=name)


def address(*names, **terms):
    parts = [f"run={run(name).pk}" for name in names] + [f"{name}={value}" for name, value in terms.items()]
    return f"{PAGE}?{'&'.join(parts)}"


@pytest.mark.parametrize("undecided", ["incorrect", "exclude"])
@pytest.mark.endurance
def test_every_number_lists_exactly_that_many(lea, undecided, unscored_board):
    change_settings(actor=lea, benchmark=unscored_board, values={"undecided_answer": undecided})
    score_benchmark(actor=lea, benchmark=unscored_board)
    client = signed_in(lea)
    for number, sample in enumerate(unscored_board.samples.all()):
        facet_of(sample, name="half", value=f"{number % 2}")
    some = [("Model C", "Model D", "Model A"), ("Whole picture", "Model D")]
    pages = [(client.get(address(*names)), 5) for names in some]
    for piece, least in (("crops", 1), ("slices", 10)):
        part = client.get(address("Model C", "Model D", least=1).replace("compare/", f"compare/{piece}/"))
        pages.append((part, least))
    assert [page.request["PATH_INFO"] for page, least in pages if len(counted_links(page)) < least] == []
    assert wrong_links(client, *(page for page, _ in pages)) == {}


def test_the_first_pair_is_the_comparison_of_the_leaderboard(lea, board):
    a, b = run("Model C"), run("Model D")
    found = compare_runs(board, [a, b])
    [pair] = found.pairs
    stored = Comparison.objects.get(a__run__in=[a, b], b__run__in=[a, b])
    turned = stored.a.run_id == b.pk
    only = (stored.b_only, stored.a_only) if turned else (stored.a_only, stored.b_only)
    assert (pair.n, (pair.a_only, pair.b_only), pair.p_value) == (stored.n, only, stored.p_value)
    assert pair.difference == pytest.approx(-stored.difference if turned else stored.difference, abs=1e-15)
    assert pair.p_cluster == stored.p_cluster
    assert {name: len(found.cells[name]) for name in CELLS} == {name: getattr(pair, name) for name in CELLS}
    assert (found.common, found.samples) == (9, 16)


def test_where_two_runs_looked_is_said_of_the_samples_both_cropped(lea, board):
    client = signed_in(lea)
    answer = client.get(address("Model C", "Model D"))
    look = answer.context["look"]
    assert (look.n.n, look.only_a.n, look.only_b.n) == (9, 2, 0)
    words = " ".join(answer.content.decode().split())
    assert (
        "no interval below 20 image clusters; p from 10,000 random sign flips of image clusters, seed 20260101" in words
    )
    # The population of D is the one both have.
    own = {name: run("Model D").scoring.metrics.on_slice().get(metric=name) for name in ("mean_ioa", "grounded_score")}
    shown = {"mean_ioa": look.found.ioa_b, "grounded_score": look.found.grounded_b}
    assert shown == {name: pytest.approx(metric.value) for name, metric in own.items()}
    api = client.get(f"/api/v1{PAGE}", {"run": [run("Model C").pk, run("Model D").pk]}).json()["look"]
    assert (api["p_cluster"], api["ioa_p"]) == (look.found.p_cluster, look.found.ioa_p)
    assert api["ioa_interval"] is None


def test_runs_that_never_looked_at_the_same_sample_have_no_difference_in_looking(lea, board):
    change_scores(run("Model D").trajectories.all(), population="FALSE", grounded="FALSE", ioa="NULL")
    answer = signed_in(lea).get(address("Model C", "Model D"))
    assert "No sample is in the grounding population of both." in answer.content.decode()


def test_the_resampled_interval_names_its_draws_and_is_that_of_the_api(lea):
    make_benchmark(lea, {"seen": 12, "missed": 9}, models="AB")
    client = signed_in(lea)
    query = {"run": [run("A").pk, run("B").pk]}
    found = client.get("/api/v1/benchmarks/street/compare/", query).json()["resampled"]
    shown = client.get("/benchmarks/street/compare/", query)
    of = shown.context["found"].resampled
    assert (found["low"], found["high"]) == (of.low, of.high)
    assert found["detail"]["draws"] == 10_000
    words = f"95% bootstrap, 10,000 draws of samples, seed {found['detail']['seed']}"
    assert words in shown.content.decode()


def test_slices_are_those_of_a_facet_with_holm_over_them(lea, board):
    page = signed_in(lea).get(address("Model C", "Model D", by="category"))
    lines = page.context["shown"].slices
    assert [(line.label, line.found.n) for line in lines] == [("Chart", 6), ("Color", 0), ("Math & more", 3)]
    assert lines[1].found.p_value is None  # nothing in common is undefined, and no test
    lowest = min(line.found.p_value for line in lines if line.found.p_value is not None)
    assert min(line.found.p_holm for line in lines if line.found.n) == pytest.approx(min(1, 2 * lowest))


@pytest.mark.endurance
def test_where_samples_share_pictures_runs_and_slices_are_told_apart_by_picture_everywhere(lea, unscored_board):
    with transaction.atomic():
        save_trajectories(RunRegistry(unscored_board, lea), [*tries("All", 12, 12), *tries("None", 0, 0)], None)
    score_benchmark(actor=lea, benchmark=unscored_board)
    for sample in unscored_board.samples.all():
        facet_of(sample, name="set", value="pairs" if "-" in sample.key else "rest")
    by_sample, by_picture = 2 / 2**12, 2 / 2**6
    client = signed_in(lea)
    page = client.get(address("All", "None", by="set"))
    [whole], [line] = page.context["shown"].pairs, [one for one in page.context["shown"].slices if one.found.n]
    for found in (whole.found, line.found):
        assert (found.p_value, found.p_cluster, found.p_holm) == (by_sample, by_picture, by_picture)
    assert "p clustered (exact sign flip), slices tested, Holm over 1" in " ".join(page.content.decode().split())
    row = next(
        row for row in load_leaderboard(unscored_board, reference=run("All").pk).ranked if row.run == run("None")
    )
    assert (row.against.p_value, row.against.p_cluster) == (by_sample, by_picture)
    assert row.against.p_holm >= by_picture
    board = client.get("/benchmarks/kitchen/leaderboard/", {"reference": run("All").pk})
    assert "p (clustered)" in board.content.decode()


def test_more_than_two_are_each_compared_with_the_first(lea, board):
    page = signed_in(lea).get(address("Model C", "Model D", "Whole picture"))
    assert [line.label.split(" ", 1)[1] for line in page.context["shown"].pairs] == [
        "Model D, code",
        "Whole picture, base",
    ]
    assert page.context["shown"].why.endswith("in 6.2% of cases. The difference is not significant.")


@pytest.mark.endurance
def test_a_run_has_one_letter_on_every_page(lea):
    """D1.11: whatever else is compared, in whatever order, and whichever runs have the sample."""
    benchmark = make_board(lea)
    client, runs = signed_in(lea), Run.objects.of(benchmark).order_by("pk")
    letters = dict(zip((one.pk for one in runs), "ABCDEFGHIJ", strict=False))
    board = client.get("/benchmarks/kitchen/leaderboard/", {"sort": "calls_mean"}).context
    rows = [*board["ranked"], *board["baselines"]]
    assert len(rows) == 5
    assert all(row.letter == letters[row.row.run.pk] for row in rows)
    named = [letters[run(name).pk] for name in ("Model D", "Model C", "Whole picture")]
    page = client.get(address("Model D", "Model C", "Whole picture", cell="both"))
    shown, view = page.context["shown"], page.context["view"]
    assert [shown.a, shown.b, *(line.label.split()[0] for line in shown.pairs[1:])] == named
    assert [side.letter for side in view.sides] == [side.row.letter for side in view.sides] == named
    assert [letter for letter, _ in page.context["picks"]] == [*named, ""]
    assert shown.direction.split()[0] == named[1]
    table = b"".join(client.get(address("Model D", "Model C", format="md")).streaming_content).decode()
    assert f"| only {named[0]} | only other |" in table
    for piece in ("crops", "slices"):
        part = client.get(address("Model D", "Model C").replace("compare/", f"compare/{piece}/")).context
        assert [part["a"], part["b"]] == named[:2]
    key = view.sample.key
    chains = client.get("/benchmarks/kitchen/toolchain/analysis/", {"run": run("Model D").pk}).context["shown"]
    sheet = client.get(f"/benchmarks/kitchen/all-runs/{key}/").context["sides"]
    on_sample = [client.get(f"/benchmarks/kitchen/samples/{key}/").context["runs"]]
    on_sample.append(
        [line.row for line in client.get(f"/benchmarks/kitchen/toolchain/aligned/{key}/").context["lines"]]
    )
    assert [line.letter for line in chains.runs] == named[:1]
    assert all(side.letter == letters[side.run.pk] for side, _ in sheet)
    names = {str(one): letters[one.pk] for one in runs}
    assert all(row.letter == names[row.name] for found in on_sample for row in found)


def test_a_run_keeps_its_letter_when_others_go_and_a_new_one_takes_none_of_theirs(lea, run_jobs):
    benchmark = make_board(lea)
    before = letters_of(benchmark)
    first, *_, last = Run.objects.of(benchmark).order_by("pk")
    for gone in (first, last):
        delete_run(actor=lea, run=gone)
        run_jobs()
        del before[gone.pk]
    assert letters_of(benchmark) == before
    new = RunRegistry(benchmark, lea).run("Newcomer", "")
    new.refresh_from_db()
    assert new.letter == chr(ord(last.letter) + 1)
    board = signed_in(lea).get("/benchmarks/kitchen/leaderboard/").context
    assert {row.letter for row in (*board["ranked"], *board["baselines"])} <= set(before.values())


@pytest.mark.parametrize(("number", "letter"), [(1, "A"), (26, "Z"), (27, "AA"), (703, "AAA"), (None, "")])
def test_letters_go_on_after_z(number, letter):
    assert Run(number=number).letter == letter


def test_the_chosen_cell_shows_its_samples_and_the_address_keeps_the_sample(lea, board):
    client = signed_in(lea)
    view = client.get(address("Model C", "Model D", cell="a_only")).context["view"]
    assert view.total == len(view.tiles) == 5
    again = client.get(address("Model C", "Model D", cell="a_only", sample=view.tiles[2].key)).context["view"]
    assert (again.sample.key, again.place) == (view.tiles[2].key, 3)
    assert all(side.row is not None for side in again.sides)
    nobody = client.get(address("Model C", "Model D", cell="b_only"))
    assert nobody.context["view"] is None
    assert nobody.content.decode().count("compare__none") == 1


def test_without_a_choice_the_best_two_are_compared_and_failed_runs_are_not_offered(lea, board):
    context = signed_in(lea).get(PAGE).context
    assert [str(one) for one in context["asked"].runs] == ["Model A, base", "Model C, base"]
    assert "Endpoint down" not in [one.model.name for one in context["scored"]]


def test_a_run_is_never_compared_with_itself_and_the_address_names_what_is_compared(lea, board):
    """D7.6: a run that is named twice, or alone, is compared with the likeliest other one under an address of both."""
    client, other = signed_in(lea), run("Model A").pk
    named = f"{PAGE}?run={run('Model C').pk}&run={other}"
    for asked in (address("Model C", "Model C"), address("Model C")):
        assert client.get(f"{asked}&by=nothing").url == f"{named}&by=nothing"
    page = client.get(address("Model C", "Model C"), follow=True)
    assert [str(message) for message in page.context["messages"]] != []
    assert client.get(named).status_code == client.get(PAGE).status_code == 200
    fields = re.findall(r'<select[^>]*name="run".*?</select>', page.content.decode(), re.S)
    chosen = [re.findall(r'value="(\d+)" selected', field) for field in fields]
    closed = [sorted(map(int, re.findall(r'value="(\d+)" disabled', field))) for field in fields]
    assert chosen == [[str(run("Model C").pk)], [str(other)], []]
    assert closed == [[other], [run("Model C").pk], sorted([other, run("Model C").pk])]


@pytest.mark.parametrize(
    ("query", "status"), [("run=999999", 404), ("run=x", 404), ("cell=none&sample=nobody", 200), ("by=nothing", 404)]
)
def test_an_address_that_means_nothing_is_answered(lea, query, status, board):
    assert signed_in(lea).get(f"{PAGE}?{query}").status_code == status


@pytest.mark.endurance
def test_too_many_runs_are_refused_with_the_reason(lea):
    make_board(lea, more=4)
    every = [one.pk for one in Run.objects.all() if one.model.name != "Endpoint down"][:7]
    answer = signed_in(lea).get(PAGE + "?" + "&".join(f"run={pk}" for pk in every))
    assert answer.status_code == 400
    assert "Up to 6 runs" in answer.content.decode()


def test_a_benchmark_without_two_scored_runs_says_so(lea):
    create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    answer = signed_in(lea).get(PAGE)
    assert answer.status_code == 200
    assert "Nothing to compare yet" in answer.content.decode()


def test_other_settings_and_versions_are_warned_of(lea, board):
    Scoring.objects.filter(run__model__name="Model D").update(settings={"ioa_threshold": 0.7}, gold_digest="other")
    words = signed_in(lea).get(address("Model C", "Model D")).content.decode()
    assert "Different metric settings." in words
    assert "Different versions." in words


def test_the_page_takes_the_same_queries_for_few_samples_and_for_many(lea, django_assert_num_queries, board):
    client = signed_in(lea)
    one, two = address("Model C", "Model D", cell="a_only"), address("Model C", "Model D", cell="both")
    client.get(one)  # what is kept of both runs is there now
    with CaptureQueriesContext(connection) as first:
        client.get(one)
    with django_assert_num_queries(len(first)):
        client.get(two)


def test_the_differences_are_exported_as_they_stand(lea, board):
    client = signed_in(lea)
    shown = client.get(address("Model C", "Model D", by="category")).context["shown"]
    answer = client.get(address("Model C", "Model D", by="category", format="json"))
    rows = json.loads(b"".join(answer.streaming_content))
    assert [row["slice"] for row in rows] == ["", "Chart", "Color", "Math & more"]
    assert [row["difference"] for row in rows] == [one.found.difference for one in (shown.first, *shown.slices)]
    assert (rows[2]["difference"], rows[2]["p_value"]) == (None, None)  # undefined, not 0
    for format, sign in (("tex", r"Math \& more"), ("md", r"Math \& more")):
        text = b"".join(client.get(address("Model C", "Model D", by="category", format=format)).streaming_content)
        assert sign in text.decode()
    svg, png = (client.get(address("Model C", "Model D", by="category", format=name)) for name in ("svg", "png"))
    drawn = ElementTree.fromstring(b"".join(svg.streaming_content))
    assert len(drawn.findall(".//{*}circle")) == 3  # all samples and two slices; the third has nothing in common
    assert "Math & more" in "".join(drawn.itertext())
    assert " samples of both in " in "".join(drawn.itertext())
    assert b"".join(png.streaming_content).startswith(b"\x89PNG")
    assert client.get(address("Model C", "Model D", format="xls")).status_code == 400


def test_one_sample_across_all_runs_is_a_contact_sheet(lea, board):
    client = signed_in(lea)
    page = client.get("/benchmarks/kitchen/all-runs/Chart-0/")
    assert wrong_links(client, page) == {}
    sides = [side for side, _ in page.context["sides"]]
    tried = Trajectory.objects.filter(sample__key="Chart-0").count()
    assert sum(side.row is not None for side in sides) == page.context["tried"] == tried
    assert len(sides) == Run.objects.count()
    assert len({re.sub(r"\d", "", side.letter) for side in sides}) == len(sides)
    assert client.get("/benchmarks/kitchen/all-runs/nobody/").status_code == 404


@pytest.mark.endurance
@pytest.mark.parametrize("undecided", ["incorrect", "exclude"])
def test_what_calling_tools_did_is_counted_with_its_lists(lea, undecided, unscored_board):
    change_settings(actor=lea, benchmark=unscored_board, values={"undecided_answer": undecided})
    keys = [f"{half}-{place}" for half in ("Chart", "Math & more") for place in range(6)]
    bare = [Record("Bare", key, "base", answer="B" if place % 3 else "A") for place, key in enumerate(keys)]
    save_trajectories(RunRegistry(unscored_board, lea), bare, None)
    score_benchmark(actor=lea, benchmark=unscored_board)
    client = signed_in(lea)
    page = client.get(address("Bare", "Model C"))
    found = page.context["calling"].found
    assert found.n > 0
    assert found.benefit + found.harm + found.needless + found.futile == found.n
    assert found.net == pytest.approx((found.benefit - found.harm) / found.n)
    assert client.get(address("Model C", "Bare")).context["calling"].found == found, "the order does not matter"
    assert wrong_links(client, page) == {}
    runs = f"run={run('Bare').pk}&run={run('Model C').pk}"
    over_api = client.get(f"/api/v1/benchmarks/kitchen/compare/?{runs}").json()["calling"]
    assert (over_api["benefit"], over_api["net"]) == (found.benefit, found.net)
    assert client.get(address("Model C", "Model D")).context["calling"] is None
