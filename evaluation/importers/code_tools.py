"""Which of our tools a call of PIL or OpenCV is, and with which parameters. The last part of a name decides.

A table row: the tool, the names of the positional parameters behind the picture (None = passed over), and constants.
Parameters keep our names and meaning; where the library counts otherwise (PIL turns against the clock), it is turned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.importers.code_values import Number, Raster, Value, plain


@dataclass(frozen=True, slots=True)
class Known:
    """A call we have a tool for. ``returns``: which item of the returned list is the picture, None = the whole; an
    empty ``picture`` means that the call measures and returns none."""

    tool: str
    parameters: Sequence[str | None] = ()
    constants: Mapping[str, Any] = field(default_factory=dict)
    returns: int | None = None
    picture: bool = True


def _blur(method: str, *parameters: str | None) -> Known:
    return Known("blur", parameters, {"method": method})


CALLS: Mapping[str, Known] = {
    "threshold": Known("threshold", ("threshold_value", None, "mode"), returns=1),
    "adaptiveThreshold": Known("threshold", (None, "mode", None, "adaptive_block_size", "adaptive_constant")),
    "Canny": Known("canny", ("threshold_low", "threshold_high")),
    "blur": _blur("average", "ksize"),
    "boxFilter": _blur("average", None, "ksize"),
    "GaussianBlur": _blur("gaussian", "ksize", "sigma_x"),
    "medianBlur": _blur("median", "ksize"),
    "bilateralFilter": _blur("bilateral", "d", "sigma_color", "sigma_space"),
    "erode": Known("morphology", (None,), {"op": "erode"}),
    "dilate": Known("morphology", (None,), {"op": "dilate"}),
    "morphologyEx": Known("morphology", ("op",)),
    "equalizeHist": Known("histogram", (), {"mode": "equalize"}),
    "equalize": Known("histogram", (), {"mode": "equalize"}),
    "autocontrast": Known("histogram", (), {"mode": "equalize"}),
    "convertScaleAbs": Known("convertscaleabs", ("alpha", "beta")),
    "filter2D": Known("sharpen"),
    "addWeighted": Known("sharpen"),
    "inRange": Known("inrange_color", ("lower", "upper")),
    "findContours": Known("contours", ("mode",), picture=False),
    "drawContours": Known("contours"),
    "contourArea": Known("contour_area", picture=False),
    "arcLength": Known("arc_length", picture=False),
    "approxPolyDP": Known("approx_poly", picture=False),
    "HoughLines": Known("hough_lines", picture=False),
    "HoughLinesP": Known("hough_lines", (None, None, "threshold"), picture=False),
    "HoughCircles": Known("hough_circles", (None, "dp", "minDist"), picture=False),
    "connectedComponents": Known("connected_components_with_stats", returns=1),
    "connectedComponentsWithStats": Known("connected_components_with_stats", returns=1),
    "matchTemplate": Known("template_match"),
    "inpaint": Known("inpaint", (None, "radius", "method")),
    "fastNlMeansDenoising": Known("denoise", (None, "h"), {"mode": "fast_means_gray"}),
    "fastNlMeansDenoisingColored": Known("denoise", (None, "h", "h_color"), {"mode": "fast_means_color"}),
    "watershed": Known("watershed"),
    "grabCut": Known("grabcut"),
    "floodFill": Known("floodfill"),
    "pyrUp": Known("pyramid", (), {"mode": "pyr_up"}),
    "pyrDown": Known("pyramid", (), {"mode": "pyr_down"}),
    "Sobel": Known("gradients", (), {"mode": "sobel_x"}),
    "Laplacian": Known("gradients", (), {"mode": "laplacian"}),
    "dft": Known("dft"),
    "goodFeaturesToTrack": Known("features", (), {"method": "shi_tomasi"}, picture=False),
    "cornerHarris": Known("features", (), {"method": "harris"}),
    "line": Known("draw_line", ("from", "to", "color", "thickness")),
    "circle": Known("draw_circle", ("center", "radius", "color", "thickness")),
    "warpAffine": Known("rotate"),
}
"""Functions of ``cv2`` and ``ImageOps`` that take the picture first."""

ENHANCERS: Mapping[str, tuple[str, str]] = {
    "Contrast": ("convertscaleabs", "alpha"),
    "Brightness": ("convertscaleabs", "alpha"),
    "Color": ("convertscaleabs", "alpha"),
    "Sharpness": ("sharpen", "strength"),
}
"""Makers of ``ImageEnhance``: the tool of their ``enhance``, and its parameter."""

FILTERS: Mapping[str, str] = {
    "SHARPEN": "sharpen",
    "UnsharpMask": "sharpen",
    "GaussianBlur": "blur",
    "BoxBlur": "blur",
    "MedianFilter": "blur",
    "BLUR": "blur",
    "FIND_EDGES": "canny",
    "EDGE_ENHANCE": "sharpen",
    "DETAIL": "sharpen",
}
"""What ``image.filter(ImageFilter.NAME)`` is."""

COLOURS: Mapping[str, str] = {"GRAY": "colorspace_gray", "HSV": "colorspace_hsv", "LAB": "colorspace_lab"}
MODES: Mapping[str, str] = {"L": "colorspace_gray", "1": "threshold", "HSV": "colorspace_hsv", "LAB": "colorspace_lab"}
FLIPS: Mapping[str, str] = {"FLIP_LEFT_RIGHT": "horizontal", "FLIP_TOP_BOTTOM": "vertical"}
TURNS: Mapping[str, float] = {
    "ROTATE_90": -90,
    "ROTATE_180": 180,
    "ROTATE_270": 90,
    "ROTATE_90_CLOCKWISE": 90,
    "ROTATE_90_COUNTERCLOCKWISE": -90,
}
"""Degrees clockwise. PIL's constants turn against the clock."""

IN_PLACE = frozenset({"line", "circle", "drawContours", "floodFill"})
"""Functions that change the picture they are given."""

COPIES = frozenset(
    {"array", "asarray", "fromarray", "copy", "deepcopy", "astype", "uint8", "ascontiguousarray", "exif_transpose"}
)
"""Calls that give the same picture again."""


def colour_of(constant: str) -> str | None:
    """The tool of ``cv2.COLOR_X2Y``: by what it converts to; None for an order of channels, which is no step."""
    target = constant.partition("2")[2].upper()
    return next((tool for name, tool in COLOURS.items() if target.startswith(name)), None)


def arguments_of(known: Known, given: Sequence[Value], named: Mapping[str, Value]) -> dict[str, Any]:
    """The parameters of a call of the table, as written; those that cannot be told are left out."""
    found = dict(known.constants)
    for name, value in zip(known.parameters, given, strict=False):
        if name and (told := plain(value)) is not None:
            found[name] = told
    for name, value in named.items():
        if not isinstance(value, Raster) and (told := plain(value)) is not None:
            found[name] = told
    return found


def resized(given: Sequence[Value], named: Mapping[str, Value], size: tuple[float, float] | None) -> Value:
    """The size ``(width, height)`` that a resize asks for: given, or by factors of a known size."""
    wanted = named.get("size", named.get("dsize", given[0] if given else None))
    if isinstance(wanted, tuple) and len(wanted) == 2:
        return wanted
    across, down = named.get("fx"), named.get("fy")
    if size and isinstance(across, Number) and isinstance(down, Number):
        return (Number.of(round(size[0] * across.ran)), Number.of(round(size[1] * down.ran)))
    return None
