"""The search field of the bar: where it leads, and that a page with a query bar of its own has no second one."""

from __future__ import annotations

import re

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark
from annotation.quality.write.checks import set_check_rules
from annotation.workflow import Role
from evaluation.models import Run
from tests.conftest import signed_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
FIND = re.compile(r'<form class="find" role="search" action="/benchmarks/kitchen/([^"]+)">(.*?)</form>', re.DOTALL)


def found(user: User, page: str) -> str:
    """Where the field of this page leads, with the run that it keeps to; "" without one."""
    fields = FIND.findall(signed_in(user).get(f"/benchmarks/kitchen/{page}").content.decode())
    assert len(fields) <= 1
    kept = re.search(r'name="run" value="\d+"', fields[0][1]) if fields else None
    return f"{fields[0][0]}{' of the run' if kept else ''}" if fields else ""


def test_it_leads_to_what_the_page_is_about(lea: User, board: Benchmark) -> None:
    run = Run.objects.first()
    assert run is not None
    places = {"runs/": "trajectories/", f"runs/{run.pk}/": "trajectories/ of the run"}
    places |= {
        "versions/": "samples/",
        "settings/": "samples/",
        "samples/": "",
        "trajectories/": "",
        "leaderboard/": "",
    }
    assert {page: found(lea, page) for page in places} == places


def test_who_is_kept_from_gold_finds_samples(lea: User, ana: User, board: Benchmark) -> None:
    benchmark = Benchmark.objects.get()
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    assert found(ana, "runs/") == "trajectories/"
    rules = {"check_share": 0.0, "box_measure": "iou", "box_least": 0.5, "any_question": False}
    set_check_rules(actor=lea, benchmark=benchmark, check_first=1, **rules, pause_below=None, pause_after=10)
    assert found(ana, "annotate/") == "samples/"
