"""The text of guidelines: Markdown (CommonMark with tables) without HTML, with images and examples of the benchmark.

``![what is shown](desk-17)`` shows the image of a sample, ``![what is shown](image:0123456789ab)`` an image that was
uploaded into the guidelines. An example shows the evidence of an accepted sample::

    :::example sample=desk-17 verdict=bad
    The box leaves out the handle.
    :::
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.container import container_plugin

from annotation.marking import Sentence, gettext_noop

LONGEST = 100_000
"""Characters of guidelines."""
MOST_EXAMPLES = 100
EXAMPLE = "example"
ARGUMENT = re.compile(r"(\w+)=(\S+)")
UPLOADED = re.compile(r"image:([0-9a-f]{12})")
"""The source of an uploaded image. Its name is the start of the SHA-256 of its file."""
NOT_IN_ANCHOR = re.compile(r"[^\w]+")


class Verdict(StrEnum):
    """The purpose of an example: to follow, or to avoid."""

    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Heading:
    """``anchor`` is its ``id`` in the page, unique in one text."""

    level: int
    words: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Example:
    """A sample whose gold is shown, with the words of the lead below it."""

    sample: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Outline:
    """The content of a text. ``images`` and ``examples``: keys of samples. ``uploads``: names of uploaded images.
    ``problems``: why it can't be published."""

    headings: tuple[Heading, ...]
    images: tuple[str, ...]
    uploads: tuple[str, ...]
    examples: tuple[Example, ...]
    problems: tuple[str, ...]


class Change(StrEnum):
    """The kind of change of a line between two texts."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


Figure = Callable[[str, str], str]
"""From the key of a sample, or the name of an uploaded image, and the words to the HTML of the image."""
ExampleHead = Callable[[Example], str]
"""From an example to the HTML above its words."""


def outline(text: str) -> Outline:
    """Headings, images and examples of a text, and why it can't be published. Nothing is looked up."""
    tokens = _parser().parse(text, {})
    opened = [token for token in tokens if token.type == f"container_{EXAMPLE}_open"]
    examples = [_example(token.info) for token in opened]
    images = list(_images(tokens))
    problems = [
        Sentence(
            gettext_noop("Line %(line)s: write an example as “:::example sample=KEY verdict=good” or “verdict=bad”."),
            line=token.map[0] + 1 if token.map else 1,
        )
        for token, example in zip(opened, examples, strict=True)
        if example is None
    ]
    problems += [
        Sentence(
            gettext_noop("Line %(line)s: describe the image between the brackets, as in “![The handle](image:…)”."),
            line=line,
        )
        for image, line in images
        if _name_of(image) and not _words_of(image)
    ]
    if len(text) > LONGEST:
        problems.append(Sentence(gettext_noop("Guidelines have at most %(limit)s characters."), limit=LONGEST))
    if len(opened) > MOST_EXAMPLES:
        problems.append(Sentence(gettext_noop("Guidelines have at most %(limit)s examples."), limit=MOST_EXAMPLES))
    return Outline(
        tuple(heading for _, heading in _headings(tokens)),
        tuple(dict.fromkeys(_key_of(image) for image, _ in images if not _name_of(image))),
        tuple(dict.fromkeys(name for image, _ in images if (name := _name_of(image)))),
        tuple(dict.fromkeys(one for one in examples if one is not None)),
        tuple(problems),
    )


def uploads_in(texts: Iterable[str]) -> frozenset[str]:
    """The names of the uploaded images that texts show."""
    return frozenset(name for text in texts if "image:" in text for name in outline(text).uploads)


def render(text: str, *, figure: Figure, uploaded: Figure, example: ExampleHead) -> str:
    """HTML of a text. HTML in it is escaped, and links lead only to web and mail addresses."""
    parser = _parser()
    tokens = parser.parse(text, {})
    for token, heading in _headings(tokens):
        token.attrSet("id", heading.anchor)
    return str(
        parser.renderer.render(tokens, parser.options, {"figure": figure, "uploaded": uploaded, "example": example})
    )


def changed_lines(before: str, after: str) -> Iterator[tuple[Change, str]]:
    """Every line of both texts, in the order of reading: removed lines precede added ones."""
    old, new = before.splitlines(), after.splitlines()
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from ((Change.SAME, line) for line in new[j1:j2])
        else:
            yield from ((Change.REMOVED, line) for line in old[i1:i2])
            yield from ((Change.ADDED, line) for line in new[j1:j2])


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    container_plugin(
        parser, EXAMPLE, validate=lambda info, _: info.split()[:1] == [EXAMPLE], render=_container
    )  # fmt: skip
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link)
    return parser


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[Token, Heading]]:
    taken: dict[str, int] = {}
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            words = "".join(one.content for one in inline.children or () if one.type in ("text", "code_inline"))
            name = "guide-" + (NOT_IN_ANCHOR.sub("-", words.lower()).strip("-") or "heading")
            taken[name] = taken.get(name, 0) + 1
            anchor = name if taken[name] == 1 else f"{name}-{taken[name]}"
            yield token, Heading(int(token.tag[1:]), words, anchor)


def _images(tokens: Sequence[Token]) -> Iterator[tuple[Token, int]]:
    """Each image with the first line of its paragraph."""
    for token in tokens:
        line = token.map[0] + 1 if token.map else 1
        yield from ((one, line) for one in token.children or () if one.type == "image")


def _name_of(image: Token) -> str:
    """The name of an uploaded image; "" if the image is that of a sample."""
    found = UPLOADED.fullmatch(str(image.attrs["src"]))
    return found[1] if found else ""


def _key_of(image: Token) -> str:
    """The key of the sample that an image names. Markdown encodes its letters as in an address."""
    return unquote(str(image.attrs["src"]))


def _words_of(image: Token) -> str:
    renderer: Any = _parser().renderer
    return str(renderer.renderInlineAsText(image.children or [], _parser().options, {})).strip()


def _example(info: str) -> Example | None:
    said = dict(ARGUMENT.findall(info))
    if set(said) != {"sample", "verdict"} or said["verdict"] not in list(Verdict):
        return None
    return Example(said["sample"], Verdict(said["verdict"]))


def _container(renderer: Any, tokens: Sequence[Token], index: int, _: Any, env: Mapping[str, Any]) -> str:
    token = tokens[index]
    if token.nesting != 1:
        return "</figcaption></figure>\n"
    example = _example(token.info)
    kind = example.verdict.value if example else Verdict.BAD.value
    head = env["example"](example) if example else ""
    return f'<figure class="example example--{kind}">{head}<figcaption>\n'


def _image(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Mapping[str, Any]) -> str:
    token, name = tokens[index], _name_of(tokens[index])
    words = renderer.renderInlineAsText(token.children or [], options, env)
    return str(env["uploaded"](name, words) if name else env["figure"](_key_of(token), words))


def _link(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Mapping[str, Any]) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer")
    return str(renderer.renderToken(tokens, index, options, env))
