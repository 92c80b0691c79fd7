"""Tokens of an image by the vendors' figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.runner.tokens import FAMILIES, image_tokens


@pytest.mark.parametrize(
    ("family", "tokens"),
    [("qwen2.5-vl", 10_549), ("qwen3-vl", 8160), ("internvl", 2304), ("openai-tiles", 1105), ("gemini", 1548)],
)
def test_an_image_of_3840_by_2160_pixels(family: str, tokens: int):
    assert image_tokens(3840, 2160, family) == tokens


def test_anthropic_reduces_an_image_of_3840_by_2160_pixels_to_about_1530_tokens():
    assert image_tokens(3840, 2160, "anthropic") == pytest.approx(1530, abs=5)


@pytest.mark.parametrize(
    ("family", "width", "height", "tokens"),
    [
        ("qwen2.5-vl", 28, 28, 4),
        ("qwen2.5-vl", 8192, 28, 293),
        ("qwen2.5-vl", 20_000, 10_000, 16_290),
        ("internvl", 448, 448, 256),
        ("internvl", 896, 896, 1280),
        ("internvl", 448, 896, 768),
        ("openai-tiles", 512, 512, 255),
        ("openai-tiles", 1024, 1024, 765),
        ("openai-tiles", 2048, 4096, 1105),
        ("anthropic", 200, 200, 53),
        ("anthropic", 1000, 1000, 1333),
        ("gemini", 384, 384, 258),
        ("gemini", 960, 540, 1548),
    ],
)
def test_images_of_other_sizes(family: str, width: int, height: int, tokens: int):
    assert image_tokens(width, height, family) == tokens


@given(st.integers(1, 20_000), st.integers(1, 20_000), st.sampled_from(list(FAMILIES)))
def test_each_image_has_tokens(width: int, height: int, family: str):
    tokens = image_tokens(width, height, family)
    assert tokens is not None
    assert tokens >= 1


def test_an_unknown_family_has_unknown_tokens():
    assert image_tokens(100, 100, "") is None
