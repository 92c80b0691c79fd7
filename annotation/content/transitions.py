"""The one door through which an annotation changes its state: the table is asked, the right is required, the change is
one conditional UPDATE, an audit row is written and the sample is seen again. Call inside a transaction."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.models import Annotation, Sample
from annotation.workflow import State, sample_state, transition
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict


def apply_transition(
    *, actor: User | None, annotation: Annotation, name: str, reason: str = "", data: dict[str, Any] | None = None
) -> None:
    """Take ``annotation`` through the transition ``name``. Raises ``Conflict`` when its state does not allow it, or has
    changed meanwhile, and ``NotAllowed`` without the right."""
    sample = annotation.sample
    before = State(annotation.state)
    try:
        step = transition(name, before)
    except LookupError as error:
        raise Conflict(f"{sample.key}: {error}", code="wrong_state") from error
    require(actor, sample.benchmark, step.right)
    as_it_was = Annotation.objects.filter(pk=annotation.pk, state=before.value)
    if not as_it_was.update(state=step.after.value, changed_at=timezone.now()):
        raise Conflict(
            gettext("%(key)s is no longer %(state)s. Reload the page.") % {"key": sample.key, "state": before.value},
            code="wrong_state",
        )
    annotation.state = step.after.value
    audit.record(
        actor=actor, action=f"annotation.{name}", subject=annotation, benchmark=sample.benchmark.slug,
        before=before.value, after=step.after.value, reason=reason, data={"sample": sample.key, **(data or {})},
    )  # fmt: skip
    update_sample_state(sample)


def update_sample_state(sample: Sample) -> None:
    """Where the sample stands, from its annotations as they are now."""
    states = Annotation.objects.filter(sample=sample).values_list("state", flat=True)
    state = sample_state({State(one) for one in states}).value
    if state != sample.state:
        Sample.objects.filter(pk=sample.pk).update(state=state, changed_at=timezone.now())
        sample.state = state
