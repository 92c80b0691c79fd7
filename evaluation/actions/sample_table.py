"""The samples of a benchmark as columns, with what narrows lists of trajectories by sample."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.models import Benchmark, FacetValue, Gold, GoldBox, PlanTool, Sample
from evaluation.metrics.columns import Bools, Ints
from evaluation.query.postings import LAST
from evaluation.query.samples import Values


class SampleTable:
    """The samples of a benchmark in order of id, with what narrows lists by sample."""

    def __init__(self, benchmark: Benchmark) -> None:
        gold = ("gold__revision__answer_type", "gold__revision")
        fields = ("pk", "evidence_share", "image_group", "image_id", "image_name", "key", *gold)
        self._benchmark = benchmark
        rows = list(Sample.objects.filter(benchmark=benchmark).order_by("key").values_list(*fields))
        taken = list(zip(*rows, strict=True)) or [()] * len(fields)
        self.pks = np.array(taken[0], np.int64)
        keys = sorted(zip(taken[5], range(len(rows)), strict=True))
        self._keys, self._by_key = [key for key, _ in keys], np.array([rank for _, rank in keys], np.int64)
        self._types = np.array(taken[6], np.object_)
        self._revisions = np.array([pk or 0 for pk in taken[7]], np.int64)
        pictures: dict[Any, int] = {}
        named = [row[2] or row[3] or row[4] or ("sample", row[0]) for row in rows]
        self.cluster = np.array([pictures.setdefault(name, len(pictures)) for name in named], np.int64)
        self.area = np.array([np.nan if share is None else share for share in taken[1]], np.float64)
        self._by_pk = np.argsort(self.pks)
        self.facets = self._facets(benchmark)
        self.boxes = self._of_gold(GoldBox.objects)
        """(n,) gold boxes. Read now, as facets are: the first who asks for them would wait for the database."""
        self.targets = self._of_gold(PlanTool.objects.filter(step__isnull=False))
        """(n,) tools that the gold plan needs."""

    def __len__(self) -> int:
        return len(self.pks)

    def with_key(self, key: str, begins: bool) -> Bools:
        """(n,) the sample of this id, or those whose id begins so."""
        met = np.zeros(len(self), np.bool_)
        ends = bisect_left(self._keys, key + LAST) if begins else bisect_right(self._keys, key)
        met[self._by_key[bisect_left(self._keys, key) : ends]] = True
        return met

    def of_type(self, answer_type: str) -> Bools:
        """(n,) those whose answer is of this type."""
        found: Bools = self._types == answer_type
        return found

    def ranks(self, samples: NDArray[Any]) -> Ints:
        """The places of these samples in order of id."""
        if not len(samples):
            return np.empty(0, np.int64)
        found: Ints = self._by_pk[np.searchsorted(self.pks, samples, sorter=self._by_pk)]
        return found

    def _of_gold(self, rows: Any) -> Ints:
        """(n,) how many of these rows the gold of each has. A number for each row is read sooner than counts by sample,
        which the database sorts for."""
        gold = Gold.objects.filter(sample__benchmark=self._benchmark).values("revision")
        pks = rows.filter(revision__in=gold).order_by().values_list("revision", flat=True).iterator(chunk_size=20_000)
        found = np.fromiter(pks, np.int64)
        found = found[np.isin(found, self._revisions)]
        order = np.argsort(self._revisions)
        ranks = order[np.searchsorted(self._revisions, found, sorter=order)]
        return np.bincount(ranks, minlength=len(self))

    def _facets(self, benchmark: Benchmark) -> dict[str, Values]:
        rows = FacetValue.objects.filter(sample__benchmark=benchmark).order_by()
        of: dict[str, tuple[dict[str, int], list[int], list[int]]] = {}
        for name, value, sample in rows.values_list("name", "value", "sample_id").distinct():
            codes, code, pks = of.setdefault(name, ({}, [], []))
            code.append(codes.setdefault(value, len(codes)))
            pks.append(sample)
        return {
            name: Values(tuple(codes), np.array(code, np.int64), self.ranks(np.array(pks, np.int64)))
            for name, (codes, code, pks) in sorted(of.items())
        }
