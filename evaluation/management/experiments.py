"""What the commands that run experiments have in common: starting, waiting, and the exit status."""

from __future__ import annotations

import time

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Benchmark
from evaluation.experiments.read.progress import progress_of
from evaluation.models import Experiment, Run
from webapp.jobs.runner import run_waiting

EXIT = {Experiment.State.PAUSED: 3, Experiment.State.STOPPED: 1}
FAILED = 2
"""The exit status of an experiment that is done, with failed attempts."""


def run_of(benchmark: Benchmark, pk: int) -> Run:
    """The run of a benchmark with this number. Raises ``CommandError`` naming those that there are."""
    runs = Run.objects.of(benchmark).select_related("model", "benchmark")
    found = runs.filter(pk=pk).first()
    if found is None:
        known = "; ".join(f"{run.pk} {run}" for run in runs.order_by("pk")[:20]) or "none yet"
        raise CommandError(f"{benchmark.slug} has no run {pk}. Runs: {known}.")
    return found


def finish(command: BaseCommand, experiment: Experiment, *, wait: bool) -> None:
    """Say which experiment was started; with ``wait``, work on it here (``work_to_the_end``)."""
    command.stdout.write(f"Experiment {experiment.pk}: {experiment}")
    if wait:
        work_to_the_end(command, experiment)


def work_to_the_end(command: BaseCommand, experiment: Experiment) -> None:
    """Work on the jobs that wait, until the experiment is not running any more. Ends the command with the status of the
    experiment: 1 stopped, 2 done with failed attempts, 3 paused."""
    while True:
        if not run_waiting():
            time.sleep(0.5)
        experiment.refresh_from_db()
        if experiment.state not in (Experiment.State.TRIAL, Experiment.State.RUNNING):
            break
    run_waiting()
    progress = progress_of(experiment)
    command.stdout.write(f"{experiment.get_state_display()}: {progress.sentence}")
    if experiment.pause_note:
        command.stdout.write(experiment.pause_note)
    failed = FAILED if progress.counts.get("failed") else 0
    if status := EXIT.get(Experiment.State(experiment.state), failed):
        raise SystemExit(status)
