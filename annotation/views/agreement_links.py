"""Where the counts of the agreement pages lead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from annotation.models import Benchmark

LONGEST_ADDRESS = 3500
"""Characters; servers refuse longer ones from about 4,000 on."""


@dataclass(frozen=True)
class Count:
    """A number of samples and where exactly these are listed; ``href`` is empty for none, and for too many to name."""

    n: int
    href: str = ""


def count_of(benchmark: Benchmark, keys: Iterable[str]) -> Count:
    """Each sample counts once."""
    chosen = sorted(set(keys))
    href = f"{reverse('annotation:samples', args=[benchmark.slug])}?{urlencode([('id', key) for key in chosen])}"
    return Count(len(chosen), href if chosen and len(href) <= LONGEST_ADDRESS else "")
