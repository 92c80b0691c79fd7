"""The list file: many runs in one file, which lists read as long as it is good and what it lacks beside it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluation.models import ListFile, Run
from evaluation.scoring.write import score_benchmark
from evaluation.store.files import fetch_list, list_name, rows_changed, sweep_files
from evaluation.store.list_file import write_list
from evaluation.store.snapshot import Snapshot
from evaluation.store.trajectory_list import TrajectoryList
from tests.evaluation.lists import write_long_list
from tests.evaluation.run_pages import make_benchmark, repeat
from tests.worlds import made_once
from webapp.common import objects

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@made_once
def street(lea):
    """Two scored runs, one with further rollouts and trajectories under conditions."""
    benchmark = make_benchmark(lea, models=["Model C", "Model D"], pictures=False)
    repeat(benchmark, lea)
    score_benchmark(actor=lea, benchmark=benchmark)
    return benchmark


def listed(benchmark, **terms):
    """The list, its counts by value and by facet: what a page shows."""
    found = TrajectoryList(benchmark, list(Run.objects.of(benchmark)), terms)
    return found.pks.tolist(), found.total, found.counts, found.counted_by_facet("category")


def reads_list(benchmark):
    """Whether a list reads the list file, and the runs that it reads the own files of."""
    runs = list(Run.objects.of(benchmark))
    rows = Snapshot(benchmark, runs)._list
    return None if rows is None else len(rows.rest)


TERMS = ({}, {"sort": "-ioa"}, {"q": "wrong", "run": "Model C"}, {"q": "condition:visual"}, {"quadrant": "G-A-"})


@pytest.mark.both_databases
@pytest.mark.endurance
def test_lists_of_many_runs_say_the_same_with_a_list_file(street, monkeypatch):
    before = [listed(street, **terms) for terms in TERMS]
    assert reads_list(street) is None
    write_long_list(street, monkeypatch)
    assert reads_list(street) == 0
    assert [listed(street, **terms) for terms in TERMS] == before


@pytest.mark.both_databases
@pytest.mark.endurance
def test_runs_that_changed_since_are_read_beside_it_and_deleted_ones_not_at_all(street, monkeypatch):
    write_long_list(street, monkeypatch)
    first, second = Run.objects.of(street)
    gone = list(first.trajectories.order_by("pk").values_list("pk", flat=True)[:3])
    first.trajectories.filter(pk__in=gone).delete()
    rows_changed([first.pk])
    assert reads_list(street) == 1
    changed = [listed(street, **terms) for terms in TERMS]
    second.delete()
    without = [listed(street, **terms) for terms in TERMS]
    ListFile.objects.all().delete()
    assert [listed(street, **terms) for terms in TERMS] == without
    kept = set(first.trajectories.values_list("pk", flat=True))
    assert set(without[0][0]) <= kept
    assert set(changed[0][0]) > set(without[0][0])
    assert not set(gone) & set(changed[0][0])


def test_who_may_see_some_of_the_runs_is_shown_rows_of_these_alone(street, monkeypatch):
    write_long_list(street, monkeypatch)
    first, second = Run.objects.of(street)
    for run, other in ((first, second), (second, first)):
        snapshot = Snapshot(street, [run])
        assert snapshot.ask("SELECT DISTINCT run FROM rows") == [(run.pk,)]
        listed = TrajectoryList(street, [run], {"q": f"run:{other.pk}"}, snapshot=snapshot)
        assert listed.total == 0


@pytest.mark.endurance
def test_a_scoring_writes_the_next_list_file_and_another_scoring_of_the_same_none(street, lea, monkeypatch):
    write_long_list(street, monkeypatch)
    file = ListFile.objects.get()
    score_benchmark(actor=lea, benchmark=street)
    assert ListFile.objects.get().created_at == file.created_at
    run = Run.objects.of(street)[0]
    run.trajectories.filter(condition="none").order_by("pk")[0].delete()
    rows_changed([run.pk])
    assert reads_list(street) == 1
    score_benchmark(actor=lea, benchmark=street)
    assert ListFile.objects.get().created_at > file.created_at
    assert reads_list(street) == 0


def damage(file):
    path = fetch_list(file)
    path.write_bytes(path.read_bytes()[:5000])


def lose(file):
    fetch_list(file).unlink()
    objects.delete(list_name(file.digest))


def made_elsewhere(file):
    ListFile.objects.update(engine="0.1.0")


def older_schema(file):
    ListFile.objects.update(schema=1)


@pytest.mark.parametrize("harm", [damage, lose, made_elsewhere, older_schema])
@pytest.mark.endurance
def test_lists_go_on_without_a_list_file_that_cannot_be_read(street, lea, harm, monkeypatch):
    before = [listed(street, **terms) for terms in TERMS]
    write_long_list(street, monkeypatch)
    harm(ListFile.objects.get())
    assert reads_list(street) is None
    assert [listed(street, **terms) for terms in TERMS] == before


def test_a_list_file_that_was_lost_is_written_again_by_the_next_scoring(street, lea, monkeypatch):
    write_long_list(street, monkeypatch)
    lose(ListFile.objects.get())
    score_benchmark(actor=lea, benchmark=street, only_stale=True)
    assert reads_list(street) == 0


def test_a_benchmark_of_few_runs_has_no_list_file(street, monkeypatch):
    write_long_list(street, monkeypatch)
    monkeypatch.undo()
    write_list(street)
    assert not ListFile.objects.exists()


def test_a_list_file_that_no_benchmark_names_goes_after_a_day(street, monkeypatch):
    write_long_list(street, monkeypatch)
    name = list_name(ListFile.objects.get().digest)
    sweep_files(timezone.now() + timedelta(days=2))
    assert objects.exists(name)
    ListFile.objects.all().delete()
    assert sweep_files(timezone.now()) == 0
    assert sweep_files(timezone.now() + timedelta(days=2)) >= 1
    assert not objects.exists(name)
