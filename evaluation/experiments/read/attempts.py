"""The attempts of an experiment that a person may read."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from annotation.common.access import allowed
from annotation.content.evidence import waiting_samples
from annotation.content.proposals import withheld_from
from annotation.evidence import Purpose
from annotation.models import BuildItem
from annotation.workflow import Right
from evaluation.common.judging.known import withheld_samples
from evaluation.models import Exchange, Experiment
from evaluation.models.querysets.experiments import AttemptQuerySet

OF_ITEMS = (Experiment.Kind.AUDIT, Experiment.Kind.RENDER, Experiment.Kind.DESCRIBE)
"""The kinds that are about items of the building board."""


def attempts_known_to(user: Any, experiment: Experiment) -> AttemptQuerySet:
    """All attempts; of a judge, those on the samples of a judging queue that this person has not finished are omitted,
    as its verdicts are everywhere. Those of drafts are for leads, without the samples on which the drafts are withheld
    from them. Those under conditions are for leads, and checks of annotators without the samples that still wait for a
    review, as reviewers answer blind. Those of checks of texts are for leads who have checked the same text. ``user``
    None: a command run by who runs the server."""
    rows: AttemptQuerySet = experiment.attempts.all()
    if user is not None and experiment.kind in OF_ITEMS:
        if not allowed(user, experiment.benchmark, Right.MANAGE):
            return rows.none()
        return rows.exclude(item__in=BuildItem.objects.hidden_from(user).filter(benchmark=experiment.benchmark))
    if user is not None and experiment.kind == Experiment.Kind.DRAFT:
        if not allowed(user, experiment.benchmark, Right.MANAGE):
            return rows.none()
        samples = rows.order_by().values_list("sample", flat=True)
        return rows.exclude(sample__in=withheld_from(user, experiment.benchmark, samples))
    if user is not None and experiment.kind == Experiment.Kind.EVIDENCE:
        if not allowed(user, experiment.benchmark, Right.MANAGE):
            return rows.none()
        checks = experiment.design.get("purpose") == Purpose.CHECK
        return rows.exclude(sample__in=waiting_samples(experiment.benchmark)) if checks else rows
    if user is None or experiment.kind != Experiment.Kind.JUDGE:
        return rows
    return rows.exclude(sample__in=withheld_samples(user, experiment.benchmark))


def sends_to(user: Any, experiment: Experiment, sha256: str) -> bool:
    """Whether a request that this person may read names the image. A judge's images show which crops it saw of a sample
    that the person has not judged, so its requests are searched where samples are withheld from the person."""
    known = attempts_known_to(user, experiment)
    if known.count() == experiment.attempts.count():
        return True
    sources = known.values_list("reused_from", flat=True)
    requests = Exchange.objects.filter(Q(attempt__in=known) | Q(attempt__in=sources)).values_list("request", flat=True)
    return any(sha256.encode() in bytes(request) for request in requests.iterator())
