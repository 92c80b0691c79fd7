"""The text of guidelines: headings, examples, what is refused, and HTML that is safe."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from annotation.guideline_text import LONGEST, Change, Example, Verdict, changed_lines, outline, render, uploads_in

TEXT = """# Question
Ask for *one* fact.

## Question

![a desk](desk-17)

:::example sample=desk-17 verdict=bad
The box leaves out the handle.
:::
"""
ALLOWED = {
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "em", "strong", "a", "ul", "ol", "li", "code", "pre", "blockquote", "hr",
    "br", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "img", "div",
}  # fmt: skip


def rendered(text: str) -> str:
    """As pages render it: who draws images and examples escapes what they are given."""
    return render(
        text,
        figure=lambda key, words: f"[image {escape(key)}: {escape(words)}]",
        uploaded=lambda name, words: f"[upload {name}: {escape(words)}]",
        example=lambda one: f"[{one.verdict} {escape(one.sample)}]",
    )


def test_an_uploaded_image_is_named_by_its_place_and_needs_words() -> None:
    text = "Look: ![The *handle*](image:0123456789ab)\n\n\n\n![](image:ba9876543210) ![x](image:short)\n"
    found = outline(text)
    assert (found.uploads, found.images) == (("0123456789ab", "ba9876543210"), ("image:short",))
    [problem] = found.problems
    assert str(problem).startswith("Line 5:")
    assert "[upload 0123456789ab: The handle]" in rendered(text)
    assert uploads_in([text, "no image: of any"]) == {"0123456789ab", "ba9876543210"}


def test_an_image_can_name_a_sample_in_any_script() -> None:
    text = "![The scale](Größe-1) ![茶](茶碗)\n"
    assert outline(text).images == ("Größe-1", "茶碗")
    assert "Größe-1" in rendered(text)


def test_an_outline_names_headings_images_and_examples() -> None:
    found = outline(TEXT)
    assert [(one.level, one.words, one.anchor) for one in found.headings] == [
        (1, "Question", "guide-question"),
        (2, "Question", "guide-question-2"),
    ]
    assert (found.images, found.examples) == (("desk-17",), (Example("desk-17", Verdict.BAD),))
    assert not found.problems


@pytest.mark.parametrize(
    "info", ["", "sample=desk-17", "verdict=good", "sample=desk-17 verdict=perhaps", "sample=a verdict=good size=2"]
)
def test_an_example_that_is_not_whole_is_refused_with_its_line(info: str) -> None:
    [problem] = outline(f"# One\n\n:::example {info}\n:::\n").problems
    assert "3" in problem


def test_a_text_that_is_too_long_is_refused() -> None:
    assert outline("a" * (LONGEST + 1)).problems


def test_images_and_examples_are_drawn_by_who_renders() -> None:
    page = rendered(TEXT)
    assert "[image desk-17: a desk]" in page
    assert '<figure class="example example--bad">[bad desk-17]<figcaption>' in page
    assert '<h2 id="guide-question-2">' in page


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "![<b onclick=x>](a)",
        ":::example sample=<script> verdict=good\n<script>alert(1)</script>\n:::",
    ],
)
def test_nothing_in_a_text_becomes_script(text: str) -> None:
    page = html.fromstring(f"<div>{rendered(text)}</div>")
    assert {one.tag for one in page.iter()} <= ALLOWED
    assert not [name for one in page.iter() for name in one.attrib if name.startswith("on")]
    assert not [href for href in page.xpath("//@href") if href.startswith(("javascript:", "data:"))]


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=80))
def test_every_text_renders_to_known_elements(text: str) -> None:
    outline(text)
    page = html.fromstring(f"<div>{rendered(text)}</div>")
    assert {one.tag for one in page.iter() if isinstance(one.tag, str)} <= ALLOWED


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_changed_lines_hold_both_texts_in_their_order(before: list[str], after: list[str]) -> None:
    lines = list(changed_lines("\n".join(before), "\n".join(after)))
    assert [words for change, words in lines if change is not Change.ADDED] == before
    assert [words for change, words in lines if change is not Change.REMOVED] == after
