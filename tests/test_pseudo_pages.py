"""Pages in the made-up language: every text is in its brackets, and what is outside them is data, a name or a code."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from tests import permission_table as table
from tests.pseudo_locale import END, START, pseudo_locale
from tests.test_permissions import World, world  # noqa: F401

READ_ALOUD = {"title", "alt", "aria-label", "placeholder", "data-label", "data-key-label"}
AS_WRITTEN = {"bdi", "code", "kbd", "pre", "samp", "script", "style", "textarea", "time"}
"""Elements that hold data and codes. So does each with ``dir="auto"``."""
EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
WORD = re.compile(r"[A-Za-z]{3,}")
LEFT = {
    "glossary": 11,
    "accounts:account": 2,
    "jobs:jobs": 2,
    "jobs:job": 2,
    "annotation:benchmark": 4,
    "annotation:samples": 4,
    "evaluation:leaderboard": 65,
    "evaluation:macro": 16,
    "evaluation:runs": 6,
    "evaluation:run": 5,
    "evaluation:trajectories": 30,
    "evaluation:trajectory": 12,
    "evaluation:replay": 7,
    "evaluation:chains": 24,
    "evaluation:export": 10,
    "evaluation:endpoints": 8,
    "evaluation:experiment": 4,
}
"""Page -> how many of its texts are outside the brackets. The numbers may only fall."""


class Texts(HTMLParser):
    """The texts of a page that people read or hear, without those of elements that hold data."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        data = tag in AS_WRITTEN or values.get("dir") == "auto" or "mono" in (values.get("class") or "").split()
        if not any(self._open):
            self.found += [value for name, value in attrs if name in READ_ALOUD and value]
        if tag not in EMPTY:
            self._open.append(data)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in EMPTY:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self._open and tag not in EMPTY:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self._open):
            self.found.append(data)


def outside_brackets(page: str) -> list[str]:
    """The texts of a page without their parts in brackets, where words are left."""
    reader = Texts()
    reader.feed(page)
    # A text may hold tags: its brackets are then in several parts.
    joined, depth, left = "\n".join(reader.found), 0, [""]
    for character in joined:
        depth += (character == START) - (character == END)
        if character == "\n" and not depth:
            left.append("")
        elif not depth and character != END:
            left[-1] += character
    return [" ".join(text.split()) for text in left if WORD.search(text)]


@pytest.mark.parametrize(
    ("page", "left"),
    [
        ("<p>⟦Saved ⟦now⟧⟧ by</p> <p>Two words</p>", ["Two words"]),
        ("<p>⟦One <b>whole</b> sentence⟧</p>", []),
        ('<a title="Open it">⟦Open⟧</a><img alt="⟦Crop⟧"><br>', ["Open it"]),
        ("<code>canny</code> <bdi>Lea</bdi> <p dir=auto>What is <b>this?</b></p>", []),
    ],
)
def test_texts_outside_the_brackets_are_found(page: str, left: list[str]) -> None:
    assert outside_brackets(page) == left


MAIN = (
    "glossary", "accounts:account", "jobs:jobs", "jobs:job", "annotation:benchmarks",
    "annotation:new-benchmark", "annotation:benchmark", "annotation:samples", "annotation:annotate",
    "annotation:review", "annotation:work", "annotation:work-samples", "annotation:versions", "annotation:settings",
    "annotation:my-work", "annotation:guidelines", "annotation:guidelines-settings", "annotation:queue-settings",
    "annotation:agreement", "annotation:agreement-people", "annotation:gold-checks",
    "annotation:audits", "evaluation:home", "evaluation:import", "evaluation:leaderboard", "evaluation:macro",
    "evaluation:runs", "evaluation:run", "evaluation:run-replays", "evaluation:trajectories", "evaluation:trajectory",
    "evaluation:replay", "evaluation:sample", "evaluation:sample-chains", "evaluation:sample-models",
    "evaluation:compare", "evaluation:chains", "evaluation:judging", "evaluation:export", "evaluation:endpoints",
    "evaluation:experiments", "evaluation:experiment",
)  # fmt: skip
CODES = re.compile(
    r"[a-z0-9][\w@+.:/-]*|(?:CSV|JSON|Markdown|Sightline)|[\w.]+@[\w.]+|[^ ]*\d+ [A-Z][a-z]{2} \d{4}.*|interval .*"
)
"""What stays in every language: codes and names in lower case, formats, addresses and dates."""
DATA = re.compile(
    r"(?:Lea|Ana|Jo|Mira|Rui|Sam|Ada|Ivo|Moreau|Lind|Berg|Sato|Costa|Ode|Kern|Blom|Street|Model C|DeepEyes|Mini-o3"
    r"|ViEBench"
    r"|Color|Chart|Category|Segment|Wrong|What\?|Which colour\?|black|white"
    r"|seen-\d+|missed-\d+|handed-in|to-do|base|wilson)\b\??"
)
"""Names and texts of this world."""


def texts_left(page: str) -> list[str]:
    """The texts outside the brackets that are neither data nor codes."""
    texts = (DATA.sub(" ", text).strip(" ·,&.;()") for text in outside_brackets(page))
    return [text for text in texts if WORD.search(text) and not CODES.fullmatch(" ".join(text.split()))]


@pytest.mark.one_database
def test_every_text_of_the_main_pages_is_in_brackets(world: World) -> None:  # noqa: F811
    left: dict[str, list[str]] = {}
    lines = {line.name: line for line in table.TABLE}
    with pseudo_locale():
        for name in MAIN:
            answer = world.client(table.LEAD).get(world.address(lines[name]))
            assert answer.status_code == 200, name
            left[name] = list(dict.fromkeys(texts_left(answer.content.decode())))
    more = {name: texts for name, texts in left.items() if len(texts) > LEFT.get(name, 0)}
    assert not more
