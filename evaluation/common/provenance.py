"""The settings and the state with which numbers were computed, as text."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import dateformat, timezone
from django.utils.translation import gettext, gettext_lazy

from evaluation.metrics.settings import MetricSettings
from evaluation.models import Scoring

_WORDS = {
    "multi_crop": {
        "best": gettext_lazy("best crop"),
        "last": gettext_lazy("last crop"),
        "first": gettext_lazy("first crop"),
        "union": gettext_lazy("union of crops"),
        "mean": gettext_lazy("mean over crops"),
    },
    "multi_gold": {
        "union": gettext_lazy("union of gold"),
        "any": gettext_lazy("best gold box"),
        "all": gettext_lazy("worst gold box"),
        "mean": gettext_lazy("mean over gold boxes"),
    },
    "no_crop": {
        "exclude": gettext_lazy("without zoom calls excluded"),
        "fail": gettext_lazy("without zoom calls not grounded"),
        "full_image": gettext_lazy("without zoom calls, the crop is the full image"),
    },
}
"""The settings that are always said, whether they are the defaults or not."""


def settings_words(settings: MetricSettings) -> list[str]:
    """Return ``best crop``, ``union of gold``, ... and by name all other settings that differ from the defaults."""
    return [*(str(words[getattr(settings, name)]) for name, words in _WORDS.items()), *_others(settings)]


def _others(settings: MetricSettings) -> Iterator[str]:
    for name, value in settings.changed().items():
        if name not in _WORDS and name != "ioa_threshold":
            yield f"{name.replace('_', ' ')}: {value}"


def state_words(scoring: Scoring) -> str:
    """The gold of these scores and their day: ``version 3, scored 20 Nov 2026``."""
    version = scoring.version
    gold = gettext("version %(number)s") % {"number": version.number} if version else gettext("unfrozen gold")
    day = dateformat.format(timezone.localtime(scoring.computed_at), "j M Y")
    return gettext("%(gold)s, scored %(day)s") % {"gold": gold, "day": day}
