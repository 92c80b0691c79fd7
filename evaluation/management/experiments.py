"""Shared code of the commands that run experiments: starting, waiting, and the exit status."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation.models import Benchmark
from evaluation.experiments.read.progress import progress_of
from evaluation.experiments.write.fit import CONFIRMABLE, FRAME, VISION
from evaluation.experiments.write.states import start_all
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


def add_shared_arguments(parser: CommandParser, *, calls: int) -> None:
    """Add the arguments common to ``run``, ``arms`` and ``judge``. ``calls``: the default budget of requests."""
    parser.add_argument("slug")
    parser.add_argument("--endpoint", required=True, metavar="NAME")
    parser.add_argument("--samples", default="", metavar="QUERY", help="such as facet.scene=street; default: all")
    parser.add_argument("--budget-usd", type=float, default=5.0)
    parser.add_argument("--budget-calls", type=int, default=calls)
    add_confirmations(parser)
    parser.add_argument("--wait", action="store_true", help="work on the experiment here until it ends")


def add_confirmations(parser: CommandParser) -> None:
    """An option for each finding of the test of an endpoint that a person can overrule."""
    said = {FRAME: "it was found to count boxes otherwise", VISION: "it was found to see no images"}
    for name in CONFIRMABLE:
        help_text = f"use the endpoint although {said[name]}"
        parser.add_argument(f"--confirm-{name}", action="store_true", help=help_text)


def confirmed_in(options: Mapping[str, Any]) -> list[str]:
    return [name for name in CONFIRMABLE if options[f"confirm_{name}"]]


def begin(command: BaseCommand, create: Callable[[], Experiment], options: Mapping[str, Any]) -> None:
    """Create an experiment and start it, both or neither; with ``--wait``, work on it here (``work_to_the_end``)."""
    with transaction.atomic():
        experiment = create()
        start_all(actor=None, experiment=experiment, confirm=confirmed_in(options))
    command.stdout.write(f"Experiment {experiment.pk}: {experiment}")
    if options["wait"]:
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
