"""How far two questions use the same words, and the warning about those that nearly do."""

from __future__ import annotations

import pytest

from annotation.validation import Level, repeated_questions, token_overlap

LEFT, RIGHT = "What color is the left cup?", "What color is the right cup?"


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        (LEFT, LEFT, 1),
        (LEFT, RIGHT, 5 / 6),
        # Case, punctuation and order do not matter.
        ("How many cups?", "CUPS: how many", 1),
        ("Ｗｈｅｒｅ is it?", "where is it", 1),
        ("Welche Straße?", "WELCHE STRASSE", 1),
        # 2 · 2 shared of 3 + 5 words.
        ("How many cups?", "How many plates are there?", 4 / 8),
        # A word that occurs twice in one and once in the other is shared once: 2 · 3 of 4 + 3.
        ("the cup the plate", "the cup plate", 6 / 7),
        ("这是什么", "这是什么？", 1),
        ("What is it?", "How many?", 0),
        ("", "", 0),
        ("?!", "?!", 0),
        ("How many?", "", 0),
    ],
)
def test_the_overlap_is_the_share_of_words_that_both_have(one, other, overlap):
    assert token_overlap(one, other) == pytest.approx(overlap)
    assert token_overlap(other, one) == pytest.approx(overlap)


def test_each_question_with_nearly_the_same_words_is_a_warning_that_names_its_sample():
    found = repeated_questions(LEFT, {"desk-17": RIGHT, "desk-17-2": "How many cups?", "desk-17-3": LEFT.upper()})
    assert [(one.field, one.level, one.text.split(",")[0]) for one in found] == [
        ("question", Level.WARNING, "Nearly the same question as desk-17"),
        ("question", Level.WARNING, "Nearly the same question as desk-17-3"),
    ]


@pytest.mark.parametrize(("shared", "warned"), [(4, True), (3, False)])
def test_four_of_five_words_are_nearly_the_same_and_three_are_not(shared, warned):
    words = ["a", "b", "c", "d", "e"]
    other = [*words[:shared], *"vwxyz"[: 5 - shared]]
    assert bool(repeated_questions(" ".join(words), {"s": " ".join(other)})) is warned
