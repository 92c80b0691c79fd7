"""Samples that were assigned to a person.

People who get gold checks open, save and submit only these. On other samples, the response would reveal whether the
sample has gold."""

from __future__ import annotations

from django.utils.translation import gettext

from annotation.common.access import known_to
from annotation.models import Annotation, CheckAnswer, Lease, Sample
from annotation.queue.leases import ANNOTATE
from annotation.workflow import State
from webapp.accounts.models import User
from webapp.common.errors import NotAllowed

UNSEEN = frozenset(
    {
        "planted_error",
        "hand_in",
        "start_review",
        "stop_review",
        "answer_blind",
        "accept",
        "fix_and_accept",
        "accept_unreviewed",
        "supersede",
        "supersede_agreed",
    }
)
"""Transitions of an annotation that never happen to a gold check. Its author does not see them while checks run."""


def works_on(user: User, sample: Sample) -> bool:
    """Whether this person has started the sample, or has or had a lease of it that no other person took over.

    A gold check counts like the sample it looks like."""
    mine = {"sample": sample, "user": user}
    return (
        Lease.objects.filter(**mine, seat=ANNOTATE).exists()
        or Annotation.objects.filter(sample=sample, author=user).exists()
        or CheckAnswer.objects.begun().filter(check_of__sample=sample, user=user).exists()
    )


def is_handed(user: User, sample: Sample) -> bool:
    """Return whether a person who gets gold checks works on this sample: they must see it as their own,
    check or not.
    """
    return known_to(user, sample.benchmark).handed_checks and works_on(user, sample)


def require_handed(user: User, sample: Sample) -> None:
    """Raises ``NotAllowed`` if a person who gets gold checks opens a sample that was not assigned to them."""
    if known_to(user, sample.benchmark).handed_checks and not works_on(user, sample):
        raise NotAllowed(gettext("%(key)s is not assigned to you. Continue with your queue.") % {"key": sample.key})


def shown_state(user: User, sample: Sample, state: str) -> str:
    """The state of an annotation as its author may know it: a gold check stays submitted, so other samples do too."""
    settled = state in (State.IN_REVIEW, State.ACCEPTED, State.SUPERSEDED)
    return State.SUBMITTED.value if settled and known_to(user, sample.benchmark).handed_checks else state
