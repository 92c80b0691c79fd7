"""Reading what a model answered: one function, ``read_answer``, and its record (docs/metrics.md#answers)."""

from evaluation.metrics.reading.read import read_answer
from evaluation.metrics.reading.record import CLASSES, FLAGS, REASONS, RULES, VERSION, WHERES, Reading

__all__ = ["CLASSES", "FLAGS", "REASONS", "RULES", "VERSION", "WHERES", "Reading", "read_answer"]
