"""Runs on the samples they share: the samples, and what calling tools did, with the lists behind it."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.models import Benchmark, Sample
from annotation.models.querysets.samples import cluster_image
from evaluation.metrics.calling import CallingEffect, calling_effect
from evaluation.metrics.columns import Ints, cluster_codes
from evaluation.metrics.comparison import common_rows
from evaluation.metrics.settings import MetricSettings
from evaluation.store.results import Results


@dataclass(frozen=True)
class ComparedSamples:
    """The samples with gold in the order of their keys, as far as comparing needs them."""

    pks: list[int]
    cluster: Ints


def compared_samples(benchmark: Benchmark) -> ComparedSamples:
    """One query."""
    rows = Sample.objects.filter(benchmark=benchmark, gold__isnull=False).order_by("key")
    found = list(rows.values_list("pk", "key", "image_group", cluster_image(), "image_name"))
    return ComparedSamples([row[0] for row in found], cluster_codes(row[1:] for row in found))


def calling_between(
    samples: ComparedSamples, without: Results, tools: Results, settings: MetricSettings
) -> CallingEffect:
    """Return the effect of calling tools in the run with tools, on the samples that both have. Both results are ``on``
    the samples.
    """
    return calling_effect(samples, without, tools, common_rows(without, tools, settings))


def calling_terms(without: int, tools: int) -> dict[str, dict[str, str]]:
    """The lists behind what is counted of a run with tools against one without: trajectories of the first of these that
    made a call; "unmet": of those that made none, the incorrect ones."""
    bare, own = str(without), str(tools)
    called = {"run": own, "shared_with": f"{bare},{own}", "calls": "1+"}
    return {
        "n": called,
        "benefit": {"run": own, "correct": "yes", "wrong_in": bare, "calls": "1+"},
        "harm": {"run": own, "right_in": bare, "wrong_in": own, "calls": "1+"},
        "needless": {"run": own, "correct": "yes", "right_in": bare, "calls": "1+"},
        "futile": {"run": own, "wrong_in": f"{bare},{own}", "calls": "1+"},
        "uncalled": called | {"calls": "0"},
        "unmet": {"run": own, "wrong_in": own, "shared_with": f"{bare},{own}", "calls": "0"},
    }
