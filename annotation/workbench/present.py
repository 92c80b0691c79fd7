"""The toolbox and the result of a toolchain, as JSON for the workbench."""

from __future__ import annotations

import base64
from collections.abc import Set
from typing import Any

from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext

from annotation.chain_answers import compare
from annotation.common.chain_marks import mark_json
from annotation.common.sentences import translated
from annotation.content.chains.read import KnownChain, digest_of
from annotation.content.json import calls_to_json
from annotation.images.chain_runs import PREVIEWS, ShownChain
from annotation.imaging.encoding import encode, fitted, quick_ending, thumbnail
from annotation.imaging.histograms import histogram
from annotation.schema import SampleContent
from annotation.toolbox.names import aliases
from annotation.toolbox.places import places_of
from annotation.toolbox.preview import on_screen
from annotation.toolbox.results import Picture
from annotation.toolbox.runner import ChainError, StepResult
from annotation.toolbox.signature import Parameter
from annotation.toolbox.table import TOOLS, Module, ToolSpec, summary_of
from annotation.toolbox.templates import CATEGORIES, template
from annotation.toolbox.uses import USES, uses_in

THUMBNAIL = 168
TYPES = {".png": "png", ".jpg": "jpeg", ".webp": "webp"}
MOST_ROWS = 200
"""The maximum number of rows of a measurement that are sent. The total is sent with them."""


def tools_json() -> list[dict[str, Any]]:
    """Return every tool with the data of its form, in the language of the page. Names, titles and values are those of
    files.
    """
    return [
        {
            "name": spec.name,
            "title": spec.title,
            "module": gettext(spec.module.value),
            "summary": summary_of(gettext(spec.description)),
            "aliases": [other.replace("_", " ") for other in aliases(spec.name)],
            "uses": [*uses_in(gettext(USES[spec.name])), *({gettext(spec.title)} - {spec.title})],
            "pick": spec.pick.value if spec.pick else None,
            "pictures": list(spec.pictures),
            "parameters": [_parameter(one) for one in spec.parameters],
        }
        for spec in TOOLS.values()
    ]


def toolbox_modules() -> list[tuple[str, str, list[dict[str, Any]]]]:
    """Return the tools of the toolbox page in its language: for each module its anchor, its title and its tools."""
    return [
        (slugify(module), gettext(module.value), [_described(one) for one in TOOLS.values() if one.module == module])
        for module in Module
    ]


def _described(spec: ToolSpec) -> dict[str, Any]:
    """Return the texts of a tool. ``Parameter`` has English texts; the template translates these."""
    return {
        "name": spec.name,
        "title": gettext(spec.title),
        "description": gettext(spec.description),
        "uses": gettext(USES[spec.name]),
        "example": spec.example,
        "parameters": spec.parameters,
    }


def _parameter(one: Parameter) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": one.kind.value,
        "required": one.required,
        "optional": one.optional,
        "default": list(one.default) if isinstance(one.default, tuple) else one.default,
        "choices": list(one.choices),
        "length": one.length,
        "low": one.range.low if one.range else None,
        "high": one.range.high if one.range else None,
        "odd": one.range.odd if one.range else False,
        "allowed": translated(one.allowed),
        "description": translated(one.description),
    }


def templates_json(width: int, height: int) -> list[dict[str, Any]]:
    return [{"category": name, "calls": calls_to_json(template(name, width, height))} for name in CATEGORIES]


def known_json(chain: KnownChain, content: SampleContent, slug: str) -> dict[str, Any]:
    return {
        "digest": digest_of(chain.calls),
        "calls": calls_to_json(chain.calls),
        "note": chain.note,
        "by": chain.by,
        "gold": chain.number is None,
        "remove": reverse("annotation:chain-remove", args=[slug, chain.number]) if chain.number else None,
        "mark": mark_json(chain.mark, content),
    }


def run_json(shown: ShownChain, focus: int, side: int, known: Set[str], content: SampleContent) -> dict[str, Any]:
    """Return ``steps`` from 1, ``original``, ``error``, ``whole``, ``view``: the images of the selected step, and
    ``end``: the last step compared with the answer.
    """
    steps = [_step(step, shown, known) for number, step in sorted(shown.steps.items())]
    return {
        "original": steps[0],
        "steps": steps[1:],
        "error": _error(shown.error),
        "whole": shown.whole,
        "milliseconds": sum(step.milliseconds for step in shown.steps.values()),
        "view": _view(shown, min(focus, max(shown.steps)), side),
        "end": _end(shown, content),
    }


def _end(shown: ShownChain, content: SampleContent) -> dict[str, Any] | None:
    """Return the measurements of the last step, and whether they match the answer (None: they cannot be compared;
    ``image``: another person can answer from it). None until the toolchain has run completely at full resolution.
    """
    last = max(shown.steps)
    if shown.error is not None or not last or last not in shown.exact:
        return None
    found = compare(shown.steps[last].measurements, content)
    return {
        "measured": found.measured, "agrees": found.agrees, "observed": found.observed,
        "image": shown.steps[last].image is not None,
    }  # fmt: skip


def last_image(step: StepResult, side: int) -> str:
    """Return the last image of a toolchain as a URL; "" without one."""
    if step.image is None:
        return ""
    small = fitted(step.image, side)
    return _address(small, quick_ending(small))


def _step(step: StepResult, shown: ShownChain, known: Set[str]) -> dict[str, Any]:
    exact = step.number in shown.exact
    said: dict[str, Any] = {
        "number": step.number, "tool": step.tool, "milliseconds": step.milliseconds, "cached": step.cached,
        "key": step.key, "exact": exact, "image_in": list(step.image_in), "image_id": step.image_id,
    }  # fmt: skip
    if step.image is not None:
        width, height = _size(step, shown)
        said |= {"width": width, "height": height, "grey": step.image.ndim == 2}
        if step.key not in known:
            small = thumbnail(step.image, THUMBNAIL)
            said["thumbnail"] = _address(small, quick_ending(small))
    if exact:
        said["measurements"] = _measured(step)
        said["places"] = [{"points": one.points, "radius": one.radius} for one in places_of(step)[:MOST_ROWS]]
    return said


def _measured(step: StepResult) -> dict[str, Any]:
    """Return plain values unchanged, and a list of rows with its columns, cut to the length of a table."""
    values, tables = {}, []
    for name, value in step.measurements.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            columns = list(value[0])
            rows = [[row.get(column) for column in columns] for row in value[:MOST_ROWS]]
            tables.append({"name": name, "columns": columns, "rows": rows, "total": len(value)})
        else:
            values[name] = value
    return {"values": values, "tables": tables}


def _view(shown: ShownChain, focus: int, side: int) -> dict[str, Any]:
    step = shown.steps[focus]
    made = {one.image_id: one for number, one in shown.steps.items() if number < focus}
    before = made.get(step.image_in[0]) if step.image_in else None
    return {
        "number": focus,
        "exact": focus in shown.exact,
        "after": _sent(step, shown, side),
        "before": _sent(before, shown, side) if before else None,
        "histogram": histogram(step.image) if step.image is not None else [],
    }


def _size(step: StepResult, shown: ShownChain) -> tuple[int, int]:
    """Return the width and height of the result at full resolution, also if a reduced one is shown."""
    now = (step.image.shape[1], step.image.shape[0]) if step.image is not None else (0, 0)
    return shown.sizes.get(step.number, now)


def _sent(step: StepResult, shown: ShownChain, side: int) -> dict[str, Any] | None:
    width, height = _size(step, shown)
    if step.image is None:
        return None
    small = on_screen(step.image, step.key, side, PREVIEWS)
    kind = quick_ending(small)
    return {
        "number": step.number, "tool": step.tool, "width": width, "height": height,
        "from": [step.image.shape[1], step.image.shape[0]], "address": _address(small, kind),
    }  # fmt: skip


def _address(picture: Picture, kind: str) -> str:
    data = base64.b64encode(encode(picture, kind)).decode()
    return f"data:image/{TYPES[kind]};base64,{data}"


def _error(error: ChainError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {
        "number": error.number, "tool": error.tool, "parameter": error.parameter, "value": error.value,
        "allowed": translated(error.allowed), "message": error.message,
    }  # fmt: skip
