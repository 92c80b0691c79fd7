"""The tabs of a benchmark: which a person has, in which order, where they lead, and which one is marked."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.benchmarks.write.benchmark import add_member
from annotation.common.loading import rights_in
from annotation.common.tabs import tabs_of
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.models import Run
from tests.conftest import signed_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
BASE = "/benchmarks/kitchen/"
RESULTS = ["Runs", "Leaderboard", "Failures", "Compare", "Toolchains"]
EVERYONE = ["Guidelines", "Versions", "Data card", "Slices", "Lineages", "Rewards"]
WORKERS = ["Agreement", "Diagnostics", "Building board", "Judging", "Human study"]
LEADS = [
    "Work", "Quality", *WORKERS, *EVERYONE, "Answers", "Experiments", "Import", "Export", "Tools",
    "Settings",
]  # fmt: skip
TABS: dict[Role | None, tuple[list[str], list[str]]] = {
    None: (["Samples", *RESULTS], ["Diagnostics", *EVERYONE]),
    Role.ANNOTATOR: (["Samples", "Annotate", *RESULTS], [*WORKERS, *EVERYONE]),
    Role.REVIEWER: (["Samples", "Review", *RESULTS], [*WORKERS, *EVERYONE]),
    Role.RESEARCHER: (
        ["Samples", *RESULTS],
        [*WORKERS, *EVERYONE, "Answers", "Experiments", "Import", "Export"],
    ),
    Role.LEAD: (["Samples", "Annotate", "Review", *RESULTS], LEADS),
}
"""What each role has beside each other, and in the menu; no role: a visitor of a public benchmark."""


def client_of(role: Role | None, lea: User, ana: User, benchmark: Benchmark) -> Client:
    if role is None:
        Benchmark.objects.update(public=True)
        return Client()
    if role is Role.LEAD:
        return signed_in(lea)
    add_member(actor=lea, benchmark=benchmark, user=ana, role=role)
    return signed_in(ana)


@pytest.mark.parametrize("role", TABS)
@pytest.mark.endurance
def test_a_role_has_its_tabs_in_order_and_every_one_opens(
    role: Role | None, lea: User, ana: User, board: Benchmark
) -> None:
    client = client_of(role, lea, ana, Benchmark.objects.get())
    page = client.get(f"{BASE}runs/").context
    tabs, more = page["tabs"], page["more_tabs"].links
    assert ([tab.label for tab in tabs], [tab.label for tab in more]) == TABS[role]
    answers = {tab.label: client.get(tab.href, follow=True).status_code for tab in (*tabs, *more)}
    assert set(answers.values()) == {200}, answers


def current(answer: Any) -> list[str]:
    """What is marked: the tab, or the menu and its page."""
    page = answer.context
    return [tab.label for tab in (*page["tabs"], *page["more_tabs"].links) if tab.current]


@pytest.mark.endurance
def test_each_page_marks_the_tab_that_leads_to_it(lea: User, board: Benchmark) -> None:
    client = signed_in(lea)
    page = client.get(f"{BASE}runs/").context
    links = [*page["tabs"], *page["more_tabs"].links]
    marked = {tab.label: current(client.get(tab.href, follow=True)) for tab in links}
    assert marked == {tab.label: [tab.label] for tab in links}


def test_pages_below_a_tab_mark_it(lea: User, board: Benchmark) -> None:
    run = Run.objects.first()
    assert run is not None
    client = signed_in(lea)
    for page, tab in {
        f"runs/{run.pk}/": "Runs",
        f"runs/{run.pk}/replays/": "Runs",
        "compare/slices/": "Compare",
        "compare/crops/": "Compare",
        "settings/log/": "Settings",
        "agreement/judges/": "Agreement",
    }.items():
        assert current(client.get(f"{BASE}{page}")) == [tab], page


def test_the_menu_says_that_the_page_is_in_it(lea: User, board: Benchmark) -> None:
    client = signed_in(lea)
    inside = client.get(f"{BASE}versions/").content.decode()
    assert inside.count('aria-current="page"') == 2  # The crumb and the page in the menu.
    assert '<summary aria-current="true">' in inside
    assert '<summary aria-current="true">' not in client.get(f"{BASE}runs/").content.decode()


def test_failures_lists_failures_only(lea: User, board: Benchmark) -> None:
    client = signed_in(lea)
    [tab] = [tab for tab in client.get(f"{BASE}runs/").context["tabs"] if tab.label == "Failures"]
    some, every = client.get(tab.href).context, client.get(f"{BASE}trajectories/").context
    [why] = [facet for facet in every["facets"] if facet.name == "failure"]
    assert 0 < some["total"] == sum(value.count for value in why.values if value.label != "no failure") < every["total"]


def test_tabs_over_lists_only_load_the_schema(lea: User, board: Benchmark, django_assert_num_queries: Any) -> None:
    request = signed_in(lea).get(f"{BASE}runs/").wsgi_request
    benchmark = Benchmark.objects.select_related("quality").get()
    rights = rights_in(request, benchmark)
    with django_assert_num_queries(1):
        assert len(tabs_of(benchmark, rights, "failures")["tabs"]) == 8
