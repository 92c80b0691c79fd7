"""The leaderboard on what a query lists: its numbers are those of a slice saved with it, and lead to the same lists."""

from __future__ import annotations

import csv
from html import escape
from io import StringIO
from urllib.parse import urlencode

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.benchmarks.write.benchmark import add_member, set_public
from annotation.quality.write.checks import set_check_rules
from annotation.workflow import Role
from evaluation.common.slices import QUERY, SAVED
from evaluation.models import Metric
from evaluation.trajectories.write.slices import save_slice
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, wrong_links
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

LOOKED = "calls >= 1 not failed"
ASKED, KEPT = {"q": LOOKED}, {"by": SAVED, "slice": "Looked"}


@made_once
def street(lea):
    made = make_benchmark(lea, models=["Model C", "Model D"], pictures=False)
    save_slice(actor=lea, benchmark=made, name="Looked", query=LOOKED)
    return made


def board(client, street, **terms):
    return client.get(reverse("evaluation:leaderboard", args=[street.slug]), terms)


def api(client, street, **terms):
    return client.get(f"/api/v1/benchmarks/{street.slug}/leaderboard/", terms)


@pytest.mark.endurance
def test_the_board_on_a_query_is_that_of_a_slice_saved_with_it(street, lea):
    client = signed_in(lea)
    asked, kept = (board(client, street, **terms) for terms in (ASKED, KEPT))
    found = [row.row.metrics for row in asked.context["ranked"]]
    assert found == [row.row.metrics for row in kept.context["ranked"]]
    assert found[0]["accuracy"].n < Metric.objects.filter(metric="accuracy", slice_by="").latest("n").n
    assert len(counted_links(asked)) > 6
    assert wrong_links(client, asked) == {}
    told, same = (api(client, street, **terms).json() for terms in (ASKED, KEPT))
    assert (told["slice_by"], told["query"], told["ranked"]) == (QUERY, LOOKED, same["ranked"])


@pytest.mark.parametrize("query", ["category:Color", 'run:"Model C" correct', "sample:nobody-*"])
@pytest.mark.both_databases
@pytest.mark.endurance
def test_every_number_on_a_query_lists_exactly_that_many(street, lea, query):
    client = signed_in(lea)
    page = board(client, street, q=query, pin="mean_ioa")
    assert page.status_code == 200
    assert wrong_links(client, page) == {}
    assert bool(counted_links(page)) is (query != "sample:nobody-*")
    said = page.content.decode()
    assert 'name="pin" value="mean_ioa"' in said
    assert f"{reverse('evaluation:save-slice', args=[street.slug])}?{escape(urlencode({'q': query}))}" in said


@pytest.mark.parametrize("terms", [ASKED, KEPT])
def test_every_metric_of_a_queried_board_is_in_its_file_and_on_the_command_line(street, lea, terms):
    client = signed_in(lea)
    told = {row["run"]: row["metrics"] for row in api(client, street, **terms).json()["ranked"]}
    content = b"".join(board(client, street, **terms, format="csv", table="metrics").streaming_content).decode()
    rows = {(int(row["run"]), row["metric"]): row["value"] for row in csv.DictReader(StringIO(content))}
    assert set(rows) == {(run, name) for run, metrics in told.items() for name in metrics}
    for (run, name), value in rows.items():
        assert (float(value) if value else None) == told[run][name]["value"]


def test_the_command_prints_the_board_on_a_query(street, capfd, lea):
    call_command("leaderboard", street.slug, query=LOOKED)
    [accuracy] = [row.accuracy.text for row in board(signed_in(lea), street, **ASKED).context["ranked"]][:1]
    assert accuracy in capfd.readouterr().out


def test_a_query_that_cannot_be_read_says_where_and_shows_no_number(street, lea):
    page = board(signed_in(lea), street, q="ioaa > 0.5", pin="calls_mean")
    said = page.content.decode()
    assert page.status_code == 400
    assert "Did you mean ioa" in said
    assert "data-count" not in said
    assert 'name="pin" value="calls_mean"' in said
    refused = api(signed_in(lea), street, q="ioaa > 0.5")
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "q")


@pytest.mark.parametrize("page", ["leaderboard", "trajectories"])
def test_a_tag_is_refused_with_its_column_where_nobody_tagged(street, page):
    """D7.2: a visitor asks a public benchmark without tags for one."""
    set_public(actor=None, benchmark=street, public=True)
    answer = Client().get(reverse(f"evaluation:{page}", args=[street.slug]), {"q": "wrong tag:foo"})
    assert answer.status_code == 400
    assert answer.context["error"].column == 6
    assert "foo" in answer.context["error"].message


def test_a_query_of_samples_is_for_who_may_see_them(street, lea, sam):
    for client in (signed_in(sam), Client()):
        assert "data-count" not in board(client, street, **ASKED).content.decode()
        assert api(client, street, **ASKED).status_code in (401, 403, 404)
    set_public(actor=lea, benchmark=street, public=True)
    assert wrong_links(Client(), board(Client(), street, **ASKED)) == {}


def test_an_annotator_who_must_not_see_gold_yet_asks_nothing_of_the_board(street, lea, ana):
    add_member(actor=lea, benchmark=street, user=ana, role=Role.ANNOTATOR)
    client = signed_in(ana)
    assert 'name="q"' in board(client, street).content.decode()
    rules = {"check_share": 0.0, "box_measure": "iou", "box_least": 0.5, "any_question": False}
    set_check_rules(actor=lea, benchmark=street, check_first=1, **rules, pause_below=None, pause_after=10)
    assert "sightline-query" not in board(client, street).content.decode()
    for terms in (ASKED, KEPT):
        assert board(client, street, **terms).status_code == 403
        assert board(client, street, **terms, format="csv").status_code == 403
        assert api(client, street, **terms).status_code == 403


@pytest.mark.parametrize(
    "terms", [{"by": "category"}, {"slice": "Color"}, {**ASKED, "by": "category", "slice": "Color"}]
)
def test_half_of_a_slice_or_both_kinds_are_refused_in_words(street, lea, terms):
    page = board(signed_in(lea), street, **terms)
    assert page.status_code == 400
    assert "by and slice" in page.content.decode()
