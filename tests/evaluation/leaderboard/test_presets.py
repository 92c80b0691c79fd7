"""Columns by a name: which each set shows, that empty ones are out of sight, and that numbers, links and files stay."""

from __future__ import annotations

import csv
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from lxml import html

from annotation.models import Benchmark
from evaluation.leaderboard.present.columns import CHOICE, DRAWN, PLAIN, PRESETS
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ADDRESS = "/benchmarks/kitchen/leaderboard/"


def shown(client: Client, **terms: str) -> Any:
    answer = client.get(ADDRESS, terms)
    assert answer.status_code == 200
    return answer


def heads(answer: Any) -> list[str]:
    """The heads of the columns behind rank, model and n."""
    row = html.document_fromstring(answer.content.decode()).xpath("//table[contains(@class, 'lb')]/thead/tr")[-1]
    return [" ".join(" ".join(head.itertext()).split()).replace("\u00ad", "") for head in row.xpath("th")][3:]


def plain(answer: Any) -> list[str]:
    return [head["column"].metric for head in answer.context["heads"]]


def numbers(answer: Any) -> dict[tuple[str, str], str]:
    """The text of each number by its run and metric."""
    context = answer.context
    rows = [*context["ranked"], *context["baselines"]]
    found = {(str(row.row.run), "accuracy"): row.accuracy.whole for row in rows}
    return found | {
        (str(row.row.run), head["column"].metric): cell.whole
        for row in rows
        for head, cell in zip(context["heads"], row.cells, strict=True)
    }


@pytest.mark.endurance
def test_a_board_begins_with_five_columns(lea: User, board: Benchmark) -> None:
    answer = shown(signed_in(lea))
    assert [head.split()[0] for head in heads(answer)] == ["Accuracy", "Accuracy", "Grounded", "G+A+", "Efficiency"]
    assert [preset["label"] for preset in answer.context["presets"] if preset["current"]] == ["Overview"]
    assert heads(answer) == heads(shown(signed_in(lea), preset="overview"))


@pytest.mark.parametrize("name", PRESETS)
def test_a_set_shows_its_columns_and_says_which_it_is(name: str, lea: User, board: Benchmark) -> None:
    answer = shown(signed_in(lea), preset=name, empty="show", sort="accuracy")
    assert plain(answer) == list(PRESETS[name].columns)
    assert answer.context["view"].drawn == PRESETS[name].drawn
    [current] = [preset for preset in answer.context["presets"] if preset["current"]]
    assert current["label"] == PRESETS[name].label
    again = signed_in(lea).get(ADDRESS + current["href"])
    assert again.context["view"].preset == name


def test_every_set_is_made_of_columns_that_can_be_chosen() -> None:
    assert [preset.label for preset in PRESETS.values()] == [
        "Overview", "Grounding", "Tools", "Planning", "Faithfulness", "Paper",
    ]  # fmt: skip
    for preset in PRESETS.values():
        assert set(preset.columns) <= set(CHOICE)
        assert preset.drawn <= DRAWN


def test_a_set_is_remembered_in_the_link_and_nowhere_else(lea: User, board: Benchmark) -> None:
    client = signed_in(lea)
    answer = shown(client, preset="tools", by="category", slice="Chart")
    assert set(answer.cookies) <= {"csrftoken"}
    hrefs = {preset["label"]: preset["href"] for preset in answer.context["presets"]}
    assert "slice=Chart" in hrefs["Planning"]
    assert "preset" not in hrefs["Overview"]
    assert shown(client).context["view"].preset == "overview"


def test_columns_that_no_run_has_are_folded_and_come_back_by_a_link(lea: User, board: Benchmark) -> None:
    client = signed_in(lea)
    folded, whole = shown(client, preset="faithfulness"), shown(client, preset="faithfulness", empty="show")
    empty = [one for one in plain(whole) if one not in plain(folded)]
    assert empty
    assert len(folded.context["view"].folded) == len(empty)
    texts = numbers(whole)
    assert {text for (_, metric), text in texts.items() if metric in empty} == {"n/a"}
    kept = {metric for _, metric in numbers(folded)}
    assert all(any(text != "n/a" for (_, name), text in texts.items() if name == metric) for metric in kept)
    assert (folded.context["view"].unfolded, whole.context["view"].unfolded) == (False, True)
    assert b"empty=show" in folded.content


def test_drawings_that_no_run_has_are_folded_too(lea: User) -> None:
    board = make_board(lea)
    board.runs.exclude(model__name__in=["Whole picture", "Endpoint down"]).delete()
    answer = shown(signed_in(lea))
    assert not any(head.startswith("Accuracy difference") for head in heads(answer))
    assert shown(signed_in(lea), empty="show").context["view"].drawn == DRAWN


def test_columns_that_were_chosen_one_by_one_stand_though_they_are_empty(lea: User, board: Benchmark) -> None:
    answer = shown(signed_in(lea), columns="ate_text,calls_mean")
    assert plain(answer) == ["ate_text", "calls_mean"]
    assert answer.context["view"].folded == ()


def test_addresses_of_groups_and_columns_mean_what_they_meant(lea: User, board: Benchmark) -> None:
    client = signed_in(lea)
    groups = shown(client, groups="toolchain", empty="show")
    assert plain(groups) == [column.metric for column in PLAIN if column.group == "toolchain"]
    assert [chip["label"] for chip in groups.context["chips"] if chip["on"]] == ["Toolchain"]
    pinned = shown(client, columns="calls_mean,mean_ioa", pin="mean_ioa", preset="tools")
    assert plain(pinned) == ["mean_ioa", "calls_mean"]
    assert shown(client, preset="nonsense").context["view"].preset == "overview"


def test_the_column_that_rows_are_sorted_by_is_in_sight(lea: User, board: Benchmark) -> None:
    answer = shown(signed_in(lea), sort="mean_coverage")
    assert plain(answer)[-1] == "mean_coverage"
    assert answer.content.decode().count("aria-sort=") == 1


@pytest.mark.endurance
def test_a_number_is_the_same_in_every_set_that_shows_it(lea: User, board: Benchmark) -> None:
    client = signed_in(lea)
    found: dict[tuple[str, str], str] = {}
    for name in PRESETS:
        for place, text in numbers(shown(client, preset=name, empty="show")).items():
            assert found.setdefault(place, text) == text, (name, place)
    whole = numbers(shown(client, columns=",".join(CHOICE)))
    assert found.items() <= whole.items()


def test_a_file_without_a_choice_holds_all_columns_as_ever_and_one_of_a_set_those_of_the_set(
    lea: User, board: Benchmark
) -> None:
    client = signed_in(lea)

    def columns(**terms: str) -> list[str]:
        text = b"".join(shown(client, format="csv", **terms).streaming_content).decode()
        return next(csv.reader(text.splitlines()))

    every, tools = [column.metric for column in PLAIN], list(PRESETS["tools"].columns)
    assert [name for name in columns() if name in every] == every
    assert [name for name in columns(preset="tools") if name in tools] == tools
    assert "selection_f1" not in columns(preset="tools")
    assert {"accuracy", "grounded_score", "against_difference"} <= set(columns(preset="tools"))
    assert 'format=csv&amp;preset=tools"' in shown(client, preset="tools").content.decode().replace(
        "preset=tools&amp;format=csv", "format=csv&amp;preset=tools"
    )


@pytest.mark.endurance
def test_a_set_costs_no_further_query(lea: User, board: Benchmark, django_assert_num_queries: Any) -> None:
    client = signed_in(lea)
    shown(client)
    with CaptureQueriesContext(connection) as one:
        shown(client, columns="calls_mean")
    for name in PRESETS:
        with django_assert_num_queries(len(one)):
            shown(client, preset=name)
