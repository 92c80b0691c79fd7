"""A whole run is replayed in a job: what was kept, what was not and why; stopped half way, and dropped again."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark, Sample
from annotation.toolbox.vtc import Profile
from annotation.workflow import Role
from evaluation.imports.write.sessions import record_session
from evaluation.models import Replay, Run, Scoring
from evaluation.scoring.replays import run as keep_run_replays
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.imports.test_sessions import benchmark
from webapp.accounts.models import User
from webapp.common.models import AuditEntry
from webapp.jobs.context import JobCancelled, JobContext
from webapp.jobs.models import Job
from webapp.jobs.runner import run_waiting

__all__ = ["benchmark"]

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
CROP = {"tool": "crop", "args": {"x": 1, "y": 1, "width": 20, "height": 20}, "image_in": "original"}
TELESCOPE = {"tool": "telescope", "image_in": "original"}


@pytest.fixture
def run(benchmark: Benchmark, lea: User, ana: User) -> Run:
    """Three trajectories: one that can be replayed, one of a tool nobody has, and one on a sample without a picture."""
    lost = Sample.objects.create(benchmark=benchmark, key="lost", image_problem="it was not in the file")
    for sample, step in (("one", CROP), ("two", TELESCOPE), (lost.key, CROP)):
        row = {"model": "agent-7", "sample_id": sample, "setting": "", "steps": [step], "answer": "2"}
        record_session(actor=None, benchmark=benchmark, row=row, profile=Profile.STRICT)
    for person, role in ((lea, Role.RESEARCHER), (ana, Role.ANNOTATOR)):
        add_member(actor=None, benchmark=benchmark, user=person, role=role)
    return Run.objects.get()


def test_a_run_is_replayed_and_told_and_dropped(run: Run, benchmark: Benchmark, lea: User, ana: User) -> None:
    here = f"/benchmarks/kitchen/runs/{run.pk}/replays/"
    score_benchmark(actor=None, benchmark=benchmark)
    assert signed_in(ana).post(f"{here}keep/").status_code in (403, 404)
    signed_in(lea).post(f"{here}keep/")
    run_waiting()
    page = signed_in(lea).get(here)
    assert (page.context["kept"], page.context["total"]) == (1, 3)
    assert [count for _, count in page.context["told"].became] == [1, 1, 1]
    assert {words for words, _ in page.context["told"].reasons} == {
        "it was not in the file.", "telescope: the toolbox has no such tool.",
    }  # fmt: skip
    assert "not replayed: no image" in page.content.decode()
    assert Scoring.objects.get().stale
    assert AuditEntry.objects.filter(action="replay.keep_run").count() == 1

    signed_in(lea).post(f"{here}keep/")
    run_waiting()
    told = signed_in(lea).get(here).context["told"]
    assert ("already saved", 1) in told.became
    signed_in(lea).post(f"{here}drop/")
    assert not Replay.objects.exists()
    assert AuditEntry.objects.get(action="replay.drop_run").data == {"trajectories": 1}


def test_a_stopped_replay_keeps_what_it_has_and_goes_on_from_there(run: Run, lea: User, monkeypatch: Any) -> None:
    monkeypatch.setattr(keep_run_replays, "BATCH", 1)
    job = keep_run_replays.queue_run_replays(actor=lea, run=run)
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, worker="w", lease_until=job.created)
    job.refresh_from_db()

    class Stopped(JobContext):
        def save(self, state: dict[str, Any], *, done: int | None = None) -> None:
            super().save(state, done=done)
            Job.objects.filter(pk=job.pk).update(cancel_requested=True)

    with pytest.raises(JobCancelled):
        keep_run_replays.keep_run_replays(Stopped(job), run_id=run.pk)
    job.refresh_from_db()
    assert (job.checkpoint["done"], job.checkpoint["of"]) == (1, {"kept": 1})
    assert Replay.objects.count() == 1
