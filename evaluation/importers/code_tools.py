"""Maps calls of PIL and OpenCV to our tools and their parameters. The last part of a name decides.

A table row: the tool, the names of the positional parameters after the image (None = ignored), and constants.
Parameters keep our names and meaning; values are converted if the library counts differently (PIL rotates
counterclockwise).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.importers.code_values import Number, Raster, Value, numbers_of, plain
from evaluation.importers.zooming import Size


@dataclass(frozen=True, slots=True)
class Known:
    """A call we have a tool for. ``returns``: which item of the returned list is the image, None = the whole; an
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
    "erode": Known("morphology", ("kernel_size",), {"op": "erode"}),
    "dilate": Known("morphology", ("kernel_size",), {"op": "dilate"}),
    "morphologyEx": Known("morphology", ("op", "kernel_size")),
    "equalizeHist": Known("histogram", (), {"mode": "equalize"}),
    "equalize": Known("histogram", (), {"mode": "equalize"}),
    "autocontrast": Known("histogram", (), {"mode": "equalize"}),
    "grayscale": Known("colorspace_gray"),
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
    "Sobel": Known("gradients", (None, "dx", "dy"), {"mode": "sobel_x"}),
    "Laplacian": Known("gradients", (), {"mode": "laplacian"}),
    "dft": Known("dft"),
    "goodFeaturesToTrack": Known("features", (), {"method": "shi_tomasi"}, picture=False),
    "cornerHarris": Known("features", (), {"method": "harris"}),
    "line": Known("draw_line", ("from", "to", "color", "thickness")),
    "circle": Known("draw_circle", ("center", "radius", "color", "thickness")),
    "warpAffine": Known("rotate"),
}
"""Functions of ``cv2`` and ``ImageOps`` that take the image first."""

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
"""The tools of ``image.filter(ImageFilter.NAME)``."""

CONSTANTS: Mapping[str, str] = {
    "THRESH_OTSU": "otsu",
    "ADAPTIVE_THRESH_GAUSSIAN": "adaptive_gaussian",
    "ADAPTIVE_THRESH_MEAN": "adaptive_mean",
    "THRESH_BINARY": "binary",
    "MORPH_OPEN": "open",
    "MORPH_CLOSE": "close",
    "MORPH_ERODE": "erode",
    "MORPH_DILATE": "dilate",
    "RETR_EXTERNAL": "external",
    "RETR_": "list",
    "INPAINT_TELEA": "telea",
    "INPAINT_NS": "ns",
    "TM_SQDIFF": "sqdiff",
    "TM_CCORR": "ccorr",
    "TM_CCOEFF": "ccoeff",
}
"""Our names for constants of OpenCV. In a sum of constants the first one counts."""

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
"""Functions that change the image they are given."""

COPIES = frozenset(
    {
        "array", "asarray", "fromarray", "copy", "deepcopy", "astype", "uint8", "ascontiguousarray", "exif_transpose",
        "rectangle", "putText", "ellipse", "polylines", "fillPoly", "bitwise_not", "bitwise_and", "normalize", "invert",
    }
)  # fmt: skip
"""Calls that return an image of the same size and region, and are none of our tools."""

DRAWN: Mapping[str, str] = {"line": "draw_line", "ellipse": "draw_circle"}
"""Methods of ``ImageDraw.Draw`` that are tools."""


def colour_of(constant: str) -> str | None:
    """The tool of ``cv2.COLOR_X2Y``: by what it converts to; None for an order of channels, which is no step."""
    target = constant.partition("2")[2].upper()
    return next((tool for name, tool in COLOURS.items() if target.startswith(name)), None)


def arguments_of(known: Known, given: Sequence[Value], named: Mapping[str, Value]) -> dict[str, Any]:
    """The parameters of a call of the table, as written; unknown ones are omitted."""
    found = dict(known.constants)
    positional = ((name, value) for name, value in zip(known.parameters, given, strict=False) if name)
    for name, value in [*positional, *named.items()]:
        told = None if isinstance(value, Raster) else plain(value)
        if isinstance(value, str) and value.isupper():
            found |= {"invert": True} if "_INV" in value else {}
            told = next((ours for theirs, ours in CONSTANTS.items() if theirs in value), None)
        if name in {"kernel_size", "kernel"} and isinstance(told, list):
            name, told = "kernel_size", max((side for side in told if isinstance(side, int)), default=None)
        if told is not None:
            found[name] = told
    if known.tool == "gradients":
        across, down = found.pop("dx", 1), found.pop("dy", 0)
        found |= {"mode": "sobel_y"} if down and not across else {}
    return found


def resized(given: Sequence[Value], named: Mapping[str, Value], size: tuple[float, float] | None) -> Value:
    """The size ``(width, height)`` that a resize asks for: given, or by factors of a known size."""
    wanted = named.get("size", named.get("dsize", given[0] if given else None))
    if isinstance(wanted, tuple) and len(wanted) == 2 and plain(wanted) != [0, 0]:
        return wanted
    across, down = named.get("fx"), named.get("fy")
    if size and isinstance(across, Number) and isinstance(down, Number):
        return (Number.of(round(size[0] * across.ran)), Number.of(round(size[1] * down.ran)))
    return None


def pair(value: Value) -> Size | None:
    """A size of two numbers, None when it is anything else."""
    numbers = numbers_of(value)
    return (numbers[0].ran, numbers[1].ran) if numbers and len(numbers) == 2 else None


def thumbnail(wanted: Size | None, size: Size | None) -> Size | None:
    """Return the size after ``Image.thumbnail``: within ``wanted``, with the aspect ratio kept as far as whole pixels
    allow.

    >>> thumbnail((100.0, 100.0), (1600, 1200))
    (100, 75)
    """
    if wanted is None or size is None or min(*wanted, *size) < 1:
        return None
    x, y = (math.floor(side) for side in wanted)
    if x >= size[0] and y >= size[1]:
        return size
    aspect = size[0] / size[1]
    if x / y >= aspect:
        return _nearest(y * aspect, lambda side: abs(aspect - side / y)), y
    return x, _nearest(x / aspect, lambda side: abs(aspect - x / side) if side else 0)


def _nearest(side: float, off: Callable[[int], float]) -> int:
    return max(min(math.floor(side), math.ceil(side), key=off), 1)


def turned_size(size: Size | None, angle: Value) -> Size | None:
    """The size of an image after a rotation by a multiple of 90°; None for other angles, which enlarge the canvas."""
    if size is None or not isinstance(angle, Number) or angle.asked % 90:
        return None
    return size if angle.asked % 180 == 0 else (size[1], size[0])


def edges_cut(given: Sequence[Value], size: Size | None) -> Value:
    """The box of ``crop(picture, border)`` (ImageOps) or ``crop(picture, top, left, height, width)`` (torchvision)."""
    if (numbers := numbers_of(tuple(given))) and len(numbers) == 4:
        top, left, high, wide = (number.asked for number in numbers)
        return tuple(map(Number.of, (left, top, left + wide, top + high)))
    border = given[0] if given else None
    sides = numbers_of((border,) * 4 if isinstance(border, Number) else border)
    if size is None or not sides or len(sides) != 4:
        return None
    left, top, right, bottom = (side.asked for side in sides)
    return tuple(map(Number.of, (left, top, size[0] - right, size[1] - bottom)))


def constants_in(call: ast.Call) -> list[str]:
    """Names such as ``Image.FLIP_TOP_BOTTOM`` or ``ImageFilter.GaussianBlur(2)`` among the arguments of a call."""
    values = [*call.args, *(part.value for part in call.keywords)]
    named = [part.func if isinstance(part, ast.Call) else part for part in values]
    return [part.attr for part in named if isinstance(part, ast.Attribute)]
