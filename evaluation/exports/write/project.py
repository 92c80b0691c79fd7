"""Making a new benchmark out of a portable file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.db import transaction

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.models import Benchmark
from annotation.portable.write import fill, opened, store_images
from annotation.workflow import Role
from evaluation.exports.read.run_changes import has_runs, runs_in
from evaluation.exports.write.runs import add_runs, take_settings
from webapp.accounts.models import User


def import_project(
    *,
    actor: User | None,
    path: Path,
    slug: str,
    lead: User | None = None,
    finish: Callable[[Benchmark], None] = lambda _: None,
) -> Benchmark:
    """Make the private benchmark ``slug`` out of a file; ``lead`` leads it here, and files of it do not carry that
    role. All or nothing, except that images stay stored. ``finish`` is called in the same transaction. Runs of the
    file are not scored yet.

    Raises ``InvalidProject`` with what is damaged, and ``Conflict`` when the address is taken."""
    with opened(path) as file:
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
                add_runs(actor=lead, benchmark=benchmark, file=file, runs=runs_in(file))
            finish(benchmark)
    return benchmark
