"""What requests cost, from published prices and from the tokens of an answer or an estimate."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.endpoints.presets import PRESETS
from evaluation.endpoints.prices import Estimate, Price, Prices, Rates
from evaluation.endpoints.replies import Usage

PUBLISHED = Prices.published()


def price(preset: str, model: str) -> Price:
    found = PUBLISHED.find(preset, model)
    assert found
    return found


@pytest.mark.parametrize(
    ("preset", "model", "usage", "usd"),
    [
        ("anthropic", "claude-opus-4-5", Usage(1_000_000, 0), 5),
        ("anthropic", "claude-opus-4-5", Usage(1_000_000, 0, cached=1_000_000), 0.5),
        ("anthropic", "claude-opus-4-5-20251101", Usage(1000, 100, cached=400), (600 * 5 + 400 * 0.5 + 100 * 25) / 1e6),
        ("anthropic", "claude-haiku-5-5", Usage(100_000, 0), 0.01),
        ("anthropic", "claude-haiku-5-5", Usage(100_001, 1000), (100_001 * 0.5 + 1000 * 2.5) / 1e6),
        ("openai", "gpt-5.4-mini", Usage(0, 1_000_000, reasoning=900_000), 4.5),
        ("openai", "gpt-5.4-2026-03-05", Usage(1_000_000, 0), 5),
        ("gemini", "models/gemini-3.5-flash", Usage(1_000_000, 0, cached=500_000), 1.5),
        ("gemini", "gemini-3.5-flash-latest", Usage(0, 0), 0),
    ],
)
def test_a_request_costs_its_tokens(preset: str, model: str, usage: Usage, usd: float) -> None:
    assert price(preset, model).usd(usage) == pytest.approx(usd)


@pytest.mark.parametrize(
    ("preset", "model"),
    [
        ("openai", "gpt-5.4-pro"),
        ("openai", "gpt-5.4-mini-high"),
        ("openai", "claude-opus-4-5"),
        ("generic", "gpt-5.4"),
        ("vllm", "gpt-5.4"),
        ("openai", "ft:gpt-5.4:me"),
        ("anthropic", "claude-opus-4-5-fast"),
        ("anthropic", "claude-opus-5-5-5"),
        ("anthropic", ""),
    ],
)
def test_other_models_and_other_hosts_have_no_price(preset: str, model: str) -> None:
    assert PUBLISHED.find(preset, model) is None


def test_every_price_is_dated_and_in_order() -> None:
    found = list(PUBLISHED)
    assert len(found) > 10
    for preset, model in found:
        assert PRESETS[preset].hosted
        one = price(preset, model)
        assert one.source.startswith("https://")
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", one.date)
        limits = [rate.up_to for rate in one.rates]
        assert limits[-1] is None
        assert all(limits[:-1])
        assert limits[:-1] == sorted(limit for limit in limits if limit)
        for rate in one.rates:
            assert 0 < rate.input < rate.output < 1000
            assert rate.cached is None or 0 < rate.cached < rate.input


@given(st.integers(0, 10**7), st.integers(0, 10**6), st.floats(0, 1))
def test_a_price_is_never_negative_and_grows_with_tokens(read: int, written: int, share: float) -> None:
    one = Price((Rates(3, 15, 0.3),))
    usage = Usage(read, written, cached=int(read * share))
    assert 0 <= one.usd(usage) <= one.usd(Usage(read, written)) <= one.usd(Usage(read + 1, written + 1))


IMAGE = {"type": "image_url", "image_url": {"url": "y" * 999}}
BODY = {
    "model": "not counted",
    "messages": [{"role": "user", "content": [{"type": "text", "text": "x" * 400}, IMAGE]}],
}


def test_tokens_are_estimated_from_characters_and_images() -> None:
    words = len("roleusercontenttypetexttext")
    assert Estimate.sent(BODY, 100) == 100 + (400 + words + 3) // 4
    assert Estimate.sent({"messages": None}) == 0
    used = Estimate.used(BODY, ["abcd", "e"], 100)
    assert used == Usage(Estimate.sent(BODY, 100), 2, estimated=True)


@pytest.mark.parametrize(
    ("limits", "output"),
    [
        ({"max_tokens": 50}, 50),
        ({"max_completion_tokens": 60, "max_tokens": 50}, 60),
        ({"max_tokens": None}, 4096),
        ({"max_tokens": "many"}, 4096),
        ({}, 4096),
    ],
)
def test_a_reservation_has_the_limit_of_output(limits: dict[str, object], output: int) -> None:
    assert Estimate.reserved({**BODY, **limits}, 7) == Usage(Estimate.sent(BODY, 7), output, estimated=True)
