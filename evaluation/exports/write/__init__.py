"""Portable files: written by a job, uploaded, and made into benchmarks."""

from evaluation.exports.write.project import import_project

__all__ = ["import_project"]
