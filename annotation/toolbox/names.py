"""Maps written names to tools: the interface names, the published library's names, and common spellings."""

from __future__ import annotations

import re
from difflib import get_close_matches

from annotation.schema import shortened
from annotation.toolbox.table import TOOLS

_ALIASES = {
    "binarize": "threshold", "binarization": "threshold", "thresholding": "threshold",
    "adjust_brightness": "convertscaleabs", "adjust_contrast": "convertscaleabs", "brightness": "convertscaleabs",
    "histogram_eq": "histogram", "histogram_equalization": "histogram",
    "color_filter": "inrange_color", "in_range_color": "inrange_color", "color_mask": "inrange_color",
    "flood_fill": "floodfill", "edge_detect": "canny", "canny_edge": "canny", "compute_gradients": "gradients",
    "line_detect": "hough_lines", "houghlines": "hough_lines", "houghlinesp": "hough_lines",
    "circle_detect": "hough_circles", "houghcircles": "hough_circles",
    "connected_components": "connected_components_with_stats", "conn_components": "connected_components_with_stats",
    "keypoint_features": "features", "frequency_transform": "dft", "image_pyramid": "pyramid",
    "draw_contours": "contours", "find_contours": "contours", "measure_area": "contour_area",
    "measure_perimeter": "arc_length", "perimeter": "arc_length",
    "approximate_polygon": "approx_poly", "approxpolydp": "approx_poly", "nlmeans": "denoise",
    "unsharp": "sharpen", "unsharp_mask": "sharpen", "matchtemplate": "template_match",
    "grayscale": "colorspace_gray", "gray": "colorspace_gray", "to_gray": "colorspace_gray",
    "hsv": "colorspace_hsv", "lab": "colorspace_lab",
}  # fmt: skip
_CONVERSIONS = ("colorspace_gray", "colorspace_hsv", "colorspace_lab")
_SEVERAL = {"convert_color": _CONVERSIONS, "cvtcolor": _CONVERSIONS, "color_space": _CONVERSIONS}


class UnknownToolError(ValueError):
    """A name that means no tool of the toolbox, or several. ``candidates`` are the tools it may mean, ``close`` those
    whose names are written much like it."""

    def __init__(self, name: str, candidates: tuple[str, ...]) -> None:
        self.name = name
        self.candidates = candidates
        self.close = () if candidates else close_to(name)
        near = f"near to it: {', '.join(self.close)}; " if self.close else ""
        known = f"{near}known are {', '.join(TOOLS)}"
        choice = f"it may mean {', '.join(candidates)}: choose one" if candidates else known
        super().__init__(f"{shortened(name, 60)!r} names no single tool; {choice}.")


def plain_name(name: str) -> str:
    """A name without what makes no difference: spaces, hyphens, dots, case, "opencv_" in front and "_tool" behind."""
    key = re.sub(r"[\s\-._]+", "_", name.strip().casefold()).strip("_")
    return key.removeprefix("opencv_").removesuffix("_tool")


def candidates(name: str) -> tuple[str, ...]:
    """The tools that ``name`` may mean: one, several ("Convert Color"), or none; see ``plain_name``."""
    key = plain_name(name)
    if key in _SEVERAL:
        return _SEVERAL[key]
    key = _ALIASES.get(key, key)
    return (key,) if key in TOOLS else ()


def close_to(name: str) -> tuple[str, ...]:
    """At most three tools with a name that is written much like this one, the nearest first."""
    written = get_close_matches(plain_name(name), [*TOOLS, *_ALIASES], n=3)
    return tuple(dict.fromkeys(_ALIASES.get(one, one) for one in written))


def aliases(name: str) -> tuple[str, ...]:
    """The other spellings that mean the tool of this interface name."""
    return tuple(written for written, meant in _ALIASES.items() if meant == name)


def resolve(name: str) -> str:
    """The interface name of the tool that ``name`` means. Raises ``UnknownToolError`` for none or several."""
    found = candidates(name)
    if len(found) != 1:
        raise UnknownToolError(name, found)
    return found[0]
