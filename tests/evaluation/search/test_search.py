"""The one search: it finds what a person may open, and tells nobody more than lists do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from annotation.benchmarks.write.benchmark import add_member, set_public
from annotation.models import Benchmark
from annotation.quality.write.checks import set_check_rules
from annotation.workflow import Role
from evaluation.judging.write.queues import draw_judging, next_to_judge
from evaluation.models import Run, SavedSlice
from evaluation.search.present import MOST
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from tests.evaluation.judging.test_queues import judge_all
from tests.evaluation.run_pages import make_benchmark
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
QUERIES = 7
"""Session and user; benchmarks with roles; samples, runs and slices; and the memberships."""


def found(client: Client, text: str, **terms: str) -> dict[str, list[str]]:
    """The words of the results of each group."""
    groups = client.get("/search/", {"q": text, **terms}).context["groups"]
    return {group.name: [hit.words for hit in group.hits] for group in groups}


def without_pages(groups: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {name: words for name, words in groups.items() if name != "pages"}


@pytest.fixture
def slices(board: Benchmark, lea: User) -> None:
    for name, query in (("Wide crops", "coverage < 0.2"), ("Wide and noted", "note:glare")):
        SavedSlice.objects.create(benchmark=Benchmark.objects.get(), name=name, query=query, created_by=lea)


def test_it_finds_benchmarks_samples_runs_slices_and_pages(lea: User, slices: None) -> None:
    client = signed_in(lea)
    assert found(client, "kitch")["benchmarks"] == ["Kitchen"]
    assert found(client, "mug")["samples"][0] == "mug"
    question = Benchmark.objects.get().samples.get(key="mug").gold.revision.question
    assert found(client, question[:20].upper())["samples"][0].startswith("Chart-")
    assert found(client, "code model d")["runs"] == ["Model D, code"]
    assert found(client, "wide")["slices"] == ["Wide and noted", "Wide crops"]
    assert found(client, "toolch", **{"in": "kitchen"})["pages"] == ["Toolchains"]
    assert found(client, "nothing is called this") == {}


@pytest.mark.endurance
def test_every_result_opens(lea: User, slices: None) -> None:
    client = signed_in(lea)
    groups = [
        group
        for text in ("", "m", "wide", "kitchen")
        for group in client.get("/search/", {"q": text, "in": "kitchen"}).context["groups"]
    ]
    assert {group.name for group in groups} == {"benchmarks", "samples", "runs", "slices", "lists", "pages"}
    for href in {hit.href for group in groups for hit in group.hits}:
        assert client.get(href, follow=True).status_code == 200, href


def test_there_are_twenty_results_at_most(lea: User) -> None:
    make_board(lea, more=8, score=False)
    for text in ("", "m", "e"):
        for group_of in ({}, {"in": "kitchen"}):
            assert signed_in(lea).get("/search/", {"q": text, **group_of}).context["n"] <= MOST


@pytest.mark.parametrize("text", ["kitchen", "mug", "model", "wide", "e"])
@pytest.mark.endurance
def test_strangers_and_visitors_find_nothing_private(text: str, sam: User, slices: None) -> None:
    for client in (signed_in(sam), Client()):
        for terms in ({}, {"in": "kitchen"}, {"in": "kitchen", "run": str(Run.objects.get(model__name="Model C").pk)}):
            assert without_pages(found(client, text, **terms)) == {}
            answer = client.get("/search/", {"q": text, **terms}).content.decode()
            assert "Kitchen" not in answer


def test_a_page_of_a_benchmark_is_found_by_whom_it_lets_in(lea: User, rui: User, sam: User, board: Benchmark) -> None:
    add_member(actor=lea, benchmark=Benchmark.objects.get(), user=rui, role=Role.REVIEWER)
    here = {"in": "kitchen"}
    assert "Settings" in found(signed_in(lea), "sett", **here)["pages"]
    assert "pages" not in found(signed_in(rui), "sett", **here)
    assert found(signed_in(rui), "review", **here)["pages"] == ["Review"]
    assert found(signed_in(sam), "review", **here) == {}


def test_who_is_handed_gold_checks_finds_no_sample_and_no_run(lea: User, ana: User, slices: None) -> None:
    benchmark = Benchmark.objects.get()
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    assert "samples" in found(signed_in(ana), "mug", **{"in": "kitchen"})
    rules: dict[str, Any] = {"check_share": 0.0, "box_measure": "iou", "box_least": 0.5, "any_question": False}
    set_check_rules(actor=lea, benchmark=benchmark, check_first=1, **rules, pause_below=None, pause_after=10)
    for text in ("mug", "chart-0", "model", "wide"):
        assert without_pages(found(signed_in(ana), text, **{"in": "kitchen"})) == {}, text
    assert found(signed_in(ana), "kitchen")["benchmarks"] == ["Kitchen"]


def test_who_judges_learns_no_name_of_a_model(lea: User, ana: User) -> None:
    benchmark = make_benchmark(lea, {"seen": 2}, models=("Model C", "Model D"))
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    run, client = Run.objects.first(), signed_in(ana)
    assert run is not None
    queue = draw_judging(actor=lea, benchmark=benchmark, terms={"run": str(run.pk)}, size=1, people=1)
    here = {"in": benchmark.slug, "run": str(run.pk)}
    assert found(client, "model", **here)["runs"] == ["Model C", "Model D"]
    item = next_to_judge(actor=ana, queue=queue)
    assert item is not None
    assert without_pages(found(client, "model", **here)) == {}
    assert "Model" not in client.get("/search/", {"q": "seen", **here}).content.decode()
    judge_all(ana, queue)
    assert "runs" in found(client, "model", **here)


def test_slices_that_ask_for_marks_are_not_told_to_visitors(lea: User, slices: None) -> None:
    set_public(actor=lea, benchmark=Benchmark.objects.get(), public=True)
    assert found(Client(), "wide")["slices"] == ["Wide crops"]
    Benchmark.objects.update(marks_open=True)
    assert found(Client(), "wide")["slices"] == ["Wide and noted", "Wide crops"]


def test_it_costs_as_many_queries_for_much_as_for_little(
    lea: User, slices: None, django_assert_max_num_queries: Any
) -> None:
    client = signed_in(lea)
    for text in ("m", "mug", "zzz"):
        with django_assert_max_num_queries(QUERIES):
            client.get("/search/", {"q": text, "in": "kitchen"})


def test_the_text_leads_on_to_lists_as_a_query_that_can_be_read(lea: User, board: Benchmark) -> None:
    client = signed_in(lea)
    run = Run.objects.get(model__name="Model C")
    for text, query in (("coverage < 0.2", "coverage < 0.2"), ('red "mug', '"red  mug"')):
        answer = client.get("/search/", {"q": text, "in": "kitchen", "run": str(run.pk)})
        [lists] = [group for group in answer.context["groups"] if group.name == "lists"]
        assert parse_qs(urlsplit(lists.hits[-1].href).query) == {"q": [query], "run": [str(run.pk)]}
        assert client.get(lists.hits[-1].href).status_code == 200


def test_scripts_get_options_and_browsers_without_them_a_page(lea: User, board: Benchmark) -> None:
    client = signed_in(lea)
    piece = client.get("/search/", {"q": "mug"}, headers={"HX-Request": "true"})
    page = client.get("/search/", {"q": "mug"})
    assert "HX-Request" in page["Vary"]
    for answer, options in ((piece, True), (page, False)):
        text = answer.content.decode()
        assert ('role="option"' in text) is options
        assert ("<html" in text) is (not options)
        assert "/benchmarks/kitchen/samples/mug/" in text


def test_what_is_typed_stays_text(lea: User) -> None:
    text = signed_in(lea).get("/search/", {"q": "<script>alert(1)</script>", "in": "<b>"}).content.decode()
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
