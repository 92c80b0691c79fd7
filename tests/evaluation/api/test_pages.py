"""Whatever a page shows is one GET; and what the API counts is as long as the list of its terms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import resolve

from annotation.models import Benchmark
from evaluation.models import Run, Trajectory
from evaluation.trajectories.write.marks import correct_failure, tag_trajectories, write_note
from evaluation.trajectories.write.slices import save_slice
from tests import permission_table
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from tests.evaluation.crawl import covering
from tests.evaluation.lists import Lists
from tests.evaluation.scores import with_scores
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.formatting import decimal, percentage_points

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

API = "/api/v1/benchmarks/kitchen/"
DOCUMENT = Path(__file__).parents[3] / "docs/api.md"
WORK = re.compile(
    r"annotation:(annotate|guidelines-panel|guidelines-settings|guidelines-images|my-|qualification|log|review|audit|adjudication|work|workbench|tool|upload|settings|task|suggestions|queue-settings|new-benchmark"
    r"|second-opinions|webhook|chain-end|delete-benchmark|purge-benchmark)|evaluation:(judging-question|judging-crop|metric-settings|import-undo|import-keys|replay|run-delete|samples-delete|trash-empty|run-replays"
    r"|prompt-change|new-from-file|portable-upload|portable-update|portable-difference|file-difference|prompt-new|study-task|study-stay|new-detection"
    r"|new-audit|new-description|new-rendering|new-evidence|evidence-facet|evidence-undo|drafting-image|click-image)"
    r"|accounts:|admin-door|admin-password|live|ready|jobs:indicator|notifications:"
)
"""Pages on which people work or set something up; how pages show that something is under way."""
FILES = re.compile(r"annotation:(thumbnail|tile|region|tools-file|variant-preview)"
                   r"|evaluation:(import-picture|import-issues|exported"
                   r"|portable-file"
                   r"|experiment-image|study-part|evidence-image|experiment-export|import-mapping|agreement-export|study-export|data-card-markdown|query-words|search)"
                   r"|glossary|script-texts")  # fmt: skip
"""Images, files, what a search box proposes or leads to, and explanations of words."""


@made_once
def board(lea: User) -> Benchmark:
    return make_board(lea)


@pytest.fixture
def client(lea: User, board: Benchmark) -> Client:
    return signed_in(lea)


def counted(answer: Any) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Every number of an answer with the terms beside it; terms of several numbers have their names."""
    if isinstance(answer, list):
        for one in answer:
            yield from counted(one)
    if not isinstance(answer, dict):
        return
    terms = answer.get("terms")
    if isinstance(terms, dict) and all(isinstance(value, str) for value in terms.values()):
        yield answer["n"], terms
    elif isinstance(terms, dict):
        yield from ((answer[name], of) for name, of in terms.items())
    for one in answer.values():
        yield from counted(one)


def runs(*names: str) -> str:
    return "&".join(f"run={Run.objects.get(model__name=name).pk}" for name in names)


@pytest.mark.both_databases
@pytest.mark.endurance
def test_what_the_api_counts_is_as_long_as_its_list(lea: User, client: Client) -> None:
    run = Run.objects.get(model__name="Model C").pk
    pair = runs("Model C", "Model D")
    asked = [
        f"runs/{run}/charts/", f"runs/{run}/charts/?by=category&slice=Chart", f"compare/?{pair}",
        f"compare/?{pair}&by=category", f"compare/slices/?{pair}&least=1", f"compare/crops/?{pair}",
    ]  # fmt: skip
    found = [(address, n, terms) for address in asked for n, terms in counted(client.get(API + address).json())]
    assert len(found) > 60
    lists, opened = Lists(lea), covering(f"?{urlencode(terms)}" for _, _, terms in found)
    wrong = []
    for address, n, terms in found:
        query = urlencode(terms)
        whole = client.get(f"{API}trajectories/facets/?{query}").json()["total"] if f"?{query}" in opened else n
        if not n == whole == lists.count("kitchen", query):
            wrong.append((address, n, terms))
    assert wrong == []


@pytest.mark.parametrize("of", [{}, {"category": "Math & more"}])
def test_page_and_api_have_the_same_difference_by_grounding(client: Client, of: dict[str, str]) -> None:
    run = Run.objects.get(model__name="Model C").pk
    [(by, slice)] = of.items() or [("", "")]
    shown = client.get(f"/benchmarks/kitchen/runs/{run}/", {"slice_by": by, "slice": slice}).context
    found = client.get(f"{API}runs/{run}/charts/", {"by": by, "slice": slice}).json()["grounded_difference"]
    assert found["counts"] == [cell.count for cell in shown["cells"]]
    assert shown["difference"].points == f"{percentage_points(found['value'])} pp"
    odds, *halves = shown["difference"].odds.split(" ", 1)
    assert (odds, bool(halves)) == (decimal(found["odds_ratio"], 2), found["halves_added"])
    assert shown["difference"].spread == f"no interval: fewer than 20 image clusters ({found['clusters']})"
    assert (found["ci_low"], found["ci_method"]) == (None, "")


@pytest.mark.endurance
def test_facets_count_what_their_values_list(client: Client) -> None:
    for path, terms in (("trajectories/", {"quadrant": "G+A+"}), ("", {"facet.category": "Chart"})):
        facets = client.get(f"{API}{path}facets/", terms).json()["facets"]
        values = [
            (name, value, n) for name, found in facets.items() for value, n in found.items() if name != "condition"
        ]
        assert len(values) > 8
        for name, value, n in values:
            whole = client.get(f"{API}{path}facets/", {**terms, name: value}).json()
            assert whole["total"] == n, (name, value)


def test_the_board_over_the_api_has_what_stands_around_its_rows(client: Client) -> None:
    reference = Run.objects.get(model__name="Model D").pk
    board = client.get(f"{API}leaderboard/", {"reference": reference}).json()
    row = next(row for row in board["ranked"] if row["model"] == "Model C")
    assert {
        "difference",
        "low",
        "high",
        "reference_only",
        "row_only",
        "p_value",
        "p_cluster",
        "p_holm",
        "p_family",
        "p_family_size",
        "detectable",
        "tie",
        "difference_low",
        "difference_high",
        "could_turn",
    } == (set(row["against"]) - {"n"})
    assert {"rank", "low", "high", "p_best", "p_top3", "clusters", "method"} <= set(row["standing"])
    assert {"missing", "failed", "unread", "undecided"} <= set(row["counts"])
    assert [one["against"]["p_holm"] for one in board["neighbours"]].count(None) < len(board["neighbours"])
    assert board["facets"]["category"]["Chart"] == 6
    assert board["published"][0]["metrics"]
    assert board["mixed_settings"] == []


def test_marks_and_slices_are_read_over_the_api(client: Client, board: Benchmark, lea: User) -> None:
    mine = with_scores(Trajectory.objects.filter(run__model__name="Model C"))
    one = next(one for one in mine if one.score.correct is False)
    tag_trajectories(actor=lea, benchmark=board, trajectories=[one.pk], name="glare")
    write_note(actor=lea, trajectory=one, text="Look again.", turn=1)
    correct_failure(actor=lea, trajectory=one, failure="crop_ignored")
    save_slice(actor=lea, benchmark=board, name="Wrong", query="wrong")
    row = client.get(f"{API}trajectories/{one.pk}/").json()
    assert (row["tags"], row["failure"], row["failure_said_by"]) == (["glare"], "crop_ignored", lea.name)
    assert client.get(f"{API}tags/").json()["results"][0]["trajectories"] == 1
    [note] = client.get(f"{API}notes/?trajectory={one.pk}").json()["results"]
    assert (note["text"], note["turn"], note["author"]) == ("Look again.", 1, lea.name)
    [saved] = client.get(f"{API}slices/").json()["results"]
    listed = client.get(f"{API}trajectories/facets/", {"q": saved["query"]}).json()["total"]
    assert saved["trajectories"] == listed == sum(row["n"] for row in saved["runs"])
    [pair] = client.get(f"{API}failures/").json()["pairs"]
    assert (pair["n"], pair["same"]) == (1, 0)


def test_every_page_that_shows_something_has_its_get() -> None:
    """The table of the document names each page and where its numbers are; what is left out is work and files."""
    rows = re.findall(r"^\| `(/[^`]*)` \| (.*) \|$", DOCUMENT.read_text(), re.MULTILINE)
    pages = {resolve(_filled(page)).view_name for page, _ in rows}
    for page, said in rows:
        for address in re.findall(r"`([^`]*)`", said):
            path = (address if address.startswith("/") else f"/api/v1/benchmarks/SLUG/{address}").partition("?")[0]
            assert resolve(_filled(path)).view_name.startswith("api-"), (page, address)
    shown = {line.name for line in permission_table.TABLE if line.get and not line.name.startswith("api-")}
    assert {name for name in shown - pages if not (WORK.match(name) or FILES.match(name))} == set()


def _filled(address: str) -> str:
    if address.startswith(("/jobs/ID", "/api/v1/jobs/ID")):
        return address.replace("ID", "00000000-0000-0000-0000-000000000000")
    return address.replace("SLUG", "kitchen").replace("ID", "1").replace("KEY", "mug").replace("PART", "answer")
