"""Reasons for rejecting a file as an image: a short rule, and a sentence for people."""

from __future__ import annotations


class PictureProblem(ValueError):
    """A file that cannot be accepted as an image.

    ``rule`` is stable and kebab-case: ``empty-file``, ``not-an-image``, ``svg``, ``format-not-accepted``,
    ``wrong-extension``, ``animated``, ``too-many-pixels``, ``too-long``, ``truncated``, ``damaged``, ``not-8-bit``.
    ``message`` states the problem and its solution.
    """

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
