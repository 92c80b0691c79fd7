"""Facts that a text can state, and what they are changed into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NUMBERS: Sequence[str] = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
COLORS: Sequence[str] = (
    "red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "black", "white", "gray", "grey", "silver",
    "gold", "golden", "beige", "turquoise", "violet",
)  # fmt: skip
SIDES: Mapping[str, str] = {
    "left": "right", "right": "left", "top": "bottom", "bottom": "top", "above": "below", "below": "above",
    "upper": "lower", "lower": "upper", "front": "back", "back": "front", "north": "south", "south": "north",
    "east": "west", "west": "east", "inside": "outside", "outside": "inside",
}  # fmt: skip
TRUTHS: Mapping[str, str] = {"yes": "no", "no": "yes", "true": "false", "false": "true"}
LETTERS = "ABCDEFGH"
