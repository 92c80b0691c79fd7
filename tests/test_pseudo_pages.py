"""Pages in the made-up language: every text is in its brackets, and what is outside them is data, a name or a code."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from zoneinfo import available_timezones

import pytest

from tests import permission_table as table
from tests.pseudo_locale import END, START, pseudo_locale
from tests.test_permissions import World, world  # noqa: F401

READ_ALOUD = {"title", "alt", "aria-label", "placeholder", "data-label", "data-key-label"}
AS_WRITTEN = {"bdi", "code", "kbd", "pre", "samp", "script", "style", "textarea", "time"}
"""Elements that hold data and codes. So does each with ``dir="auto"``."""
EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
WORD = re.compile(r"[A-Za-z]{3,}")
EXAMPLE = '[{"tool": "Crop", "arguments": {"x": 10, "y": 20, "width": 80, "height": 60}}]'
ENGLISH = "en"
"""Elements with ``lang="en"`` hold names and titles that are published in English."""


class Texts(HTMLParser):
    """The texts of a page that people read or hear, without those of elements that hold data."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        english = values.get("lang") == ENGLISH
        classes = (values.get("class") or "").split()
        data = tag in AS_WRITTEN or english or values.get("dir") == "auto" or "mono" in classes
        if not any(self._open) and not english:
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
        ('<option lang="en" title="UNSPSC">27 Tools</option> <p>Two</p>', ["Two"]),
        ("<code>canny</code> <bdi>Lea</bdi> <p dir=auto>What is <b>this?</b></p>", []),
    ],
)
def test_texts_outside_the_brackets_are_found(page: str, left: list[str]) -> None:
    assert outside_brackets(page) == left


CODES = re.compile(
    r"[a-z0-9][\w@+.:/-]*|(?:CSV|JSONL?|PARQUET|TEX|SVG|PNG|Markdown|Sightline)|[\w.]+@[\w.]+"
    r"|[^ ]*\d+ [A-Z][a-z]{2} \d{4}.*|interval .*|\d{3} · /.*"
)
"""What stays in every language: codes and names in lower case, formats, addresses, dates, and statuses of answers."""
DATA = re.compile(
    r"\b(?:Lea|Ana|Jo|Mira|Rui|Sam|Ada|Ivo|Moreau|Lind|Berg|Sato|Costa|Ode|Kern|Blom|Pia|Wolf|Street|Model C"
    r"|DeepEyes|Mini-o3|ViEBench|GRPO"
    r"|Color|Chart|Category|Segment|Wrong|What\?|Which colour\?|black|white"
    r"|seen-\d+|missed-\d+|handed-in|to-do|base|wilson|(?:crop|resize), (?:crop|resize)?)(?!\w)"
)
"""Names and texts of this world."""
LEFT = {
    # Names of metric settings and of sampling parameters are those of files and of the API.
    "evaluation:leaderboard": {"unread alarm: 0.5"},
    "evaluation:experiment": {"local (http://127.0.0.1:1/v1", "temperature 0.0, max_tokens 4096, seed 0"},
    # An example of JSON to paste.
    "annotation:annotate-sample": {EXAMPLE},
    # The name of a product, and an example of a filter.
    "annotation:webhooks": {"Slack"},
    "annotation:work-package": {"facet.category=OCR"},
    "annotation:work-plan": {"facet.category=OCR"},
}
"""Page -> its texts outside the brackets, with the reason."""


def texts_left(page: str) -> set[str]:
    """The texts outside the brackets that are neither data nor codes."""
    # Zones have names of the tz database, and published models those of their papers.
    zones, published = {zone.replace("_", " ") for zone in available_timezones()}, "VTC-Bench, 5)"
    texts = (DATA.sub(" ", text).strip(" ·,:&.;()") for text in outside_brackets(page) if text not in zones)
    return {
        text
        for text in texts
        if WORD.search(text) and not CODES.fullmatch(" ".join(text.split())) and published not in text
    }


@pytest.mark.one_database
@pytest.mark.endurance
def test_every_text_of_the_pages_of_a_lead_is_in_brackets(world: World) -> None:  # noqa: F811
    left: dict[str, set[str]] = {}
    pages = 0
    with pseudo_locale():
        for line in table.TABLE:
            if line.get is None or line.get.get(table.LEAD) != table.DONE:
                continue
            answer = world.client(table.LEAD).get(world.address(line))
            if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
                pages += 1
                left[line.name] = texts_left(answer.content.decode())
    assert pages > 80
    assert {name: texts for name, texts in left.items() if texts} == LEFT
