"""The only place that changes the state of an annotation.

It checks the table and the permission, changes the state by one conditional UPDATE, writes an audit row and updates the
sample. Call inside a transaction that has locked the sample, before any other row: else two transactions can each hold
what the other waits for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.notices import notify_authors
from annotation.models import Adjudication, Annotation, Sample
from annotation.workflow import SampleState, State, sample_state, transition
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict
from webapp.common.locks import lock_rows


def apply_transition(
    *, actor: User | None, annotation: Annotation, name: str, reason: str = "", data: dict[str, Any] | None = None
) -> None:
    """Apply the transition ``name`` to ``annotation``.

    Raises ``Conflict`` if its state does not allow it or has changed meanwhile, and ``NotAllowed`` without the
    permission."""
    sample = annotation.sample
    before = State(annotation.state)
    try:
        step = transition(name, before)
    except LookupError as error:
        raise Conflict(f"{sample.key}: {error}", code="wrong_state") from error
    require(actor, sample.benchmark, step.right)
    as_it_was = Annotation.objects.filter(pk=annotation.pk, state=before.value, held_until=annotation.held_until)
    if not as_it_was.update(state=step.after.value, held_until=None, changed_at=timezone.now()):
        raise Conflict(
            gettext("%(key)s is no longer %(state)s. Reload the page.") % {"key": sample.key, "state": before.value},
            code="wrong_state",
        )
    annotation.state, annotation.held_until = step.after.value, None
    if step.after is State.RETURNED:
        notify_authors("returned", actor, sample.benchmark, [annotation])
    audit.record(
        actor=actor, action=f"annotation.{name}", subject=annotation, benchmark=sample.benchmark.slug,
        before=before.value, after=step.after.value, reason=reason, data={"sample": sample.key, **(data or {})},
    )  # fmt: skip
    update_sample_state(sample)


def lock_sample(sample: Sample) -> None:
    """Lock a sample until the end of the transaction: other decisions and submissions wait, and then see what it
    wrote. Raises ``Conflict`` if it was removed."""
    if not Sample.objects.select_for_update(no_key=True).filter(pk=sample.pk).values_list("pk").first():
        raise removed(sample)


def lock_samples(samples: Iterable[int]) -> None:
    """Lock several samples, before rows of theirs, in the order in which all lock them."""
    lock_rows(Sample.everything.filter(pk__in=list(samples)))


def removed(sample: Sample) -> Conflict:
    """Why nothing can be done with a sample that was deleted or withdrawn meanwhile."""
    message = gettext("%(key)s was removed from the benchmark. Take the next sample.")
    return Conflict(message % {"key": sample.key}, code="sample_removed")


def open_disputes(samples: Sequence[int]) -> QuerySet[Adjudication]:
    """The open rounds of adjudication that found a dispute on these samples."""
    return Adjudication.objects.filter(sample__in=samples, decision="", outcome=Adjudication.Outcome.DISPUTED)


def close_rounds(samples: Iterable[int]) -> None:
    """End the open rounds of adjudication of these samples without a decision: their annotations moved on otherwise."""
    rounds = Adjudication.objects.filter(sample__in=list(samples), decision="")
    rounds.update(decision=Adjudication.Decision.OVERTAKEN, decided_at=timezone.now())


def update_sample_state(sample: Sample) -> None:
    """The state of the sample, from the current states of its annotations."""
    states = Annotation.objects.filter(sample=sample).values_list("state", flat=True)
    found = {State(one) for one in states}
    waits = sample_state(found) is SampleState.IN_REVIEW
    state = sample_state(found, disputed=waits and open_disputes([sample.pk]).exists()).value
    if state != sample.state:
        Sample.objects.filter(pk=sample.pk).update(state=state, changed_at=timezone.now())
        sample.state = state
