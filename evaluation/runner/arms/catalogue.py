"""The available arms: their doses, what they change and measure, and their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.marking import Sentence, gettext_noop


class Estimand(StrEnum):
    """The part of a trajectory that stays fixed.

    ``PREFIX``: everything up to the answer, so that only the answer is sampled. This is the direct effect of the
    change. ``TURN``: everything up to the last observation, so that later text is also sampled. This includes the
    effect through that text.
    """

    PREFIX = "prefix"
    TURN = "turn"


class Part(StrEnum):
    """The part of a trajectory that an arm changes."""

    NOTHING = "nothing"
    CROPS = "crops"
    IMAGE = "image"
    TEXT = "text"
    QUESTION = "question"


class ArmError(ValueError):
    """The name of an arm that does not exist. The message lists the allowed names."""


class CannotApply(Exception):
    """An arm has nothing to change in a trajectory. ``sentence``: the reason, for people."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of arm. ``doses``: the possible doses in order; empty for a family without doses. ``drawn``: the change is
    random, so that several seeds are needed. ``judge``: a judge writes the change.
    """

    name: str
    label: str
    changes: Part
    tells: str
    doses: Sequence[str] = ()
    estimands: Sequence[Estimand] = (Estimand.PREFIX, Estimand.TURN)
    drawn: bool = False
    judge: bool = False

    @property
    def numeric(self) -> bool:
        """Whether the doses are numbers."""
        return bool(self.doses) and all(_is_number(dose) for dose in self.doses)


_PREFIX, _TURN = (Estimand.PREFIX,), (Estimand.TURN,)
_ALL = (
    Family("sham", gettext_noop("Nothing"), Part.NOTHING, gettext_noop("how much answers vary by themselves")),
    Family(
        "noise", gettext_noop("Noise in the crops"), Part.CROPS, gettext_noop("how answers depend on crops, by dose"),
        ("6.25", "12.5", "25", "50", "75", "100"), drawn=True,
    ),
    Family("blank", gettext_noop("Blank crops"), Part.CROPS, gettext_noop("whether crops matter at all")),
    Family(
        "blur", gettext_noop("Blurred crops"), Part.CROPS, gettext_noop("the resolution that is needed"),
        ("2", "4", "8", "16"),
    ),
    Family("gold", gettext_noop("Crops of the gold region"), Part.CROPS, gettext_noop("whether it can use evidence")),
    Family(
        "foreign", gettext_noop("Crops of another image"), Part.CROPS, gettext_noop("whether other evidence misleads"),
        drawn=True,
    ),
    Family(
        "random", gettext_noop("Random crops, same size"), Part.CROPS, gettext_noop("the effect of any other crop"),
        drawn=True,
    ),
    Family("order", gettext_noop("Crops in another order"), Part.CROPS, gettext_noop("how text and crops are bound")),
    Family(
        "mask-gold", gettext_noop("Gold masked"), Part.IMAGE, gettext_noop("where the evidence was read"),
        ("image", "crops", "both"),
    ),
    Family("no-image", gettext_noop("Without the full image"), Part.IMAGE, gettext_noop("whether crops are enough")),
    Family("no-crops", gettext_noop("Without crops"), Part.CROPS, gettext_noop("whether image and text are enough")),
    Family(
        "mistake-rule", gettext_noop("Corrupted text, by rule"), Part.TEXT,
        gettext_noop("whether the text causes the answer"), ("1", "2", "4"), _PREFIX, drawn=True,
    ),
    Family(
        "mistake-judge", gettext_noop("A mistake in the text, by a judge"), Part.TEXT,
        gettext_noop("whether the text causes the answer"), (), _PREFIX, judge=True,
    ),
    Family(
        "paraphrase", gettext_noop("The text in other words"), Part.TEXT, gettext_noop("a control of mistakes"), (),
        _PREFIX, judge=True,
    ),
    Family(
        "filler", gettext_noop("Dots in place of the text"), Part.TEXT, gettext_noop("whether the words matter"), (),
        _PREFIX,
    ),
    Family(
        "truncate", gettext_noop("The reasoning cut off"), Part.TEXT, gettext_noop("when the answer is settled"),
        ("0", "25", "50", "75"), _PREFIX,
    ),
    Family(
        "options", gettext_noop("Options rotated"), Part.QUESTION, gettext_noop("a habit of position"), (), _TURN,
    ),
    Family(
        "question", gettext_noop("The question alone"), Part.QUESTION, gettext_noop("what is known without looking"),
        (), _TURN,
    ),
)  # fmt: skip
FAMILIES: Mapping[str, Family] = {family.name: family for family in _ALL}
"""Name to family, in the order of pages."""
SHAM = "sham"
DOSE_WORDS: Mapping[str, str] = {
    "noise": gettext_noop("%(dose)s%% noise"),
    "blur": gettext_noop("blurred ×%(dose)s"),
    "truncate": gettext_noop("%(dose)s%% kept"),
    "mistake-rule": gettext_noop("%(dose)s changed"),
}


@dataclass(frozen=True, order=True)
class Arm:
    """One arm. ``dose``: of its family, "" without one. Its name ``family-dose@estimand``, such as ``noise-50@prefix``,
    is the condition of its trajectories.
    """

    family: str
    dose: str = ""
    estimand: Estimand = Estimand.PREFIX

    def __post_init__(self) -> None:
        family = FAMILIES.get(self.family)
        if family is None:
            raise ArmError(f"There is no arm {self.family!r}. Allowed: {', '.join(FAMILIES)}.")
        if self.dose not in (family.doses or ("",)):
            allowed = ", ".join(family.doses) or "none"
            raise ArmError(f"{self.family} has no dose {self.dose!r}. Allowed: {allowed}.")
        if self.estimand not in family.estimands:
            raise ArmError(f"{self.family} is not defined for {self.estimand}: only for {family.estimands[0]}.")

    def __str__(self) -> str:
        return f"{self.label}@{self.estimand}"

    @property
    def label(self) -> str:
        """Family and dose, such as ``noise-50``."""
        return f"{self.family}-{self.dose}" if self.dose else self.family

    @property
    def kind(self) -> Family:
        return FAMILIES[self.family]

    @property
    def words(self) -> str:
        """The effect of the arm, for people."""
        if not self.dose:
            return Sentence(self.kind.label)
        if self.family in DOSE_WORDS:
            return Sentence(DOSE_WORDS[self.family], dose=self.dose)
        return Sentence(gettext_noop("%(label)s: %(dose)s"), label=self.kind.label, dose=self.dose)

    @classmethod
    def read(cls, name: str) -> Arm:
        """Return the arm of a condition. Raises ``ArmError``."""
        label, _, estimand = name.partition("@")
        if estimand not in list(Estimand):
            raise ArmError(f"{name!r} names no estimand. Allowed: {', '.join(Estimand)}.")
        if label in FAMILIES:
            return cls(label, "", Estimand(estimand))
        family, _, dose = label.rpartition("-")
        return cls(family, dose, Estimand(estimand))


SEEDS = {SHAM: 4}
"""Default number of seeds of each arm; ``USUAL`` for all others."""
USUAL, MOST_SEEDS = 3, 32
_ITEM = re.compile(r"(?P<family>[a-z-]+)(?::(?P<doses>[^x]+))?(?:x(?P<seeds>\d{1,3}))?")


def read_arms(text: str, estimand: Estimand) -> dict[Arm, int]:
    """Return arms with their numbers of seeds from a list in the format of commands.

    ``family``, ``family:dose``, ``family:low-high`` (all doses between), each optionally followed by ``xSEEDS``; ``:N``
    is the number of seeds for a family without doses. Raises ``ArmError``. Example: ``sham:4,noise:12.5-100x3``.
    """
    found: dict[Arm, int] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        match = _ITEM.fullmatch(item)
        if match is None or match["family"] not in FAMILIES:
            raise ArmError(f"{item!r} is no arm. Allowed: {', '.join(FAMILIES)}, such as noise:25-100x3.")
        family, doses, seeds = FAMILIES[match["family"]], match["doses"] or "", match["seeds"] or ""
        if not family.doses and doses:
            if seeds or not doses.isdecimal():
                raise ArmError(f"{family.name} has no doses. Write {family.name}:4 for 4 seeds.")
            seeds, doses = doses, ""
        number = int(seeds) if seeds else SEEDS.get(family.name, USUAL)
        if not 1 <= number <= MOST_SEEDS:
            raise ArmError(f"{item!r}: an arm has 1 to {MOST_SEEDS} seeds.")
        for dose in _doses(family, doses):
            found[Arm(family.name, dose, estimand)] = number
    return found


def _doses(family: Family, text: str) -> Sequence[str]:
    if not family.doses:
        return ("",)
    if not text:
        return family.doses
    if text in family.doses:
        return (text,)
    low, between, high = text.partition("-")
    if between and family.numeric and _is_number(low) and _is_number(high):
        inside = [dose for dose in family.doses if float(low) <= float(dose) <= float(high)]
        if inside:
            return inside
    raise ArmError(f"{family.name} has no dose {text!r}. Allowed: {', '.join(family.doses)}.")


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"\d+(\.\d+)?", text))
