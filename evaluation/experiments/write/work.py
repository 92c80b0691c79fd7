"""The work on an experiment: attempts are claimed, run in threads, and stored by the single thread of the job.

An exchange is committed before its request is sent, and again when it is answered. After a crash, attempts continue
from their answered exchanges. Only a request that was in flight is sent again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_noop

from annotation.exchange.write.samples import finish_record, keep_issues
from annotation.imaging.problems import PictureProblem
from annotation.importers.fields import Report, RowRefused
from annotation.models import Benchmark, ImportRecord, Sample
from evaluation.common.lineage.write import Place
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.common.saving.merge_task_records import merge_records
from evaluation.endpoints.client import Client
from evaluation.endpoints.errors import ErrorKind
from evaluation.endpoints.prices import Price
from evaluation.endpoints.replies import Usage
from evaluation.execution.attempt import (
    Answered,
    Done,
    Lost,
    Received,
    Restart,
    Sending,
    Skipped,
    Work,
    failure_row,
    run_attempt,
)
from evaluation.execution.pool import Ask, Ended, Pool
from evaluation.experiments.read.tasks import task_of, with_task
from evaluation.experiments.write.images import keep_images
from evaluation.experiments.write.plan import recipe_name, recipe_of_row
from evaluation.importers.interface import ReadOptions
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.models import Attempt, Exchange, Experiment, Run, Trajectory
from evaluation.runner.conversation import Conversation
from evaluation.runner.protocols import Result
from evaluation.schema import Trajectory as TrajectoryRecord
from webapp.jobs.context import JobContext
from webapp.jobs.models import Job

SAVED_AT_ONCE, SAVED_EVERY = 100, 5.0
"""Number of finished trajectories that are saved together, and the maximum seconds that one waits."""
MOST_RESTARTS = 2
WAIT = 0.5
"""Seconds between two checks of an equal attempt in another experiment."""
FAILURES_IN_ROW = 20
NOT_SCORED = frozenset(kind.value for kind in ErrorKind if not kind.scored)
FILE = "experiment"
State, Reason = Experiment.State, Experiment.Reason


@dataclass
class Held:
    """An attempt that this worker runs. ``exchange``: that of its request in flight, if any; a stopped worker may have
    sent it. ``n``: number of the next exchange. ``seconds`` and ``usd``: of its answered requests. ``began``: before
    its image was read.
    """

    attempt: Attempt
    work: Work
    exchange: int | None = None
    n: int = 0
    seconds: float = 0.0
    usd: float | None = None
    began: datetime | None = None


Finished = tuple[Held, dict[str, Any], str]
"""An attempt, its resulting row, and its kind of error, "" for none."""


class Worker:
    """Runs the queued attempts of an experiment until none is left, or until the experiment is no longer live.

    This class sends the requests of a recipe to the model and saves trajectories. Other kinds of experiments replace
    ``prepare``, ``work_of`` and ``save``.
    """

    def __init__(
        self,
        context: JobContext,
        experiment: Experiment,
        client: Client,
        *,
        price: Price | None,
        family: str,
        threads: int,
    ) -> None:
        self.context, self.experiment, self.price, self.family = context, experiment, price, family
        self.client = client
        self.claim = context.job.worker
        self.pool: Pool[Work] = Pool(threads, partial(run_attempt, client=client))
        self.held: dict[int, Held] = {}
        self.waiting: list[Ask[Work]] = []
        self.finished: list[Finished] = []
        of_run = experiment.kind == Experiment.Kind.RUN
        place = Place.read(experiment.recipe.get("checkpoint", "")) if of_run else None
        self.registry = RunRegistry(experiment.benchmark, experiment.created_by, place=place)
        self.saved_at = time.monotonic()
        self.open = True
        self.prepare()

    def prepare(self) -> None:
        """Read the recipe."""
        self.recipe = recipe_of_row(self.experiment)
        self.half = self.recipe.task.result is not Result.ANSWER

    def run(self) -> None:
        release_lost(self.experiment)
        with self.pool:
            try:
                while self._step():
                    pass
            finally:
                try:
                    self._save_finished()
                finally:
                    self._give_back()

    def _step(self) -> bool:
        """Claim attempts, store results, save; return whether there is more to do."""
        # A person can pause and resume meanwhile. Requests in flight are awaited, because they cost money.
        self.open = self._is_live()
        if self.open and not self.waiting:
            self._start_more()
        # If nothing runs, everything queued waits for an attempt of another experiment.
        idle = self.open and not self.pool.busy and self._queued().exists()
        asks = self.pool.take(WAIT if idle else 0.2 if self.pool.busy else 0.0)
        if asks or self.waiting:
            self._store(asks)
        due = time.monotonic() - self.saved_at >= SAVED_EVERY
        if self.finished and (due or len(self.finished) >= SAVED_AT_ONCE or not self.pool.busy):
            self._save_finished()
        self._progress()
        return self.pool.busy or (self.open and self._queued().exists())

    def _is_live(self) -> bool:
        found = Experiment.objects.filter(pk=self.experiment.pk).values_list("state", flat=True).first()
        return found in (State.TRIAL, State.RUNNING)

    def _progress(self) -> None:
        counts = self._mine().counted()
        total = sum(counts.values())
        left = counts.get(Attempt.State.QUEUED, 0) + counts.get(Attempt.State.RUNNING, 0)
        self.context.progress(total - left, total, unit=gettext_noop("attempts"))

    def _mine(self) -> Any:
        found = Attempt.objects.filter(experiment=self.experiment)
        return found.filter(trial=True) if self.experiment.state == State.TRIAL else found

    def _queued(self) -> Any:
        return self._mine().filter(state=Attempt.State.QUEUED)

    # Claiming

    def _start_more(self) -> None:
        if self.pool.free <= 0:
            return
        if not self._queued().exists():
            return
        with transaction.atomic():
            # If two experiments have equal attempts, the second one to claim sees that the first one runs.
            Benchmark.objects.select_for_update(no_key=True).only("pk").get(pk=self.experiment.benchmark_id)
            wanted = self._claimable()
            free = Attempt.objects.filter(pk__in=wanted, state=Attempt.State.QUEUED)
            free.update(state=Attempt.State.RUNNING, claim=self.claim, tries=F("tries") + 1)
            self.context.checkpoint()
        claimed = Attempt.objects.filter(pk__in=wanted, state=Attempt.State.RUNNING, claim=self.claim)
        for attempt in claimed.order_by("pk"):
            if attempt.pk not in self.held:
                self._start(attempt)

    def _claimable(self) -> list[int]:
        """Return queued attempts for the free threads. An attempt that has sent nothing waits while an equal one of the
        benchmark runs: it is linked to its result, or sends its own requests if that one fails.
        """
        working = Job.objects.live().exclude(worker="").values("worker")
        running = Attempt.objects.filter(
            state=Attempt.State.RUNNING, experiment__benchmark=self.experiment.benchmark_id
        )
        # A worker runs one experiment: its name in another experiment is a leftover.
        running = running.filter(Q(experiment=self.experiment) | ~Q(claim=self.claim))
        asked = running.filter(claim__in=working, digest=OuterRef("digest"))
        sent = Exchange.objects.filter(attempt=OuterRef("pk"))
        # Attempts with a request in flight come first, because only they can release the budget that they reserved.
        queued = self._queued().filter(Exists(sent) | ~Exists(asked)).order_by("-tries", "pk")
        equal: dict[str, int] = {}
        for number, digest in queued.values_list("pk", "digest")[: self.pool.free]:
            equal.setdefault(digest, number)
        return list(equal.values())

    def _start(self, attempt: Attempt) -> None:
        source = attempt
        exchanges = list(attempt.exchanges.order_by("n"))
        if not exchanges and (equal := self._equal(attempt)) is not None:
            source, exchanges = equal, list(equal.exchanges.order_by("n"))
            Attempt.objects.filter(pk=attempt.pk).update(reused_from=equal)
        answered = [one for one in exchanges if one.state == Exchange.State.ANSWERED]
        began = timezone.now()
        work = self.work_for(attempt, [Answered(one.request_digest, bytes(one.response or b"")) for one in answered])
        held = Held(attempt, work, began=began)
        if source is attempt:
            held.exchange = next((one.pk for one in exchanges if one.state == Exchange.State.SENT), None)
            held.n = max((one.n for one in exchanges), default=-1) + 1
        for one in answered:
            held.seconds += (one.milliseconds or 0) / 1000
            held.usd = _plus(held.usd, one.usd)
        self.held[attempt.pk] = held
        self.pool.start(work)

    def work_for(self, attempt: Attempt, answered: list[Answered]) -> Work:
        """Return the work of the attempt, at its sample."""
        assert attempt.sample_id is not None
        return self.work_of(attempt, with_task(Sample.objects.filter(pk=attempt.sample_id)).get(), answered)

    def work_of(self, attempt: Attempt, sample: Sample, answered: list[Answered]) -> Work:
        """Return the work of the attempt."""
        task = task_of(sample)
        begin = partial(Conversation, self.recipe, task, attempt.rollout, family=self.family)
        return Work(attempt.pk, begin, task.image, {"sample_id": task.sample, "rollout": attempt.rollout}, answered)

    def _equal(self, attempt: Attempt) -> Attempt | None:
        """Return a finished attempt of this benchmark with the same digest, so that no request is repeated."""
        done = Attempt.objects.filter(digest=attempt.digest, state=Attempt.State.DONE, reused_from=None)
        return done.filter(experiment__benchmark=self.experiment.benchmark_id).exclude(pk=attempt.pk).first()

    # Storing

    def _store(self, asks: Iterable[Ask[Work]]) -> None:
        granted: list[Callable[[], None]] = []
        waiting, self.waiting = self.waiting, []
        with transaction.atomic():
            for ask in [*waiting, *asks]:
                granted += self._take(ask)
            self.context.checkpoint()
        for go_on in granted:
            go_on()
        if self.waiting and not self._any_in_flight():
            self.pause(Reason.BUDGET, "The budget is used up. Raise it to continue.")

    def _take(self, ask: Ask[Work]) -> list[Callable[[], None]]:
        held = self.held[ask.work.attempt]
        match ask.event:
            case Sending() as sending:
                return self._take_request(ask, held, sending)
            case Received() as received:
                self._take_reply(held, received)
            case Lost() as lost:
                self._take_failure(held, lost)
            case Ended() as ended:
                self._take_end(held, ended)
        return [ask.grant]

    def _take_request(self, ask: Ask[Work], held: Held, sending: Sending) -> list[Callable[[], None]]:
        if not self.open:
            return [ask.refuse]
        usd = self.price.usd(sending.most) if self.price else 0.0
        if held.exchange is not None:
            # A worker stopped while it waited or had a request in flight. The request is counted, and keeps its
            # reserved budget.
            Exchange.objects.filter(pk=held.exchange).update(
                started_at=timezone.now(), request=sending.request, request_digest=sending.digest
            )
            return [ask.grant]
        room = Experiment.objects.filter(pk=self.experiment.pk, calls__lt=F("budget_calls"))
        room = room.filter(budget_usd__gte=F("spent_usd") + F("reserved_usd") + usd) if usd else room
        if not room.update(reserved_usd=F("reserved_usd") + usd, calls=F("calls") + 1):
            self.waiting.append(ask)
            return []
        keep_images(self.experiment, sending.images.values())
        made = Exchange.objects.create(
            attempt=held.attempt, n=held.n, request_digest=sending.digest, request=sending.request,
            started_at=timezone.now(), reserved_usd=usd,
        )  # fmt: skip
        held.exchange, held.n = made.pk, held.n + 1
        return [ask.grant]

    def _take_reply(self, held: Held, received: Received) -> None:
        reply, usage = received.reply, received.usage
        usd = self.price.usd(usage) if self.price and usage else None
        held.seconds += reply.ms / 1000
        held.usd = _plus(held.usd, usd)
        self._settle(
            held, usd, state=Exchange.State.ANSWERED, response=reply.body, status=reply.status,
            milliseconds=reply.ms, retries=reply.retries, finish_reason=(reply.finish_reason or "")[:40],
            served_model=reply.served_model[:200], fingerprint=reply.fingerprint[:200], **_tokens(usage),
        )  # fmt: skip
        Experiment.objects.filter(pk=self.experiment.pk).exclude(failures_in_row=0).update(failures_in_row=0)

    def _take_failure(self, held: Held, lost: Lost) -> None:
        failure = lost.failure
        usage = failure.usage if isinstance(failure.usage, Usage) else None
        usd = self.price.usd(usage) if self.price and usage else None
        held.usd = _plus(held.usd, usd)
        self._settle(
            held, usd, state=Exchange.State.FAILED, response=failure.body,
            status=failure.status or None, retries=failure.retries, **_tokens(usage),
        )  # fmt: skip
        found = Experiment.objects.filter(pk=self.experiment.pk)
        found.update(failures_in_row=F("failures_in_row") + 1)
        in_row = found.values_list("failures_in_row", flat=True).get()
        if failure.kind == ErrorKind.AUTH or in_row >= FAILURES_IN_ROW:
            why = f"{in_row} requests in a row failed. " if failure.kind != ErrorKind.AUTH else ""
            self.pause(Reason.ENDPOINT, f"{why}{failure.message} {failure.kind.advice}")

    def _settle(self, held: Held, usd: float | None, **fields: Any) -> None:
        assert held.exchange is not None
        row = Exchange.objects.filter(pk=held.exchange)
        held.exchange = None
        reserved = row.values_list("reserved_usd", flat=True).get()
        row.update(usd=usd, reserved_usd=0.0, **fields)
        Experiment.objects.filter(pk=self.experiment.pk).update(
            spent_usd=F("spent_usd") + (usd or 0.0), reserved_usd=F("reserved_usd") - reserved
        )

    def _take_end(self, held: Held, ended: Ended) -> None:
        attempt, outcome = held.attempt, ended.outcome
        if isinstance(outcome, Done):
            if outcome.kind == ErrorKind.AUTH:
                # The sample did not cause it: the attempt continues once the key is correct.
                self._let_go(held, Attempt.State.QUEUED)
            else:
                self.finished.append((held, dict(outcome.row), outcome.kind))
        elif isinstance(outcome, Skipped):
            self._let_go(held, Attempt.State.SKIPPED, error=outcome.reason, finished_at=Now())
        elif isinstance(outcome, Restart) and attempt.restarts < MOST_RESTARTS:
            if held.exchange is not None:
                self._settle(held, None)
            attempt.exchanges.all().delete()
            Attempt.objects.filter(pk=attempt.pk).update(reused_from=None)
            self._let_go(held, Attempt.State.QUEUED, restarts=F("restarts") + 1)
        elif ended.fault is not None or isinstance(outcome, Restart):
            kind, message = ErrorKind.INTERNAL, "The stored exchanges do not fit the conversation."
            if isinstance(ended.fault, PictureProblem):
                kind, message = ErrorKind.INPUT_REJECTED, f"The image of the sample can't be read. {ended.fault}"
            elif ended.fault is not None:
                message = str(ended.fault)
            row = failure_row(held.work, self.experiment.model, self.experiment.setting, kind, message)
            self.finished.append((held, row, kind.value))
        else:
            self._let_go(held, Attempt.State.QUEUED)

    def _let_go(self, held: Held, state: str, **fields: Any) -> None:
        mine = Attempt.objects.filter(pk=held.attempt.pk, claim=self.claim, state=Attempt.State.RUNNING)
        mine.update(state=state, claim="", **fields)
        self.held.pop(held.attempt.pk, None)

    def _any_in_flight(self) -> bool:
        sent = Exchange.objects.filter(attempt__experiment=self.experiment, state=Exchange.State.SENT)
        return sent.exists()

    def pause(self, reason: str, note: str) -> None:
        """Stop the experiment until a person resumes it; requests in flight are awaited."""
        live = Experiment.objects.live().filter(pk=self.experiment.pk)
        live.update(state=State.PAUSED, pause_reason=reason, pause_note=note[:2000])
        self.open = False
        for ask in self.waiting:
            ask.refuse()
        self.waiting = []

    # Saving

    def _save_finished(self) -> None:
        """Save finished attempts in one transaction with their states."""
        finished, self.finished = self.finished, []
        self.saved_at = time.monotonic()
        if finished:
            with transaction.atomic():
                self.save(finished)
                self.context.checkpoint()

    def save(self, finished: Sequence[Finished]) -> None:
        """Save the trajectories of finished attempts. A sample whose attempt got no response has none, so metrics do
        not count it. A failed attempt of an arm keeps its trajectory: a failed draw has no outcome."""
        report, kept = Report(FILE, None), []
        of_arm = self.experiment.kind == Experiment.Kind.ARMS
        for held, row, kind in finished:
            if kind in NOT_SCORED and not of_arm:
                self.mark(held, kind, str(row["error"]))
                continue
            row |= {"model": self.experiment.model, "setting": self.experiment.setting}
            row["usage"] = dict(row.get("usage") or {}) | {"seconds": round(held.seconds, 3)}
            if held.usd is not None:
                row["usage"]["usd"] = held.usd
            try:
                trajectory = trajectory_from(row, ReadOptions(), report)
                kept.append((held, kind, replace(trajectory, half=self.half, recorded_at=held.began)))
            except RowRefused as refused:
                self.mark(held, ErrorKind.INTERNAL.value, refused.issue.done)
        if kept or report.issues:
            self._keep(kept, report)

    def _keep(self, kept: Sequence[tuple[Held, str, TrajectoryRecord]], report: Report) -> None:
        record = open_record(self.experiment)
        counts = Counter(record.counts)
        read = merge_records(self.experiment.benchmark, [trajectory for *_, trajectory in kept])
        saved = save_trajectories(self.registry, read, record)
        counts += saved.counts
        keep_issues(record, [*report.issues, *saved.issues], counts)
        record.counts = dict(counts)
        record.save(update_fields=["counts"])
        if kept and (name := self.recipe_key()):
            self._note_recipe(name)
        numbers = self._numbers([held.attempt.sample_id or 0 for held, *_ in kept])
        for held, kind, trajectory in kept:
            number = numbers.get((held.attempt.sample_id or 0, held.attempt.rollout, str(trajectory.condition)))
            self.mark(held, kind, trajectory.error, trajectory=number)

    def _numbers(self, samples: list[int]) -> dict[tuple[int, int, str], int]:
        run = self.registry.run(self.experiment.model, self.experiment.setting)
        rows = Trajectory.objects.filter(run=run, sample__in=samples)
        found = rows.values_list("sample", "rollout", "condition", "pk")
        return {(sample, rollout, condition): pk for sample, rollout, condition, pk in found}

    def recipe_key(self) -> str:
        """The name under which the run keeps the digest of the recipe, "" if it keeps none."""
        return recipe_name(self.recipe) if self.experiment.kind == Experiment.Kind.RUN else ""

    def _note_recipe(self, name: str) -> None:
        """Save the digest of the recipe with the run, so that recipes are not mixed."""
        run = self.registry.run(self.experiment.model, self.experiment.setting)
        if run.extra.get(name) != self.experiment.recipe_digest:
            run.extra = {**run.extra, name: self.experiment.recipe_digest}
            Run.objects.filter(pk=run.pk).update(extra=run.extra)

    def mark(self, held: Held, kind: str, error: str, **fields: Any) -> None:
        """Mark an attempt as done, or as failed with a kind of error. ``fields``: further ones of its row."""
        state = Attempt.State.FAILED if kind else Attempt.State.DONE
        mine = Attempt.objects.filter(pk=held.attempt.pk, claim=self.claim, state=Attempt.State.RUNNING)
        mine.update(
            state=state, claim="", error_kind=kind[:16], error=error if kind else "", finished_at=Now(), **fields
        )  # fmt: skip
        self.held.pop(held.attempt.pk, None)

    def _give_back(self) -> None:
        """Return unfinished attempts to the queue; their requests in flight are sent again."""
        mine = Attempt.objects.filter(experiment=self.experiment, claim=self.claim, state=Attempt.State.RUNNING)
        mine.update(state=Attempt.State.QUEUED, claim="")


def release_lost(experiment: Experiment) -> None:
    """Put attempts whose worker is gone back into the queue."""

    working = Job.objects.live().exclude(worker="").values_list("worker", flat=True)
    running = Attempt.objects.filter(experiment=experiment, state=Attempt.State.RUNNING)
    running.exclude(claim__in=list(working)).update(state=Attempt.State.QUEUED, claim="")


def open_record(experiment: Experiment) -> ImportRecord:
    """Return the only import record of an experiment."""
    if experiment.import_record is None:
        record = ImportRecord.objects.create(
            benchmark=experiment.benchmark, kind=ImportRecord.Kind.RUNS, format="native",
            file_name=f"{FILE} {experiment.pk}", state=ImportRecord.State.DONE, finished_at=timezone.now(),
            created_by=experiment.created_by,
            options={"model": experiment.model, "setting": experiment.setting, "experiment": experiment.pk},
        )  # fmt: skip
        taken = Experiment.objects.filter(pk=experiment.pk, import_record=None).update(import_record=record)
        if not taken:
            record.delete()
        experiment.refresh_from_db(fields=["import_record"])
    return ImportRecord.objects.select_for_update(no_key=True).get(experiments=experiment)


def close_record(experiment: Experiment) -> None:
    """Write the counts of the import to the audit log, once a job has ended."""
    experiment.refresh_from_db(fields=["import_record"])
    if experiment.import_record is not None:
        finish_record(experiment.created_by, experiment.import_record, Counter(experiment.import_record.counts))


def _plus(one: float | None, other: float | None) -> float | None:
    return one if other is None else (one or 0.0) + other


def _tokens(usage: Usage | None) -> dict[str, Any]:
    if usage is None:
        return {}
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cached_tokens": usage.cached,
        "estimated": usage.estimated,
    }
