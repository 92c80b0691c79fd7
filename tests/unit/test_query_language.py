"""The query language: what a query says, where one is wrong, and what may stand at the caret."""

from __future__ import annotations

import math
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.query.check import Vocabulary, read
from evaluation.query.complete import complete
from evaluation.query.numbers import bounds
from evaluation.query.parser import parse
from evaluation.query.syntax import And, Not, OnOtherTrajectory, Or, QueryError, Term, Text
from evaluation.query.tokens import quoted
from evaluation.query.words import holds, phrase_of, words_of
from evaluation.store.words.file import COLUMNS, find, write_words

WORDS = Vocabulary(
    {"run": ["Model A", "Model B", "7"], "condition": ["none", "visual"], "tag": ["off by one"]},
    {"category": ["Color", "Chart & more"], "answer kind": ["short"]},
)


def term(field, value="yes", sign=":"):
    return Term(field, sign, value)


def bare(node):
    """The tree without columns, to be compared."""
    if isinstance(node, Term):
        return Term(node.field, node.sign, node.value)
    if isinstance(node, Text):
        return Text(node.value)
    if isinstance(node, And | Or):
        return type(node)(tuple(bare(part) for part in node.parts))
    return type(node)(bare(node.part))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", And()),
        ("correct", term("correct")),
        ("CORRECT", term("correct")),
        ("correct:no", term("correct", "no")),
        ("correct=no", term("correct", "no")),
        ("correct != no", Not(term("correct", "no"))),
        ("calls > 4", term("calls", "4", ">")),
        ("calls>=4", term("calls", "4", ">=")),
        ("turns:2..5", term("calls", "2..5")),
        ("area < 0.05 %", term("area", "0.05%", "<")),
        ('"Dr \\"Holt\\""', Text('Dr "Holt"')),
        ('category:"Chart & more"', term("category", "Chart & more")),
        ('facet."answer kind":short', term("facet.answer kind", "short")),
        ("correct grounded", And((term("correct"), term("grounded")))),
        ("correct and not grounded", And((term("correct"), Not(term("grounded"))))),
        ("correct or wrong and grounded", Or((term("correct"), And((term("wrong"), term("grounded")))))),
        ("(correct or wrong) grounded", And((Or((term("correct"), term("wrong"))), term("grounded")))),
        ("not correct wrong", And((Not(term("correct")), term("wrong")))),
        ("run:a correct and run:b wrong",
         And((And((term("run", "a"), term("correct"))), OnOtherTrajectory(And((term("run", "b"), term("wrong"))))))),
        ("run:a correct run:b wrong",
         And((And((term("run", "a"), term("correct"))), OnOtherTrajectory(And((term("run", "b"), term("wrong"))))))),
        ("run:a and not (run:b correct)",
         And((term("run", "a"), Not(OnOtherTrajectory(And((term("run", "b"), term("correct")))))))),
        ("run:a correct and run:a grounded",
         And((And((term("run", "a"), term("correct"))), And((term("run", "a"), term("grounded")))))),
        ("run:a or run:b", Or((term("run", "a"), term("run", "b")))),
    ],
)  # fmt: skip
def test_a_query_is_read_by_precedence(text, tree):
    assert bare(parse(text)) == tree


@pytest.mark.parametrize(
    ("text", "column", "proposals"),
    [
        ("grouned", 1, ("grounded", "grounded_in:")),
        ("correct and categry:Color", 13, ("category:",)),
        ("category:Colr", 1, ("category:Color",)),
        ('run:"Model C"', 1, ('run:"Model B"', 'run:"Model A"')),
        ("quadrant:G-B-", 1, ("quadrant:G-A-",)),
        ("correct:maybe", 1, ()),
        ("calls:many", 1, ()),
        ("calls:1e99", 1, ()),
        ("calls > ", 9, ()),
        ("category > 3", 1, ()),
        ("correct > 3", 1, ()),
        ("(correct", 1, ()),
        ("correct)", 8, ()),
        ("correct and", 12, ()),
        ("and correct", 1, ()),
        ("correct or or wrong", 12, ()),
        ("not", 4, ()),
        ('grounded "open', 10, ()),
        ("()", 2, ()),
        ("(" * 60 + "correct" + ")" * 60, 51, ()),
        ("x" * 2001, 2001, ()),
        ('grounded "a\0b"', 12, ()),
        ('correct "?!"', 9, ()),
        ('answer:"*"', 1, ()),
    ],
)
def test_an_error_names_its_column_and_the_nearest(text, column, proposals):
    with pytest.raises(QueryError) as caught:
        read(text, WORDS)
    assert caught.value.column + 1 == column
    assert caught.value.sentence.startswith(f"Column {column}: ")
    assert caught.value.caret == f"{text}\n{' ' * (column - 1)}^"
    assert caught.value.proposals[: len(proposals)] == proposals


@given(st.text(alphabet='ab:"()<>=!. \\\t%andornot3', max_size=40))
def test_whatever_is_typed_is_read_or_refused(text):
    columns = [0]
    try:
        parse(text)
    except QueryError as error:
        columns.append(error.column)
    assert 0 <= columns[-1] <= len(text)


@given(st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=30))
def test_any_value_can_be_written(value):
    assert bare(parse(f"tag:{quoted(value)}")) == term("tag", value)


@pytest.mark.parametrize(
    ("value", "sign", "inside", "outside"),
    [
        ("3", ":", [3, 3 + 1e-10], [2, 4]),
        ("3+", ":", [3, 9], [2]),
        ("2..5", ":", [2, 5], [1, 6]),
        ("..5", ":", [-9, 5], [6]),
        ("0.5", ">", [0.6], [0.5, 0.5 + 1e-10]),
        ("0.5", ">=", [0.5, 0.5 - 1e-10], [0.4]),
        ("5%", "<=", [0.05], [0.06]),
        ("any", ":", [-1e9, 1e9], []),
    ],
)
def test_numbers_are_compared_with_a_tolerance(value, sign, inside, outside):
    wanted = bounds(Term("ioa", sign, value))
    assert all(wanted.low < number < wanted.high for number in inside)
    assert not any(wanted.low < number < wanted.high for number in outside)
    assert wanted.defined


def test_undefined_is_asked_for_by_name():
    assert bounds(Term("ioa", ":", "none")).defined is False
    assert bounds(Term("ioa", ":", "none")).low == -math.inf


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("", "sample:"),
        ("quad", "quadrant:"),
        ("correct and ungl", None),
        ("correct and gro", "grounded "),
        ("quadrant:g-", "G-A+ "),
        ("category:ch", '"Chart & more" '),
        ('category:"Ch', '"Chart & more" '),
        ("facet.category:col", "Color "),
        ("answer k", 'facet."answer kind":'),
        ("tag:", '"off by one" '),
        ("run:model", '"Model A" '),
        ("ioa:", "none "),
        ('"free te', None),
    ],
)
def test_what_may_stand_at_the_caret(text, first):
    word = text if text != "answer k" else "kind"
    found = complete(word, len(word), WORDS)
    assert (found[0].text if found else None) == first


LETTERS = st.text(
    alphabet="aB \u00e9\u00df-_3*'\"\u5370\u8d64\u30a2\u3044\u0301\u01c5\ufb01\u0130\ue000\U00020000\0", max_size=12
)
PIECES = st.sampled_from(
    ["a", "ab", "a*", "ab*", "\u00e9", "\u00e9*", "e\u0301b", "\u8d64", "\u3044*", "3", "-", ".", "\ue000"]
)
SAID = st.one_of(LETTERS, st.lists(PIECES, max_size=8).map(" ".join))


def reads(text, phrase):
    """Whether a text holds a phrase, word by word."""
    there = words_of(text)
    return bool(phrase) and any(
        all(
            word.startswith(wanted.text) if wanted.begins else word == wanted.text
            for wanted, word in zip(phrase, there[place : place + len(phrase)], strict=True)
        )
        for place in range(len(there) - len(phrase) + 1)
    )


@st.composite
def phrases(draw, *texts):
    """Any, or words of these texts, next to each other or not, across their ends, some cut off by a star."""
    words = words_of(" ".join(texts))
    if not words or draw(st.integers(0, 3)) == 0:
        return phrase_of(draw(SAID))
    first, step, size = draw(st.integers(0, len(words) - 1)), draw(st.integers(1, 2)), draw(st.integers(1, 4))
    some = words[first::step][:size]
    return phrase_of(" ".join(f"{one[: draw(st.integers(1, 2))]}*" if draw(st.booleans()) else one for one in some))


@given(st.data(), SAID)
def test_a_text_holds_a_phrase_if_its_words_follow_each_other_there(data, text):
    phrase = data.draw(phrases(text))
    assert holds(text, phrase) == reads(text, phrase)


@given(st.data(), st.lists(st.tuples(SAID, st.lists(SAID, max_size=4)), max_size=5), st.sampled_from([16, 1, 0]))
def test_the_file_of_words_finds_what_reading_the_texts_finds(data, entries, most):
    """``most``: so many phrases are asked for in the place of one with stars inside."""
    with TemporaryDirectory() as folder, patch("evaluation.store.words.file.MOST_PHRASES", most):
        path = Path(folder) / "a b?%#.sqlite3"
        write_words(path, [(7 * place, answer, said) for place, (answer, said) in enumerate(entries)])
        texts = [text for answer, said in entries for text in (answer, *said)]
        for phrase in filter(None, data.draw(st.lists(phrases(*texts), max_size=6))):
            answers, transcripts = (
                [7 * place for place, one in enumerate(entries) if any(holds(text, phrase) for text in texts(one))]
                for texts in (lambda one: one[:1], lambda one: one[1])
            )
            assert find(path, phrase, COLUMNS[:1]).tolist() == answers
            assert find(path, phrase, COLUMNS[1:]).tolist() == transcripts
            assert find(path, phrase, COLUMNS).tolist() == sorted({*answers, *transcripts})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Zoom-in: bbox_2d [0.5,  12]", ["zoom", "in", "bbox", "2d", "0", "5", "12"]),
        ("STRASSE Stra\u00dfe", ["strasse", "strasse"]),
        ("cafe\u0301 caf\u00e9", ["caf\u00e9", "caf\u00e9"]),
        ("\u8d64\u3044\u5370 sign", ["\u8d64", "\u3044", "\u5370", "sign"]),
        ("x" * 70, ["x" * 64]),
        ("\ufb03" * 40, [("ffi" * 40)[:64]]),
        ("\u2026!", []),
    ],
)
def test_words_are_letters_and_digits_without_regard_to_case(text, words):
    assert words_of(text) == words
    assert not words or holds(text, phrase_of(text))
