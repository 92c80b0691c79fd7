"""How the model of a run was run, as names and values. A protocol of a portable file can have any values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from annotation.project_file import is_storable, line_of
from evaluation.common.protocols import protocols_of
from evaluation.models import Run
from evaluation.models.run import PROTOCOL

MOST = 20
"""Protocols that a page shows."""
LONGEST = 200
NAMES = {
    "protocol": gettext_lazy("Protocol"), "dialect": gettext_lazy("Dialect"), "profile": gettext_lazy("Tools"),
    "frame": gettext_lazy("Boxes"), "images": gettext_lazy("Image size"),
    "tool_images": gettext_lazy("Images of tools"), "offer": gettext_lazy("Offered tools"),
}  # fmt: skip
LIMITS = {"rounds": gettext_lazy("Turns, at most"), "calls": gettext_lazy("Tool calls, at most")}
PROMPTS = ("system", "user")
Pairs = list[tuple[str, str]]


def shown_protocols(run: Run) -> list[Pairs]:
    """The protocols of a run. No query for runs that neither an experiment nor a portable file with protocols made."""
    if PROTOCOL not in run.extra and not any(name.startswith("recipe") for name in run.extra):
        return []
    return [pairs for one in protocols_of(run)[:MOST] if (pairs := _pairs(one))]


def _pairs(protocol: Mapping[str, Any]) -> Pairs:
    found = [(str(label), _text(protocol[name])) for name, label in NAMES.items() if protocol.get(name) is not None]
    prompts = [text for name in PROMPTS if (text := _prompt(protocol.get(name)))]
    if prompts:
        found.append((gettext("Prompts"), ", ".join(prompts)))
    limits = protocol.get("limits")
    if isinstance(limits, Mapping):
        order = [*LIMITS, *sorted(limits.keys() - LIMITS.keys())]
        found += [(str(LIMITS.get(name, name)), _text(limits[name])) for name in order if name in limits]
    sampling = protocol.get("sampling")
    if isinstance(sampling, Mapping) and sampling:
        said = ", ".join(f"{name} {_text(value)}" for name, value in sorted(sampling.items()))
        found.append((gettext("Sampling"), said[:LONGEST]))
    known = {*NAMES, *PROMPTS, "limits", "sampling"}
    return found + [(name[:LONGEST], _text(value)) for name, value in sorted(protocol.items()) if name not in known]


def _prompt(prompt: Any) -> str:
    if not isinstance(prompt, Mapping) or "slug" not in prompt:
        return ""
    return f"{_text(prompt['slug'])}@{_text(prompt.get('version', ''))}"


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else line_of({"": value}).decode()[4:-2]
    return text[:LONGEST] if is_storable(text) else ""
