"""Shared code of the addresses of experiments."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.models import Experiment


def load(request: Request, slug: str, pk: int) -> Experiment:
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    return get_object_or_404(benchmark.experiments.of_models().select_related("benchmark", "created_by"), pk=pk)
