"""Finds the sample with a given name, or the samples with the nearest names."""

from __future__ import annotations

from django.utils.translation import gettext

from annotation.models import Benchmark, Sample
from annotation.models.querysets.samples import SampleQuerySet
from webapp.common.errors import NotFound
from webapp.common.translation import any_of


def find_sample(benchmark: Benchmark, samples: SampleQuerySet, key: str) -> Sample:
    """Return the sample of the benchmark with this name, in one query.

    Raises ``NotFound`` with the names of the previous and next samples in order, if they have a common prefix; two more
    queries.
    """
    found: Sample | None = samples.filter(key=key).first()
    if found is None:
        near = [name[:100] for name in _neighbours(benchmark, key)]
        if near:
            message = gettext("%(title)s has no sample %(key)s. Did you mean %(near)s?")
        else:
            message = gettext("%(title)s has no sample %(key)s. Search for it in the list of samples.")
        raise NotFound(message % {"title": benchmark.title, "key": key[:100], "near": any_of(near)})
    return found


def _neighbours(benchmark: Benchmark, key: str) -> list[str]:
    keys = benchmark.samples.values_list("key", flat=True)
    beside = (keys.filter(key__lt=key).order_by("-key").first(), keys.filter(key__gt=key).order_by("key").first())
    begin = key[: max(2, len(key) // 2)]
    return [name for name in beside if name and name.startswith(begin)]
