"""The steps of a toolchain in one spelling, to compare toolchains of two people, or of a person and a model."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.schema import ToolCall
from annotation.toolbox.names import candidates, plain_name
from annotation.toolbox.signature import snake_case

Steps = list[tuple[str, str]]


def canonical_steps(calls: Iterable[ToolCall]) -> Steps:
    """The calls of a toolchain with one spelling for each tool and argument, and without the names of images, which are
    each person's own."""
    return [
        (_tool(call.tool), str(sorted((snake_case(name), str(value)) for name, value in call.arguments.items())))
        for call in calls
    ]


def _tool(name: str) -> str:
    found = candidates(name)
    return found[0] if len(found) == 1 else plain_name(name)
