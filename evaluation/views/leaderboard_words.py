"""The settings that numbers were made with, in words."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.metrics.settings import MetricSettings

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
        "exclude": "without zoom calls left out",
        "fail": "without zoom calls not grounded",
        "full_image": "without zoom calls the whole picture is the crop",
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
