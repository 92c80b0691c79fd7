"""The score store: what the file of a run holds, when it is read, and when it goes."""

from __future__ import annotations

import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.content.changes import content_changed
from annotation.models import FacetValue
from evaluation.common.trajectory.read import load_trajectory, read_trajectory
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN
from evaluation.models import Run, ScoreFile
from evaluation.scoring.write import score_benchmark
from evaluation.store import engine
from evaluation.store.engine import Reader, connect, parquet
from evaluation.store.files import folder, kept_file, object_name, paths_of, rows_changed, sweep_files
from evaluation.store.schema import CHAINS, COLUMNS, CONTRIBUTIONS, READ_AS, SCHEMA
from evaluation.store.scores import put_scores
from evaluation.store.trajectory_list import TrajectoryList
from tests.conftest import signed_in
from tests.evaluation.lists import first_in
from tests.evaluation.run_pages import make_benchmark, repeat
from tests.worlds import made_once
from webapp.common import objects
from webapp.common.errors import Unavailable

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

ONLY_SCORING_KNOWS = {column.name for column in (*CONTRIBUTIONS, *CHAINS, *READ_AS)}


@made_once
def street(lea):
    """Two scored runs, one with further rollouts and trajectories under conditions."""
    benchmark = make_benchmark(lea, models=["Model C", "Model D"], pictures=False)
    repeat(benchmark, lea)
    return benchmark


def runs_of(benchmark):
    return list(Run.objects.of(benchmark))


def rows_in(path, columns):
    reader = Reader(folder())
    reader.view("rows", f"SELECT * FROM {parquet(path)}")
    return reader.rows(f"SELECT {', '.join(columns)} FROM rows ORDER BY pk", {})


@pytest.mark.both_databases
@pytest.mark.endurance
def test_the_file_of_a_scoring_has_one_row_for_each_trajectory_with_its_score(street):
    for run in runs_of(street):
        rows = rows_in(paths_of([run])[0], ("pk", "evaluated", "verdict"))
        assert [row[0] for row in rows] == list(run.trajectories.order_by("pk").values_list("pk", flat=True))
        evaluated = set(run.trajectories.evaluated().values_list("pk", flat=True))
        assert {row[0] for row in rows if row[1]} == evaluated
        for pk, _, verdict in rows:
            # Its page computes the measures again.
            trajectory = load_trajectory(street, pk)
            put_scores([trajectory])
            detail = read_trajectory(trajectory)
            assert detail.agrees_with(trajectory.score)
            said = {TRUE: "yes", FALSE: "no", UNKNOWN: None}[int(detail.scores.correct[0])]
            assert verdict == ("undecided" if detail.scores.undecided[0] else said)


@pytest.mark.endurance
def test_trajectories_that_are_left_after_a_change_keep_their_scores(street):
    for run in runs_of(street):
        [written] = paths_of([run])
        rows_changed([run.pk])
        [made] = paths_of([Run.objects.of(street).get(pk=run.pk)])
        assert made != written
        same = [column.name for column in COLUMNS if column.name not in ONLY_SCORING_KNOWS]
        assert rows_in(made, same) == rows_in(written, same)
        # What only a scoring knows is not made up.
        unknown = " AND ".join(f"{name} IS NULL" for name in ONLY_SCORING_KNOWS)
        assert set(rows_in(made, [unknown])) == {(True,)}


def test_a_statement_that_takes_too_long_is_interrupted_and_the_next_one_is_answered(monkeypatch, street):
    monkeypatch.setattr(engine, "SECONDS", 0.05)
    reader = Reader(folder())
    with pytest.raises(Unavailable) as refused:
        reader.rows(
            "SELECT count(*) FROM range(10_000_000) a, range(10_000_000) b WHERE (a.range + b.range) % 7 = 1", {}
        )
    assert refused.value.code == "slow_list"
    assert reader.rows("SELECT 1", {}) == [(1,)]


@pytest.mark.both_databases
def test_a_list_follows_a_change_of_trajectories_at_once(street):
    [run, _] = runs_of(street)
    gone = run.trajectories.filter(condition="none").first()
    before = TrajectoryList(street, runs_of(street), {"run": str(run.pk)}).total
    gone.delete()
    rows_changed([run.pk])
    assert TrajectoryList(street, runs_of(street), {"run": str(run.pk)}).total == before - 1


@pytest.mark.both_databases
def test_a_list_follows_a_change_of_samples_at_once(street):
    terms = {"facet.colored": "yes"}
    assert TrajectoryList(street, runs_of(street), terms).total == 0
    trajectory = first_in(street, {})
    FacetValue.objects.create(sample_id=trajectory.sample_id, name="colored", value="yes", benchmark=street)
    content_changed(street.pk)
    assert TrajectoryList(street, runs_of(street), terms).total == len(runs_of(street))


def test_a_file_that_was_lost_on_this_machine_is_fetched_again(street):
    [path, _] = paths_of(runs_of(street))
    content = path.read_bytes()
    path.unlink()
    assert paths_of(runs_of(street))[0].read_bytes() == content


def lose(file):
    objects.delete(object_name(file.digest))


def damage(file):
    objects.put(object_name(file.digest), b"PAR1 and no more")


def age(file):
    ScoreFile.objects.filter(pk=file.pk).update(schema=SCHEMA - 1)


@pytest.mark.parametrize("happens", [lose, damage, age], ids=["lost", "damaged", "of another release"])
@pytest.mark.endurance
def test_scores_that_cannot_be_read_are_said_to_be_missing_and_scoring_makes_them_again(street, lea, happens):
    [run, _] = runs_of(street)
    [path] = paths_of([run])
    before = rows_in(path, ["pk", "verdict", "ioa"])
    happens(run.file)
    path.unlink()
    [lost, other] = runs_of(street)
    assert {row[1:] for row in rows_in(paths_of([lost])[0], ["pk", "scored", "verdict"])} == {(False, None)}
    context = signed_in(lea).get(f"/benchmarks/{street.slug}/trajectories/").context
    assert (context["stale"], context["total"]) == ([lost], TrajectoryList(street, [lost, other], {}).total)
    assert [one.run for one in score_benchmark(actor=lea, benchmark=street, only_stale=True)] == [lost]
    [scored, _] = runs_of(street)
    assert rows_in(paths_of([scored])[0], ["pk", "verdict", "ioa"]) == before
    assert signed_in(lea).get(f"/benchmarks/{street.slug}/trajectories/").context["stale"] == []


@pytest.mark.both_databases
def test_simultaneous_readers_make_a_file_once():
    made, together, name = [], threading.Barrier(4), f"once-{uuid4()}.parquet"

    def make(path):
        made.append(path)
        path.write_bytes(b"rows")

    def read():
        together.wait()
        assert kept_file(folder() / name, make).read_bytes() == b"rows"

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert len(made) == 1


def test_a_file_that_breaks_off_leaves_nothing():
    def make(path):
        path.write_bytes(b"half")
        raise OSError("no space left")

    path = folder() / f"broken-{uuid4()}.parquet"
    with pytest.raises(OSError, match="no space"):
        kept_file(path, make)
    assert not path.exists()
    assert not list(folder().glob(f"*{objects.PART}"))


def test_files_that_no_run_names_go_after_a_day_and_others_stay(lea, street):
    old = {file.digest for file in ScoreFile.objects.all()}
    rows_changed([runs_of(street)[0].pk])
    score_benchmark(actor=lea, benchmark=street)
    now = {file.digest for file in ScoreFile.objects.all()}
    objects.put(object_name("0" * 64), b"nobody names this")
    assert sweep_files(timezone.now()) == 0
    gone = sweep_files(timezone.now() + timedelta(days=2))
    assert gone >= 1 + len(old - now)
    assert not objects.exists(object_name("0" * 64))
    assert all(objects.exists(object_name(digest)) for digest in now)


def test_the_engine_reads_its_folder_and_nothing_else(tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    reader = connect(folder())
    for statement in (
        f"SELECT * FROM read_csv('{secret}')",
        f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
        f"ATTACH '{tmp_path / 'other.duckdb'}'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
    ):
        with pytest.raises(Exception, match=r"(?i)permission|disabled|locked|not allowed|cannot change"):
            reader.execute(statement)
    assert not (tmp_path / "out.csv").exists()


HOSTILE = ("' OR 1=1 --", '"; DROP VIEW rows; --', "$a0", "{}", "\\", "%", "?", "😀" * 40)


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize(
    "field", ["sample", "run", "condition", "facet.category", "tool", "aligned", "tag", "note", "right_in", "type"]
)
def test_hostile_values_of_a_term_are_only_values(street, field, value):
    assert TrajectoryList(street, runs_of(street), {field: value}).total == 0


def test_a_benchmark_without_runs_has_an_empty_list(lea):
    benchmark = make_benchmark(lea, models=[], pictures=False)
    found = TrajectoryList(benchmark, [], {})
    assert (found.total, found.pks.tolist(), found.page("", 50)) == (0, [], ([], 0))
    assert found.counts["quadrant"] == {}
