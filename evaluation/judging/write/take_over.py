"""Handles the judgments of a person of a file who becomes an account."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from evaluation.models import Judgement
from webapp.accounts.actions import when_taken_over
from webapp.accounts.models import Invitation, User


@when_taken_over
def rename_judge(invitation: Invitation, person: User) -> None:
    """The judge of a judgment is the address of the person, which is now that of the account. One stays if a file
    brought the same judgment under that address."""
    rows = Judgement._base_manager
    same = {name: OuterRef(name) for name in ("trajectory", "kind", "decides")}
    other = Exists(rows.filter(**same, judge=invitation.email))
    rows.filter(person=person, judge=person.email).exclude(other).update(judge=invitation.email)
