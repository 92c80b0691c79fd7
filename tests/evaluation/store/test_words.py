"""The files of words: when they are written and read, and that a search finds the same without them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import Run, Step, WordFile
from evaluation.scoring.write import score_benchmark
from evaluation.store.files import folder, rows_changed, sweep_files, words_name
from evaluation.store.words import index, search
from evaluation.store.words.file import available
from evaluation.store.words.index import index_run_text
from evaluation.store.words.search import holding
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once
from webapp.common import objects

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PHRASES = ("red sign", "sign*", "zoom* in", "b", "\u8d64\u3044", "which", "sign zoom", "nothing like it")


@made_once
def street(lea):
    """Two scored runs whose first turns say something."""
    benchmark = make_benchmark(lea, models=["Model C", "Model D"], pictures=False)
    Step.objects.filter(position=0).update(text="I zoom_in on the RED sign.", observation="Zooming: \u8d64\u3044\u5370")
    rows_changed(Run.objects.values_list("pk", flat=True))
    for run in Run.objects.of(benchmark):
        index_run_text(run)
    return benchmark


def runs_of(benchmark):
    return list(Run.objects.of(benchmark))


def answers(benchmark):
    """What each phrase is found in, and the queries that read texts."""
    found = {}
    with CaptureQueriesContext(connection) as asked:
        for phrase in PHRASES:
            for field in ("", "answer", "transcript", "question"):
                there = holding(benchmark, runs_of(benchmark), field, phrase)
                found[phrase, field] = (sorted(there.trajectories.tolist()), sorted(there.samples.tolist()))
    return found, [one["sql"] for one in asked if "evaluation_step" in one["sql"]]


def without_files(benchmark):
    """The same from the texts alone."""
    WordFile.objects.all().delete()
    return answers(benchmark)[0]


def file_of(run):
    return WordFile.objects.get(run=run)


def local_copy(run):
    return folder() / f"{file_of(run).digest}.sqlite3"


@pytest.mark.both_databases
@pytest.mark.endurance
def test_files_of_words_find_what_the_texts_hold_without_reading_them(street):
    found, read = answers(street)
    assert not read
    assert {phrase for (phrase, _), there in found.items() if any(there)} == {*PHRASES} - {"sign zoom", PHRASES[-1]}
    assert found == without_files(street)


def test_a_file_of_earlier_trajectories_is_not_read_and_the_next_scoring_writes_another(lea, street):
    [run, _] = runs_of(street)
    before = file_of(run).digest
    Step.objects.filter(trajectory__run=run, position=0).update(text="A blue plate.")
    rows_changed([run.pk])
    changed, read = answers(street)
    assert read
    assert holding(street, [Run.objects.get(pk=run.pk)], "transcript", "red sign").trajectories.tolist() == []
    assert holding(street, [Run.objects.get(pk=run.pk)], "transcript", "blue plate").trajectories.tolist()
    score_benchmark(actor=lea, benchmark=street, only_stale=True)
    assert file_of(run).digest != before
    assert answers(street) == (changed, [])


@pytest.mark.both_databases
def test_a_run_whose_trajectories_change_while_its_words_are_written_gets_no_file(street, monkeypatch):
    [run, _] = runs_of(street)
    WordFile.objects.all().delete()
    write = index.write_words

    def write_slowly(*args):
        write(*args)
        rows_changed([run.pk])

    monkeypatch.setattr(index, "write_words", write_slowly)
    index_run_text(run)
    assert not WordFile.objects.exists()
    monkeypatch.undo()
    index_run_text(run)
    assert file_of(run).revision == Run.objects.get(pk=run.pk).revision


@pytest.mark.both_databases
def test_a_run_that_is_gone_gets_no_file(street):
    [run, _] = runs_of(street)
    Run.objects.filter(pk=run.pk).delete()
    index_run_text(run)
    assert not WordFile.objects.filter(run_id=run.pk).exists()


def test_a_host_without_copies_fetches_each_file_once(street, settings, tmp_path, monkeypatch):
    found, _ = answers(street)
    settings.SCRATCH, fetched, fetch = tmp_path, [], objects.fetch
    monkeypatch.setattr(
        objects, "fetch", lambda name, *args, **more: fetched.append(name) or fetch(name, *args, **more)
    )
    assert answers(street) == (found, [])
    assert sorted(fetched) == sorted(words_name(file_of(run).digest) for run in runs_of(street))


@pytest.mark.parametrize("damage", [b"", b"SQLite format 3\0" + b"\0" * 4096, b"no database", None])
@pytest.mark.endurance
def test_a_damaged_copy_is_replaced_and_the_search_finds_the_same(street, damage):
    found, _ = answers(street)
    copy = local_copy(runs_of(street)[0])
    content = copy.read_bytes()
    # None: only the pages behind the first two.
    copy.write_bytes(damage if damage is not None else content[:8192] + b"\xff" * (len(content) - 8192))
    assert holding(street, runs_of(street), "", "red sign").trajectories.tolist() == found["red sign", ""][0]
    assert answers(street)[0] == found
    assert copy.read_bytes() == content


@pytest.mark.parametrize("bytes_there", [None, b"other bytes"])
@pytest.mark.endurance
def test_a_file_that_the_object_store_lost_or_damaged_costs_time_only(lea, street, bytes_there):
    found, _ = answers(street)
    [run, _] = runs_of(street)
    name = words_name(file_of(run).digest)
    local_copy(run).unlink()
    objects.delete(name) if bytes_there is None else objects.put(name, bytes_there)
    again, read = answers(street)
    assert again == found
    assert read
    if bytes_there is None:
        score_benchmark(actor=lea, benchmark=street, only_stale=True)
        assert answers(street) == (found, [])


def test_without_fts5_words_are_looked_for_in_the_texts(street, monkeypatch):
    assert available(), "this test says nothing where FTS5 is never there"
    found, _ = answers(street)
    for module in (index, search):
        monkeypatch.setattr(module, "available", lambda: False)
    again, read = answers(street)
    assert again == found
    assert read
    WordFile.objects.all().delete()
    index_run_text(runs_of(street)[0])
    assert not WordFile.objects.exists()


def test_files_of_words_that_no_run_names_go_after_a_day_and_others_stay(lea, street):
    [run, other] = runs_of(street)
    Step.objects.filter(trajectory__run=run, position=0).update(text="A blue plate.")
    old, stays = words_name(file_of(run).digest), words_name(file_of(other).digest)
    rows_changed([run.pk])
    index_run_text(run)
    sweep_files(timezone.now())
    assert objects.exists(old)
    assert sweep_files(timezone.now() + timedelta(days=2)) >= 1
    assert [objects.exists(name) for name in (old, stays, words_name(file_of(run).digest))] == [False, True, True]
