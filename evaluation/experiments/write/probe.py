"""Testing an endpoint: what it can do is stored with it."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from evaluation.endpoints.probe import Probe
from evaluation.experiments.read.connection import settings_of
from evaluation.models import Endpoint
from webapp.jobs.context import JobContext


def probe_endpoint(context: JobContext, *, endpoint_id: int) -> dict[str, Any]:
    """Send the requests of the test and keep what was found; an endpoint that fails is a result too."""
    endpoint = Endpoint.objects.select_related("benchmark").filter(pk=endpoint_id).first()
    if endpoint is None:
        return {}
    report = Probe(settings_of(endpoint)).run()
    Endpoint.objects.filter(pk=endpoint.pk).update(capabilities=report.to_json(), checked_at=timezone.now())
    return {"requests": report.requests}
