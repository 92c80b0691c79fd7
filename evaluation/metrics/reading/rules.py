"""The rules by which a letter is read, as rows of one ordered table (docs/metrics.md#reading-the-letter)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.metrics.reading import languages
from evaluation.metrics.reading.comparing import folded
from evaluation.metrics.reading.numbers import number_of
from evaluation.metrics.reading.passage import WORD, Passage
from evaluation.metrics.reading.statements import Candidate, letters_named, strong, weak
from evaluation.metrics.reading.values import NOTHING, Value, letter_at, option_at, own_text_behind

EXACT, STATED, INFERRED = "exact", "stated", "inferred"


class Outcome(NamedTuple):
    """The result of a rule for a passage: a letter with its position, or the reason why none is read."""

    letter: str = ""
    start: int = 0
    end: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: ``read`` returns an outcome, None if the rule does not apply."""

    name: str
    strength: str
    read: Callable[[Passage], Outcome | None]


_LETTER = re.compile(r"[\s\"'“”‘’«»„「『(\[{【〔<]{0,6}([A-Za-z])[\s\"'“”‘’«»」』)\]}】〕>.,;:!。、，]{0,8}\Z")
_JOINED = re.compile(r"[\s(\[\"']*[A-Z](?:[\s,;/&+、|.)\](\[\"'-]*(?:and |or )?[A-Z]){1,9}[\s)\].,!\"']*\Z")
_BRACKETED = re.compile(r"[\s\"'“‘]{0,3}[(\[{【<][ ]?([A-Za-z])[ ]?[)\]}】>]")
_POINTED = re.compile(
    r"[\s\"'“‘]{0,3}([A-Za-z])[\"'”’]?(?:[ ]?[.)\]:,;、。(]|[ ][-–—][ ]|[ ]?[-–—](?=[ ])|(?=[ ]?(?:\n|\Z)))"
)
_BEGINS = re.compile(r"[\s\"'“‘]{0,3}(?:[A-Za-z](?![A-Za-z])|[(\[{【<])")
"""A pattern that excludes all others at once, as in most texts."""
_REASONED = re.compile(r"[\s\"'“‘]{0,3}([A-Z])(?=,?[ ](?:because|since|as)\b)")
_SPACED = re.compile(r"[\s\"'“‘]{0,3}([A-Za-z])(?=[ ])")
_TEXT_AND_LETTER = re.compile(r"(?:,? ?[(\[]|, | [-–—] )([A-Z])[)\]]?[.!]?\s*\Z")
_GOES_ON = re.compile(rf"[ ](?!(?:{languages.BECAUSE})\b)[a-z]")
_CONCLUDING = re.compile(
    r"(?:so|therefore|thus|hence|finally|in conclusion|to conclude|overall|in summary|consequently|as a result|final"
    r"|因此|所以|综上|最终|故|したがって|よって|따라서|por (?:lo )?tanto|portanto|donc|quindi|daher|поэтому"
    r"|итак)(?![^\W\u3040-\u9fff])"
)
_SENTENCES = re.compile(r"[^.!?。！？\n]*(?:[.!?]+(?=\w)[^.!?。！？\n]*)*(?:[.!?。！？]+[\"'”)]*|\n|\Z)")
_INTENT = re.compile(
    r"\b(?:need to|needs to|let me|let's|let us|i will|i'll|i’ll|going to|zoom\w*|crop\w*|would|should|have to"
    r"|want to|to see"
    r"|to check|please|question|options?|choices|cannot|can't|whether|which|what|who|where|if|but|however|although"
    r"|looks? (?:like|at)|looking (?:at|for)|look for|seems|searching|first|not only|until)\b|需要|让我|放大|看看|但"
)
"""In such a sentence an option's text says what is looked for, not what is found."""
_RELATION = re.compile(
    r"\b(?:than|besides|beside|like|near|next to|close to|behind|between|above|below|under|underneath|over|in front of"
    r"|on top of|left of|right of|opposite|across from|from|of|without|with|by|facing|toward|towards)(?: (?:a|an"
    r"|the))?(?: \w+)? $"
)
_IDIOMS = {
    "right": re.compile(r"\b(?:all right|that's right|right (?:now|away|next|there|here|behind|above|below|in"
                        r"|after|before))\b"),
    "left": re.compile(
        r"\b(?:are|was|were|has|have|had|already|he|she|they|who|one|two|three|none|some|few|any|nothing|\d+) left\b"
        r"|\bleft (?:over|out|the|behind)\b"
    ),
    "second": re.compile(r"\b(?:a second|second thought)"),
    "one": re.compile(r"\bone\b"),
    "back": re.compile(r"\b(?:go|come|look|zoom) back\b"),
}  # fmt: skip
_PLANNED = re.compile(
    r"\blet me\b|\blet['’]s\b|\b(?:will|['’]ll|need to|should|must|have to|want to|would|going to) (?:\w+ )?"
    r"(?:crop|zoom|look|check|examine|inspect|compare|see|verify|test)\b"
)
_ABOUT = re.compile(r"\b(?:about|approximately|roughly|around|almost|nearly|over|under|at least|at most)\b|~|≈")
_LETTER_BESIDE = re.compile(rf" [(\[]?([A-Z])(?!{WORD}|['’])")
"""Behind an option's text: "Lamp B" is the name of a thing, or names another option."""
LONGEST_SENTENCE = 30
_NUMBERS = re.compile(r"(?<![\w.,])[-–]?\d[\d.,/]*")


def letter(passage: Passage) -> Outcome | None:
    """Nothing but a letter."""
    found = _LETTER.match(passage.s)
    if not found:
        return Outcome(reason="several") if _several_letters(passage) else None
    said = found[1].upper()
    if said in passage.options.letters:
        return Outcome(said, found.start(1), found.end(1))
    return None if folded(passage.s) in passage.options.by_fold else Outcome(reason="outside")


def _several_letters(passage: Passage) -> bool:
    """Whether the passage is nothing but different letters of options."""
    options = passage.options
    if not options.known or not (joined := _JOINED.match(passage.s)) or folded(passage.s) in options.by_fold:
        return False
    listed = {one for one in joined[0] if one.isupper()}
    return len(listed) > 1 and listed <= options.letters and not _own_joined(passage)


def _own_joined(passage: Passage) -> bool:
    """Whether two letters are a letter and its own text: an option may read like another letter."""
    found = _POINTED.match(passage.s) or _BRACKETED.match(passage.s) or _SPACED.match(passage.s)
    if not found:
        return False
    said = found[1].upper()
    own = passage.options.folds.get(said, "")
    return bool(own) and folded(passage.s[found.end(1) :]) == own


def text(passage: Passage) -> Outcome | None:
    """Exactly one option's text."""
    s = passage.s
    if len(s) > 2 * passage.options.longest + 60 or "?" in s[-2:]:
        return None
    if chosen := passage.options.by_fold.get(folded(passage.s), ""):
        return Outcome(chosen, *_all_of(passage))
    if (named := _TEXT_AND_LETTER.search(s, max(0, len(s) - 12))) and named.start() > 1:
        chosen = passage.options.by_fold.get(folded(passage.s[: named.start()]), "")
        if chosen == named[1]:
            return Outcome(chosen, *_all_of(passage))
        return Outcome(reason="contradiction") if chosen and named[1] in passage.options.letters else None
    return None


def number(passage: Passage) -> Outcome | None:
    """A number that equals one option's number only."""
    if not passage.options.numbers or len(passage.s) > 80 or passage.s.rstrip().endswith("?"):
        return None
    chosen = passage.options.by_number(number_of(passage.s))
    return Outcome(chosen, *_all_of(passage)) if chosen else None


def _all_of(passage: Passage) -> tuple[int, int]:
    bare = passage.s.strip()
    start = len(passage.s) - len(passage.s.lstrip())
    return start, start + len(bare)


def lead(passage: Passage) -> Candidate | None:
    """A letter at the start of the passage, marked as one."""
    s = passage.s
    if not _BEGINS.match(s):
        return None
    if not (found := _BRACKETED.match(s) or _POINTED.match(s) or _REASONED.match(s)):
        spaced = _SPACED.match(s)
        if not spaced or spaced[1].upper() not in passage.options.letters:
            return None
        beside = own_text_behind(passage, spaced[1].upper(), spaced.end(1))
        if not beside:
            return None
        if beside < 0 and (spaced[1] in "AaIi" or spaced[1].islower()):
            return None
        found = spaced
    said, start = found[1], found.start(1)
    if said == "I" and s[found.end(1) : found.end(1) + 1] == ",":
        return None
    if said.islower() and s[found.end() - 1] in ",;、":
        return None
    if passage.echoes(start):
        return None
    place = start
    while place and s[place - 1] in "([{【<\"'“‘":
        place -= 1
    value = letter_at(passage, place)
    if found.re is _BRACKETED and not value.own and value.kind == "letter" and _GOES_ON.match(s, found.end()):
        return None
    if value.kind == "letter" and s[value.end : value.end + 1] == ":" and _says_another(passage, value):
        value = Value("contradiction", "", value.start, value.end)
    return Candidate("lead", place, value) if value.kind else None


def _says_another(passage: Passage, value: Value) -> bool:
    """Return whether the sentence after "A:" is about exactly one other option: "A:" can mean "answer"."""
    end = passage.sentence_end(value.end + 1)
    named = {one for one, _, _ in _texts_in(passage, value.end + 1, end)}
    return len(named) == 1 and value.letter not in named


def last_line(passage: Passage) -> Candidate | None:
    """The last line: a letter, a letter with its own text, or one option's text."""
    if len(passage.lines) < 2:
        return None
    start, end = passage.lines[-1]
    if passage.echoes(start) or end - start > 400:
        return None
    line = passage.s[start:end]
    if (found := _LETTER.match(line)) or (
        _BEGINS.match(line) and (_BRACKETED.match(line) or _POINTED.match(line) or _SPACED.match(line))
    ):
        place = start
        while place < end and passage.s[place] in " \"'“‘":
            place += 1
        value = letter_at(passage, place)
        if value.kind == "letter" and not found and own_text_behind(passage, value.letter, value.end) <= 0:
            value = NOTHING
        if value.kind == "outside" and not found and line.strip()[1:2] not in (".", ")", ":"):
            value = NOTHING
        if value.kind:
            return Candidate("last_line", start, value)
    value = option_at(passage, start)
    # All of the line has to be the text.
    if value.kind == "text" and passage.options.by_fold.get(folded(line)) == value.letter and "?" not in line[-2:]:
        return Candidate("last_line", start, value)
    return None


def candidates(passage: Passage) -> tuple[list[Candidate], list[str], list[Candidate]]:
    """The statements by position; why other statements do not count; and loose ones, whose text equals no option."""
    found: list[Candidate] = []
    reasons: list[str] = []
    loose: list[Candidate] = []
    for one in [lead(passage), *strong(passage), last_line(passage)]:
        if one is None:
            continue
        value = one.value
        if value.kind in ("negated", "hedged"):
            reasons.append(value.kind)
        elif value.kind == "loose":
            loose.append(one)
        elif doubt := passage.doubt(one.start, value.start, value.stop):
            reasons.append(doubt)
        elif not (found and one.rule == "last_line" and one.start < found[-1].value.stop):
            found.append(one)
    return found, reasons, loose


def aside(passage: Passage) -> Outcome | None:
    """Weak statements that all name one letter."""
    found = [one for one in weak(passage) if one.value.kind not in ("negated", "hedged")]
    found = [one for one in found if not passage.doubt(one.start, one.value.start, one.value.stop)]
    if not found:
        return None
    if any(not one.value.chosen for one in found):
        return Outcome(reason=next(one.value.kind for one in found if not one.value.chosen))
    if len({one.value.letter for one in found}) > 1:
        return Outcome(reason="contradiction")
    last = found[-1].value
    return Outcome(last.letter, last.start, last.end)


def mention(passage: Passage) -> Outcome | None:
    """The one option that is named as such."""
    found = letters_named(passage)
    if not found:
        return None
    named = {one.letter for one in found if one.kind == "letter"}
    if len(named) != 1 or any(one.kind != "letter" for one in found):
        return Outcome(reason="several" if len(named) > 1 else next(o.kind for o in found if o.kind != "letter"))
    for one in found:
        start = passage.sentence_start(one.start)
        if _PLANNED.search(passage.low, start, one.start):
            return Outcome(reason="none")
        if doubt := passage.sentence_doubt(start, passage.sentence_end(one.end), (one.start, one.end)):
            return Outcome(reason=doubt)
    return Outcome(named.pop(), found[-1].start, found[-1].end)


def yes_no(passage: Passage) -> Outcome | None:
    """Read yes or no at the start, if they are options."""
    options = passage.options
    if not options.yes:
        return None
    found = _YES_NO.match(passage.low)
    if not found:
        return None
    said, other = ("yes", "no") if found[1] == "yes" else ("no", "yes")
    if re.search(
        rf"\b{other}[.,!\n]|\b{other}\Z|\bmaybe\b|\bnot sure\b|\bwait\b|\bactually\b", passage.low[found.end(1) :]
    ):
        return Outcome(reason="contradiction")
    end = found.end(1)
    return Outcome(options.yes if said == "yes" else options.no, found.start(1), end)


_YES_NO = re.compile(r"[\s\"'“]{0,3}(yes|no)[\"'”]?[ ]?(?:[,.!;:\n]|[-–—] |\Z)")


def contained(passage: Passage) -> Outcome | None:
    """One option's text, as whole words, in a lone sentence or in a concluding last one."""
    if not passage.options.known:
        return None
    spans = [m.span() for m in _SENTENCES.finditer(passage.s) if any(map(str.isalnum, m[0]))]
    if not spans:
        return None
    start, end = spans[-1]
    start += len(passage.s[start:end]) - len(passage.s[start:end].lstrip())
    if len(spans) > 1 and not _CONCLUDING.match(passage.low, start):
        return None
    return contained_in(passage, start, end)


def contained_in(passage: Passage, start: int, end: int) -> Outcome | None:
    """``contained`` of one sentence."""
    if passage.low.count(" ", start, end) >= LONGEST_SENTENCE or passage.s[start : start + 1] in ("{", "["):
        return None
    found = _texts_in(passage, start, end)
    if not found:
        return None
    if len({chosen for chosen, _, _ in found}) > 1:
        return Outcome(reason="several")
    chosen, begin, stop = found[0]
    if doubt := passage.sentence_doubt(start, end, (begin, stop)):
        return Outcome(reason=doubt)
    low = passage.low
    text_of = low[begin:stop]
    others = low[start:begin] + " " + low[stop:end]
    if (beside := _LETTER_BESIDE.match(passage.s, stop)) and beside[1] in passage.options.letters - {chosen}:
        return Outcome(reason="contradiction")
    idiom = _IDIOMS.get(text_of)
    if _INTENT.search(others) or _RELATION.search(low[start:begin]) or (idiom and idiom.search(low, start, end)):
        return Outcome(reason="none")
    if number_of(text_of) and _ABOUT.search(others):
        return Outcome(reason="hedged")
    if number_of(text_of) and len(_NUMBERS.findall(low[start:end])) > 1:
        return Outcome(reason="several")
    return Outcome(chosen, begin, stop)


def _texts_in(passage: Passage, start: int, end: int) -> list[tuple[str, int, int]]:
    """The options' texts between ``start`` and ``end`` as whole words, none inside a longer one that also fits."""
    low, found = passage.low, list[tuple[str, int, int]]()
    for words, chosen in passage.options.texts:
        if words in ("yes", "no") or (len(words) == 1 and not words.isdigit()):
            continue
        place = low.find(words, start, end)
        while place >= 0:
            stop = place + len(words)
            inside = any(begin <= place and stop <= close for _, begin, close in found)
            if not inside and not _EDGE.match(low, stop) and not _edge_before(low, place):
                found.append((chosen, place, stop))
            place = low.find(words, stop, end)
    found.sort(key=lambda one: one[1])
    return found


_EDGE = re.compile(rf"{WORD}|[%°$€£]|[.,:/-]\d|['’]{WORD}")
_BEFORE_EDGE = re.compile(rf"(?:{WORD}|[$€£]|\d[.,:/-]|(?<!\w)[-–.])\Z")


def _edge_before(low: str, place: int) -> bool:
    before = low[max(0, place - 2) : place]
    if not _BEFORE_EDGE.search(before):
        return False
    # A sign or a decimal point only makes another number of a number.
    return before[-1] not in "-–." or low[place].isdigit()


WHOLE = (Rule("letter", EXACT, letter), Rule("text", EXACT, text), Rule("number", INFERRED, number))
"""These need all of the region."""
WEAKER = (
    Rule("aside", INFERRED, aside),
    Rule("mention", INFERRED, mention),
    Rule("yes_no", STATED, yes_no),
    Rule("contained", INFERRED, contained),
)
"""These rules are tried, in this order, only if nothing is stated."""
