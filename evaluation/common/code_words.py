"""Words for the codes of verdicts, conditions and judgments, in the language of the page."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy, pgettext_lazy

from evaluation.schema import JudgementKind
from webapp.common.translation import Text

VERDICTS: Mapping[str, Text] = {
    "correct": gettext_lazy("correct"),
    "incorrect": gettext_lazy("incorrect"),
    "undecided": gettext_lazy("undecided"),
    "yes": pgettext_lazy("verdict", "yes"),
    "no": pgettext_lazy("verdict", "no"),
}
CONDITIONS: Mapping[str, Text] = {
    "none": gettext_lazy("none"),
    "text": gettext_lazy("corrupted text"),
    "visual": gettext_lazy("noise crops"),
    "placebo": gettext_lazy("placebo crops"),
}
FLIPS: Mapping[str, Text] = {
    "lost": gettext_lazy("became incorrect"),
    "gained": gettext_lazy("became correct"),
}
JUDGMENT_KINDS: Mapping[str, Text] = {
    JudgementKind.RELIABILITY: gettext_lazy("reliability"),
    JudgementKind.SUFFICIENCY: gettext_lazy("sufficiency"),
    JudgementKind.ANSWER: pgettext_lazy("kind of judgment", "answer"),
}


def verdict_words(code: str) -> str:
    """``incorrect`` as "incorrect"; any other code unchanged."""
    return str(VERDICTS.get(code, code))


def condition_words(code: str) -> str:
    """``visual`` as "noise crops"; the name of an arm or another condition unchanged."""
    return str(CONDITIONS.get(code, code))


def flip_words(code: str) -> str:
    """``lost`` as "became incorrect"."""
    return str(FLIPS.get(code, code))


def judgment_kind_words(code: str) -> str:
    """``answer`` as "answer"."""
    return str(JUDGMENT_KINDS.get(code, code))
