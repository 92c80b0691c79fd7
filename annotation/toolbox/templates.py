"""A template toolchain for each of the nine categories of tasks (docs/metrics.md#benchmark-statistics). It runs on any
image.

The tools follow the steps of a task in the category: find the place, enhance its content, then measure it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.schema import ToolCall

_MASK: Mapping[str, Any] = {"lower": [0, 90, 60], "upper": [12, 255, 255], "output_format": "mask"}
_STEPS: dict[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    "Robust OCR": (
        ("crop", {}), ("rotate", {"angle": 0}), ("zoom_in", {"scale": 3}), ("colorspace_gray", {}),
        ("sharpen", {"amount": 1.0}), ("threshold", {"mode": "adaptive_gaussian", "adaptive_block_size": 31}),
    ),
    "Perceptual Restoration": (
        ("crop", {}), ("blur", {"method": "median", "ksize": 3}),
        ("histogram", {"mode": "clahe", "color_mode": "color"}),
        ("convertscaleabs", {"alpha": 1.2}), ("sharpen", {}),
    ),
    "Attention Focusing": (("crop", {}), ("zoom_in", {"scale": 3}), ("convertscaleabs", {"alpha": 1.2})),
    "Measurement": (
        ("crop", {}), ("colorspace_gray", {}), ("blur", {"method": "gaussian", "ksize": 5}), ("canny", {}),
        ("contour_area", {}),
    ),
    "Color": (("crop", {}), ("inrange_color", _MASK), ("morphology", {"op": "open", "kernel_size": 3}),
              ("connected_components_with_stats", {"threshold_mode": "none"})),
    "Counting": (
        ("crop", {}), ("colorspace_gray", {}), ("blur", {"method": "gaussian", "ksize": 5}), ("threshold", {}),
        ("morphology", {"op": "open", "kernel_size": 5}), ("connected_components_with_stats", {}),
    ),
    "Chart": (("crop", {}), ("zoom_in", {"scale": 2}), ("colorspace_gray", {}), ("hough_lines", {})),
    "Math": (("crop", {}), ("colorspace_gray", {}), ("threshold", {}), ("approx_poly", {})),
    "Spatial Reasoning": (
        ("colorspace_gray", {}), ("blur", {"method": "gaussian", "ksize": 5}), ("canny", {}), ("hough_lines", {}),
        ("draw_line", {}),
    ),
}  # fmt: skip

CATEGORIES = tuple(_STEPS)


def template(category: str, width: int, height: int) -> tuple[ToolCall, ...]:
    """Return the toolchain of a category for an image of ``width`` × ``height``; its crop is the middle. Raises
    ``KeyError`` for an unknown category.
    """
    calls, size = [], (width, height)
    for tool, given in _STEPS[category]:
        arguments = dict(given)
        if tool == "crop":
            size = (max(1, width // 4), max(1, height // 4))
            arguments |= {
                "x": (width - size[0]) // 2,
                "y": (height - size[1]) // 2,
                "width": size[0],
                "height": size[1],
            }
        elif tool == "zoom_in":
            arguments = {"x": 0, "y": 0, "width": size[0], "height": size[1], **arguments}
        elif tool == "draw_line":
            arguments |= {"x1": 0, "y1": size[1] // 2, "x2": size[0] - 1, "y2": size[1] // 2}
        calls.append(ToolCall(tool, arguments))
    return tuple(calls)
