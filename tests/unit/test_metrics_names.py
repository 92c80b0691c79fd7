"""Canonical tool names, their kinds, and the taxonomy."""

from __future__ import annotations

import pytest

from evaluation.metrics.names import (
    ALIASES,
    KEEPING_TOOLS,
    LOSING_TOOLS,
    MODULE_OF,
    RESCALING_TOOLS,
    TIER_OF,
    ZOOM_TOOLS,
    ToolKind,
    canonical_name,
    tool_kind,
)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("opencv_crop", "crop"),
        ("Crop", "crop"),
        ("  CROP ", "crop"),
        ("Binarize", "threshold"),
        ("opencv_threshold", "threshold"),
        ("Convert Color", "convert_color"),
        ("opencv_colorspace_gray", "convert_color"),
        ("colorspace_hsv", "convert_color"),
        ("colorspace-lab", "convert_color"),
        ("Adjust Brightness", "convertscaleabs"),
        ("Histogram Eq", "histogram"),
        ("Color Filter", "inrange_color"),
        ("In-Range Color", "inrange_color"),
        ("Flood Fill", "floodfill"),
        ("Edge Detect", "canny"),
        ("Canny Edge", "canny"),
        ("Line Detect", "hough_lines"),
        ("Circle Detect", "hough_circles"),
        ("Compute Gradients", "gradients"),
        ("Connected Components", "connected_components_with_stats"),
        ("Conn. Components", "connected_components_with_stats"),
        ("Keypoint Features", "features"),
        ("Frequency Transform", "dft"),
        ("Draw Contours", "contours"),
        ("Measure Area", "contour_area"),
        ("Measure Perimeter", "arc_length"),
        ("Approximate Polygon", "approx_poly"),
        ("Image Pyramid", "pyramid"),
        ("Zoom in", "zoom_in"),
        ("Draw Line", "draw_line"),
        ("sharpen", "sharpen"),
        ("my_tool", "my_tool"),
        ("my - .tool", "my_tool"),
    ],
)
def test_spellings_of_one_tool_share_a_name(written: str, canonical: str) -> None:
    assert canonical_name(written) == canonical


def test_a_canonical_name_is_its_own() -> None:
    for name in [*MODULE_OF, *ALIASES, *ZOOM_TOOLS]:
        assert canonical_name(name) == name


def test_the_taxonomy_names_35_interface_tools() -> None:
    colour_conversions = len([a for a in ALIASES["convert_color"] if a.startswith("colorspace")])
    assert len(MODULE_OF) - 1 + colour_conversions == 35
    assert len(TIER_OF) == 9


def test_every_tool_has_one_effect_on_the_frame() -> None:
    groups = [ZOOM_TOOLS & set(MODULE_OF), RESCALING_TOOLS, LOSING_TOOLS, KEEPING_TOOLS]
    assert sorted(name for group in groups for name in group) == sorted(MODULE_OF)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Zoom in", ToolKind.ZOOM),
        ("opencv_resize", ToolKind.RESCALE),
        ("Blur", ToolKind.KEEP),
        ("sharpen", ToolKind.LOSE),
    ],
)
def test_the_kind_goes_by_canonical_name(name: str, kind: ToolKind) -> None:
    assert tool_kind(name) == kind


def test_the_list_of_zoom_tools_can_be_extended() -> None:
    assert tool_kind("magnify", ZOOM_TOOLS | {"magnify"}) == ToolKind.ZOOM
