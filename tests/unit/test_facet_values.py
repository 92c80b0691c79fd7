"""Values that a schema no longer lists, and what they seem to mean."""

from __future__ import annotations

import pytest

from annotation.facet_values import ValueInUse, nearest, one_edit_apart, unlisted
from annotation.task_schema import Facet, FacetOption, renamed

LISTED = ["OCR", "Color", "Colon"]


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("ocr", "OCR"), (" OCR ", "OCR"), ("OCRs", "OCR"), ("OC", "OCR"), ("OCK", "OCR"),
        ("color", "Color"), ("colour", "Color"), ("Colors", "Color"), ("Colo", None), ("shape", None), ("", None),
    ],
)  # fmt: skip
def test_a_near_value_is_proposed_where_it_is_the_only_one(value: str, meant: str | None) -> None:
    assert nearest(value, LISTED) == meant


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [("ab", "abc", True), ("bc", "abc", True), ("abc", "axc", True), ("abc", "abc", False), ("abc", "acb", False),
     ("a", "abc", False), ("", "a", True), ("abcd", "bcde", False)],
)  # fmt: skip
def test_one_edit_puts_in_takes_out_or_replaces_one_letter(first: str, second: str, apart: bool) -> None:
    assert one_edit_apart(first, second) is one_edit_apart(second, first) is apart


def test_only_closed_facets_have_values_to_decide() -> None:
    options = (FacetOption("OCR"),)
    facets = (Facet("category", closed=True, values=options), Facet("scene", values=options))
    in_use = {"category": [("ocr", 3), ("OCR", 9), ("map", 1)], "scene": [("desk", 4)]}
    assert unlisted(facets, in_use) == [ValueInUse("category", "ocr", 3, "OCR"), ValueInUse("category", "map", 1, "")]


def test_words_are_read_with_the_meaning_they_have_now() -> None:
    meanings = {("category", "ocr"): "OCR", ("category", "map"): "", ("tier", "1"): "easy"}
    facets = {"category": ["ocr", "map", "OCR"], "tier": [1, 2], "scene": ["map"]}
    assert renamed(facets, meanings) == {"category": ("OCR",), "tier": ("easy", 2), "scene": ("map",)}
    assert renamed({"category": ["map"]}, meanings) == {}
