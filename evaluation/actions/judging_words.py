"""What a question to a judge is about, and what can be said of it."""

from __future__ import annotations

from evaluation.models import JudgingItem

RELIABILITY, SUFFICIENCY, ANSWER = JudgingItem.Kind
CROPS, ANSWERS = "crops", "answers"
"""What a queue can be about."""
UNDECIDED = "undecided"
REASONS = ("too small to read", "wrong place", "says otherwise", "only part of it")
VERDICTS = ("yes", "no", UNDECIDED)
