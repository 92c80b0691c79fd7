"""Flags of models that check annotators, and how often the people who decide agree with them.

Source: docs/evidence.md#checking-annotators. A flag marks one field of a submission. In the control arm, the person who
decides does not see it, so that the decision cannot follow from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.intervals import rate_interval

Row = tuple[bool, int]
"""Yes or no, and the image."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95% interval, clustered by image (Wilson if each image occurs once). Without a case, both are
    undefined."""

    hits: int
    n: int
    low: float | None
    high: float | None

    @property
    def share(self) -> float | None:
        return self.hits / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class FlagDecision:
    """The decision of a person on a flagged field. ``seen``: the person could see the flag. ``changed``: the person
    gave the field another value, or returned or discarded the submission. ``image``: of the sample."""

    seen: bool
    changed: bool
    image: int


def rate_of(rows: Iterable[Row]) -> Rate:
    """The share of yes."""
    found = list(rows)
    if not found:
        return Rate(0, 0, None, None)
    hits, images = np.array([hit for hit, _ in found], dtype=np.float64), np.array([image for _, image in found])
    interval = rate_interval(hits, np.unique(images, return_inverse=True)[1])
    return Rate(int(hits.sum()), len(found), interval.low if interval else None, interval.high if interval else None)


def flag_precision(decisions: Iterable[FlagDecision], *, blind: bool) -> Rate:
    """The share of flagged fields that a person changed or returned: of the flags that they did not see if ``blind``,
    else of those that they saw.

    precision = |{changed}| / |{decided}|, from 0 to 1; undefined without a decided flag. Interval: Wilson's, with the
    effective number of flags where several are of one image.

    >>> found = [FlagDecision(False, True, 1), FlagDecision(False, False, 2), FlagDecision(True, True, 3)]
    >>> flag_precision(found, blind=True).share, flag_precision(found, blind=False).share
    (0.5, 1.0)
    >>> flag_precision([], blind=True).share is None
    True
    """
    return rate_of((one.changed, one.image) for one in decisions if one.seen is not blind)
