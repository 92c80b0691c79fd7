"""Taking away how a text is presented: LaTeX, Markdown, HTML, check marks (docs/metrics.md#regions-of-the-answer)."""

from __future__ import annotations

import re
from functools import lru_cache

from evaluation.metrics.reading.spans import Edit, Text

_STARS = re.compile(r"\*+")
_MARKED = re.compile(r"[_`#~$\\<>•☐-☑\u2600-\u27bf\u2b50\U0001f000-\U0001faff]")
"""A character that may have to go, but for stars."""
_BULLET = re.compile(r"^[ ]*[-+•][ ]+(?=\D)", re.MULTILINE)
_STRUCK = re.compile(r"~~[^~\n]{0,400}~~|<(del|strike)>[^<]{0,400}</\1>", re.IGNORECASE)
_DOLLARS = re.compile(r"(?<![\d$])\$\$?([^$\n]+)\$\$?(?!\d)")
_WRAPPER = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|math(?:rm|bf|it|sf|tt|bb|cal|normal)|mbox|bm|boldsymbol|underline|emph"
    r"|operatorname|displaystyle)\s?\{|\\.|[{}]",
    re.DOTALL,
)
_MARKS = re.compile(
    r"```[\w+-]*[ ]?\n|`+"  # fences and code
    r"|\\[\[\]()]|\\[,;:! ]|(?<!\\)\\\\(?=\s|$)"  # LaTeX delimiters, spaces, line breaks
    r"|\\(?=[%_$&#*])"  # escaped marks
    r"|\^\\circ|\^\{\\circ\}"
    r"|\\(?:displaystyle|left|right|quad|qquad)(?![a-zA-Z])"
    r"|(?<![^\W_])_+(?=\S)|(?<=\S)_+(?![^\W_])"  # bold and italic
    r"|^[ ]{0,3}\#{1,6}[ ]+|^[ ]{0,3}>(?![ ]?\d)[ ]?"  # headings, quotations
    r"|<br ?/?>|</?p>|</?div[^<>\n]{0,80}>"
    r"|</?(?:b|i|u|em|strong|span|code|pre|font|mark|center|small|big|h[1-6]|ul|ol|li)(?:[ ][^<>\n]{0,80})?>"
    r"|(?<!\d)\$(?!\d)|~(?=\\)"
    r"|[☐☑✅✓✔\u2600-\u2604\u2606-\u2617\u2619-\u263f\u2690-\u26ff\u2700-\u2704\u2706-\u2712\u2728\u2b50"
    r"\U0001f004-\U0001f16f\U0001f18f-\U0001faff]",
    re.MULTILINE | re.IGNORECASE,
)
_SPACES = re.compile(r"[ ]{2,}|\n[ \n]*\n[ \n]*|[ ]+\n[ ]*|\n[ ]+")


def plain(text: Text) -> Text:
    """``text`` without marks and with single spaces; blank lines stay, one of them at a time."""
    s = text.s
    if "*" in s:
        text = text.replace(_STARS, "")
        s = text.s
    if _may_be_marked(s):
        text = _without_marks(text)
        s = text.s
    if "- " in s or "+ " in s or "• " in s:
        text = text.replace(_BULLET, "")
        s = text.s
    if "  " in s or " \n" in s or "\n " in s or "\n\n\n" in s:
        text = text.replace(_SPACES, _space)
    return text


def _may_be_marked(s: str) -> bool:
    """Whether ``s`` contains a character of ``_MARKED``. For plain ASCII, testing each character is faster."""
    if not s.isascii():
        return bool(_MARKED.search(s))
    return "\\" in s or "_" in s or "<" in s or "$" in s or "`" in s or "#" in s or "~" in s or ">" in s


def _without_marks(text: Text) -> Text:
    if "~~" in text.s or "<" in text.s:
        text = text.replace(_STRUCK, "")
    if "$" in text.s:
        text = text.edit(_dollars(text.s))
    if "\\" in text.s:
        text = text.edit(_wrappers(text.s))
    return text.replace(_MARKS, _instead)


@lru_cache(maxsize=65_536)
def plain_words(words: str) -> str:
    """``plain`` of a text of the benchmark; unchanged if nothing would be left."""
    return plain(Text(words)).s.strip() or words.strip()


def _dollars(s: str) -> list[Edit]:
    edits: list[Edit] = []
    for pair in _DOLLARS.finditer(s):
        # "$5 and $6" holds two amounts, "$5$" one formula.
        if (not pair[1][-1].isspace() and not pair[1][0].isspace()) or not pair[1].strip()[:1].isdigit():
            edits += [(pair.start(), pair.start(1), " "), (pair.end(1), pair.end(), " ")]
    return edits


def _wrappers(s: str) -> list[Edit]:
    r"""Return the edits that remove ``\text{`` and its relatives with their closing brackets."""
    edits: list[Edit] = []
    waiting: list[int] = []
    for found in _WRAPPER.finditer(s):
        if found[0] == "}":
            opened = waiting.pop() if waiting else -1
            if opened >= 0:
                edits[opened] = (*edits[opened][:2], "")
                edits.append((found.start(), found.end(), ""))
        elif found[0] == "{":
            waiting.append(-1)
        elif found[0][-1] == "{" and len(found[0]) > 2:
            waiting.append(len(edits))
            edits.append((found.start(), found.end(), ""))
    return edits


def _instead(found: re.Match[str]) -> str:
    mark = found[0]
    if mark[0] == "<":
        return "\n" if mark[1:3].lower() == "br" or mark.strip("</>").lower()[:3] in ("p", "div") else ""
    if mark[0] == "\\":
        return "" if mark == "\\" else "\n" if mark == "\\\\" else " "
    if mark[0] == "^":
        return "°"
    return " " if mark in "$~" else ""


def _space(found: re.Match[str]) -> str:
    newlines = found[0].count("\n")
    return "\n\n" if newlines > 1 else "\n" if newlines else " "
