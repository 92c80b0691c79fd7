"""What the addresses of experiments share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.request import Request

from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.models import Experiment
from webapp.common.errors import InvalidInput


def load(request: Request, slug: str, pk: int) -> Experiment:
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    return get_object_or_404(benchmark.experiments.of_models().select_related("benchmark", "created_by"), pk=pk)


def given_of(form: type[serializers.Serializer], request: Request) -> dict[str, Any]:
    """What was sent, checked. Raises ``InvalidInput`` naming an unknown field, which would have no effect."""
    read = form(data=request.data)
    if isinstance(request.data, Mapping) and (unknown := sorted(set(request.data) - set(read.fields))):
        known = ", ".join(read.fields)
        raise InvalidInput(f"There is no field {unknown[0]}. Fields: {known}.", field=unknown[0])
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)
