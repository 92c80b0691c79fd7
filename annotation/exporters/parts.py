"""The parts of a benchmark that a format may be unable to hold: the vocabulary of ``Exporter.cannot_hold``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from annotation.marking import gettext_noop


class Part(StrEnum):
    """A part of a sample, or of the benchmark around its samples. They are listed in this order."""

    BARE_SAMPLES = "bare_samples"
    BOXES = "boxes"
    ANSWERS = "answers"
    OPEN_ANSWERS = "open_answers"
    SEVERAL_ANSWERS = "several_answers"
    LATE_OPTIONS = "late_options"
    LETTERS = "letters"
    FORMULAS = "formulas"
    OUTLINES = "outlines"
    TOOLCHAINS = "toolchains"
    ARGUMENTS = "arguments"
    PLANS = "plans"
    FACETS = "facets"
    TIERS = "tiers"
    FURTHER_FACETS = "further_facets"
    SEVERAL_VALUES = "several_values"
    STATES = "states"
    IMAGES = "images"
    ACCEPTED_CHAINS = "accepted_chains"
    BOX_LABELS = "box_labels"
    IDS = "ids"
    IMAGE_NAMES = "image_names"
    IMAGE_GROUPS = "image_groups"
    SIZES = "sizes"
    KEYS = "keys"
    RUNS = "runs"
    BANK = "bank"
    SETTINGS = "settings"
    REVIEWS = "reviews"
    HISTORY = "history"
    COMMENTS = "comments"
    PEOPLE = "people"
    GUIDELINES = "guidelines"
    VERSIONS = "versions"
    CALL_SOURCES = "call_sources"


WORDS: Mapping[Part, str] = {
    Part.BARE_SAMPLES: gettext_noop("samples without evidence"),
    Part.BOXES: gettext_noop("evidence"),
    Part.ANSWERS: gettext_noop("options and answers"),
    Part.OPEN_ANSWERS: gettext_noop("open-ended answers (they become options)"),
    Part.SEVERAL_ANSWERS: gettext_noop("accepted answers after the first"),
    Part.LATE_OPTIONS: gettext_noop("options after H"),
    Part.LETTERS: gettext_noop("option letters"),
    Part.FORMULAS: gettext_noop("unchanged texts that begin like a formula"),
    Part.OUTLINES: gettext_noop("polygons and points (bounding boxes only)"),
    Part.TOOLCHAINS: gettext_noop("reference toolchains"),
    Part.ARGUMENTS: gettext_noop("arguments and images of tool calls"),
    Part.PLANS: gettext_noop("tool plans"),
    Part.FACETS: gettext_noop("facets"),
    Part.TIERS: gettext_noop("tier and dimension"),
    Part.FURTHER_FACETS: gettext_noop("segments and other facets"),
    Part.SEVERAL_VALUES: gettext_noop("values of a facet after the first"),
    Part.STATES: gettext_noop("states of samples"),
    Part.IMAGES: gettext_noop("image files"),
    Part.ACCEPTED_CHAINS: gettext_noop("further accepted toolchains"),
    Part.BOX_LABELS: gettext_noop("labels and sources of boxes"),
    Part.IDS: gettext_noop("sample IDs"),
    Part.IMAGE_NAMES: gettext_noop("full image names"),
    Part.IMAGE_GROUPS: gettext_noop("image groups"),
    Part.SIZES: gettext_noop("image sizes"),
    Part.KEYS: gettext_noop("unknown keys of imported samples"),
    Part.RUNS: gettext_noop("runs"),
    Part.BANK: gettext_noop("tool bank"),
    Part.SETTINGS: gettext_noop("metric settings"),
    Part.REVIEWS: gettext_noop("reviews"),
    Part.HISTORY: gettext_noop("revisions and history"),
    Part.COMMENTS: gettext_noop("comments"),
    Part.PEOPLE: gettext_noop("people"),
    Part.GUIDELINES: gettext_noop("guidelines and schema"),
    Part.VERSIONS: gettext_noop("frozen versions"),
    Part.CALL_SOURCES: gettext_noop("models that drafted tool calls"),
}
"""What each part is called on pages and in documents."""

IN_NO_FORMAT = (
    Part.REVIEWS,
    Part.HISTORY,
    Part.COMMENTS,
    Part.PEOPLE,
    Part.GUIDELINES,
    Part.VERSIONS,
    Part.CALL_SOURCES,
)
"""Parts that only the portable file holds."""
RESULTS = (Part.RUNS, Part.BANK, Part.SETTINGS)
"""Parts around the samples that the native format holds."""


def words_of(parts: Iterable[Part]) -> list[str]:
    """Return what the parts are called, in order, in English.

    >>> words_of([Part.RUNS, Part.PLANS])
    ['tool plans', 'runs']
    """
    given = frozenset(parts)
    return [words for part, words in WORDS.items() if part in given]
