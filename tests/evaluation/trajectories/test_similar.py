"""Trajectories that went as one did: a list in words, which holds it."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from django.urls import reverse

from evaluation.models import Run, Trajectory
from evaluation.store.scores import put_scores
from evaluation.store.snapshot import Snapshot
from evaluation.trajectories.read.marks import read_marks
from evaluation.trajectories.read.similar import similar_trajectories
from evaluation.trajectories.write.marks import correct_failure
from tests.conftest import signed_in
from tests.evaluation.crawl import total
from tests.evaluation.lists import pks_in
from tests.evaluation.run_pages import only_run
from tests.evaluation.scores import forget_scores

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def snapshot_of(benchmark, person):
    return Snapshot(benchmark, list(Run.objects.of(benchmark)), person)


def terms_of(trajectory, person, snapshot=None):
    snapshot = snapshot or snapshot_of(trajectory.run.benchmark, person)
    put_scores([trajectory])
    return similar_trajectories(trajectory, read_marks(trajectory, person).failure, 0.5, snapshot)


@pytest.mark.both_databases
@pytest.mark.endurance
def test_every_trajectory_is_in_the_list_of_those_alike(lea, street):
    rows = Trajectory.objects.of(street).select_related("sample", "run")
    seen, snapshot = {}, snapshot_of(street, lea)
    for row in [*rows.evaluated(), *rows.filter(rollout=0).exclude(condition="none")]:
        terms = terms_of(row, lea, snapshot)
        if (key := tuple(terms.items())) not in seen:
            seen[key] = set(pks_in(street, terms, lea))
        assert row.pk in seen[key], (row.sample.key, terms)
    assert len(seen) > 8
    assert sum(len(listed) for listed in seen.values()) == len(set().union(*seen.values())), (
        "Each is in one list alone."
    )


@pytest.mark.parametrize(
    ("key", "terms"),
    [
        ("seen-00", {"quadrant": "G+A+", "coverage_above": "0.5", "calls": "1"}),
        ("missed-wrong-00", {"failure": "missed_evidence", "population": "yes", "ioa_upto": "0", "area": "1%.."}),
        ("blind-00", {"zoomed": "no", "calls": "0"}),
    ],
)
def test_the_terms_say_what_is_alike(lea, key, terms, street):
    found = terms_of(Trajectory.objects.of(street).get(sample__key=key, condition="none", rollout=0), lea)
    assert {name: found.get(name) for name in terms} == terms


def test_what_people_said_goes_before_the_rule(lea, street):
    row = Trajectory.objects.of(street).get(sample__key="missed-wrong-00", condition="none")
    correct_failure(actor=lea, trajectory=row, failure="crop_ignored")
    terms = terms_of(row, lea)
    assert terms["failure"] == "crop_ignored"
    assert pks_in(street, terms, lea) == [row.pk]


@pytest.mark.endurance
def test_the_preview_counts_them_and_leads_to_as_many(lea, street):
    """Of one trajectory for each list, which is the same for all in it."""
    client, snapshot = signed_in(lea), snapshot_of(street, lea)
    rows = Trajectory.objects.of(street).filter(condition="none", rollout=0)
    rows = {tuple(terms_of(row, lea, snapshot).items()): row for row in rows.select_related("sample", "run")}
    assert len(rows) > 8
    for row in rows.values():
        address = reverse("evaluation:trajectory-preview", args=[street.slug, row.pk])
        found = client.get(address, headers={"HX-Request": "true"}).context["alike"]
        assert found.n > 0
        assert "run" not in dict(parse_qsl(urlsplit(found.href).query))
        assert total(client, found.href) == found.n


def test_nothing_is_said_of_what_is_not_scored(lea, street):
    client = signed_in(lea)
    forget_scores(only_run(street))
    row = Trajectory.objects.of(street).first()
    answer = client.get(
        reverse("evaluation:trajectory-preview", args=[street.slug, row.pk]), headers={"HX-Request": "true"}
    )
    assert answer.context["alike"] is None
    assert "Similar" not in answer.content.decode()
