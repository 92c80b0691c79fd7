"""The value at a position: a letter, a letter with its text, a text, or nothing reliable."""

from __future__ import annotations

import re
from typing import NamedTuple

from evaluation.metrics.reading import languages
from evaluation.metrics.reading.comparing import folded
from evaluation.metrics.reading.numbers import number_of
from evaluation.metrics.reading.passage import WORD, Passage

_OPENING = r"[\"'“‘”«»„「『(\[{【<:]"
_ARTICLES = sorted({word for one in languages.LANGUAGES for word in one.articles}, key=len, reverse=True)
_LONG = "|".join(re.escape(word) for word in _ARTICLES if len(word) > 1)
_SHORT = "|".join(re.escape(word) for word in _ARTICLES if len(word) == 1)
_ARTICLE = re.compile(
    rf"(?:(?i:{_LONG})|{_SHORT})(?:(?<=['’])|[ :]{{0,2}}(?=(?i:{_LONG})(?!{WORD})|[A-Za-z](?!{WORD})|{_OPENING}"
    rf"|[^\x00-\x7f]))"
)
_BEFORE = re.compile(rf"\s{{0,3}}{_OPENING}{{0,4}}[ ]?")
_LETTER = re.compile(
    r"(?P<open>[\"'“‘«„「『(\[{【<]{0,3}[ ]?)(?P<letter>[A-Za-z])(?P<close>[ ]?[\"'”’»“」』)\]}】>]{0,3})"
)
_FOLLOWS = re.compile(rf"(?:{languages.FOLLOWING})(?!{WORD})")
_LOWER_WORD = re.compile(r" [^\W\d_A-Z]")
_ENDS = re.compile(r"[\"'”’)\]]{0,3}[ ]?(?:[.!?。,;](?!\w)|\n|\Z)")
_TEXT_END = re.compile(
    r"[\"'”’»“」』)\]}】]{0,3}[ ]?(?:[.!;。！…]+(?![\w.])|\?|？|\n|\Z|,? ?(?:because|since|as|which|so)\b"
    r"|です|だ|입니다|[(\[])"
)
_ANY_END = re.compile(
    r"[\"'”’»“」』)\]}】]{0,3}[ ]?(?:[.,:;!?。，；！？、…]+(?!\d)|[-–—] |\n|\Z|\(|because\b|since\b|as\b)"
)
_GAP = re.compile(r"[ ]?(?:[.:,;)\]、]{1,2}|[-–—])?[ ]?\n{0,2}[\"'“‘(\[]{0,2}")
_SECOND = re.compile(
    rf"[\"'”’)\]]{{0,2}} ?[(\[]?(?:(?P<word>(?:and|or|and/or|oder|und|ou|et|y|o|e|или|и|as well as)(?= )"
    rf"|[和或与及跟か]|或者|や|또는|[과와])"
    rf" ?|(?P<comma>[,、;] ?(?:(?:and|or|und|oder|et|ou|y) )?)|(?P<mark>[&/+|]|and/or) ?|(?P<side> )(?=[(\[A-Z]))"
    rf"(?:either |also |option |choice "
    rf"|选项)?(?P<open>[(\[\"'“]?)(?P<letter>[A-Za-z])(?P<close>[)\]\"'”]?)(?!{WORD}|['’]\w|-\w)",
    re.IGNORECASE,
)
_SECOND_TEXT = re.compile(
    r"[\"'”’)\]]{0,2} ?(?:,? ?(?:and|or|oder|und|ou|et|или|和|或)(?= ?\S)|[&/,、]) ?", re.IGNORECASE
)
_LIST_GOES_ON = re.compile(r" ?(?:[.,;:!?。、)\]/&|+]|\n|\Z|and\b|or\b|are\b|both\b)")
_BUT = re.compile(languages.BUT, re.IGNORECASE)
_NEGATED = re.compile(rf"(?:{languages.NEGATIONS}|neither\b|none\b)")
_HEDGED = re.compile(languages.HEDGES)
_LETTER_BEHIND = re.compile(r" ?[(\[]([A-Z])[)\]]")


class Value(NamedTuple):
    """``kind``: "letter", "text" (an option's), "several", "contradiction", "outside", "loose" (a text that is no
    option's), "negated", "hedged", or "" for nothing."""

    kind: str
    letter: str = ""
    start: int = 0
    end: int = 0
    inferred: bool = False
    own: int = 0

    @property
    def stop(self) -> int:
        """The end of the value, including its own text."""
        return self.own or self.end

    @property
    def chosen(self) -> bool:
        return self.kind in ("letter", "text")


NOTHING = Value("")


def value_at(passage: Passage, place: int) -> Value:
    """The value of a statement whose phrase ends at ``place``. A line break, articles and opening brackets may precede
    it."""
    s = passage.s
    first = place
    if found := _BEFORE.match(s, place):
        place = found.end()
    for _ in range(3):
        article = _ARTICLE.match(s, place)
        if not article or option_at(passage, place).kind:
            break
        place = article.end()
        if found := _BEFORE.match(s, place):
            place = found.end()
    # Opening brackets are the letter's own.
    while place > first and s[place - 1] in "([\"'“‘{【<「":
        place -= 1
    if passage.echoes(place):
        return NOTHING
    if (value := letter_at(passage, place)).kind:
        return value
    while place < len(s) and s[place] in "([\"'“‘{【<「 ":
        place += 1
    return text_at(passage, place)


def letter_at(passage: Passage, place: int) -> Value:
    """The letter at ``place``, what is next to it considered; nothing where no letter is there."""
    found = _LETTER.match(passage.s, place)
    if not found or not _stands_alone(passage, found):
        return NOTHING
    letter, start, end = found["letter"].upper(), found.start("letter"), found.end("letter")
    bracketed = bool(found["open"].strip() and found["close"].strip())
    own = own_text_behind(passage, letter, end)
    if found["letter"].islower() and not (_ENDS.match(passage.s, end) or bracketed or own):
        return NOTHING
    if letter not in passage.options.letters:
        return NOTHING if found["letter"].islower() else Value("outside", "", start, end)
    if own > 0:
        second = _second_letter(passage, letter, own)
        return Value("several", "", start, second) if second else Value("letter", letter, start, end, own=own)
    if own < 0:
        return Value("contradiction", "", start, -own)
    if second := _second_letter(passage, letter, end):
        return Value("several", "", start, second)
    return Value("letter", letter, start, end)


def _stands_alone(passage: Passage, found: re.Match[str]) -> bool:
    """Whether a letter is no part of a word or name, and no article."""
    s, start, end = passage.s, found.start("letter"), found.end("letter")
    before, behind = s[start - 1 : start], s[end : end + 2]
    if before and (_is_word(before) or (before in "'’-_/\\&$@#" and not found["open"].strip())):
        return False
    if behind and (
        _is_word(behind[0]) or behind[0] in "_+#@\\" or (behind[0] in "'’-" and behind[1:] and _is_word(behind[1]))
    ):
        return behind[0] == "+" and passage.options.known and s[end + 1 : end + 2].upper() in passage.options.letters
    if behind[:1] == "." and behind[1:] and _is_word(behind[1]) and s[end + 2 : end + 3] == ".":
        return False
    if found["letter"] in "AIai" and not found["close"].strip() and _LOWER_WORD.match(s, end):
        return bool(_FOLLOWS.match(s, end + 1)) or own_text_behind(passage, found["letter"].upper(), end) > 0
    return True


def _is_word(character: str) -> bool:
    return character.isalnum() and not (
        "\u3040" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af"
        or "\u0e00" <= character <= "\u0e7f"
    )  # fmt: skip


def own_text_behind(passage: Passage, letter: str, end: int) -> int:
    """The end of the letter's own text after it; negative for exactly another option's text; 0 without either.

    The own text is tested first, because an option may read like another letter."""
    gap = _GAP.match(passage.s, end)
    place = gap.end() if gap else end
    if place == end:
        closed = _LETTER_GAP.match(passage.s, end)
        if not closed:
            return 0
        place = closed.end()
    found = options_at(passage, place, _ANY_END)
    if not found:
        return 0
    own = [stop for other, stop in found if other == letter]
    longest = max(stop for _, stop in found)
    if own and max(own) == longest:
        return longest
    return -longest if not own else max(own)


_LETTER_GAP = re.compile(r"[\"'”’»)\]}】]{1,3}[ ]?(?:[.:,;]|[-–—])?[ ]?\n{0,2}[\"'“‘(\[]{0,2}")


def _second_letter(passage: Passage, letter: str, end: int) -> int:
    """Return the end of a second letter, or of another option's text after "or"; 0 if there is none."""
    s, options = passage.s, passage.options
    if found := _SECOND.match(s, end):
        other, symbol = found["letter"].upper(), bool(found["mark"])
        closed = found["open"].strip() and found["close"].strip()
        named = found["letter"].isupper() or symbol or closed
        if named and other != letter and (other in options.letters or (symbol and found["letter"].isupper())):
            goes_on = bool(_LIST_GOES_ON.match(s, found.end()))
            article = other in "AI" and not closed and bool(_LOWER_WORD.match(s, found.end()))
            if closed or goes_on or (found["word"] and not article) or symbol:
                return found.end()
    if not options.known or not (joined := _SECOND_TEXT.match(s, end)):
        return 0
    return max((stop for other, stop in options_at(passage, joined.end(), _ANY_END) if other != letter), default=0)


def options_at(passage: Passage, place: int, ends: re.Pattern[str]) -> list[tuple[str, int]]:
    """The options whose text begins at ``place`` and ends where ``ends`` matches: letter and end of the text."""
    low, options, found = passage.low, passage.options, []
    for start in _starts(low, place):
        if low[start : start + 1] not in options.initials:
            continue
        for text, letter in options.texts:
            if low.startswith(text, start) and ends.match(passage.s, start + len(text)):
                found.append((letter, start + len(text)))
    return found


def _starts(low: str, place: int) -> list[int]:
    """``place``, and the places behind an article and "to the"."""
    if low[place : place + 1] not in ("a", "t"):
        return [place]
    return [place, *(place + len(lead) for lead in ("a ", "an ", "the ", "to the ") if low.startswith(lead, place))]


def option_at(passage: Passage, place: int) -> Value:
    """The text of one option from ``place`` up to the end of the sentence or line."""
    found = options_at(passage, place, _TEXT_END)
    if not found:
        return NOTHING
    longest = max(stop for _, stop in found)
    letters = {letter for letter, stop in found if stop == longest}
    if len(letters) > 1:
        return Value("contradiction", "", place, longest)
    letter = letters.pop()
    if behind := _LETTER_BEHIND.match(passage.s, longest):
        named = behind[1]
        if named != letter:
            return Value("contradiction", "", place, behind.end())
    if second := _second_letter(passage, letter, longest):
        return Value("several", "", place, second)
    return Value("text", letter, place, longest)


def text_at(passage: Passage, place: int) -> Value:
    """The text at ``place``: an option's, a number, a text with a letter, or a loose one."""
    s, options = passage.s, passage.options
    if options.known and (found := option_at(passage, place)).kind:
        return found
    end = min(passage.sentence_end(place), place + 200)
    words = s[place:end].strip()
    if not words:
        return NOTHING
    low = passage.low
    if but := _BUT.match(s, place):
        return letter_at(passage, but.end())
    if _NEGATED.match(low, place) or (low.startswith("no ", place)):
        return Value("negated", "", place, end)
    if _HEDGED.match(low, place):
        return Value("hedged", "", place, end)
    if not options.known:
        return NOTHING
    if yes := _yes_no(passage, place):
        return yes
    if letter := options.by_number(number_of(words)):
        return Value("text", letter, place, place + len(words.rstrip(".!;。\n ")), inferred=True)
    if letter := options.by_fold.get(folded(words), ""):
        return Value("text", letter, place, place + len(words.rstrip(".!;。\n ")))
    if (named := re.search(rf"(?<!{WORD})[(\[]([A-Z])[)\]][.!。]?\Z", words)) and named[1] in options.letters:
        return Value("letter", named[1], place + named.start(1), place + named.end(1))
    return Value("loose", "", place, end)


def _yes_no(passage: Passage, place: int) -> Value | None:
    """Read yes or no before a comma, if they are options."""
    options = passage.options
    if options.yes:
        for word, letter in (("yes", options.yes), ("no", options.no)):
            if passage.low.startswith(word + ",", place):
                return Value("text", letter, place, place + len(word))
    return None
