"""Boxes of models for a sample, shown to its annotator as suggestions if the benchmark's lead allows it.

Off by default: annotators who see a model's box before looking draw it more often than others would. The other half of
the house, which contains the runs, registers its suggestions; gold is never among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db import transaction

from annotation.common.access import require
from annotation.models import Benchmark, BenchmarkQueue, Sample
from annotation.schema import Box
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit

MOST = 30
"""Suggestions shown on one sample: more than this hide the image."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A box or a polygon in pixels of the original, its source (once on a sample), and its confidence as text."""

    box: Box
    source: str
    note: str = ""


Suggests = Callable[[Sample], Iterable[Suggestion]]
_suggested: list[Suggests] = []


def suggested_by(callback: Suggests) -> Suggests:
    """Register what gives suggestions for a sample, the best first; a decorator."""
    _suggested.append(callback)
    return callback


def allows_suggestions(benchmark: Benchmark) -> bool:
    """Whether the lead lets annotators see boxes of models."""
    return BenchmarkQueue.objects.filter(benchmark=benchmark, suggests=True).exists()


def suggestions_for(sample: Sample) -> list[Suggestion]:
    """Return the suggestions for the annotator of this sample; none unless the lead allows them. Boxes are clipped to
    the image; those outside are omitted.
    """
    if not allows_suggestions(sample.benchmark):
        return []
    found = [one for callback in _suggested for one in callback(sample)]
    if sample.width and sample.height:
        clipped = [(one, one.box.clipped(sample.width, sample.height)) for one in found]
        found = [Suggestion(box, one.source, one.note) for one, box in clipped if box is not None]
    return found[:MOST]


def allow_suggestions(*, actor: User, benchmark: Benchmark, allowed: bool) -> bool:
    """Let annotators see boxes of models from now on, or no longer; whether that changed anything."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        queue, _ = BenchmarkQueue.objects.get_or_create(benchmark=benchmark)
        changed = BenchmarkQueue.objects.filter(pk=queue.pk).exclude(suggests=allowed).update(suggests=allowed)
        if changed:
            audit.record(actor, "benchmark.suggestions", benchmark, benchmark.slug, data={"allowed": allowed})
    return bool(changed)
