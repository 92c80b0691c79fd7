"""The first steps of a lead: from an empty benchmark to the first accepted sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef
from django.utils.translation import gettext_lazy

from annotation.models import Annotation, Benchmark, BenchmarkSchema, Guideline, InvitedRole, Membership, Sample
from annotation.workflow import Role
from webapp.common.translation import Text

PILOT = 10
"""Samples of a pilot, each annotated by two people."""


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
    "accepted": Step(
        gettext_lazy("Review the first samples"),
        gettext_lazy("Read the agreement, make the guidelines clearer, and accept good samples."),
        "annotation:review",
    ),
}


def first_steps(benchmark: Benchmark) -> list[Step]:
    """The steps of a benchmark in which no sample is accepted yet, with what is done. One query."""
    done = _done(benchmark)
    first = next(name for name in STEPS if not done[name])
    return [Step(step.title, step.text, step.route, done=done[name], now=name == first) for name, step in STEPS.items()]


def _done(benchmark: Benchmark) -> dict[str, bool]:
    here = Sample.objects.filter(benchmark=OuterRef("pk"))
    members = Membership.objects.filter(benchmark=OuterRef("pk"))
    invited = InvitedRole.objects.filter(benchmark=OuterRef("pk"))
    placed = Annotation.objects.filter(sample__benchmark=OuterRef("pk"), place__isnull=False).order_by()
    twice = placed.values("sample").annotate(people=Count("pk")).filter(people__gte=2)
    asked: dict[str, Any] = {
        "task": Exists(BenchmarkSchema.objects.filter(benchmark=OuterRef("pk"), state=BenchmarkSchema.State.ACTIVE)),
        "guidelines": Exists(Guideline.objects.filter(benchmark=OuterRef("pk"))),
        "images": Exists(here),
        "pilot": Exists(twice[PILOT - 1 : PILOT]),
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
    return told | {"people": told["has_annotator"] and told["has_reviewer"], "accepted": False}
