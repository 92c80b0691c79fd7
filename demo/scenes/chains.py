"""Reference toolchains of the demo: for each task category a short chain that makes its evidence easy to see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any

from annotation.schema import ORIGINAL, ToolCall
from demo.scenes.evidence import Pixels
from demo.scenes.questions import CHART, COLOUR, COUNT, FOCUS, MATH, MEASURE, OCR, RESTORE, SPATIAL

ENHANCEMENTS: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    OCR: (("resize", {}), ("colorspace_gray", {}), ("histogram", {"mode": "clahe"}), ("sharpen", {})),
    RESTORE: (
        ("resize", {}),
        ("colorspace_gray", {}),
        ("histogram", {"mode": "clahe"}),
        ("convertscaleabs", {"alpha": 1.6, "beta": -80}),
    ),
    FOCUS: (("resize", {}),),
    MEASURE: (("resize", {}), ("histogram", {"mode": "clahe"}), ("hough_lines", {"threshold": 80})),
    COLOUR: (("resize", {}), ("blur", {"method": "median", "ksize": 5})),
    COUNT: (("resize", {}), ("colorspace_gray", {}), ("histogram", {"mode": "clahe"})),
    CHART: (("resize", {}), ("contours", {"mode": "external"})),
    MATH: (("resize", {}), ("sharpen", {})),
    SPATIAL: (("resize", {}), ("convertscaleabs", {"alpha": 1.4, "beta": -60})),
}
"""What follows the crop. A ``resize`` without a size enlarges four times."""


def reference_chain(category: str, boxes: Sequence[Pixels]) -> tuple[ToolCall, ...]:
    """Crops every box and enhances each crop; image ids run ``a``, ``b``, ... from ``original``."""
    calls: list[ToolCall] = []
    names = iter(ascii_lowercase)
    for x1, y1, x2, y2 in boxes:
        shown = next(names)
        calls.append(ToolCall("crop", {"x": x1, "y": y1, "width": x2 - x1, "height": y2 - y1}, ORIGINAL, shown))
        for tool, arguments in ENHANCEMENTS[category]:
            size = {"width": 4 * (x2 - x1), "height": 4 * (y2 - y1)} if tool == "resize" else arguments
            made = next(names)
            calls.append(ToolCall(tool, size, shown, made))
            shown = made
    return tuple(calls)
