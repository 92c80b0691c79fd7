"""Keeping what an agent elsewhere did with the toolbox, through the same door as an import."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.common.access import require
from annotation.content.drawn_on import require_shown
from annotation.content.transitions import lock_sample
from annotation.exchange.write.samples import finish_record
from annotation.images.chain_runs import image_of, original_of, run_uploaded_call
from annotation.importers.fields import Report, RowRefused
from annotation.models import Benchmark, Image, ImportRecord, Sample
from annotation.samples.read.named import find_sample
from annotation.schema import ToolCall
from annotation.toolbox.results import Picture
from annotation.toolbox.runner import ChainResult
from annotation.toolbox.vtc import Profile, tools_of
from annotation.workflow import Right
from evaluation.agents.tool_session import ToolSession, run_alone
from evaluation.importers.interface import ReadOptions
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.imports.write.runs import RunsSaver
from evaluation.models import Attempt, Experiment, Run
from evaluation.models import Trajectory as TrajectoryRow
from evaluation.models.querysets.experiments import ExperimentQuerySet
from evaluation.schema import Trajectory
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

SESSION_FILE = "sessions"
IDLE = timedelta(days=1)
"""An experiment takes sessions until this long after the last one."""


class Opened(NamedTuple):
    """A session on a sample; ``asked`` is what the agent gets: question and options, never the gold."""

    session: ToolSession
    asked: dict[str, Any]
    image: Image


def open_session(
    benchmark: Benchmark, key: str, *, shared: bool = False, profile: Profile = Profile.STRICT, original: str = ""
) -> Opened:
    """A session on a sample. ``original``: the SHA-256 of the image on which it began, "" if unknown. Raises
    ``Conflict`` when its image is not there, or was replaced.

    ``shared``: in a process that serves others too, where each call waits for its turn and its result is kept by
    content, so that a session can be made again from its calls. Its calls raise ``RunDeferred``.
    """
    samples = Sample.objects.filter(benchmark=benchmark).select_related("image", "gold__revision")
    sample = find_sample(benchmark, samples, key)
    sample.benchmark = benchmark
    require_shown(sample, original)
    revision = sample.gold.revision if hasattr(sample, "gold") else None
    asked = (
        {"question": revision.question, "options": revision.options} if revision else {"question": "", "options": {}}
    )
    image = image_of(sample)
    run = partial(_in_turn, image.sha256) if shared else run_alone
    return Opened(ToolSession(key, original_of(sample), run, profile=profile, digest=image.sha256), asked, image)


def _in_turn(
    sha256: str,
    original: Picture,
    call: ToolCall,
    others: Mapping[str, Picture],
    keys: Mapping[str, str],
    profile: Profile,
) -> ChainResult:
    return run_uploaded_call(original, call, others, sha256, keys, tools=tools_of(profile))


def sample_keys(benchmark: Benchmark, after: str = "", most: int = 200) -> list[str]:
    """The samples with gold and an image, by id, behind ``after``."""
    ready = Sample.objects.filter(benchmark=benchmark, gold__isnull=False, image__isnull=False, key__gt=after)
    return list(ready.order_by("key").values_list("key", flat=True)[:most])


def record_session(
    *, actor: User | None, benchmark: Benchmark, row: Mapping[str, Any], profile: Profile, original: str = ""
) -> Run:
    """Keep one trajectory of the native format; gives the run that it is in. The same sample answered again: the last
    counts. Raises ``InvalidInput`` if it can't be kept; then nothing is. ``original``: as of ``open_session``.

    All sessions of one person with one model and setting go into one experiment with one import record, until a day
    passes without one: so they are undone together, and the lists of both stay short.
    """
    require(actor, benchmark, Right.IMPORT_RUNS)
    report = Report(SESSION_FILE, None)
    try:
        trajectory = trajectory_from(row, ReadOptions(), report)
    except RowRefused as refused:
        raise InvalidInput(refused.issue.done, code="not-recorded") from refused
    sample = find_sample(benchmark, Sample.objects.filter(benchmark=benchmark), trajectory.sample_id)
    with transaction.atomic():
        # Before the sample and the experiment. Answers that come at once find the same experiment.
        Benchmark.objects.select_for_update(no_key=True).only("pk").get(pk=benchmark.pk)
        if original:
            lock_sample(sample)
            require_shown(sample, original)
        experiment = _open_experiment(actor, benchmark, trajectory, profile)
        assert experiment.import_record is not None
        saver = RunsSaver(actor, benchmark, experiment.import_record, samples=[sample])
        saver.take_all(iter((trajectory, *report.issues)), None)
        if not saver.book.runs:
            raise InvalidInput(saver.result.issues[-1].done, code="not-recorded")
        run = saver.book.runs[0]
        _note_attempt(experiment, sample, run, trajectory)
        finish_record(actor, experiment.import_record, saver.result.counts, notify=False)
    return run


def _note_attempt(experiment: Experiment, sample: Sample, run: Run, trajectory: Trajectory) -> None:
    """An answered sample is an attempt of the experiment. Answered again, it leads to the trajectory that counts."""
    place = {"run": run, "sample": sample, "rollout": trajectory.rollout, "condition": trajectory.condition}
    attempt = Attempt(
        experiment=experiment, sample=sample, rollout=trajectory.rollout, state=Attempt.State.DONE, tries=1,
        trajectory_id=TrajectoryRow.objects.filter(**place).values_list("pk", flat=True).get(),
        finished_at=timezone.now(),
    )  # fmt: skip
    Attempt.objects.bulk_create(
        [attempt], update_conflicts=True, unique_fields=["experiment", "sample", "rollout", "arm"],
        update_fields=["trajectory", "finished_at"],
    )  # fmt: skip


def _open_experiment(actor: User | None, benchmark: Benchmark, trajectory: Trajectory, profile: Profile) -> Experiment:
    """The open experiment of this person's sessions with this model and setting, or a new one. Call with the benchmark
    locked."""
    named = {
        "benchmark": benchmark, "kind": Experiment.Kind.SESSION, "created_by": actor, "model": trajectory.model,
        "setting": trajectory.setting,
    }  # fmt: skip
    since = timezone.now() - IDLE
    opened = Experiment.objects.filter(
        **named, state=Experiment.State.RUNNING, import_record__state=ImportRecord.State.DONE,
        import_record__finished_at__gte=since,
    ).select_related("import_record")  # fmt: skip
    found = opened.select_for_update(of=("self", "import_record"), no_key=True).first()
    if found is not None:
        return found
    close_sessions(Experiment.objects.filter(**named))
    record = ImportRecord.objects.create(
        benchmark=benchmark, kind=ImportRecord.Kind.RUNS, format="native", file_name=SESSION_FILE, created_by=actor,
        state=ImportRecord.State.DONE, finished_at=timezone.now(),
        options={"model": trajectory.model, "setting": trajectory.setting},
    )  # fmt: skip
    experiment = Experiment.objects.create(
        **named, state=Experiment.State.RUNNING, started_at=timezone.now(), import_record=record,
        version=benchmark.versions.order_by("-number").first(), recipe={"profile": profile.value}, recipe_digest="",
    )  # fmt: skip
    audit.record(
        actor=actor, action="experiment.create", subject=experiment, benchmark=benchmark.slug,
        data={"experiment": str(experiment), "kind": experiment.kind},
    )  # fmt: skip
    return experiment


def close_idle_sessions(now: datetime) -> int:
    """Close sessions without an answer for a day, and those whose answers were undone. Return their number."""
    idle = Q(import_record=None) | ~Q(import_record__state=ImportRecord.State.DONE)
    return close_sessions(Experiment.objects.filter(idle | Q(import_record__finished_at__lt=now - IDLE)))


def close_sessions(experiments: ExperimentQuerySet) -> int:
    """End open sessions. The next answer begins another experiment."""
    opened = experiments.filter(kind=Experiment.Kind.SESSION, state=Experiment.State.RUNNING)
    return opened.update(state=Experiment.State.DONE, finished_at=timezone.now())
