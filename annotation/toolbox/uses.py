"""Everyday words for what people use each tool for, by which it is found without its name, and an example call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.marking import gettext_noop

USES: Mapping[str, str] = {
    "resize": gettext_noop("make smaller, make larger, enlarge, shrink, scale"),
    "rotate": gettext_noop("turn, straighten tilted text, deskew"),
    "translate": gettext_noop("move, shift"),
    "flip": gettext_noop("mirror"),
    "crop": gettext_noop("cut out, select a part, region"),
    "zoom_in": gettext_noop("enlarge a part, magnify, read small text"),
    "pyramid": gettext_noop("halve, double, downsample, upsample"),
    "colorspace_gray": gettext_noop("black and white photograph, remove color"),
    "colorspace_hsv": gettext_noop("hue, saturation"),
    "colorspace_lab": gettext_noop("lightness"),
    "inrange_color": gettext_noop("mask of a color, color range, share of a color, percent of a color"),
    "blur": gettext_noop("smooth, remove specks"),
    "sharpen": gettext_noop("crisper, read blurred text"),
    "denoise": gettext_noop("remove noise, grain"),
    "threshold": gettext_noop("binary, black and white, mask of light and dark, share of white, percent of white"),
    "morphology": gettext_noop("close holes, open, grow, shrink a mask, remove specks, separate touching things"),
    "histogram": gettext_noop("equalize, even out contrast, local contrast"),
    "convertscaleabs": gettext_noop("contrast, lighter, darker"),
    "inpaint": gettext_noop("paint over, remove glare, repair"),
    "canny": gettext_noop("find edges, outline"),
    "gradients": gettext_noop("derivative, find edges softly"),
    "watershed": gettext_noop("separate touching things, touching things counted apart, segment"),
    "grabcut": gettext_noop("cut out an object, segment, remove background"),
    "floodfill": gettext_noop("fill a region, magic wand, area of one color"),
    "connected_components_with_stats": gettext_noop("count things, blobs, segment a mask, number and area of regions"),
    "features": gettext_noop("corners, points of interest"),
    "hough_lines": gettext_noop("find lines, count lines, angle of a line"),
    "hough_circles": gettext_noop("find circles, count circles, round things"),
    "template_match": gettext_noop("find a copy, look for a part, compare"),
    "dft": gettext_noop("fourier, spectrum, periodic pattern"),
    "contours": gettext_noop("outline, count outlines, box around things"),
    "approx_poly": gettext_noop("corners of a shape, simplify a shape, count corners"),
    "draw_line": gettext_noop("mark, guide line"),
    "draw_circle": gettext_noop("mark, circle a thing"),
    "contour_area": gettext_noop("measure area, size of a thing"),
    "arc_length": gettext_noop("measure length, circumference"),
}
"""Of every tool, by its interface name: uses, separated by ``SEPARATOR``. Each line is translated as a whole."""
SEPARATOR = ", "

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "resize": {"preset": "half"},
    "rotate": {"angle": -12.5},
    "translate": {"direction": "left", "distance": 32},
    "flip": {"direction": "horizontal"},
    "crop": {"x": 40, "y": 20, "width": 80, "height": 60},
    "zoom_in": {"x": 40, "y": 20, "width": 80, "height": 60, "scale": 2},
    "pyramid": {"mode": "pyr_down"},
    "inrange_color": {"lower": [100, 80, 40], "upper": [130, 255, 255], "output_format": "mask"},
    "blur": {"method": "median", "ksize": 5},
    "threshold": {"mode": "adaptive_mean", "adaptive_block_size": 51},
    "morphology": {"op": "close", "kernel_size": 5},
    "histogram": {"mode": "clahe", "clip_limit": 3.0},
    "convertscaleabs": {"alpha": 1.2, "beta": 10},
    "gradients": {"mode": "sobel_x"},
    "floodfill": {"x": 60, "y": 40},
    "draw_line": {"x1": 10, "y1": 60, "x2": 110, "y2": 60},
    "draw_circle": {"x": 60, "y": 40, "radius": 20},
}
"""Arguments of tools that need some, or are seldom used without; on an image of 120 × 90 or more. Others need none."""


def example_call(name: str) -> str:
    """A call of the tool as the workbench and a record of a trajectory write it."""
    return json.dumps({"tool": name, "arguments": EXAMPLES.get(name, {})})


def uses_in(line: str) -> tuple[str, ...]:
    """The uses in a line of ``USES`` or in its translation."""
    return tuple(line.split(SEPARATOR))


def found_by(words: str, name: str, texts: Sequence[str]) -> bool:
    """Whether each of the words begins a word of the tool's name, of what it is used for, or of these texts."""
    said = " ".join([name, *uses_in(USES[name]), *texts]).casefold().replace("_", " ").replace("colour", "color")
    wanted = words.casefold().replace("_", " ").replace("colour", "color").split()
    return all(f" {word}" in f" {said}" for word in wanted)
