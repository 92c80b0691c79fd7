"""Handles the work of an anonymized person in benchmarks."""

from __future__ import annotations

from annotation.models import Annotation, Lease, Membership, PersonUid, Review
from webapp.accounts.anonymize import Leaving, described_by, when_anonymized
from webapp.accounts.models import User


@described_by
def role_word(user: User) -> str:
    """Return the person's main role as a word: annotator before reviewer."""
    if Annotation.objects.filter(author=user).exists():
        return "annotator"
    return "reviewer" if Review.objects.filter(reviewer=user).exists() else ""


@when_anonymized
def give_back(leaving: Leaving) -> None:
    """Samples that were reserved can be assigned to others; roles end. The address that a file gave is deleted."""
    Lease.objects.filter(user=leaving.user).delete()
    Membership.objects.filter(user=leaving.user).delete()
    PersonUid.objects.filter(user=leaving.user).update(address="")
