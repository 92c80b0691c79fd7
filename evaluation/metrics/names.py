"""Canonical tool names, what kind of tool a name is, and the taxonomy of docs/metrics.md#benchmark-statistics."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import lru_cache

import numpy as np

from evaluation.metrics.columns import Ints

TIERS: Mapping[int, tuple[str, ...]] = {
    1: ("Robust OCR", "Perceptual Restoration", "Attention Focusing"),
    2: ("Measurement", "Color", "Counting"),
    3: ("Chart", "Math", "Spatial Reasoning"),
}
"""The categories of each tier."""

TIER_OF: Mapping[str, int] = {category: tier for tier, names in TIERS.items() for category in names}

ALIASES: Mapping[str, tuple[str, ...]] = {
    "convert_color": ("colorspace_gray", "colorspace_hsv", "colorspace_lab"),
    "threshold": ("binarize",),
    "convertscaleabs": ("adjust_brightness",),
    "histogram": ("histogram_eq",),
    "inrange_color": ("color_filter", "in_range_color"),
    "floodfill": ("flood_fill",),
    "canny": ("edge_detect", "canny_edge"),
    "hough_lines": ("line_detect",),
    "hough_circles": ("circle_detect",),
    "gradients": ("compute_gradients",),
    "connected_components_with_stats": ("connected_components", "conn_components"),
    "features": ("keypoint_features",),
    "dft": ("frequency_transform",),
    "contours": ("draw_contours",),
    "contour_area": ("measure_area",),
    "arc_length": ("measure_perimeter",),
    "approx_poly": ("approximate_polygon",),
    "pyramid": ("image_pyramid",),
}
"""Canonical name -> other spellings, over the three vocabularies in circulation."""

MODULES: Mapping[str, tuple[str, ...]] = {
    "Geometry": ("resize", "rotate", "translate", "flip", "crop", "zoom_in", "pyramid"),
    "Enhancement": (
        "convert_color", "inrange_color", "blur", "denoise", "threshold", "morphology", "histogram",
        "convertscaleabs", "inpaint",
    ),
    "Feature extraction": (
        "canny", "gradients", "watershed", "grabcut", "floodfill", "connected_components_with_stats", "features",
        "hough_lines", "hough_circles", "template_match", "dft",
    ),
    "Drawing": ("contours", "approx_poly", "draw_line", "draw_circle", "contour_area", "arc_length"),
}  # fmt: skip
"""Tool module -> canonical names."""

MODULE_OF: Mapping[str, str] = {name: module for module, names in MODULES.items() for name in names}

ZOOM_TOOLS = frozenset(
    {"crop", "zoom_in", "zoom", "image_zoom_in_tool", "zoom_in_tool", "crop_image", "crop_image_normalized"}
)
"""Canonical names of the tools whose calls are zoom calls (docs/metrics.md#crops)."""

RESCALING_TOOLS = frozenset({"resize", "pyramid"})
"""Their image shows the same region at another size: the frame is known when ``out_size`` is."""

LOSING_TOOLS = frozenset({"rotate", "flip", "translate", "dft", "template_match"})
"""A box on their image cannot be mapped back to the original. So it is for every unknown tool."""

KEEPING_TOOLS = frozenset(MODULE_OF) - ZOOM_TOOLS - RESCALING_TOOLS - LOSING_TOOLS
"""Their image shows the same region at the same size."""

_CANONICAL = {alias: name for name, aliases in ALIASES.items() for alias in aliases}
_SEPARATORS = re.compile(r"[\s\-._]+")


class ToolKind(IntEnum):
    """The effect of a tool on the frame of its image (docs/metrics.md#crops)."""

    ZOOM, RESCALE, KEEP, LOSE = range(4)


@lru_cache(maxsize=4096)
def canonical_name(name: str) -> str:
    """The name under which two spellings of one tool are the same (docs/metrics.md#tool-names).

    Trimmed, casefolded, runs of spaces, hyphens, dots and underscores as one underscore, without a leading
    ``opencv_``, then the aliases of 3.3. Any other name is its own canonical name.

    >>> canonical_name("opencv_crop"), canonical_name("Binarize"), canonical_name("my tool")
    ('crop', 'threshold', 'my_tool')
    """
    plain = _SEPARATORS.sub("_", name.strip().casefold()).removeprefix("opencv_")
    return _CANONICAL.get(plain, plain)


def tool_kind(name: str, zoom_tools: frozenset[str] = ZOOM_TOOLS) -> ToolKind:
    """The kind of the tool called ``name``; ``zoom_tools`` are canonical names."""
    canonical = canonical_name(name)
    if canonical in zoom_tools:
        return ToolKind.ZOOM
    if canonical in RESCALING_TOOLS:
        return ToolKind.RESCALE
    return ToolKind.KEEP if canonical in KEEPING_TOOLS else ToolKind.LOSE


def tool_kinds(names: Sequence[str], zoom_tools: frozenset[str] = ZOOM_TOOLS) -> Ints:
    """``tool_kind`` of a vocabulary, as codes."""
    return np.array([tool_kind(name, zoom_tools) for name in names], np.int64)


def name_codes(names: Sequence[str], book: dict[str, int], canonical: bool = True) -> Ints:
    """One code per name, equal for equal (canonical) names; ``book`` gives known names their codes and grows."""
    different = dict.fromkeys(names)
    codes = {n: book.setdefault(canonical_name(n) if canonical else n, len(book)) for n in different}
    return np.fromiter(map(codes.__getitem__, names), np.int64, len(names))
