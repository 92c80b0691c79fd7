"""Endpoints as the pages show them: what is known of each, without its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.models import Benchmark
from evaluation.endpoints.presets import PRESETS
from evaluation.experiments.read.connection import price_of
from evaluation.experiments.write.drafts import derived_config, shown_config
from evaluation.models import Endpoint

SHOWN = ("vision", "tools", "image_in_tool_message", "prefix", "seed", "usage", "streaming", "reasoning_text", "frame")
"""Findings of the test, in the order of the page."""


@dataclass(frozen=True)
class EndpointCard:
    """``key``: the source of the key. ``findings``: name and result of each test."""

    endpoint: Endpoint
    preset: str
    price: str
    key: str
    findings: Sequence[tuple[str, str]]
    limits: Sequence[str]


def cards_of(benchmark: Benchmark) -> list[EndpointCard]:
    """The endpoints that experiments of a benchmark can use. One query."""
    found = Endpoint.objects.offered_to(benchmark).select_related("benchmark").order_by("name", "pk")
    return [_card(endpoint) for endpoint in found]


def config_of(benchmark: Benchmark, endpoint: Endpoint) -> str:
    """The labeling configuration of an ML backend if the lead states none; "" for other endpoints."""
    return shown_config(lambda: derived_config(benchmark, "")) if PRESETS[endpoint.preset].backend else ""


def _card(endpoint: Endpoint) -> EndpointCard:
    preset, price = PRESETS[endpoint.preset], price_of(endpoint)
    costs = gettext("unknown")
    if price is not None:
        rate = price.rates[0]
        message = gettext("%(input)s USD per million input tokens, %(output)s per million output tokens")
        costs = message % {"input": f"{rate.input:g}", "output": f"{rate.output:g}"}
    key = gettext("none")
    if endpoint.key_name:
        key = f"SIGHTLINE_KEY_{endpoint.key_name}"
    elif endpoint.sealed_key:
        key = gettext("stored encrypted")
    findings = [(name.replace("_", " "), _said(endpoint.capabilities.get(name))) for name in SHOWN]
    return EndpointCard(
        endpoint, gettext(preset.title), costs, key, findings if endpoint.checked_at else (), preset.limits
    )


def _said(finding: Any) -> str:
    value = finding.get("value") if isinstance(finding, Mapping) else finding
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, Mapping):
        return str(value.get("frame") or gettext("unknown"))
    return str(value) if value not in (None, "") else gettext("unknown")
