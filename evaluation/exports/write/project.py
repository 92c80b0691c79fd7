"""Making a new benchmark out of a portable file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.db import transaction

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.benchmarks.write.trash import remove_unfinished
from annotation.models import Benchmark
from annotation.portable.write import fill, opened, store_images
from annotation.project_file import Reader
from annotation.workflow import Role
from evaluation.common.saving.native import Checkpoint
from evaluation.exports.read.run_changes import has_runs, runs_in
from evaluation.exports.write.runs import LOST, add_runs, take_settings
from webapp.accounts.models import User


def import_project(
    *,
    actor: User | None,
    path: Path,
    slug: str,
    lead: User | None = None,
    begun: Callable[[Benchmark], None] = lambda _: None,
    finish: Callable[[Benchmark], None] = lambda _: None,
    checkpoint: Checkpoint | None = None,
) -> Benchmark:
    """Make the private benchmark ``slug`` out of a file; ``lead`` leads it here, and files of it do not carry that
    role. All or nothing, except that images stay stored. Runs of the file are not scored yet.

    The benchmark without its runs is made in one transaction, in which ``begun`` is called. Its runs follow as in
    ``add_runs``, and ``finish`` is called in the last transaction. Raises ``InvalidProject`` with what is damaged, and
    ``Conflict`` when the address is taken; then no benchmark is left."""
    with opened(path) as file:
        runs = runs_in(file) if has_runs(file) else []
        images = store_images(actor=actor, file=file, slug=slug)
        with transaction.atomic():
            benchmark = create_benchmark(actor=None, slug=slug)
            fill(actor=actor, benchmark=benchmark, file=file, images=images)
            if lead is not None:
                membership = add_member(actor=None, benchmark=benchmark, user=lead, role=Role.LEAD)
                membership.local = True
                membership.save(update_fields=["local"])
            if has_runs(file):
                take_settings(actor=lead, benchmark=benchmark, file=file)
            begun(benchmark)
            if not runs:
                finish(benchmark)
        if runs:
            _bring(benchmark, file, lead, finish, checkpoint)
    return benchmark


def resume_project(
    *,
    benchmark: Benchmark,
    path: Path,
    lead: User | None,
    finish: Callable[[Benchmark], None],
    checkpoint: Checkpoint | None = None,
) -> None:
    """Bring the runs into a benchmark whose import broke off after ``begun``."""
    with opened(path) as file:
        _bring(benchmark, file, lead, finish, checkpoint)


def _bring(
    benchmark: Benchmark,
    file: Reader,
    lead: User | None,
    finish: Callable[[Benchmark], None],
    checkpoint: Checkpoint | None,
) -> None:
    try:
        add_runs(
            actor=lead, benchmark=benchmark, file=file, runs=runs_in(file), finish=lambda _: finish(benchmark),
            checkpoint=checkpoint,
        )  # fmt: skip
    except LOST:
        remove_unfinished(actor=lead, benchmark=benchmark)
        raise
