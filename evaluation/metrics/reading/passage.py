"""A text that is read for statements: its sentences, clauses and lines, and what keeps a value from counting."""

from __future__ import annotations

import re
from functools import lru_cache

from evaluation.metrics.reading import languages
from evaluation.metrics.reading.comparing import flat, folded
from evaluation.metrics.reading.options import Options
from evaluation.metrics.reading.spans import Text

WINDOW = 240
"""Characters before a value in which its clause and sentence begin."""
LINE = 300
"""Characters behind a place in which its sentence or line ends."""
WORD = "[^\\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""A letter or digit of a script that parts words by spaces."""

_CLAUSE = re.compile(
    r"(?s:.*)(?:[.!?;,:\n。;！？，、…—]|\b(?:but|so|therefore|thus|hence|however|because|then|yet|pero|mas|mais|aber|но)\b"
    r"|但|所以|因此|那么)"
)
_SENTENCE = re.compile(r"(?s:.*)(?:[.!?…](?=[\s\"'”)])|[。！？\n])")
_NEXT_END = re.compile(r"[.!?…](?![\w.])|[。！？؟\n]")
_NEGATION = re.compile(languages.NEGATIONS)
_NO = re.compile(languages.NO)
_NEGATED_BEHIND = re.compile(languages.NEGATED_BEHIND)
_HEDGE = re.compile(languages.HEDGES)
_HEDGED_BEHIND = re.compile(r"\W{0,3} ?(?:maybe|perhaps|possibly|or so|i guess\?|可能|也许)\b")
_BUT = re.compile(languages.BUT, re.IGNORECASE)
_CONDITIONAL = re.compile(languages.CONDITIONAL)
_CONDITION = re.compile(languages.CONDITIONS)
_WOULD = re.compile(languages.WOULD_BE)
_CONCLUSION = re.compile(languages.CONCLUSIONS)
_ECHO = re.compile(rf"^[\"'“( \[]?([A-Za-z])[\"'”)\]]?[.):](?!{WORD}\.)|^[(\[]([A-Za-z])[)\]]", re.MULTILINE)
_MARKER = re.compile(r"([A-Z])[.):][ ](?=[^\W_]{2}|\d)")
_ITEM_AT_END = re.compile(r"(?<![A-Za-z])[(\[]?([A-Z])[.):\]]{1,2} ?([^\n]*)\Z")
_ITEM = re.compile(r"[(\[]?([A-Z])[.):\]]{1,2} ?([^\n]*)")


_CONDITION_WORDS = (
    "if ", "unless", "assuming", "suppos", "provided", "falls ", "wenn ", "si ", "если", "如果", "假如", "要是",
    "もし",    "만약", "إذا", "لو",
)  # fmt: skip
_CONDITION_WORDS_ASCII = tuple(word for word in _CONDITION_WORDS if word.isascii())


@lru_cache(maxsize=16_384)
def _doubt_of(clause: str) -> str:
    """The property of a clause before a value: "negated", "hedged", "would", or "".

    Cached, because most answers contain the same few clauses."""
    if _NEGATION.search(clause) and _NEGATION.search(_BUT.sub("", clause)):
        return "negated"
    if _HEDGE.search(clause) or _CONDITION.search(clause):
        return "hedged"
    return "would" if _WOULD.search(clause) else ""


class Passage:
    """``text`` without presentation, with what is asked of it more than once."""

    __slots__ = ("_conditional", "_echo", "_lines", "ascii", "low", "options", "s", "text")

    def __init__(self, text: Text, options: Options) -> None:
        self.text = text
        self.s = text.s
        self.low = flat(text.s)
        self.ascii = self.low.isascii()
        self.options = options
        self._lines: list[tuple[int, int]] | None = None
        self._echo: list[tuple[int, int]] | None = None
        self._conditional: bool | None = None

    @property
    def lines(self) -> list[tuple[int, int]]:
        """Start and end of the lines that are not blank."""
        if self._lines is None:
            self._lines = self._find_lines()
        return self._lines

    def _find_lines(self) -> list[tuple[int, int]]:
        if "\n" not in self.s:
            return [(0, len(self.s))] if self.s.strip() else []
        found: list[tuple[int, int]] = []
        start = 0
        for line in self.s.split("\n"):
            if line.strip():
                found.append((start, start + len(line)))
            start += len(line) + 1
        return found

    @property
    def echo(self) -> list[tuple[int, int]]:
        """The lines of a list of options: those that begin with an option's letter, where two differ."""
        if self._echo is None:
            self._echo = self._find_echo() if "\n" in self.s else []
        return self._echo

    def _find_echo(self) -> list[tuple[int, int]]:
        begun: list[tuple[str, int]] = []
        for found in _ECHO.finditer(self.s):
            letter = (found[1] or found[2]).upper()
            if letter in self.options.letters:
                begun.append((letter, found.start()))
        if len({letter for letter, _ in begun}) < 2:
            return []
        if (last := self.lines[-1]) and begun[-1][1] == last[0] and begun[-1][0] in {one for one, _ in begun[:-1]}:
            # A letter that was listed before, in the last line, is the answer below the list.
            begun.pop()
        return [(place, self.line_end(place)) for _, place in begun]

    def echoes(self, place: int) -> bool:
        """Whether a list of options is at ``place``, in lines or in one line."""
        if (echo := self.echo) and any(start <= place < end for start, end in echo):
            return True
        if self._beside_next_option(place):
            return True
        end = min(self.line_end(place), place + WINDOW)
        s, begin = self.s, max(0, place - 1)
        if s.count(". ", begin, end) + s.count(") ", begin, end) + s.count(": ", begin, end) < 2:
            return False
        markers = {
            found[1]
            for found in _MARKER.finditer(s, begin, end)
            if not found.start() or not s[found.start() - 1].isalnum()
        }
        return len(markers & self.options.letters) > 1

    def _beside_next_option(self, place: int) -> bool:
        """Whether the next line is the next option of the question, or the previous line ends with the previous option.

        Then there is a list of options at ``place``."""
        here = _ITEM.match(self.s, place)
        if not here:
            return False
        if self._follow(here, _ITEM.match(self.s, here.end() + 1)):
            return True
        if not place or self.s[place - 1] != "\n":
            return False
        above = _ITEM_AT_END.search(self.s, self.s.rfind("\n", 0, place - 1) + 1, place - 1)
        return self._follow(above, here)

    def _follow(self, first: re.Match[str] | None, second: re.Match[str] | None) -> bool:
        """Whether both are options in their order, each with its own text."""
        folds = self.options.folds
        return bool(
            first
            and second
            and ord(second[1]) == ord(first[1]) + 1
            and all(one[1] in folds and folded(one[2]) == folds[one[1]] for one in (first, second))
        )

    def line_end(self, place: int) -> int:
        """Return the end of the line; at most ``LINE`` characters behind ``place``."""
        end = self.s.find("\n", place, place + LINE)
        return min(len(self.s), place + LINE) if end < 0 else end

    def on_last_line(self, place: int) -> bool:
        return bool(self.lines) and place >= self.lines[-1][0]

    def sentence_start(self, place: int) -> int:
        begin = max(0, place - WINDOW)
        found = _SENTENCE.match(self.low, begin, place)
        return found.end() if found else begin

    def sentence_end(self, place: int) -> int:
        """Behind the mark that ends the sentence."""
        found = _NEXT_END.search(self.s, place, place + LINE)
        return found.end() if found else min(len(self.s), place + LINE)

    def clause_start(self, place: int) -> int:
        begin = max(0, place - WINDOW)
        found = _CLAUSE.match(self.low, begin, place)
        return found.end() if found else begin

    def _is_conditional(self) -> bool:
        """Return whether any statement is under a condition."""
        return any(map(self.low.__contains__, _CONDITION_WORDS_ASCII if self.ascii else _CONDITION_WORDS))

    def doubt(self, phrase: int, start: int, end: int) -> str:
        """Return why the value at ``start`` to ``end``, stated by the phrase at ``phrase``, does not count: "negated",
        "hedged", or "".
        """
        found = _doubt_of(self.low[self.clause_start(phrase) : start])
        if found in ("negated", "hedged"):
            return found
        if _NEGATED_BEHIND.match(self.low, end):
            return "negated"
        if _HEDGED_BEHIND.match(self.low, end):
            return "hedged"
        if self._conditional is None:
            self._conditional = self._is_conditional()
        if self._conditional:
            sentence = self.sentence_start(phrase)
            if _CONDITIONAL.match(self.low, sentence, start):
                return "hedged"
            if found == "would" and _CONDITION.search(self.low, sentence, self.sentence_end(end)):
                return "hedged"
        behind = _NEXT_END.search(self.s, end, end + LINE)
        return "hedged" if behind and behind[0] in "?？؟" else ""

    def sentence_doubt(self, start: int, end: int, value: tuple[int, int] = (0, 0)) -> str:
        """Return the doubt like ``doubt``, but of a whole sentence without the ``value`` in it."""
        before, behind = self.low[start : value[0]] if value[1] else "", self.low[max(start, value[1]) : end]
        for part in (before, behind):
            if _NEGATION.search(part) or _NO.search(part):
                return "negated"
        for part in (before, behind):
            if _HEDGE.search(part) or _CONDITION.search(part):
                return "hedged"
        return "hedged" if "?" in self.s[value[1] : end] or "؟" in behind else ""

    def concludes(self, phrase: int, end: int, after: int) -> bool:
        """Whether the sentence of a statement has a word that concludes, behind ``after``."""
        return bool(_CONCLUSION.search(self.low, max(after, self.sentence_start(phrase)), end))
