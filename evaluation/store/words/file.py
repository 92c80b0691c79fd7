"""The full-text index of a run as a file: SQLite FTS5, filled with the words of ``evaluation.query.words``.

FTS5 does not split texts: it receives our words separated by spaces. Its tokenizer ``ascii`` treats every character
outside ASCII as part of a word, and ours contain only lower-case letters and digits within ASCII.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from functools import cache
from itertools import product
from math import prod
from pathlib import Path

import numpy as np

from evaluation.metrics.columns import Ints
from evaluation.query.words import Word, words_of

COLUMNS = ("answer", "transcript")
"""The texts of each trajectory in the file."""
NONE = np.empty(0, np.int64)
MOST_PHRASES = 16
"""A phrase with stars is expanded to at most this number of phrases without stars."""
_BETWEEN_TEXTS = " \ue000 "
"""A private-use character that is part of no word. No phrase continues from one text of a transcript to the next."""
_LAST = "\U0010ffff"
_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE VIRTUAL TABLE words USING fts5(answer, transcript, tokenize = 'ascii', content = '', columnsize = 0);
CREATE VIRTUAL TABLE terms USING fts5vocab(words, row);
CREATE VIRTUAL TABLE places USING fts5vocab(words, instance);
"""
# One text of numbers is read four times as fast as rows of one number.
_MATCHING = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"
_BEGINNING = "SELECT term FROM terms WHERE term >= ? AND term <= ? LIMIT ?"
_STANDING = """
SELECT group_concat((doc << 29) + ((col = 'transcript') << 28) + offset) FROM places WHERE term >= ? AND term <= ?
"""
"""Trajectory, column and number of the word in one number."""


@cache
def available() -> bool:
    """Whether the SQLite of this Python has FTS5. Nearly all have."""
    with closing(sqlite3.connect(":memory:")) as memory:
        try:
            memory.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        except sqlite3.OperationalError:
            return False
    return True


def write_words(path: Path, texts: Iterable[tuple[int, str, Sequence[str]]]) -> None:
    """Make the file of the number, the answer and the transcript of each trajectory, in order of number."""
    with closing(sqlite3.connect(path)) as file:
        file.executescript(_TABLES)
        rows = ((pk, _words(answer), _BETWEEN_TEXTS.join(map(_words, said))) for pk, answer, said in texts)
        file.executemany("INSERT INTO words (rowid, answer, transcript) VALUES (?, ?, ?)", rows)
        file.execute("INSERT INTO words (words) VALUES ('optimize')")
        file.commit()
        file.execute("VACUUM")


def find(path: Path, phrase: Sequence[Word], columns: Collection[str]) -> Ints:
    """The numbers of the trajectories with a phrase in one of these columns: those whose text ``holds`` it. Raises
    ``sqlite3.DatabaseError`` for a damaged file."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as file:
        # FTS5 only accepts a star after the last word.
        each = [_beginning(file, word.text) if word.begins else [word.text] for word in phrase[:-1]]
        last, star = [phrase[-1].text], "*" if phrase[-1].begins else ""
        if prod(map(len, each)) > MOST_PHRASES:
            return _by_places(file, phrase, columns)
        phrases = " OR ".join(f'"{" ".join(words)}" {star}' for words in product(*each, last))
        return _numbers(file, _MATCHING, f"{{{' '.join(columns)}}} : ({phrases})") if phrases else NONE


def _beginning(file: sqlite3.Connection, text: str) -> list[str]:
    """The words with this beginning; if there are many, one more than can be searched one by one."""
    return [term for [term] in file.execute(_BEGINNING, (text, text + _LAST, MOST_PHRASES + 1))]


def _by_places(file: sqlite3.Connection, phrase: Sequence[Word], columns: Collection[str]) -> Ints:
    """``find`` by the positions of words. It takes equally long for any number of words that a star matches."""
    there = NONE
    for place, word in enumerate(phrase):
        found = _numbers(file, _STANDING, word.text, word.text + (_LAST if word.begins else "")) - place
        there = np.intersect1d(there, found, assume_unique=True) if place else found
    inside = np.isin(there >> 28 & 1, [COLUMNS.index(column) for column in columns])
    return np.unique(there[inside] >> 29)


def _numbers(file: sqlite3.Connection, query: str, *args: str) -> Ints:
    [text] = file.execute(query, args).fetchone()
    return NONE if text is None else np.fromstring(text, np.int64, sep=",")


def _words(text: str) -> str:
    return " ".join(words_of(text))
