"""Numbers as exact fractions, with their units (docs/metrics.md#open-ended-answers). No tolerance, no conversion."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from evaluation.metrics.reading.comparing import OUTER

LONGEST = 80
"""Longer texts are no numbers."""

_DIGITS = (
    r"(?:\d{1,3}(?:(?P<group>[,'’ ])\d{3}(?:(?P=group)\d{3})*)(?!\d)(?:\.\d+)?|\d+\.\d*|\.\d+"
    r"|\d+,(?!\d{3}(?!\d))\d+|\d+)"
)
_PLAIN = re.compile(rf"(?P<sign>[-–+] ?)?(?P<digits>{_DIGITS})(?:[eE](?P<power>[-+]?\d{{1,3}})(?![\w.]))?")
_FRACTION = re.compile(
    r"(?P<sign>[-–+] ?)?(?:(?P<whole>\d{1,15})(?: | ?(?=\\)))?"
    r"(?:(?P<top>\d{1,15}) ?[/⁄∕] ?(?P<bottom>\d{1,15})(?!\d)"
    r"|\\[dt]?frac ?\{ ?(?P<over>-?\d{1,15}) ?\} ?\{ ?(?P<under>\d{1,15}) ?\})"
)
_VULGAR = re.compile(r"(?P<sign>[-–+] ?)?(?P<whole>\d{0,15}) ?(?P<part>[¼-¾⅐-⅞↉])")
_MONEY = re.compile(
    r"(?P<code>[$€£¥₹₩₽]|US\$|(?:USD|EUR|GBP|JPY|CNY|RMB|INR|KRW|CHF|AUD|CAD)(?= ?[-.\d]))\s?", re.IGNORECASE
)
_UNIT = re.compile(
    r" ?(?P<unit>[%‰°'\"″′]|[^\W\d_]{1,20}\.?(?:[²³]|\^[23]|/[^\W\d_]{1,8}[²³]?)?|°[CFcf]|µ[a-z]|[$€£¥₹₩₽]"
    r"|(?:square|cubic|sq\.?|fluid|degrees?|miles|km|per) [^\W\d_]{1,20})\Z"
)
_NO_UNITS = frozenset(
    [
        "or",
        "and",
        "not",
        "of",
        "to",
        "maybe",
        "perhaps",
        "in",
        "at",
        "on",
        "is",
        "are",
        "the",
        "a",
        "an",
        "but",
        "no",
        "yes",
        "plus",
        "minus",
        "with",
        "about",
        "approximately",
        "ish",
        "e",
        "i",
        "either",
        "neither",
        "from",
        "than",
        "too",
        "also",
        "etc",
        "only",
        "left",
        "right",
        "more",
        "less",
        "th",
        "st",
        "nd",
        "rd",
        "s",
        "b",
        "c",
        "d",
        "o",
        "u",
        "y",
    ]
)
_CURRENCIES = {
    "$": "usd", "us$": "usd", "dollar": "usd", "dollars": "usd", "usd": "usd", "€": "eur", "euro": "eur",
    "euros": "eur",
    "£": "gbp", "¥": "yen or yuan", "₹": "inr", "₩": "krw", "₽": "rub", "percent": "%", "percentage": "%", "pct": "%",
    "degree": "°", "degrees": "°", "rmb": "cny",
}  # fmt: skip
_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_CHINESE = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}


def _words() -> dict[str, int]:
    """Number words up to one hundred, in English and Chinese."""
    named = {word: number for number, word in enumerate(_ONES)}
    for ten, word in enumerate(_TENS, 2):
        named[word] = ten * 10
        for one in range(1, 10):
            named[f"{word}-{_ONES[one]}"] = named[f"{word} {_ONES[one]}"] = ten * 10 + one
    named |= {"hundred": 100, "one hundred": 100, "a hundred": 100, "一百": 100, "百": 100} | _CHINESE
    digits = {number: word for word, number in _CHINESE.items() if word not in "〇两"}
    for ten in range(1, 10):
        for start in {digits[ten] + "十", "十"} if ten == 1 else {digits[ten] + "十"}:
            named |= {start + (digits[one] if one else ""): ten * 10 + one for one in range(10)}
    return named


WORDS = _words()


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number; ``unit`` is "" without one."""

    value: Fraction
    unit: str = ""

    @property
    def whole(self) -> bool:
        """Whether it is a whole number without a unit."""
        return not self.unit and self.value.denominator == 1


@lru_cache(maxsize=65_536)
def number_of(words: str) -> Number | None:
    """Return ``words`` as a number, with a unit on one side; None if they are anything else.

    >>> number_of("1,234.5").value, number_of("3/4").value, number_of("-17 km").unit
    (Fraction(2469, 2), Fraction(3, 4), 'km')
    """
    text = words.strip().strip("\"'“”‘’()[]*_ ").rstrip(".,;:!。 ") if len(words) <= LONGEST else ""
    if not text:
        return None
    if (named := WORDS.get(text.lower())) is not None:
        return Number(Fraction(named))
    signed = ""
    if text[0] in "-–" and len(text) > 1 and not text[1].isdigit() and _MONEY.match(text, 1):
        signed, text = "-", text[1:]
    money = _MONEY.match(text)
    start = money.end() if money else 0
    found = _read(text, start)
    if not found:
        return _spelt(text)
    value, end = found
    unit = _CURRENCIES.get(money["code"].lower(), money["code"].lower()) if money else ""
    if end < len(text):
        behind = _UNIT.match(text, end)
        if not behind or money:
            return None
        unit = behind["unit"].lower().rstrip(".")
        if unit in _NO_UNITS:
            return None
        unit = _CURRENCIES.get(unit, unit)
    return Number(-value if signed else value, unit)


def _spelt(text: str) -> Number | None:
    """A number word and a unit."""
    words, _, unit = text.lower().rpartition(" ")
    if words in WORDS and unit not in _NO_UNITS and unit.strip(OUTER).isalpha():
        return Number(Fraction(WORDS[words]), _CURRENCIES.get(unit, unit))
    return None


def _read(text: str, start: int) -> tuple[Fraction, int] | None:
    """Return the number at ``start`` and its end."""
    for pattern, read in ((_FRACTION, _fraction), (_VULGAR, _vulgar), (_PLAIN, _plain)):
        if found := pattern.match(text, start):
            value = read(found)
            if value is not None:
                return (-value if (found["sign"] or " ")[0] in "-–" else value), found.end()
    return None


def _fraction(found: re.Match[str]) -> Fraction | None:
    top, bottom = (found["top"], found["bottom"]) if found["top"] else (found["over"], found["under"])
    if not int(bottom):
        return None
    return Fraction(int(found["whole"] or 0)) + Fraction(int(top), int(bottom))


def _vulgar(found: re.Match[str]) -> Fraction | None:
    part = unicodedata.numeric(found["part"])
    return Fraction(int(found["whole"] or 0)) + Fraction(part).limit_denominator(20)


def _plain(found: re.Match[str]) -> Fraction | None:
    digits = found["digits"]
    digits = re.sub(r"[,'’ ]", "", digits) if found["group"] else digits.replace(",", ".")
    power = int(found["power"] or 0)
    return Fraction(digits) * Fraction(10) ** power if abs(power) <= 400 else None
