"""Reading what a model answered: one function, ``read_answer``, and its record (docs/metrics.md#answers)."""

from evaluation.metrics.reading.read import read_answer
from evaluation.metrics.reading.record import VERSION, Reading

__all__ = ["VERSION", "Reading", "read_answer"]
