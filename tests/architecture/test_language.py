"""Words that readers stumble over: each count may only decrease. Lower the number here when you removed some.

What is counted: visible text and attributes of templates, strings of scripts, strings of Python, prose of Markdown, and
docstrings and comments of Python.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture import source

WORDS_ON_AVERAGE = 16
WORDS_AT_MOST = 35
"""Limits of the sentences of a document, outside code and tables. Both may only decrease."""
KINDS = ("templates", "scripts", "Python", "docs", "docstrings")
WORDS = {
    "picture": r"pictures?",
    "right, wrong": r"right|wrong",
    "chain": r"(?<!tool )chains?",
    "somebody": r"somebody|nobody|anybody",
    "stand, tell, beside": r"stands?(?!-in)|stood|(?<!can't )tells?|told|beside",
    "as it is, hand out": r"as (?:it|they) (?:is|are|was|stands)|hand(?:s|ed)? (?:out|in|on|to)",
    "take away, one a line": r"take \w+ away|takes? away|the place of|Say (?:what|why|it)|so many|one a line",
    "mend, magnify, anew": r"mend(?:ed|s)?|magnify|nought|anew|afresh|passed by|in words",
    "British spelling": r"colours?|centres?|grey|licences?|judgements?|catalogues?"
    r"|(?:recogn|normal|organ|summar|optim|serial|visual|minim|maxim|anonym|random|initial)is(?:e|es|ed|er|ing|ation)",
}
"""Name of the row -> what is counted as whole words, in any case."""
INVERTED = re.compile(r"(?:^|[.:;] )(?:Were|Who|What is)\b[^.?!]*(?:[.!]|$)", re.MULTILINE)
MOST = {
    "picture": (0, 0, 2, 0, 0),
    "right, wrong": (1, 1, 21, 11, 2),
    "chain": (0, 0, 2, 0, 1),
    "somebody": (0, 0, 0, 0, 0),
    "stand, tell, beside": (0, 0, 2, 0, 0),
    "as it is, hand out": (0, 0, 0, 0, 0),
    "take away, one a line": (0, 0, 0, 0, 0),
    "mend, magnify, anew": (0, 0, 1, 1, 0),
    "British spelling": (0, 0, 1, 0, 0),
    "sentence order": (0, 0, 0, 0, 0),
}
"""Name of the row -> how many there may be, in the order of ``KINDS``."""


def counted(name: str, passages: Iterator[str]) -> int:
    if name == "sentence order":
        return sum(len(INVERTED.findall(passage)) for passage in passages)
    pattern = re.compile(rf"\b(?:{WORDS[name]})\b", re.IGNORECASE)
    return sum(len(pattern.findall(passage)) for passage in passages)


def in_templates() -> Iterator[str]:
    """Text, read-aloud attributes, and the words that a template hands to a piece or to ``translate``."""
    for path in source.files(".html", ".txt"):
        if path.parts[0] != "templates":
            continue
        text = re.sub(r"{% comment %}.*?{% endcomment %}|{#.*?#}", " ", source.text(path), flags=re.DOTALL)
        yield from re.findall(r"\b(?:title|alt|aria-label|placeholder)=\"([^\"]*)\"", text)
        yield from (string for tag in re.findall(r"{%.*?%}", text, re.DOTALL) for string in _words(tag))
        text = re.sub(r"{%.*?%}|{{.*?}}", " ", text, flags=re.DOTALL)
        yield from (part for part in re.split(r"<[^>]*>", text) if part.strip())


def in_comments() -> Iterator[str]:
    """What templates say to developers."""
    for path in source.files(".html", ".txt", ".jinja"):
        if path.parts[0] == "templates":
            pattern = r"{% comment %}(.*?){% endcomment %}|{#(.*?)#}"
            yield from (one or other for one, other in re.findall(pattern, source.text(path), re.DOTALL))


def test_comments_of_templates_have_none_of_these_words() -> None:
    comments = [*in_comments()]
    assert len(comments) > 200
    names = set(WORDS) - {"right, wrong", "chain", "picture"}
    assert not {name: count for name in sorted(names) if (count := counted(name, iter(comments)))}


def _words(tag: str) -> list[str]:
    """The words in a tag, but no name of a file, an address or a value."""
    if re.search(r"\b(?:title|alt|aria-label|placeholder)=\"", tag):
        tag = re.sub(r"\b(?:title|alt|aria-label|placeholder)=\"[^\"]*\"", "", tag)
    return [string for string in re.findall(r"\"([^\"]*)\"", tag) if " " in string]


def in_scripts() -> Iterator[str]:
    for path in source.files(".js"):
        if path.parts[:2] != ("static", "js"):
            continue
        code = re.sub(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", " ", source.text(path), flags=re.DOTALL)
        for quoted in re.findall(r"\"([^\"\n]*)\"|`([^`]*)`", code):
            yield from (string for string in quoted if " " in string)


def in_python() -> Iterator[str]:
    """Strings of several words: labels, help texts and messages. Names of fields and values have no space."""
    for path in source.product_files():
        if "migrations" in path.parts:
            continue
        nodes = source.nodes(path)
        prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                yield from [node.value] if " " in node.value.strip() else []


def in_docstrings() -> Iterator[str]:
    """Docstrings and comments of Python, without names in backticks and quotations."""
    for path in source.product_files():
        if "migrations" in path.parts:
            continue
        nodes = source.nodes(path)
        texts = [
            node.value.value for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ]
        with (source.ROOT / path).open("rb") as file:
            texts += [token.string for token in tokenize.tokenize(file.readline) if token.type == tokenize.COMMENT]
        yield from (
            re.sub(r"``.*?``|`[^`\n]*`|\"[^\"\n]{0,80}\"", " ", text) for text in texts if isinstance(text, str)
        )


def in_docs() -> Iterator[str]:
    for path in source.files(".md"):
        text = re.sub(r"^```.*?^```|`[^`\n]*`|\]\([^)]*\)", " ", source.text(path), flags=re.DOTALL | re.MULTILINE)
        yield from text.split("\n\n")


@pytest.mark.parametrize("kind", KINDS)
def test_words_that_readers_stumble_over_become_fewer(kind: str) -> None:
    passages = [
        *{
            "templates": in_templates,
            "scripts": in_scripts,
            "Python": in_python,
            "docs": in_docs,
            "docstrings": in_docstrings,
        }[kind]()
    ]
    assert len(passages) > 50
    place = KINDS.index(kind)
    counts = {name: (counted(name, iter(passages)), most[place]) for name, most in MOST.items()}
    more = {name: f"{count}, at most {most}" for name, (count, most) in counts.items() if count > most}
    assert not more, f"Reword what is new in {kind}"


def sentences(document: str) -> list[str]:
    """The sentences of the paragraphs and list items of a document. Code in a line counts as one word."""
    text = re.sub(r"^```.*?^```|<!--.*?-->|^[ ]*[|#].*?$", "\n\n", document, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^[ ]*(?:[-*]|\d+\.) ", "\n\n", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "code", re.sub(r"\]\([^)]*\)", "]", text))
    parts = [part for block in re.split(r"\n\s*\n", text) for part in re.split(r"(?<=[.!?])[\"”')*\]]*\s+", block)]
    return [" ".join(part.split()) for part in parts if len(words_of(part)) > 1]


def words_of(sentence: str) -> list[str]:
    return [word for word in sentence.split() if re.search(r"\w", word)]


@pytest.mark.parametrize("path", source.files(".md"), ids=str)
def test_sentences_of_documents_are_short(path: Path) -> None:
    counts = {sentence: len(words_of(sentence)) for sentence in sentences(source.text(path))}
    assert counts
    assert not [sentence for sentence, count in counts.items() if count > WORDS_AT_MOST], "Split these sentences"
    assert sum(counts.values()) / len(counts) <= WORDS_ON_AVERAGE, "Split or shorten sentences"
