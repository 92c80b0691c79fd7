"""Converts a toolchain to a plain Python program with OpenCV and NumPy only. Its images are identical to the byte.

Images are RGB or gray, as in the toolbox; the program reads and writes files as OpenCV does.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.schema import ORIGINAL, ToolCall
from annotation.toolbox.names import resolve
from annotation.toolbox.python_finding import CODE as FINDING
from annotation.toolbox.python_tools import CODE as CHANGING
from annotation.toolbox.python_tools import Source
from annotation.toolbox.runner import named_pictures
from annotation.toolbox.signature import checked_arguments
from annotation.toolbox.table import TOOLS

CODE = CHANGING | FINDING

_OWN_NAMES = frozenset({
    "areas", "around", "centers", "circles", "corner", "count", "cv2", "distance", "edges", "gray", "img", "labels",
    "lines", "markers", "mask", "np", "order", "outlines", "perimeters", "picture", "plane", "points", "radius",
    "rgb", "scaled", "scores", "span", "stats", "sure", "table", "values", "filled", "area", "x", "y", "w", "h",
    "x1", "y1", "x2", "y2", "o", "p", "n",
})  # fmt: skip
"""Variables of the program that are not the image of a step."""

_HEAD = """\
import cv2
import numpy as np

img = cv2.imread({file!r}, cv2.IMREAD_COLOR_RGB)
"""


def python_code(calls: Sequence[ToolCall], width: int, height: int, file: str = "picture.png") -> str:
    """Return the program for ``calls`` on an image of ``width`` × ``height``; each step begins with its number.

    Raises ``ToolError``, ``UnknownToolError`` or ``KeyError`` for a toolchain that cannot be run.
    """
    sources = {ORIGINAL: Source("img", False, width, height)}
    parts, latest = [_HEAD.format(file=file)], ORIGINAL
    for number, call in enumerate(calls, start=1):
        spec = TOOLS[resolve(call.tool)]
        ids, given = named_pictures(spec, call, latest)
        arguments = _whole(spec.name, checked_arguments(spec.function, given))
        latest = call.image_out or f"step_{number}"
        out = _variable(latest, number, sources)
        inputs = [sources[name] for name in ids]
        lines, grey = CODE[spec.name](inputs, out, arguments)
        size = (
            spec.size(inputs[0].width, inputs[0].height, **arguments)
            if spec.size
            else (inputs[0].width, inputs[0].height)
        )
        sources[latest] = Source(out, grey, *size)
        parts.append(f"# {number} {spec.name}\n" + "\n".join(lines) + "\n")
    return "\n".join([*parts, _saved(sources[latest])])


def _whole(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments, with defaults for omitted ones."""
    return {one.name: one.default for one in TOOLS[name].parameters if not one.required} | dict(arguments)


def _variable(image_id: str, number: int, sources: Mapping[str, Source]) -> str:
    """Return a variable for the image: its id if this is a valid, unused name."""
    taken = {one.variable for one in sources.values()} | _OWN_NAMES
    fits = re.fullmatch(r"[a-z][a-z0-9_]{0,30}", image_id) and not keyword.iskeyword(image_id) and image_id not in taken
    return image_id if fits else f"picture_{number}"


def _saved(source: Source) -> str:
    shown = source.variable if source.grey else f"cv2.cvtColor({source.variable}, cv2.COLOR_RGB2BGR)"
    return f'cv2.imwrite("result.png", {shown})\n'
