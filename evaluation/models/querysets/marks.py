"""The notes and tags that a person sees."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db.models import Exists, OuterRef, Q


def marks_seen_by(person: Any, of: str) -> Q:
    """The condition on rows of benchmarks whose notes and shared tags this person can see.

    ``of``: the path to the benchmark. ``annotation.blindness.known`` decides the same for one benchmark; a test
    compares them. ``person`` is None for commands and for content that is equal for everyone."""
    if person is None or (person.is_authenticated and person.is_staff):
        return Q()
    if getattr(person, "is_copy", False):
        return Q(pk__in=[])
    opened = Q(**{f"{of}__marks_open": True, f"{of}__public": True})
    if not person.is_authenticated:
        return opened
    memberships = apps.get_model("annotation", "Membership").objects
    return opened | Q(Exists(memberships.filter(benchmark=OuterRef(of), user=person)))


def visible_tags(person: Any) -> Any:
    """The person's own tags, and shared tags of benchmarks on which they can see these (``marks_seen_by``)."""
    own = Q(owner=person.pk) if person is not None and person.pk else Q(pk__in=[])
    tags = apps.get_model("evaluation", "Tag").objects
    return tags.filter(Q(owner=None) & marks_seen_by(person, "benchmark") | own)
