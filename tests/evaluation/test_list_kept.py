"""Tables of lists are kept as long as nothing that they are made of changes, made once, and within limits."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Count, Max

from annotation.actions.benchmarks import create_benchmark
from annotation.actions.changes import MOST_ROWS, content_changed, fold_changes
from annotation.actions.save_samples import save_samples
from annotation.actions.tool_bank import accept_tool
from annotation.actions.work_discard import discard_samples
from annotation.models import BankTool, Benchmark, ContentChange, FacetValue, Gold, Sample
from evaluation.actions import list_table, row_table
from evaluation.actions.list_table import table_of
from evaluation.actions.mark_trajectories import tag_trajectories
from evaluation.actions.read_list import TrajectoryList
from evaluation.models import Run
from tests.evaluation import records
from tests.evaluation.board_data import many_samples

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    list_table._TABLES.clear()
    list_table._ROWS.clear()


def table(benchmark: Benchmark) -> Any:
    return table_of(benchmark, list(Run.objects.of(benchmark)))


def test_only_writes_to_this_benchmark_make_a_table_anew_and_none_reads_its_rows_again(lea, monkeypatch, board):
    """D11.1, D11.4: another benchmark and tags leave the table; a change of samples keeps the rows of trajectories."""
    read: list[str] = []
    stored = row_table.read_columns
    monkeypatch.setattr(row_table, "read_columns", lambda keys, names: read.extend(names) or stored(keys, names))
    first = table(board)
    first.prepare(["ioa", "evaluated"])
    assert "pk" in read
    read.clear()

    shed = create_benchmark(actor=lea, slug="shed", title="Shed")
    save_samples(actor=lea, benchmark=shed, records=records.samples())
    tagged = Run.objects.of(board)[0].trajectories.first()
    tag_trajectories(actor=lea, benchmark=board, trajectories=[tagged.pk], name="glare")
    assert table(board) is first

    new = replace(many_samples()[-1], id="A before all others", facets={"category": ("New",)})
    save_samples(actor=lea, benchmark=board, records=[new])
    second = table(board)
    assert second is not first
    assert "New" in second.sample_table.facets["category"].names
    assert second.column("pk").tolist() == first.column("pk").tolist()
    assert (second.by_sample.rank == first.by_sample.rank + 1).all()
    second.column("ioa")
    assert read == []
    assert table(board) is second


def test_a_change_number_changes_with_every_change_that_counts_of_rows_would_notice(lea, unscored_board):
    """D11.1: beside the old way, which counted, over random writes to two benchmarks."""
    boards = [unscored_board, create_benchmark(actor=lea, slug="shed", title="Shed")]
    save_samples(actor=lea, benchmark=boards[1], records=many_samples())
    chance = random.Random(7)

    def counted(benchmark: Benchmark) -> tuple[Any, ...]:
        samples = Sample.objects.filter(benchmark=benchmark).aggregate(Count("pk"), Max("pk"))
        facets = FacetValue.objects.filter(benchmark=benchmark).aggregate(Count("pk"), Max("pk"))
        gold = Gold.objects.filter(sample__benchmark=benchmark).aggregate(Count("pk"), Max("pk"), Max("accepted_at"))
        return (*samples.values(), *facets.values(), *gold.values())

    def state() -> list[tuple[tuple[Any, ...], int]]:
        numbers = ContentChange.objects.numbers([one.pk for one in boards])
        return [(counted(one), numbers[one.pk]) for one in boards]

    def act(at: int, step: int) -> None:
        benchmark, record = boards[at], chance.choice(many_samples())
        asks = replace(record.content, question=f"Question {chance.randrange(3)}?")
        match chance.randrange(5):
            case 0:
                save_samples(actor=lea, benchmark=benchmark, records=[replace(record, id=f"new-{step}")])
            case 1:
                facets = {"category": (str(chance.randrange(3)),)}
                save_samples(actor=lea, benchmark=benchmark, records=[replace(record, facets=facets)])
            case 2:
                save_samples(actor=lea, benchmark=benchmark, records=[replace(record, content=asks)])
            case 3:
                one = benchmark.samples.filter(key=record.id)
                why: Any = {"reasons": ["other"], "comment": "No.", "key": f"{at}{step}"}
                discard_samples(actor=lea, benchmark=benchmark, samples=one, **why)
            case _:
                tool = BankTool.objects.filter(benchmark=benchmark, name="hammer").first()
                if tool:
                    segment = chance.choice(["27", "21"])
                    accept_tool(actor=lea, tool=tool, name="hammer", segment=segment, aliases=[])

    before, moved = state(), 0
    for step in range(60):
        at = chance.randrange(2)
        act(at, step)
        after = state()
        for place, (was, now) in enumerate(zip(before, after, strict=True)):
            assert (was[1] != now[1]) or was[0] == now[0], step
            assert place == at or was == now
        moved += before[at][0] != after[at][0]
        before = after
    assert moved > 20
    folded = fold_changes()
    assert state() == before
    while ContentChange.objects.filter(benchmark=boards[0]).count() <= MOST_ROWS:
        content_changed(boards[0].pk)
    number = ContentChange.objects.numbers([boards[0].pk])
    assert fold_changes() == MOST_ROWS
    assert ContentChange.objects.numbers([boards[0].pk]) == number
    assert folded == 0


def test_a_change_that_is_taken_back_leaves_the_number(lea):
    benchmark = create_benchmark(actor=lea, slug="shed", title="Shed")
    with transaction.atomic():
        save_samples(actor=lea, benchmark=benchmark, records=records.samples())
        transaction.set_rollback(True)
    assert ContentChange.objects.numbers([benchmark.pk]) == {benchmark.pk: 0}


def test_a_table_keeps_no_more_columns_than_it_may_and_answers_the_same(lea, monkeypatch, board):
    """D11.3: what grows with the rows are keys and order; columns, orders and answers have a limit."""
    runs = list(Run.objects.of(board))
    asked: list[dict[str, str]] = [
        {"q": "ioa > 0.3"}, {"q": "wrong", "sort": "ioa"}, {"q": "tool:zoom_in", "sort": "-calls"},
        {"q": "paired:yes"}, {"quadrant": "G-A+"}, {"q": "area > 0", "sort": "area"},
    ]  # fmt: skip

    def answers() -> list[Any]:
        lists = [TrajectoryList(board, runs, terms, lea) for terms in asked]
        return [(one.total, one.page("", 50)[0]) for one in lists]

    wanted = answers()
    plenty = table(board)._rows.nbytes
    list_table._TABLES.clear()
    list_table._ROWS.clear()
    monkeypatch.setattr(row_table, "COLUMN_BYTES", 100)
    assert answers() == wanted
    rows = table(board)._rows
    assert rows.nbytes < plenty
    most = max(array.nbytes for array in rows._arrays.values())
    assert rows.nbytes <= rows.least_bytes + max(100, most)
    assert rows.least_bytes <= 40 * len(rows) + 1000


@pytest.mark.django_db(transaction=True)
def test_simultaneous_first_requests_build_one_table(lea, monkeypatch, board):
    """D11.2."""
    runs = list(Run.objects.of(board))
    built: list[int] = []
    make = row_table.RowTable.__init__

    def counted(self: Any, *given: Any) -> None:
        built.append(1)
        make(self, *given)

    monkeypatch.setattr(row_table.RowTable, "__init__", counted)
    together = threading.Barrier(8)

    def ask(_: int) -> int:
        together.wait()
        try:
            return id(table_of(board, runs))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1
    assert built == [1]
