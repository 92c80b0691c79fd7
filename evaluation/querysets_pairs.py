"""What else was recorded of a trajectory's run on its sample, as conditions of the database."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db.models import Count, Exists, F, OuterRef, Q

from evaluation.query.syntax import DEFINED, UNDEFINED


def beside() -> Any:
    """The scored trajectories of the same run on the same sample."""
    same = {"run": OuterRef("run"), "sample": OuterRef("sample")}
    return _model("Trajectory").objects.filter(**same, score__isnull=False)


def paired(value: str) -> Q:
    """Under a condition, with one without it beside: any (``yes``), or one with visual evidence (``evidence``)."""
    plain = beside().evaluated()
    return Q(Exists(plain.filter(score__visual_evidence=True) if value == "evidence" else plain), score__isnull=False)


def repeated(value: str, counted: Q) -> Q:
    """The sample has at least two rollouts in the run that are ``counted``: right in all of them (``always``), in some,
    in none (``never``); ``any``: at least two, ``none``: fewer."""
    if value == UNDEFINED:
        return ~repeated(DEFINED, counted)
    rollouts = beside().filter(counted, condition="none").order_by().values("sample")
    several = rollouts.annotate(n=Count("pk"), right=Count("pk", filter=Q(score__correct=True))).filter(n__gte=2)
    met = {DEFINED: Q(), "always": Q(right=F("n")), "some": Q(right__gt=0, right__lt=F("n")), "never": Q(right=0)}
    return Q(Exists(several.filter(met[value]))) if value in met else Q(pk__in=[])


def judged(kind: str) -> Exists:
    """Whether a judge said anything of this kind on the sample; what people judged here is in no metric."""
    same = {"run": OuterRef("run"), "sample": OuterRef("sample"), "kind": kind}
    said = Q(verdict__regex=r"\S") | (Q(answer__isnull=False) if kind == "sufficiency" else Q())
    return Exists(_model("Judgement").objects.of_models().filter(said, **same))


def flipped(way: str) -> Q:
    """Under a condition: right without it and wrong with it ("lost"), or the other way round ("gained")."""
    right, wrong = Q(score__correct=True), Q(score__correct=False) | Q(score__undecided=True)
    if way not in ("lost", "gained"):
        return Q(pk__in=[])
    before, after = (right, wrong) if way == "lost" else (wrong, right)
    same = {"run": OuterRef("run"), "sample": OuterRef("sample")}
    plain = _model("Trajectory").objects.filter(**same).evaluated()
    return ~Q(condition="none") & Q(Exists(plain.filter(before))) & after


def _model(name: str) -> Any:
    return apps.get_model("evaluation", name)
