"""Keeping what an agent elsewhere did with the toolbox, through the same door as an import."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from annotation.common.access import require
from annotation.exchange.write.samples import finish_record
from annotation.images.chain_runs import image_of, original_of, run_uploaded_call
from annotation.importers.fields import Report, RowRefused
from annotation.models import Benchmark, Image, ImportRecord, Sample
from annotation.samples.read import find_sample
from annotation.schema import ToolCall
from annotation.toolbox.results import Picture
from annotation.toolbox.runner import ChainResult
from annotation.toolbox.vtc import Profile, tools_of
from annotation.workflow import Right
from evaluation.agents.tool_session import ToolSession, run_alone
from evaluation.importers.interface import ReadOptions
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.imports.write.runs import RunsSaver
from evaluation.models import Run
from evaluation.schema import Trajectory
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput

SESSION_FILE = "sessions"
IDLE = timedelta(days=1)
"""A record takes sessions until this long after the last one."""


class Opened(NamedTuple):
    """A session on a sample; ``asked`` is what the agent is told: question and options, never the gold."""

    session: ToolSession
    asked: dict[str, Any]
    image: Image


def open_session(benchmark: Benchmark, key: str, *, shared: bool = False, profile: Profile = Profile.STRICT) -> Opened:
    """A session on a sample. Raises ``Conflict`` when its image is not there.

    ``shared``: in a process that serves others too, where each call waits for its turn and its result is kept by
    content, so that a session can be made again from its calls. Its calls raise ``RunDeferred``.
    """
    samples = Sample.objects.filter(benchmark=benchmark).select_related("image", "gold__revision")
    sample = find_sample(benchmark, samples, key)
    sample.benchmark = benchmark
    revision = sample.gold.revision if hasattr(sample, "gold") else None
    asked = (
        {"question": revision.question, "options": revision.options} if revision else {"question": "", "options": {}}
    )
    image = image_of(sample)
    run = partial(_in_turn, image.sha256) if shared else run_alone
    return Opened(ToolSession(key, original_of(sample), run, profile=profile), asked, image)


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


def record_session(*, actor: User | None, benchmark: Benchmark, row: Mapping[str, Any]) -> Run:
    """Keep one trajectory of the native format; gives the run that it is in. The same sample answered again: the last
    counts.

    All sessions of one person with one model and setting go into one import record, until a day passes without one:
    so they are undone together, and the list of imports stays short.
    """
    require(actor, benchmark, Right.IMPORT_RUNS)
    report = Report(SESSION_FILE, None)
    try:
        trajectory = trajectory_from(row, ReadOptions(), report)
    except RowRefused as refused:
        raise InvalidInput(refused.issue.done, code="not-recorded") from refused
    with transaction.atomic():
        # Answers that come at once find the same record.
        Benchmark.objects.select_for_update().get(pk=benchmark.pk)
        record = _open_record(actor, benchmark, trajectory)
        saver = RunsSaver(actor, benchmark, record)
        saver.take_all(iter((trajectory, *report.issues)), None)
        finish_record(actor, record, saver.result.counts)
    if not saver.book.runs:
        raise InvalidInput(saver.result.issues[-1].done, code="not-recorded")
    return saver.book.runs[0]


def _open_record(actor: User | None, benchmark: Benchmark, trajectory: Trajectory) -> ImportRecord:
    """The record of this person's sessions with this model and setting, or a new one."""
    named = {
        "benchmark": benchmark,
        "kind": ImportRecord.Kind.RUNS,
        "format": "native",
        "file_name": SESSION_FILE,
        "created_by": actor,
        "options": {"model": trajectory.model, "setting": trajectory.setting, "session": True},
    }
    still_open = timezone.now() - IDLE
    found = ImportRecord.objects.filter(**named, state=ImportRecord.State.DONE, finished_at__gte=still_open).first()
    return found or ImportRecord.objects.create(**named, state=ImportRecord.State.RUNNING)
