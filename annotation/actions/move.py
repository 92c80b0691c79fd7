"""The one door through which an annotation changes its state: the table is asked, the right is required, the change is
one conditional UPDATE, an audit row is written and the sample is seen afresh. Call inside a transaction."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from annotation.actions.access import require
from annotation.models import Annotation, Sample
from annotation.workflow import State, sample_state, transition
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict
from webapp.common.prepared import Prepared, PreparedUpdate

STATES = Prepared(lambda sample: Annotation.objects.filter(sample=sample).values_list("state"), int)
MOVED = PreparedUpdate(
    lambda annotation, before, after, now: (
        Annotation.objects.filter(pk=annotation, state=before), {"state": after, "changed_at": now}
    ),
    int, str, str, datetime,
)  # fmt: skip
SETTLED = PreparedUpdate(
    lambda sample, state, now: (Sample.objects.filter(pk=sample), {"state": state, "changed_at": now}),
    int, str, datetime,
)  # fmt: skip


def move(
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
    if not MOVED.run(annotation.pk, before.value, step.after.value, timezone.now()):
        raise Conflict(f"{sample.key} is no longer {before.value}. Load the page again.", code="wrong_state")
    annotation.state = step.after.value
    audit.record(
        actor=actor, action=f"annotation.{name}", subject=annotation, benchmark=sample.benchmark.slug,
        before=before.value, after=step.after.value, reason=reason, data={"sample": sample.key, **(data or {})},
    )  # fmt: skip
    settle(sample)


def settle(sample: Sample) -> None:
    """Where the sample stands, from its annotations as they are now."""
    state = sample_state({State(one) for (one,) in STATES.rows(sample.pk)}).value
    if state != sample.state:
        SETTLED.run(sample.pk, state, timezone.now())
        sample.state = state
