"""What people want to do, in everyday words, and the tools for it: how they are found without their names. An example
of a call of each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

USES: Mapping[str, tuple[str, ...]] = {
    "resize": ("make smaller", "make larger", "enlarge", "shrink", "scale"),
    "rotate": ("turn", "straighten tilted text", "deskew"),
    "translate": ("move", "shift"),
    "flip": ("mirror",),
    "crop": ("cut out", "select a part", "region"),
    "zoom_in": ("enlarge a part", "magnify", "read small text"),
    "pyramid": ("halve", "double", "downsample", "upsample"),
    "colorspace_gray": ("black and white photograph", "remove colour"),
    "colorspace_hsv": ("hue", "saturation"),
    "colorspace_lab": ("lightness",),
    "inrange_color": ("mask of a colour", "colour range", "share of a colour", "percent of a colour"),
    "blur": ("smooth", "remove specks"),
    "sharpen": ("crisper", "read blurred text"),
    "denoise": ("remove noise", "grain"),
    "threshold": ("binary", "black and white", "mask of light and dark", "share of white", "percent of white"),
    "morphology": ("close holes", "open", "grow", "shrink a mask", "remove specks", "separate touching things"),
    "histogram": ("equalize", "even out contrast", "local contrast"),
    "convertscaleabs": ("contrast", "lighter", "darker"),
    "inpaint": ("paint over", "remove glare", "repair"),
    "canny": ("find edges", "outline"),
    "gradients": ("derivative", "find edges softly"),
    "watershed": ("separate touching things", "touching things counted apart", "segment"),
    "grabcut": ("cut out an object", "segment", "remove background"),
    "floodfill": ("fill a region", "magic wand", "area of one colour"),
    "connected_components_with_stats": ("count things", "blobs", "segment a mask", "number and area of regions"),
    "features": ("corners", "points of interest"),
    "hough_lines": ("find lines", "count lines", "angle of a line"),
    "hough_circles": ("find circles", "count circles", "round things"),
    "template_match": ("find a copy", "look for a part", "compare"),
    "dft": ("fourier", "spectrum", "periodic pattern"),
    "contours": ("outline", "count outlines", "box around things"),
    "approx_poly": ("corners of a shape", "simplify a shape", "count corners"),
    "draw_line": ("mark", "guide line"),
    "draw_circle": ("mark", "circle a thing"),
    "contour_area": ("measure area", "size of a thing"),
    "arc_length": ("measure length", "circumference"),
}
"""Of every tool, by its interface name."""

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


def found_by(words: str, name: str, texts: Sequence[str]) -> bool:
    """Whether each of the words begins a word of the tool's name, of what it is used for, or of these texts."""
    said = " ".join([name, *USES[name], *texts]).casefold().replace("_", " ").replace("colour", "color")
    wanted = words.casefold().replace("_", " ").replace("colour", "color").split()
    return all(f" {word}" in f" {said}" for word in wanted)
