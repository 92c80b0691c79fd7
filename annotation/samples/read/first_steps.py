"""The first steps of a lead: from an empty benchmark to a queue that is open after a pilot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef
from django.utils.translation import gettext_lazy

from annotation.models import (
    Annotation,
    Benchmark,
    BenchmarkQueue,
    BenchmarkSchema,
    Guideline,
    InvitedRole,
    Membership,
    Sample,
)
from annotation.workflow import Role, SampleState
from webapp.common.translation import Text

PILOT = 10
"""Samples of a pilot, each annotated by two people."""
MOST_ACCEPTED = 2 * PILOT
"""With more accepted samples, the pilot is over, and nothing is asked."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step with the address of its page; ``done`` is read from the benchmark, never ticked by hand."""

    title: Text
    text: Text
    route: str
    done: bool = False
    now: bool = False


STEPS = {
    "task": Step(
        gettext_lazy("Define the task"),
        gettext_lazy("Start from a template: facets, answer type, shapes of the evidence, toolchain, tool plan."),
        "annotation:task",
    ),
    "guidelines": Step(
        gettext_lazy("Write guidelines"),
        gettext_lazy("How a question, its answer and its evidence should look, with good and bad examples."),
        "annotation:guidelines-settings",
    ),
    "images": Step(
        gettext_lazy("Upload images"),
        gettext_lazy("Each image becomes a sample. Use large ones: evidence should be too small to read at 1024 px."),
        "annotation:upload",
    ),
    "people": Step(
        gettext_lazy("Invite annotators and a reviewer"),
        gettext_lazy("People can't review their own work, so at least two people are needed."),
        "annotation:settings",
    ),
    "pilot": Step(
        gettext_lazy("Have ten samples annotated twice"),
        gettext_lazy("Set two annotators per sample for the first ten. Their disagreements show what is unclear."),
        "annotation:queue-settings",
    ),
    "agreement": Step(
        gettext_lazy("Read the agreement and review the pilot"),
        gettext_lazy("See where two annotators differ, make the guidelines clearer, and decide about the ten samples."),
        "annotation:agreement",
    ),
    "queue": Step(
        gettext_lazy("Open the queue"),
        gettext_lazy("Set one annotator per sample, or the share of samples that several annotate from now on."),
        "annotation:queue-settings",
    ),
}


def first_steps(benchmark: Benchmark, accepted: int) -> list[Step]:
    """The steps with what is done. With accepted samples, they stay during a pilot, in which several people annotate
    every sample. One query, or none. ``accepted``: the number of accepted samples.
    """
    if accepted > MOST_ACCEPTED:
        return []
    done = _done(benchmark)
    if accepted and not done["in_pilot"]:
        return []
    first = next((name for name in STEPS if not done[name]), "")
    return [Step(step.title, step.text, step.route, done=done[name], now=name == first) for name, step in STEPS.items()]


def _done(benchmark: Benchmark) -> dict[str, bool]:
    here = Sample.objects.filter(benchmark=OuterRef("pk"))
    members = Membership.objects.filter(benchmark=OuterRef("pk"))
    invited = InvitedRole.objects.filter(benchmark=OuterRef("pk"))
    placed = Annotation.objects.filter(sample__benchmark=OuterRef("pk"), place__isnull=False).order_by()
    decided = placed.filter(sample__state__in=[SampleState.ACCEPTED, SampleState.DISCARDED])
    pilot = BenchmarkQueue.objects.filter(benchmark=OuterRef("pk"), overlap__gte=2, overlap_share__gte=1)
    asked: dict[str, Any] = {
        "task": Exists(BenchmarkSchema.objects.filter(benchmark=OuterRef("pk"), state=BenchmarkSchema.State.ACTIVE)),
        "guidelines": Exists(Guideline.objects.filter(benchmark=OuterRef("pk"))),
        "images": Exists(here),
        "pilot": _ten_twice(placed),
        "agreement": _ten_twice(decided),
        "in_pilot": Exists(pilot),
        **{
            f"has_{role}": Exists(members.filter(role=role)) | Exists(invited.filter(role=role))
            for role in (Role.ANNOTATOR.value, Role.REVIEWER.value)
        },
    }
    [found] = (
        Benchmark.objects.filter(pk=benchmark.pk)
        .order_by()
        .values(**{f"is_{name}": one for name, one in asked.items()})
    )
    values: Mapping[str, Any] = dict(found)
    told = {name: bool(values[f"is_{name}"]) for name in asked}
    return told | {
        "people": told["has_annotator"] and told["has_reviewer"],
        "queue": told["agreement"] and not told["in_pilot"],
    }


def _ten_twice(annotations: Any) -> Exists:
    """Whether at least as many samples as in a pilot have two of these annotations."""
    twice = annotations.values("sample").annotate(people=Count("pk")).filter(people__gte=2)
    return Exists(twice[PILOT - 1 : PILOT])
