"""Finding what is stated: strong and weak statements (docs/metrics.md#statements), phrase by phrase."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluation.metrics.reading import languages
from evaluation.metrics.reading.comparing import folded
from evaluation.metrics.reading.passage import LINE, WORD, Passage
from evaluation.metrics.reading.values import Value, letter_at, value_at


class Candidate(NamedTuple):
    """A value and the phrase that states it: ``start`` of the phrase, ``rule``; ``colon``: joined by a colon."""

    rule: str
    start: int
    value: Value
    colon: bool = False


_Phrase = tuple[str, re.Pattern[str]]
"""A word, and what must surround it."""


def _nouns(language: languages.Language) -> Iterator[_Phrase]:
    """The pattern after each noun: its rest, what may follow in the middle, a link or a line end."""
    spaced = language.name not in ("Chinese", "Japanese", "Korean")
    links = "|".join(language.links)
    edge = rf"(?:(?<!{WORD})|(?!{WORD}))" if spaced else ""
    for word, rest in language.nouns:
        yield (word, re.compile(rf"{rest}(?:{language.middle} ?(?:{links}){edge}|(?P<line> ?\n))"))


_ALL = [noun for language in languages.LANGUAGES for noun in _nouns(language)]
_ASCII = [noun for noun in _ALL if noun[0].isascii()]
_Phrases = list[tuple[tuple[str, ...], re.Pattern[str]]]
"""Words, of which every match of the pattern contains one."""
_FRAMES: _Phrases = [(words, re.compile(pattern)) for one in languages.LANGUAGES for words, pattern in one.frames]
_WEAK: _Phrases = [(words, re.compile(pattern)) for one in languages.LANGUAGES for words, pattern in one.weak]
_BEHIND = [(start, re.compile(pattern)) for starts, pattern in languages.BEHIND for start in starts]
_BEHIND_ASCII = [(start, pattern) for start, pattern in _BEHIND if start.isascii()]


def _in_ascii(phrases: _Phrases) -> _Phrases:
    """Return the phrases that can occur in ASCII text, which most texts are."""
    kept = [(tuple(word for word in words if word.isascii()), pattern) for words, pattern in phrases]
    return [(words, pattern) for words, pattern in kept if words]


_FRAMES_ASCII, _WEAK_ASCII = _in_ascii(_FRAMES), _in_ascii(_WEAK)
_LINE_BEFORE = re.compile(rf"(?:(?:the|my|#+)? ?(?:(?:{languages.FINAL}) )*|.*\b(?:{languages.FINAL}) )\Z")
_LETTER_BEFORE = re.compile(rf"(?<!{WORD})[(\[\"'“]?([A-Z])[)\]\"'”.]{{0,2}}\Z")
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[ ]?[(\[\"'“]?\Z")
_AND_BEFORE = re.compile(
    rf"(?<!{WORD})([A-Z])[)\]\"'”]? ?(?:,|/|&|\+|and|or|nor|和|或|、|oder|und|ou|et|y)(?: ?(?:and|or) )? ?[(\[\"'“]?\Z"
)
_NOT_NOUNS = frozenset(
    [
        "option",
        "choice",
        "answer",
        "letter",
        "so",
        "therefore",
        "thus",
        "hence",
        "that",
        "and",
        "then",
        "because",
        "think",
        "believe",
        "say",
        "guess",
        "conclude",
        "means",
        "is",
        "but",
        "only",
        "clearly",
        "makes",
        "make",
        "find",
        "see",
        "well",
        "now",
        "yes",
        "no",
        "indeed",
        "here",
        "overall",
        "finally",
        "opción",
        "opção",
        "alternativa",
        "réponse",
        "antwort",
        "risposta",
        "ответ",
        "вариант",
    ]
)
_OWN_LEAD = re.compile(r"(?:so|therefore|thus|hence|and|then|i (?:think|believe|say)|that|,|option|choice|answer) ?")


def strong(passage: Passage) -> list[Candidate]:
    """The strong statements in order of position; of two that overlap, the one that begins later."""
    frames = _FRAMES_ASCII if passage.ascii else _FRAMES
    found = [*_by_nouns(passage), *_by_frames(passage, frames, "statement"), *_behind(passage)]
    if len(found) < 2:
        return found
    found.sort(key=lambda one: (one.start, one.value.end))
    kept: list[Candidate] = []
    for one in found:
        while kept and _overlap(kept[-1], one):
            kept.pop()
        kept.append(one)
    return kept


def _overlap(before: Candidate, later: Candidate) -> bool:
    if before.value.start == later.value.start and before.value.kind == later.value.kind:
        return True
    if later.start >= before.value.end:
        return False
    # A loose text or nothing does not outdo what was read before it.
    return later.value.chosen or not before.value.chosen


def weak(passage: Passage) -> list[Candidate]:
    """The weak statements in order of position."""
    phrases = _WEAK_ASCII if passage.ascii else _WEAK
    found = [one for one in _by_frames(passage, phrases, "aside") if one.value.kind not in ("loose", "")]
    found.sort(key=lambda one: one.start)
    return found


def _by_nouns(passage: Passage) -> Iterator[Candidate]:
    for start, end, line in _stated_nouns(passage, _ASCII if passage.ascii else _ALL):
        value = value_at(passage, end)
        if value.chosen or (value.kind and not line):
            yield Candidate("statement", start, value, colon=line or passage.low[end - 1] in ":=")


def _stated_nouns(passage: Passage, nouns: Sequence[_Phrase]) -> Iterator[tuple[int, int, bool]]:
    """Yield the beginning of each noun and the end of its link; and whether the link is the end of the noun's line."""
    low = passage.low
    for word, tail in _standing_in(low, nouns):
        place = low.find(word)
        while place >= 0:
            joined = place > 0 and _joined(low[place - 1], word)
            if not joined and (found := tail.match(low, place + len(word))):
                line = found["line"] is not None
                if not line or _LINE_BEFORE.match(low[max(low.rfind("\n", 0, place) + 1, place - 80, 0) : place]):
                    yield place, found.end(), line
            place = low.find(word, place + len(word))


def _standing_in(low: str, phrases: Sequence[_Phrase]) -> list[_Phrase]:
    """The few phrases whose word ``low`` contains."""
    return [phrase for phrase in phrases if phrase[0] in low]


def _joined(before: str, word: str) -> bool:
    """Return whether the word continues before its beginning."""
    return word.isascii() and before.isalnum() and before.isascii()


def _by_frames(passage: Passage, frames: _Phrases, rule: str) -> Iterator[Candidate]:
    low = passage.low
    holds = low.__contains__
    for words, pattern in frames:
        if not any(map(holds, words)):
            continue
        for found in pattern.finditer(low):
            value = value_at(passage, found.end())
            # These phrases also precede text that is no answer: only an option counts.
            if value.kind not in ("", "loose", "outside"):
                yield Candidate(rule, found.start(), value)


def _behind(passage: Passage) -> Iterator[Candidate]:
    """ "X is correct": the value precedes the phrase."""
    low = passage.low
    for start, pattern in _standing_in(low, _BEHIND_ASCII if passage.ascii else _BEHIND):
        place = low.find(start)
        while place >= 0:
            if pattern.match(low, place) and (found := _before(passage, place)):
                yield found
            place = low.find(start, place + 1)


def _before(passage: Passage, place: int) -> Candidate | None:
    """The letter or option's text that ends at ``place``."""
    begin = max(0, place - 120)
    before = passage.s[begin:place]
    if letter := _LETTER_BEFORE.search(before):
        start = begin + letter.start()
        if letter[1] not in passage.options.letters or _named(before[: letter.start()]):
            return None
        if several := _AND_BEFORE.search(before[: letter.start()]):
            return Candidate("statement", start, Value("several", "", begin + several.start(1), place))
        value = Value("letter", letter[1], begin + letter.start(1), begin + letter.end(1))
        return Candidate("statement", start, value)
    if not passage.options.known:
        return None
    start = passage.clause_start(place)
    words = passage.low[start:place].lstrip()
    start = place - len(words)
    while lead := _OWN_LEAD.match(words):
        start, words = start + lead.end(), words[lead.end() :]
    chosen = passage.options.by_fold.get(folded(words), "") if len(words) <= 200 else ""
    return Candidate("statement", start, Value("text", chosen, start, place)) if chosen else None


def _named(before: str) -> bool:
    """Whether the word before a letter makes it part of a name: "Plan B"."""
    if before.endswith((" (", " [")):
        return False
    word = _WORD_BEFORE.search(before)
    return bool(word) and word is not None and word[1].lower() not in _NOT_NOUNS and not _AND_BEFORE.search(before)


_NAMING = ("option", "choice", "answer", "letter", "opci", "opç", "alternativ", "вариант", "antwort", "réponse",
           "risposta", "opzione", "lettre", "letra", "选项", "選択肢", "선택지", "الخيار")  # fmt: skip
_NAMING_ASCII = tuple(word for word in _NAMING if word.isascii())
_BRACKETED = re.compile(r"[(\[][A-Z][)\]]")
_MENTION = re.compile(
    rf"(?<!{WORD})(?:(?i:option|choice|answer|letter|opción|opção|alternativa|вариант|antwort|réponse|risposta|opzione"
    rf"|lettre|letra)|选项|選択肢|선택지|الخيار)[ :]{{0,2}}(?=[(\[\"'“]?[A-Za-z](?!{WORD}))"
)


def letters_named(passage: Passage) -> list[Value]:
    """Options that are named as such, in order: "option B", "(B)"."""
    places = {match.start() for match in _BRACKETED.finditer(passage.s)}
    if any(map(passage.low.__contains__, _NAMING_ASCII if passage.ascii else _NAMING)):
        places |= {match.end() for match in _MENTION.finditer(passage.s)}
    found = [letter_at(passage, place) for place in sorted(places)]
    return [value for value in found if value.kind]


_SPOKEN_END = re.compile(r"[.!。！？?…]+(?![\w.])|\n|\Z")
_CUT = re.compile(r"\s?,?\s(?:because|since|which|as (?:shown|seen|can|it|the|indicated))\b")
_UNCERTAIN = re.compile(
    r"(?:clear|visible|shown|based|found|not|in|that|obvious|difficult|unclear|to|on|as|by|given|determined"
    r"|the following"
    r"|below|above|here|provided|correct|wrong|incorrect|an?$|simple|also|now|likely|probably|written|about)\b"
)


_UNSPOKEN = ("letter", "option", "choice", "response", "pick", "选择")
"""Nouns that name no open answer."""
_SPOKEN = [noun for noun in _ALL if noun[0] not in _UNSPOKEN]
_SPOKEN_ASCII = [noun for noun in _SPOKEN if noun[0].isascii()]


def spoken_values(passage: Passage, certain: bool = False) -> list[tuple[int, int, int]]:
    """The texts that open answers state: start of the phrase, start and end of the text, in order.

    ``certain``: only those that can be nothing but an answer.
    """
    low, s = passage.low, passage.s
    found: list[tuple[int, int, int]] = []
    for place, after, line in _stated_nouns(passage, _SPOKEN_ASCII if passage.ascii else _SPOKEN):
        start = after
        while start < len(s) and s[start] in " \n:":
            start += 1
        stop = _SPOKEN_END.search(s, start, start + LINE)
        end = stop.start() if stop else min(len(s), start + LINE)
        if cut := _CUT.search(low, start, min(end, start + 200)):
            end = cut.start()
        colon = line or low[after - 1] in ":="
        loose = not colon and bool(_UNCERTAIN.match(low, start))
        sure = not certain or low.count(" ", start, end) < 5
        if end > start and not loose and sure and not passage.doubt(place, start, end):
            found.append((place, start, end))
    found.sort()
    kept: list[tuple[int, int, int]] = []
    for one in found:
        if kept and one[0] < kept[-1][2]:
            kept.pop()
        kept.append(one)
    return kept
