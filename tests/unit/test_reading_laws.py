"""Laws of reading: what changes nothing, what changes along, and what is never read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.reading import Reading, read_answer
from evaluation.metrics.reading.marks import ROLE
from evaluation.metrics.reading.normalize import normalize
from evaluation.metrics.settings import MetricSettings
from tests.unit.answer_cases import Case, choices

STANDARD = MetricSettings()
CASES = choices()
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
MARKED = re.compile(r"[<>`$\\{}#*_~\[\]|\n]|\bbox")
"""Texts whose own marks mix with those around them."""


def read(text: str, case: Case) -> Reading:
    return read_answer(text, case.key, STANDARD)


def each_case(law: Callable[[Case], None]) -> Callable[[], None]:
    """A test of ``law`` for all cases, which reports those that break it."""

    def holds() -> None:
        broken: list[tuple[Case, str]] = []
        for case in CASES:
            try:
                law(case)
            except AssertionError as error:
                broken.append((case, str(error)))
        assert broken == []

    holds.__name__, holds.__doc__ = law.__name__, law.__doc__
    return holds


WRAPPINGS: dict[str, Callable[[str], str]] = {
    "bold": lambda text: f"**{text.strip()}**",
    "an answer tag": lambda text: f"<answer>{text}</answer>",
    "a fence": lambda text: f"```\n{text}\n```",
    "a token behind it": lambda text: f"{text}<|im_end|>",
    "a token before it": lambda text: f"<s> {text}",
    "full-width forms": lambda text: text.translate(WIDE),
    "invisible characters": lambda text: "\u200b".join(text),
    "Windows line ends": lambda text: text.replace("\n", "\r\n"),
    "thinking before it": lambda text: f"<think>It may be A. No, C.</think>\n{text}",
    "spaces around it": lambda text: f"  \n{text} \n ",
}
OUTER = ("bold", "an answer tag", "a fence", "full-width forms")
"""These add marks, which texts with marks of their own are read together with."""


@pytest.mark.parametrize("how", WRAPPINGS)
def test_what_is_put_around_an_answer_changes_nothing(how: str) -> None:
    # The name of a role marks a turn: it is no part of an answer that something is put around.
    wrapped = [case for case in CASES if case.text.strip() and not ROLE.match(case.text)]
    if how in OUTER:
        wrapped = [case for case in wrapped if not MARKED.search(case.text)]
    changed = [
        case.text for case in wrapped if read(WRAPPINGS[how](case.text), case).letter != read(case.text, case).letter
    ]
    assert len(wrapped) > 500
    assert changed == []


@each_case
def test_permuting_the_texts_of_options_permutes_what_a_text_reads(case: Case) -> None:
    letters = list(case.options)
    moved = letters[1:] + letters[:1]
    found = read(case.text, case)
    if found.rule in ("text", "number", "contained") and not re.search(r"(?<!\w)[A-Z](?!\w)", case.text):
        options = {moved[place]: case.options[letter] for place, letter in enumerate(letters)}
        assert read(case.text, case._replace(options=options)).letter == moved[letters.index(found.letter)]


@each_case
def test_renaming_options_renames_the_letter(case: Case) -> None:
    """Options are called P, Q, R and S, as is the letter in the answer."""
    names = dict(zip(case.options, "PQRS", strict=False))
    found = read(case.text, case)
    plain = case.text.isascii() and len(case.options) == 4 and all(len(words) > 1 for words in case.options.values())
    by_letter = found.rule in ("letter", "statement", "lead", "last_line")
    if plain and by_letter and not re.search(r"\b[abcdiopqrs]\b|\bA [a-z]", case.text):
        said = re.sub(r"(?<![^\W_])[ABCD](?![^\W_])", lambda m: names[m[0]], case.text)
        renamed = {names[letter]: words for letter, words in case.options.items()}
        assert read(said, case._replace(options=renamed)).letter == names[found.letter]


ALPHABET = st.sampled_from(
    [
        "A",
        "B",
        "C",
        "E",
        "cup",
        "kettle",
        "lamp",
        "plate",
        "answer",
        "is",
        "the",
        "not",
        ":",
        ".",
        ",",
        "(",
        ")",
        "?",
        "\n",
        "<answer>",
        "</answer>",
        "<think>",
        "</think>",
        "\\boxed{",
        "}",
        "**",
        "$",
        "{",
        '"',
        "or",
        "wait",
        "so",
        "Option",
        "correct",
        "答案",
        "是",
        "1",
        "17",
        "%",
        " ",
        "\u200b",
        "½",
        "²",
        "ﬁ",
        "é",
        "́",
        "</s>",
        "USER:",
        "if",
        "maybe",
        "I",
    ]
)
TEXTS = st.lists(ALPHABET, max_size=14).map(lambda parts: " ".join(parts)) | st.lists(ALPHABET, max_size=10).map(
    "".join
)
OPTIONS = {"A": "kettle", "B": "cup", "C": "lamp"}
KEY = AnswerKey(True, OPTIONS, ("A",))


@given(text=TEXTS)
def test_a_letter_that_is_read_is_an_option_and_its_place_holds_it(text: str) -> None:
    found = read_answer(text, KEY, STANDARD)
    if found.state == "read":
        assert found.letter in OPTIONS
        said = text[found.start : found.end].casefold()
        assert found.letter.casefold() in said or OPTIONS[found.letter] in said.replace("\u200b", "")
    else:
        assert (found.letter, found.where, found.rule, found.start, found.end) == ("", "", "", 0, 0)
        assert bool(found.reason) == (found.state == "unread")


@given(text=TEXTS | st.text(max_size=40))
def test_normalizing_twice_changes_nothing(text: str) -> None:
    once = normalize(text).text.s
    assert normalize(once).text.s == once


@each_case
def test_without_letters_and_texts_nothing_is_read(case: Case) -> None:
    """But numbers written in words, which are another way to write an option's text."""
    masked = case.text
    for words in sorted(case.options.values(), key=len, reverse=True):
        masked = re.sub(re.escape(words), "⟨thing⟩", masked, flags=re.IGNORECASE)
    masked = re.sub(r"(?<![^\W_])\w(?![^\W_])|[Ａ-Ｚ𝐀-𝐙Ⓐ-Ⓩ]", "…", masked)
    masked = re.sub(r"(?<![a-zA-Z])[A-I]{1,4}(?![a-z])", "…", masked)
    left = [w for words in case.options.values() for w in re.findall(r"\w+", words.lower()) if w in masked.lower()]
    if not left and not re.search(r"true|false", masked, re.IGNORECASE):
        found = read(masked, case)
        assert found.letter == "" or found.rule == "number"


ENDINGS = ("<answer>B</answer>", "\\boxed{B}", "The answer is B.", "I choose B.", "\nB", "\n\nB. cup")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("before", ["The answer is A. ", "I choose A. ", "Answer: A\n", "My choice is (A). "])
def test_an_unmarked_statement_before_it_is_never_read_instead(before: str, ending: str) -> None:
    assert read_answer(before + ending, KEY, STANDARD).letter != "A"


@each_case
def test_gold_is_never_asked(case: Case) -> None:
    found = read(case.text, case)
    for gold in case.options:
        assert read_answer(case.text, replace(case.key, accepted=(gold,)), STANDARD) == found
