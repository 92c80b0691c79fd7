"""Every number of the pages of labs, judges, rewards, studies, diagnostics, lineages and experiments opens its cases.

A page is read as Lea sees it. Each counted link leads to a list of exactly that many, and each whole number in a table
is such a link, but for those that count no cases.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.workflow import Role
from evaluation.common.saving.batches import RunRegistry, save_others
from evaluation.models import Experiment, Judgement, Lineage, Run
from evaluation.schema import Rollout, RolloutGroup
from evaluation.studies.write.states import close
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, unlinked_counts, with_other_counts, wrong_links
from tests.evaluation.diagnostics_data import make_diagnostics
from tests.evaluation.lab.conftest import make_lab
from tests.evaluation.lab.test_lab import skipped_by
from tests.evaluation.lineages.conftest import make_training
from tests.evaluation.run_pages import make_benchmark, repeat
from tests.evaluation.studies.study_data import answer_all, make_study_benchmark, open_study, said
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.endurance]

JUDGE = "judge-7b"
WORDS = {"y": "Yes.", "n": "No."}
People = tuple[User, User, User]
"""Lea, Ana and Rui."""


def lab(people: People) -> list[str]:
    board = make_lab(people[0])
    run = Run.objects.of(board).get(model__name="Model C")
    skipped_by(run, 1, "gold@prefix", "order@prefix")
    skipped_by(run, 2, "gold@prefix")
    [experiment] = Experiment.objects.filter(recipe_digest="1" * 64)
    experiments = "/benchmarks/kitchen/experiments/"
    return [f"/benchmarks/kitchen/runs/{run.pk}/lab/", experiments, f"{experiments}{experiment.pk}/"]


def lineage(people: People) -> list[str]:
    make_training(people[0])
    address = f"/benchmarks/kitchen/lineages/{Lineage.objects.get().pk}/"
    return [address, f"{address}?q=scene:shop"]


def judges(people: People) -> list[str]:
    lea, _, rui = people
    street = make_benchmark(lea)
    add_member(actor=lea, benchmark=street, user=rui, role=Role.REVIEWER)
    run = Run.objects.get()
    for name, words in (("Rui Costa", "yyyynnn"), (JUDGE, "yyynynnyy"), ("judge-2b", "ynynynyny")):
        rows = run.trajectories.filter(condition="none").order_by("sample__key")
        Judgement.objects.bulk_create(
            Judgement(run=run, sample_id=row.sample_id, kind="sufficiency", judge=name, verdict=WORDS[word])
            for row, word in zip(rows, words, strict=False)
        )
    page = "/benchmarks/street/agreement/judges/"
    return [page, f"{page}?by=category", f"{page}?a={JUDGE}&b=judge-2b"]


def rewards(people: People) -> list[str]:
    street = make_benchmark(people[0])
    repeat(street, people[0])
    groups = [
        RolloutGroup("g", (Rollout(100, 1, 1, True), Rollout(300, 1, 1, False)), extra={"model": "Model C"}),
        RolloutGroup("h", (Rollout(100, 0, 1, True), Rollout(200, 1, 1, True))),
    ]
    save_others(RunRegistry(street, people[0]), groups, None)
    run_waiting()
    return ["/benchmarks/street/rewards/"]


def study(people: People) -> list[str]:
    lea, ana, rui = people
    street = make_study_benchmark(lea, {ana: Role.ANNOTATOR, rui: Role.REVIEWER}, {"seen": 4, "planned": 4})
    made = open_study(lea, street, n=6)
    answer_all(ana, made)
    answer_all(rui, made, lambda item: said(item, "B", familiarity=2), most=4)
    close(actor=lea, study=made)
    run_waiting()
    return [f"/benchmarks/street/studies/{made.pk}/"]


def diagnostics(people: People) -> list[str]:
    make_diagnostics(people[0])
    return ["/benchmarks/bench/diagnostics/"]


WORLDS = (lab, lineage, judges, rewards, study, diagnostics)
NO_CASES = {
    # Numbers of draws, people and steps, a p of 1, and rewards and tokens of one rollout.
    "Draws", "People", "Step", "p", "p, Holm", "Tokens", "Answer", "Format", "Sufficiency",
    # Strata are as large as what can be drawn from them; of all that, no list is kept.
    "In the benchmark",
    # Targets and entries of plans: the plans that have them are in the next column.
    "Targets", "Missing targets", "Extra entries", "Not recognized",
}  # fmt: skip


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
def test_every_number_opens_its_cases(world: Callable[[People], list[str]], lea: User, ana: User, rui: User) -> None:
    client = signed_in(lea)
    for address in world((lea, ana, rui)):
        page = client.get(address)
        assert page.status_code == 200, address
        assert counted_links(page), address
        assert unlinked_counts(page) <= NO_CASES, address
        assert wrong_links(client, page) == {}


def test_a_number_that_its_list_does_not_hold_is_found(lea: User, ana: User, rui: User) -> None:
    client = signed_in(lea)
    page = client.get(lab((lea, ana, rui))[0])
    links = counted_links(page)
    assert wrong_links(client, with_other_counts(page)) == {href: (n + 1, n) for href, n in links.items()}


def test_a_number_without_a_list_is_found(lea: User, ana: User, rui: User) -> None:
    page = signed_in(lea).get(lab((lea, ana, rui))[0])
    plain = copy(page)
    plain.content = re.sub(r"<a data-count[^>]*>([\d,]+)</a>", r"\1", page.content.decode()).encode()
    assert {"n", "n = 12"} <= unlinked_counts(plain)
