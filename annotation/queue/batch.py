"""Actions of a lead on many samples at once: loaded, locked and changed together, with an entry in the log for each.

A batch takes a bounded number of queries for any number of samples. If an action is impossible for a sample, this
sample is rejected with the reason, and the others are changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import allowed, require
from annotation.common.notices import notify_authors
from annotation.content.transitions import close_rounds, open_disputes
from annotation.models import Annotation, Benchmark, Sample
from annotation.models.querysets.samples import SampleQuerySet
from annotation.workflow import Right, SampleState, State, sample_state, transition
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput
from webapp.common.models import AuditEntry

MOST = 10_000
"""Samples of one batch."""

NOTIFIED = {"send_back": "returned", "reopen": "reopened"}
"""Transitions that return an annotation to its author, with their notifications."""

SETTLED = (SampleState.ACCEPTED, SampleState.DISCARDED)


class Refused(Exception):
    """The reason why one sample cannot be assigned."""


@dataclass
class Batch:
    """Locked samples with their annotations, and the result of each: ``done`` by key, ``refused`` key -> reason."""

    benchmark: Benchmark
    samples: list[Sample]
    annotations: dict[int, list[Annotation]]
    done: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def answer(self) -> dict[str, Any]:
        """For the receipt."""
        return {"done": self.done, "refused": list(self.refused.items())}


def load_batch(benchmark: Benchmark, samples: SampleQuerySet) -> Batch:
    """These samples of the benchmark, in order of key, locked until the transaction ends. Three queries."""
    numbers = list(samples.filter(benchmark=benchmark).order_by().values_list("pk", flat=True)[: MOST + 1])
    if not numbers:
        raise InvalidInput(gettext("Choose at least one sample."), field="id")
    if len(numbers) > MOST:
        raise InvalidInput(gettext("At most %(limit)s samples at once. Narrow the list.") % {"limit": MOST}, field="id")
    locked = list(Sample.objects.select_for_update(no_key=True).filter(pk__in=numbers).order_by("pk"))
    # Without those that were deleted meanwhile.
    by_number = {sample.pk: sample for sample in locked}
    held = (
        Annotation.objects.select_for_update(of=("self",), no_key=True)
        .filter(sample__in=list(by_number))
        .select_related("author")
    )
    annotations: dict[int, list[Annotation]] = defaultdict(list)
    for annotation in held.order_by("pk"):
        sample = by_number[annotation.sample_id]
        sample.benchmark = benchmark
        annotation.sample = sample
        annotations[sample.pk].append(annotation)
    return Batch(benchmark, sorted(locked, key=lambda one: one.key), annotations)


def apply_transitions(*, actor: User, batch: Batch, annotations: Sequence[Annotation], name: str, reason: str) -> None:
    """Take each of these annotations of the batch through the transition ``name``, which their states allow."""
    groups: dict[State, list[Annotation]] = defaultdict(list)
    for annotation in annotations:
        groups[State(annotation.state)].append(annotation)
    entries: list[AuditEntry] = []
    for before, moved in groups.items():
        step = transition(name, before)
        require(actor, batch.benchmark, step.right)
        numbers = [annotation.pk for annotation in moved]
        Annotation.objects.filter(pk__in=numbers).update(state=step.after, held_until=None, changed_at=timezone.now())
        for annotation in moved:
            annotation.state, annotation.held_until = step.after.value, None
            entries.append(_entry(actor, annotation, name, before, reason))
    audit.record_many(entries)
    if name in NOTIFIED:
        notify_authors(NOTIFIED[name], actor, batch.benchmark, annotations)
    close_rounds({annotation.sample_id for annotation in annotations})


def _entry(actor: User, annotation: Annotation, name: str, before: State, reason: str) -> AuditEntry:
    sample = annotation.sample
    return audit.entry(
        actor=actor, action=f"annotation.{name}", subject=annotation, benchmark=sample.benchmark.slug,
        before=before.value, after=annotation.state, reason=reason, data={"sample": sample.key},
    )  # fmt: skip


def update_sample_states(samples: Iterable[Sample]) -> None:
    """The state of each of the samples, from its current annotations. Two queries, and one for each state."""
    states: dict[int, set[State]] = {sample.pk: set() for sample in samples}
    disputed = set(open_disputes(list(states)).values_list("sample", flat=True))
    for number, state in Annotation.objects.filter(sample__in=list(states)).values_list("sample", "state"):
        states[number].add(State(state))
    groups: dict[str, list[int]] = defaultdict(list)
    for number, found in states.items():
        groups[sample_state(found, disputed=number in disputed).value].append(number)
    for value, numbers in groups.items():
        changed = Sample.objects.filter(pk__in=numbers).exclude(state=value)
        changed.update(state=value, changed_at=timezone.now())


def reasons_in_english(reasons: Iterable[str]) -> str:
    """Reasons of a review as the log stores them: "incorrect answer, small box" would be translated, codes are not."""
    return ", ".join(reason.replace("_", " ") for reason in reasons)


def require_annotator(user: User, benchmark: Benchmark) -> None:
    if not allowed(user, benchmark, Right.ANNOTATE):
        raise InvalidInput(
            gettext("%(user)s is not an annotator of %(title)s. Add the role first.")
            % {"user": user, "title": benchmark.title},
            field="to",
        )
