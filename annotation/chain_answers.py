"""Compares the end of a toolchain with the answer of its sample: the measurements of the last step, and whether they
agree.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from annotation.schema import AnswerType, SampleContent

TOTAL = "total_"
"""The prefix of counts and sums of an entire step. They come before measurements of single rows."""
PURPOSES = ("total_area", "total_perimeter")
"""The main measurement of a step that counts and sums: the sum."""
OF_A_ROW = ("area", "perimeter", "length", "radius", "vertices")
"""Measurements of a row that describe its object and not its position."""
SPELLED = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty",
)  # fmt: skip
NUMBER = re.compile(
    rf"(?<![\w.,])[-\N{{MINUS SIGN}}]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?|\b(?:{'|'.join(SPELLED)})\b", re.I
)


UNIT = re.compile(
    r"\d\s*(?:[mcdk]?m|in(?:ch(?:es)?)?|ft|feet|°|degrees?|%|percent|px|pixels?|[mk]?g|[mc]?l|s|min|h|hours?|minutes?|"
    r"seconds?|€|£|usd|eur)\b|\d\s*[°%€£]|[$€£]\s*\d",
    re.I,
)
"""A number with a unit. A measurement in pixels or a count is not that number, even if the digits are equal."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """``measured``: possible answers returned by the last step, by name: numbers or text. ``agrees``: whether they
    match the answer; None if unknown. ``observed``: the text that was compared.
    """

    measured: tuple[tuple[str, float | str], ...]
    agrees: bool | None
    observed: str = ""


def answer_words(content: SampleContent) -> tuple[str, ...]:
    """Return the accepted answers as text; for a multiple-choice question, the texts of the options."""
    if content.answer_type is AnswerType.OPEN:
        return tuple(one.strip() for one in content.answers if one.strip())
    return tuple(text for one in content.answers if (text := content.options.get(one, "").strip()))


def answer_digest(content: SampleContent) -> str:
    """Return a digest of the answer with its type and options."""
    options = sorted(content.options.items()) if content.answer_type is AnswerType.MULTIPLE_CHOICE else []
    said = [content.answer_type.value, options, sorted(one for one in content.answers if one.strip())]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


def compare(measurements: Mapping[str, Any], content: SampleContent) -> Comparison:
    """Compare the measurements of a last step with the answer. One matching accepted answer is enough.

    The main measurement of the step comes first: a text, an area or a perimeter, else a count. It agrees with a number
    that it rounds to: 2.47 with "2.5 cm", 4 not with "two". If only another measurement of the step agrees, a person
    must decide: a single contour with area 4 answers "one" or "four". A person must also decide if the answer is not a
    number or has a unit, unless the measurement equals another option.
    """
    texts = [(name, value.strip()) for name, value in measurements.items() if isinstance(value, str) and value.strip()]
    said = answer_words(content)
    answers = tuple(one for one in said if not UNIT.search(one))
    if texts:
        agrees = any(_plain(text) == _plain(one) for _, text in texts for one in said) if said else None
        return Comparison(tuple(texts), agrees, texts[0][1])
    measured = tuple(_measured(measurements))
    if not measured or not answers:
        return Comparison(measured, None, _in_words(measured[:1]))
    first, others = _by_purpose(measured)
    if _is_one_of(first[1], answers):
        return Comparison(measured, True, _in_words([first]))
    if any(_is_one_of(value, answers) for _, value in others):
        return Comparison(measured, None, _in_words(measured))
    wanted = [one for one in answers if number_in(one) is not None]
    elsewhere = [text for text in content.options.values() if text.strip() not in said and not UNIT.search(text)]
    differs = bool(wanted) or _is_one_of(first[1], elsewhere)
    return Comparison(measured, False if differs else None, _in_words([first]))


def _by_purpose(measured: Sequence[tuple[str, float]]) -> tuple[tuple[str, float], list[tuple[str, float]]]:
    """Return the main measurement of the step, and its other measurements."""
    names = dict(measured)
    wanted = next((name for name in PURPOSES if name in names), measured[0][0])
    first = (wanted, names[wanted])
    return first, [one for one in measured if one != first]


def _is_one_of(value: float, answers: Iterable[str]) -> bool:
    numbers = (number_in(answer) for answer in answers)
    return any(number is not None and _rounds_to(value, number) for number in numbers)


def _in_words(measured: Iterable[tuple[str, float | str]]) -> str:
    return ", ".join(f"{value:g}" if isinstance(value, float) else value for _, value in measured)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def is_answer(text: str, content: SampleContent) -> bool:
    """Return whether a person's answer is correct: the letter, or one of the accepted texts or numbers."""
    if content.answer_type is AnswerType.MULTIPLE_CHOICE:
        return text.strip() in content.answers
    number = number_in(text)
    for accepted in answer_words(content):
        if _plain(text) == _plain(accepted) or (number is not None and number_in(accepted) == number):
            return True
    return False


def number_in(text: str) -> Decimal | None:
    """Return the only number of a text, in digits or, up to twenty, as a word; None if it has none or several."""
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
