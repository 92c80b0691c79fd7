"""The marks of people on a trajectory, as one person sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef
from django.utils.translation import gettext

from annotation.common.access import known_to, require, roles_of
from annotation.models import Benchmark
from annotation.workflow import Right
from evaluation.glossary import failure_slug
from evaluation.metrics.failures import FAILURES, LABELS, RULES
from evaluation.models import FailureLabel, Note, Tag, Tagging, Trajectory
from evaluation.models.querysets.live import of_shown
from evaluation.models.querysets.marks import visible_tags
from webapp.accounts.models import User
from webapp.common.errors import NotAllowed

SHOWN_TAGS = 9
"""As many as there are digits to press."""


@dataclass(frozen=True)
class Marks:
    """``seen``: whether the person sees marks at all. ``tags``: the most used on the benchmark, each with ``on`` for
    this trajectory. ``failure``: in force; ``rule``: what the rule says; ``said_by``: who says otherwise."""

    seen: bool

    tags: list[Tag]
    notes: list[Note]
    failure: str
    rule: str
    said_by: str

    @property
    def why(self) -> str:
        return gettext(RULES.get(self.failure, "")) if not self.said_by else ""

    @property
    def failure_words(self) -> str:
        return gettext(LABELS.get(self.failure, ""))

    @property
    def term(self) -> str:
        """The entry of the glossary that explains the failure."""
        return failure_slug(self.failure)

    @property
    def rule_words(self) -> str:
        return gettext(LABELS[self.rule]) if self.rule in LABELS else gettext("no failure")


def read_marks(trajectory: Trajectory, person: Any) -> Marks:
    """Three queries."""
    seen = known_to(person, trajectory.run.benchmark).marks
    here = Tagging.objects.filter(tag=OuterRef("pk"), trajectory=trajectory)
    tags = visible_tags(person).filter(benchmark=trajectory.run.benchmark_id)
    tags = tags.annotate(on=Exists(here), n=Count("taggings", filter=of_shown("taggings__trajectory__"))).order_by(
        "-on", "-n", "name"
    )[:SHOWN_TAGS]
    label = FailureLabel.objects.filter(trajectory=trajectory, current=True).select_related("person").first()
    rule = trajectory.score.failure if trajectory.score else ""
    return Marks(
        seen=seen,
        tags=sorted(tags, key=lambda tag: (tag.name, tag.pk)),
        notes=list(Note.objects.filter(trajectory=trajectory).select_related("author")) if seen else [],
        failure=_name(label.failure) if label else rule,
        rule=rule,
        said_by=said_by(label, named=seen) if label else "",
    )


def said_by(label: FailureLabel, *, named: bool) -> str:
    """The name of the person who corrected a failure. Visitors don't see names of people."""
    return label.said_by if named else gettext("a person")


def tags_on(trajectories: Sequence[int], person: Any) -> dict[int, list[str]]:
    """The tags a person sees on each of these. One query."""
    found: dict[int, list[str]] = {}
    rows = Tagging.objects.filter(trajectory__in=trajectories, tag__in=visible_tags(person)).order_by("tag__name")
    for pk, name in rows.values_list("trajectory_id", "tag__name"):
        found.setdefault(pk, []).append(name)
    return found


def _name(code: int) -> str:
    return FAILURES[code] if code >= 0 else ""


def require_member(actor: User, benchmark: Benchmark) -> None:
    """Raise ``NotAllowed`` for readers of a public benchmark who are not members."""
    require(actor, benchmark, Right.SEE_GOLD)
    if not roles_of(actor, benchmark):
        raise NotAllowed(
            gettext("Only members of %(title)s can tag and write notes. Ask its lead for a role.")
            % {"title": benchmark.title}
        )
