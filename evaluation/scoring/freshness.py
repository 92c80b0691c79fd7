"""Whether scores match the current gold, settings and reading rules, decided without reading the gold."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import Count, Max, OuterRef, Subquery

from annotation.models import Benchmark, ContentChange, Gold
from evaluation.metrics.reading import VERSION
from evaluation.models import Scoring
from evaluation.scoring.settings import settings_by_benchmark

State = tuple[datetime | None, int, datetime | None]
"""When the last gold of a benchmark was accepted, the number of samples with gold, and when facets last changed without
it."""


class StalenessChecker:
    """Decides which scorings of some benchmarks are stale: two queries, and one more for changed benchmarks.

    Every page with scores uses it, so that all pages agree. ``numbers``: the change numbers of the benchmarks if they
    are already loaded, which saves a query.
    """

    def __init__(self, *benchmarks: Benchmark, numbers: Mapping[int, int] | None = None) -> None:
        self.settings = settings_by_benchmark(benchmarks) if benchmarks else {}
        if benchmarks and numbers is None:
            numbers = ContentChange.objects.numbers([benchmark.pk for benchmark in benchmarks])
        self._gold = _gold(benchmarks, numbers or {})
        self._changed = {benchmark: settings.changed() for benchmark, settings in self.settings.items()}

    def stale(self, scoring: Scoring) -> bool:
        """Return whether a scoring is stale. Its run must be loaded."""
        _, _, facets = self._gold[scoring.run.benchmark_id]
        regrouped = facets is not None and facets > scoring.computed_at
        return scoring.stale or regrouped or self.read_before(scoring)

    def read_before(self, scoring: Scoring) -> bool:
        """Whether its answers were read with other gold, settings or rules than the current ones. Decisions don't
        count."""
        benchmark = scoring.run.benchmark_id
        last, count, _ = self._gold[benchmark]
        changed = last is not None and last > scoring.computed_at
        return (
            changed
            or scoring.samples_n != count
            or scoring.settings != self._changed[benchmark]
            or scoring.reading_version != VERSION
        )


_KNOWN: OrderedDict[tuple[int, datetime, int], State] = OrderedDict()
_LOCK = threading.Lock()
MOST = 256
"""Number of benchmark states whose gold is cached."""


def _gold(benchmarks: Sequence[Benchmark], numbers: Mapping[int, int]) -> dict[int, State]:
    """Return the state of gold by benchmark. One query counts it again for benchmarks with another change number."""
    keys = {one.pk: (one.pk, one.created_at, numbers[one.pk]) for one in benchmarks}
    with _LOCK:
        found = {pk: _KNOWN[key] for pk, key in keys.items() if key in _KNOWN}
    if missing := keys.keys() - found.keys():
        golds = Gold.objects.filter(sample__benchmark__in=missing).order_by()
        changes = ContentChange.objects.filter(benchmark=OuterRef("sample__benchmark")).facets_changed_at()
        rows = golds.values_list("sample__benchmark").annotate(last=Max("accepted_at"), n=Count("pk"))
        rows = rows.annotate(facets=Subquery(changes))
        counted = {pk: (last, n, facets) for pk, last, n, facets in rows}
        new: dict[int, State] = {pk: counted.get(pk, (None, 0, None)) for pk in missing}
        found |= new
        with _LOCK:
            _KNOWN.update({keys[pk]: state for pk, state in new.items()})
            while len(_KNOWN) > MOST:
                _KNOWN.popitem(last=False)
    return found
