"""A portable file is written from one state of the database, and others save meanwhile. PostgreSQL takes a snapshot,
SQLite a transaction without the lock of writers."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection, transaction

from annotation.models import Benchmark, PersonUid
from annotation.project_file import Reader
from evaluation.exports.read.runs import RunsInFile
from tests.annotation.portable.files import make_kitchen
from tests.annotation.portable.runs import add_marks_to, add_runs_to, with_runs
from tests.factories import make_user
from webapp.common.databases import snapshot

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@pytest.fixture
def lab() -> Benchmark:
    ana, rui, lea = (make_user(name) for name in ("Ana Lind", "Rui Costa", "Lea Moreau"))
    benchmark = make_kitchen(ana, rui, lea)
    add_runs_to(benchmark, lea, judge=rui)
    add_marks_to(benchmark, ana, rui, lea)
    return benchmark


def test_a_file_is_the_same_inside_and_outside_a_transaction(lab: Benchmark, tmp_path: Path) -> None:
    assert not PersonUid.objects.exists()
    outside = with_runs(lab, tmp_path / "a")
    assert not connection.in_atomic_block
    with transaction.atomic():
        inside = with_runs(lab, tmp_path / "b")
    version = lab.versions.get()
    with (
        Reader(outside) as one,
        Reader(inside) as two,
        Reader(with_runs(lab, tmp_path / "c", version=version)) as three,
    ):
        assert one.manifest.checksum == two.manifest.checksum
        assert three.tables["run"] == 2


def test_no_lock_of_writers_is_held_while_rows_are_read(
    lab: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[bool] = []
    real = RunsInFile.trajectories

    def trajectories(self: RunsInFile, run: object) -> object:
        held.append(bool(getattr(connection, "writes", False)))
        return real(self, run)  # type: ignore[arg-type]

    monkeypatch.setattr(RunsInFile, "trajectories", trajectories)
    with_runs(lab, tmp_path / "a")
    assert held == [False, False]


def test_a_snapshot_ends_also_after_an_error(lab: Benchmark) -> None:
    def broken() -> None:
        with snapshot():
            Benchmark.objects.get(pk=lab.pk)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        broken()
    with transaction.atomic():
        Benchmark.objects.filter(pk=lab.pk).update(description="Saved.")
    assert Benchmark.objects.get(pk=lab.pk).description == "Saved."
