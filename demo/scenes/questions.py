"""What is asked about the evidence of the scenes: words, kind of question, and which reading gives which answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

OCR, RESTORE, FOCUS = "Robust OCR", "Perceptual Restoration", "Attention Focusing"
MEASURE, COLOUR, COUNT = "Measurement", "Color", "Counting"
CHART, MATH, SPATIAL = "Chart", "Math", "Spatial Reasoning"

TIERS: Mapping[str, int] = {
    **dict.fromkeys((OCR, RESTORE, FOCUS), 1),
    **dict.fromkeys((MEASURE, COLOUR, COUNT), 2),
    **dict.fromkeys((CHART, MATH, SPATIAL), 3),
}
"""The nine task categories and their tiers."""


@dataclass(frozen=True)
class Question:
    """A question on one or more parts of a scene. ``rule`` turns what the parts show into the answer.

    ``spoken`` gives the accepted answers of an open question; None makes it a choice of four. ``reasons`` says that
    the answer is not itself written in the image.
    """

    words: str
    parts: tuple[str, ...]
    category: str
    reasons: bool = False
    rule: Callable[..., str] = str
    spoken: Callable[[str], tuple[str, ...]] | None = None


@dataclass(frozen=True)
class PlanQuestion:
    """A job on a tool wall: the kinds of tool of each step, in order. ``ordered`` None = as the steps say.

    Where several of a kind hang, the words give the mark of the one that is meant.
    """

    words: str
    steps: tuple[tuple[str, ...], ...]
    ordered: bool | None = None


def _still_open(closes: str) -> str:
    hours, minutes = (int(v) for v in closes.split(":"))
    return f"{60 * hours + minutes - 690} minutes"


def _next_bus(clock: str, every: str) -> str:
    hours, minutes = (int(v) for v in clock.split(":"))
    later = 60 * hours + minutes + int(every.split()[1])
    return f"{later // 60}:{later % 60:02d}"


def _difference(a: str, b: str) -> str:
    return f"{abs(float(a) - float(b)):.2f}"


def _degrees(a: str, b: str) -> str:
    return f"{abs(int(a) - int(b))} °C"


def _months(due: str) -> str:
    month, year = (int(v) for v in due.split("/"))
    return f"{12 * (year - 27) + month - 3} months"


def _back(bearing: str) -> str:
    return f"{int(bearing[:-1]) + 180}°"


def _left_over(marked: str) -> str:
    return f"{20 - int(marked)}"


def _others(marked: str) -> str:
    return f"{8 - int(marked)}"


def _as_is(value: str) -> tuple[str, ...]:
    return (value,)


def _plain_number(value: str) -> tuple[str, ...]:
    return (value, value.replace(" ", ""))


def _without_unit(value: str) -> tuple[str, ...]:
    return (value, value.split()[0])


def _last_word(value: str) -> tuple[str, ...]:
    return (value, value.split()[-1])


QUESTIONS: Mapping[str, tuple[Question, ...]] = {
    "street-day": (
        Question("In which room does Dr Holt have the practice?", ("doctor",), FOCUS),
        Question(
            "It is 11:30 on a Tuesday. For how long is the shop with the notice still open?",
            ("hours",),
            MATH,
            True,
            _still_open,
        ),
        Question("How often does bus 7 come?", ("bus",), OCR),
        Question("How many of the bottles in the crate are marked 8 and not 6?", ("bottles",), COUNT),
        Question("In which order, from the left, are the colours of the emblem on the flag?", ("flag",), COLOUR),
        Question("Which stall has the most visitors on the poster?", ("poster",), CHART, True),
    ),
    "street-dusk": (
        Question("What time does the clock between the shops show?", ("clock",), MEASURE),
        Question(
            "The bus came at the time on the clock. When does the next one come?",
            ("clock", "bus"),
            MATH,
            True,
            _next_bus,
        ),
        Question("What is the telephone number on the van?", ("phone",), OCR, spoken=_plain_number),
        Question("What is the number plate of the van?", ("number",), OCR),
        Question("Which pot from the left is marked 8 where the others are marked 6?", ("pots",), SPATIAL, True),
        Question("How many of the bottles in the crate are marked 8 and not 6?", ("bottles",), COUNT, spoken=_as_is),
    ),
    "shelf-pantry": (
        Question("What does the plum jam cost?", ("plum",), OCR),
        Question("By how much is the olive oil dearer than the plum jam?", ("olive", "plum"), MATH, True, _difference),
        Question("Which product of the sugar chart has the most sugar?", ("sugar",), CHART, True),
        Question("How many of the seven marks on the readers' card are 8 and not 6?", ("stars",), COUNT),
        Question("Which lot number can still be made out on the worn card?", ("lot",), RESTORE),
        Question("On which side is the small ring on the refill card open?", ("ring",), SPATIAL),
    ),
    "shelf-cool": (
        Question("What does the cocoa cost?", ("cocoa",), OCR, spoken=_as_is),
        Question(
            "By how much do the coffee and the cocoa differ in price?", ("coffee", "cocoa"), MATH, True, _difference
        ),
        Question("Until when is the product with the best-before card good?", ("best_before",), FOCUS),
        Question("In which order, from the left, are the threads on the ribbon card?", ("ribbon",), COLOUR),
        Question("What does the olive oil cost?", ("olive",), OCR),
        Question("Which lot number can still be made out on the worn card?", ("lot",), RESTORE),
    ),
    "panel-green": (
        Question("What does the boiler gauge read, in bar?", ("boiler",), MEASURE),
        Question("How much warmer is the outlet than the inlet?", ("inlet", "outlet"), MATH, True, _degrees),
        Question("How many of the twenty small buttons are marked 6 and not 8?", ("buttons",), COUNT, True, _left_over),
        Question("Which line ends highest on the small trend?", ("trend",), CHART, True),
        Question("In which order, from the top, are the three wires?", ("wires",), COLOUR),
        Question("What is the worn serial number?", ("serial",), RESTORE),
    ),
    "panel-slate": (
        Question("What does the condenser gauge read, in bar?", ("condenser",), MEASURE),
        Question("When is the next check due?", ("checked",), OCR),
        Question("It is March 2027. In how many months is the next check due?", ("checked",), MATH, True, _months),
        Question("Which programme does the small selector point at?", ("selector",), SPATIAL),
        Question("How many hours does the counter show?", ("hours",), FOCUS, spoken=_without_unit),
        Question("How many of the twenty small buttons are marked 8 and not 6?", ("buttons",), COUNT),
    ),
    "desk-oak": (
        Question("At what time was the receipt printed, and at which till?", ("till",), OCR),
        Question("How much change was given back?", ("cash", "total"), MATH, True, _difference),
        Question("How wide is the hinge, by the yellow note?", ("hinge",), FOCUS),
        Question("How long is the piece of wire on the fine scale of the ruler?", ("wire",), MEASURE),
        Question("In which week were sales highest?", ("week",), CHART, True),
        Question("How many of the nine screw heads on the card are of size 8 and not 6?", ("heads",), COUNT),
    ),
    "desk-slate": (
        Question("In which locker is the parcel?", ("locker",), OCR, spoken=_last_word),
        Question(
            "The needle points the way out, and the window below it gives the bearing. Which bearing leads back?",
            ("bearing",),
            SPATIAL,
            True,
            _back,
        ),
        Question("In which order, from the top, are the threads on the tab of the bookmark?", ("bookmark",), COLOUR),
        Question("Which room is pencilled on the pink note?", ("pencilled",), RESTORE),
        Question("How many of the nine screw heads on the card are of size 8 and not 6?", ("heads",), COUNT),
        Question("What is the total of the receipt?", ("total",), OCR),
    ),
    "tools-peg": (
        Question("Which screws does the job card ask for?", ("screws",), OCR),
        Question("How many of the nine drills in the stand are of size 8 and not 6?", ("drills",), COUNT),
        Question("What does the drawer's worn label say?", ("drawer",), RESTORE),
    ),
    "tools-steel": (
        Question("Which depth does the small scale show?", ("depth",), MEASURE),
        Question("On which side is the ring in the window of the small level open?", ("ring",), SPATIAL),
        Question("In which order, from the left, are the threads of the marking tape?", ("band",), COLOUR),
    ),
}

BOARD_QUESTIONS: Mapping[str, tuple[Question, ...]] = {
    "board-cork": (
        Question("Which seat is on the concert ticket?", ("concert",), OCR),
        Question(
            "How much less than an adult does a child pay at the pool?", ("adult", "child"), MATH, True, _difference
        ),
        Question("On which day is the tide highest?", ("tides",), CHART, True),
        Question("In which order, from the left, are the threads of the scarf that was found?", ("scarf",), COLOUR),
        Question("Which raffle number can still be made out?", ("raffle",), RESTORE),
    ),
    "board-felt": (
        Question("At what time is the dentist's appointment?", ("dentist",), OCR),
        Question("Until when is the library book lent?", ("library",), FOCUS),
        Question("How many of the eight marks on the coffee card are 8 and not 6?", ("coffee",), COUNT),
        Question("On which side is the ring on the card of the maze open?", ("maze",), SPATIAL),
        Question("For how long is a boat hired?", ("boat",), MEASURE),
    ),
    "board-linen": (
        Question("Which code is on the parcel slip?", ("parcel",), OCR),
        Question("It is March 2027. In how many months is the library book due?", ("library",), MATH, True, _months),
        Question("What does an adult pay at the pool?", ("adult",), FOCUS),
        Question("On which day is the tide highest?", ("tides",), CHART, True),
        Question("How many of the eight marks on the coffee card are 6 and not 8?", ("coffee",), COUNT, True, _others),
    ),
    "board-steel": (
        Question("What does a child pay at the pool?", ("child",), OCR),
        Question("Which raffle number can still be made out?", ("raffle",), RESTORE),
        Question("In which order, from the left, are the threads of the scarf that was found?", ("scarf",), COLOUR),
        Question("Which seat is on the concert ticket?", ("concert",), FOCUS),
        Question("On which side is the ring on the card of the maze open?", ("maze",), SPATIAL),
    ),
}
"""What is asked on the notice boards, which the public demo does not show."""

NAMING = "Where several of a kind hang, the letter below is part of the name."
"""What a plan's words end with: how its answer names one of several alike."""

PLANS: Mapping[str, tuple[PlanQuestion, ...]] = {
    "tools-peg": (
        PlanQuestion(
            "Which tools, in order, for a door hinge: measure, mark with a pencil, drill 6 mm holes, drive in cross"
            " screws with an 80 mm shaft?",
            (("tape measure",), ("pencil",), ("hand drill",), ("cross screwdriver",)),
        ),
        PlanQuestion(
            "Which tools, in order, to shorten a board: measure and check the square, cut by hand at 8 tpi, smooth by"
            " sanding with P80?",
            (("tape measure", "try square"), ("hand saw",), ("sanding block",)),
        ),
        PlanQuestion(
            "A metal rod is too long. Which tools, in order, to smooth its end with a No. 6 file after one could"
            " clamp it in 36 cm to hold it, and cut it with a 18 tpi hacksaw?",
            (("clamp",), ("hacksaw",), ("file",)),
        ),
        PlanQuestion(
            "Which tools, in any order, to open a crate: drive the nails out with a 500 g hammer, hold the wires with"
            " pliers and cut them with 600 V side cutters?",
            (("hammer",), ("pliers",), ("side cutters",)),
            ordered=False,
        ),
    ),
    "tools-steel": (
        PlanQuestion(
            "Which tools, in order, for a rack: measure and level, mark with a 2.5 mm awl, drill 6 mm holes, tighten"
            " the M8 hex bolts?",
            (("tape measure", "spirit level"), ("awl",), ("hand drill",), ("hex key",)),
        ),
        PlanQuestion(
            "A loose chair leg: which tools, in order, to hold it in 36 cm after one could drive it home without a"
            " bruise, with a head of 60 mm?",
            (("mallet",), ("clamp",)),
        ),
        PlanQuestion(
            "Which tools, in order, to smooth a shelf by sanding with P80 and then paint it with a No. 8 brush?",
            (("sanding block",), ("paint brush",)),
        ),
        PlanQuestion(
            "Which tools, in order, to measure a leather strap, mark it with a 2.5 mm awl, cut it with a 0.6 mm knife?",
            (("tape measure",), ("awl",), ("utility knife",)),
        ),
    ),
}
