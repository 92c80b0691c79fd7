"""The settings and the state that numbers were made with, in words."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import dateformat, timezone

from evaluation.metrics.settings import MetricSettings
from evaluation.models import Scoring

_WORDS = {
    "multi_crop": {
        "best": "best crop",
        "last": "last crop",
        "first": "first crop",
        "union": "union of crops",
        "mean": "mean over crops",
    },
    "multi_gold": {
        "union": "union of gold",
        "any": "best gold box",
        "all": "worst gold box",
        "mean": "mean over gold boxes",
    },
    "no_crop": {
        "exclude": "without zoom calls excluded",
        "fail": "without zoom calls not grounded",
        "full_image": "without zoom calls, the crop is the full image",
    },
}
"""The settings that are always said, whether they are the defaults or not."""


def settings_words(settings: MetricSettings) -> list[str]:
    """``best crop``, ``union of gold``, ... and by name whatever else differs from the defaults."""
    return [*(words[getattr(settings, name)] for name, words in _WORDS.items()), *_others(settings)]


def _others(settings: MetricSettings) -> Iterator[str]:
    for name, value in settings.changed().items():
        if name not in _WORDS and name != "ioa_threshold":
            yield f"{name.replace('_', ' ')}: {value}"


def state_words(scoring: Scoring) -> str:
    """The gold of these scores and their day: ``version 3, scored 20 Nov 2026``."""
    gold = f"version {scoring.version.number}" if scoring.version else "unfrozen gold"
    return f"{gold}, scored {dateformat.format(timezone.localtime(scoring.computed_at), 'j M Y')}"
