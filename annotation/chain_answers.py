"""The end of a toolchain beside the answer of its sample: what the last step measured, and whether they agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

TOTAL = "total_"
"""What the names of counts and sums of a whole step begin with. They come before what single rows measure."""
OF_A_ROW = ("area", "perimeter", "length", "radius", "vertices")
"""What a row measures of the thing it is about, and not of where it lies."""
SPELLED = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty",
)  # fmt: skip
NUMBER = re.compile(
    rf"(?<![\w.,])[-\N{{MINUS SIGN}}]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?|\b(?:{'|'.join(SPELLED)})\b", re.I
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """``measured``: the numbers of the last step that may be an answer, by name. ``agrees``: whether one of them is the
    answer; None where they cannot be compared, as nothing was measured or the answer is no number."""

    measured: tuple[tuple[str, float], ...]
    agrees: bool | None


def compare(measurements: Mapping[str, Any], answers: Sequence[str]) -> Comparison:
    """The measurements of a last step and the accepted answers in words: one that agrees is enough.

    A measurement agrees with a number that it rounds to: 2.47 with "2.5 cm", 4 not with "two".
    """
    measured = tuple(_measured(measurements))
    wanted = [number for answer in answers if (number := number_in(answer)) is not None]
    if not measured or not wanted:
        return Comparison(measured, None)
    return Comparison(measured, any(_rounds_to(value, number) for _, value in measured for number in wanted))


def number_in(text: str) -> Decimal | None:
    """The one number that a text says, in digits or, up to twenty, in words; None where it says none or several."""
    found = [match.group().lower() for match in NUMBER.finditer(text)]
    if len(found) != 1:
        return None
    word = found[0]
    if word in SPELLED:
        return Decimal(SPELLED.index(word))
    return Decimal(word.replace(",", "").replace("\N{MINUS SIGN}", "-"))


def _measured(measurements: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    totals = [(name, value) for name, value in measurements.items() if name.startswith(TOTAL) and _is_number(value)]
    yield from ((name, float(value)) for name, value in totals)
    for rows in measurements.values():
        if isinstance(rows, list) and len(rows) == 1 and isinstance(rows[0], dict):
            yield from ((name, float(rows[0][name])) for name in OF_A_ROW if _is_number(rows[0].get(name)))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rounds_to(value: float, number: Decimal) -> bool:
    exponent = number.as_tuple().exponent
    step = Decimal(1).scaleb(exponent) if isinstance(exponent, int) and exponent < 0 else Decimal(1)
    return Decimal(repr(value)).quantize(step, ROUND_HALF_UP) == number
