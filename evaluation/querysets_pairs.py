"""What else was recorded of a trajectory's run on its sample, as conditions of the database."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db.models import Exists, OuterRef, Q


def beside() -> Any:
    """The scored trajectories of the same run on the same sample."""
    same = {"run": OuterRef("run"), "sample": OuterRef("sample")}
    return _model("Trajectory").objects.filter(**same, score__isnull=False)


def paired(value: str) -> Q:
    """Under a condition, with one without it beside: any (``yes``), or one with visual evidence (``evidence``)."""
    plain = beside().evaluated()
    return Q(Exists(plain.filter(score__visual_evidence=True) if value == "evidence" else plain), score__isnull=False)


def judged(kind: str) -> Exists:
    """Whether a judge said anything of this kind on the sample; what people judged here is in no metric."""
    same = {"run": OuterRef("run"), "sample": OuterRef("sample"), "kind": kind, "person__isnull": True}
    said = Q(verdict__regex=r"\S") | (Q(answer__isnull=False) if kind == "sufficiency" else Q())
    return Exists(_model("Judgement").objects.filter(said, **same))


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
