"""Keys of samples in addresses: whatever a file calls a sample, every page of it is found and no other."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote, urljoin

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse
from hypothesis import given
from hypothesis import strategies as st

from webapp.common.addresses import KeyConverter

WORDS_OF_OURS = ("next", "assign", "send-back", "samples", "reopen", "7", "comments/7/resolve")
ENDINGS = ("a/draft", "a/submit/", "draft/a", "samples/a", "a/comments", "x/")
ODD = (
    ".",
    "..",
    "../b",
    "a/../b",
    "/",
    "//",
    "/a",
    "a//b",
    "~",
    "~0A",
    "a~b",
    "a\nb",
    "a\tb",
    "?",
    "#",
    "%2F",
    "a b",
    "é",
    "\\",
)
KEYS = (*WORDS_OF_OURS, *ENDINGS, *ODD)
OTHERS = {"slug": "kitchen", "verb": "return", "pk": 7, "condition": "crop"}


def routes(resolver: URLResolver | None = None, space: str = "") -> Iterator[tuple[str, list[str]]]:
    """The name of every address that holds a key, and what else it holds, in order."""
    for found in (resolver or get_resolver()).url_patterns:
        if isinstance(found, URLResolver):
            yield from routes(found, space + (f"{found.namespace}:" if found.namespace else ""))
        elif isinstance(found, URLPattern) and any(
            isinstance(c, KeyConverter) for c in found.pattern.converters.values()
        ):
            yield space + str(found.name), list(found.pattern.converters)


ROUTES = list(routes())


def test_the_pages_of_a_sample_are_among_them() -> None:
    names = {name for name, _ in ROUTES}
    assert {"annotation:draft", "annotation:annotate-sample", "annotation:review-decide", "evaluation:sample"} <= names
    assert "api-sample" in names


@pytest.mark.parametrize(("name", "parts"), ROUTES, ids=[name for name, _ in ROUTES])
def test_an_address_leads_back_to_its_page_and_its_key(name: str, parts: list[str]) -> None:
    for key in KEYS:
        address = reverse(name, kwargs={part: key if part == "key" else OTHERS[part] for part in parts})
        found = resolve(unquote(address))
        assert (found.view_name, found.kwargs["key"]) == (name, key)
        assert urljoin("http://here/", address) == f"http://here{address}", "A browser would change it on its way."
        assert "//" not in address, "A proxy would take a slash away."


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_comes_back(key: str) -> None:
    converter = KeyConverter()
    written = converter.to_url(key)
    assert converter.to_python(written) == key
    assert "\n" not in written


@pytest.mark.parametrize("address", ["~0", "a~", "~zz", "~~", "~0a"])
def test_what_is_never_written_is_not_found(address: str) -> None:
    with pytest.raises(ValueError, match="no part of a key"):
        KeyConverter().to_python(address)
