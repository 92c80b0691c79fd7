"""Prices of tokens: published prices in US dollars, and estimates of tokens if an endpoint reports none.

Prices change, so each has its source and date, and people can set others. A model that is not listed has no price: its
budget counts calls.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.endpoints.replies import Usage

_FILE = Path(__file__).parent / "prices.json"
_SNAPSHOT = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)")
"""The suffix of a model id that names a snapshot."""
CHARACTERS = 4
"""Characters of a token, where tokens are estimated."""


@dataclass(frozen=True)
class Rates:
    """USD per million tokens, for requests with at most ``up_to`` tokens of input; None has no limit.

    ``cached`` None: not published, so cached tokens cost as much as others.
    """

    input: float
    output: float
    cached: float | None = None
    up_to: int | None = None


@dataclass(frozen=True)
class Price:
    """The price of a model: rates with growing ``up_to``, the last without. ``source``: a page, or who set it."""

    rates: tuple[Rates, ...]
    source: str = ""
    date: str = ""

    def usd(self, usage: Usage) -> float:
        """Return the price of a request in USD: ((input - cached)·p + cached·p_cached + output·p_output) / 10^6."""
        rate = next(one for one in self.rates if one.up_to is None or usage.input <= one.up_to)
        cached = rate.input if rate.cached is None else rate.cached
        fresh = usage.input - usage.cached
        return (fresh * rate.input + usage.cached * cached + usage.output * rate.output) / 10**6


class Prices:
    """Published prices by preset and model."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._found = {
            (preset, model): Price(tuple(Rates(**rate) for rate in rates), page["source"], page["date"])
            for preset, page in table.items()
            for model, rates in page["models"].items()
        }

    @classmethod
    @cache
    def published(cls) -> Prices:
        """Return the prices of ``prices.json``, read once."""
        return cls(json.loads(_FILE.read_text(encoding="utf-8")))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Yield the preset and model of each price."""
        return iter(self._found)

    def find(self, preset: str, model: str) -> Price | None:
        """Return the price of a model at its own provider, None if it is not known.

        Snapshots of a listed model, such as ``-2026-03-01``, cost the same; other suffixes name other models.
        """
        base = _SNAPSHOT.sub("", model.removeprefix("models/")) if _SNAPSHOT.search(model) else model
        name = base.removeprefix("models/")
        return self._found.get((preset, model)) or self._found.get((preset, name))


class Estimate:
    """Tokens of a request that is not answered yet, or whose endpoint reports none."""

    @staticmethod
    def sent(body: Mapping[str, Any], image_tokens: int = 0) -> int:
        """Return the input tokens of a body: characters / 4, and those of its images."""
        texts = _texts([body.get("messages"), body.get("tools")])
        return math.ceil(sum(map(len, texts)) / CHARACTERS) + image_tokens

    @classmethod
    def reserved(cls, body: Mapping[str, Any], image_tokens: int = 0, *, most: int = 4096) -> Usage:
        """Return the tokens that a request may use: its input and its limit of output, ``most`` if it has none."""
        limits = (body.get(name) for name in ("max_completion_tokens", "max_tokens"))
        limit = next((one for one in limits if isinstance(one, int) and one > 0), most)
        return Usage(cls.sent(body, image_tokens), limit, estimated=True)

    @classmethod
    def used(cls, body: Mapping[str, Any], written: Iterable[str], image_tokens: int = 0) -> Usage:
        """Return the tokens of an answered request from its body and what was written: text, reasoning, arguments."""
        output = math.ceil(sum(map(len, written)) / CHARACTERS)
        return Usage(cls.sent(body, image_tokens), output, estimated=True)


def _texts(value: Any) -> Iterator[str]:
    """All texts in a body, with the names of its fields, without images."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        if value.get("type") == "image_url":
            return
        for name, inner in value.items():
            yield str(name)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif value is not None:
        yield str(value)
