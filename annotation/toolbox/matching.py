"""Finding and describing: template match, keypoints, frequencies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import cv2
import numpy as np

from annotation.marking import gettext_noop
from annotation.toolbox.results import Picture, Range, ToolError, ToolResult, as_grey, as_picture, as_rgb
from annotation.toolbox.signature import tool

_METHODS = {"sqdiff": cv2.TM_SQDIFF_NORMED, "ccorr": cv2.TM_CCORR_NORMED, "ccoeff": cv2.TM_CCOEFF_NORMED}
_MARK = (0, 255, 0)
_SMALLEST = 16


@tool(
    gettext_noop(
        "Finds where the image is most similar to a second, smaller image; draws and measures the box and its score. "
        "Scores are normalized, so you can compare them between images: 1 is best for ccorr and ccoeff, 0 for sqdiff."
    )
)
def template_match(
    image: Picture, template: Picture, *, method: Literal["sqdiff", "ccorr", "ccoeff"] = "ccoeff"
) -> ToolResult:
    grey, part = as_grey(image), as_grey(template)
    if part.shape[0] > grey.shape[0] or part.shape[1] > grey.shape[1]:
        size = f"{part.shape[1]} × {part.shape[0]}"
        raise ToolError("template_match", "template", size, f"at most {grey.shape[1]} × {grey.shape[0]} pixels")
    if method == "ccoeff" and part.min() == part.max():
        raise ToolError(
            "template_match", "template", "an image of one gray value", "a template with structure, or sqdiff"
        )
    low, high, at_low, at_high = cv2.minMaxLoc(cv2.matchTemplate(grey, part, _METHODS[method]))
    score, (left, top) = (low, at_low) if method == "sqdiff" else (high, at_high)
    right, bottom = left + part.shape[1], top + part.shape[0]
    out = as_rgb(image)
    cv2.rectangle(out, (left, top), (right - 1, bottom - 1), _MARK, 2)
    return ToolResult(out, {"score": float(score), "box": [left, top, right, bottom]})


@tool(
    gettext_noop(
        "Finds corners and other striking points, strongest first; draws and measures them. The published interface "
        "also has surf and brief, which OpenCV does not contain; they are rejected."
    )
)
def features(
    image: Picture,
    *,
    method: Literal["harris", "shi_tomasi", "sift", "fast", "orb"] = "orb",
    max_points: Annotated[int, Range(1, 5000), gettext_noop("how many, strongest first")] = 100,
) -> ToolResult:
    grey = as_grey(image)
    if method in ("harris", "shi_tomasi"):
        corners = cv2.goodFeaturesToTrack(grey, max_points, 0.01, 5, useHarrisDetector=method == "harris")
        points = [] if corners is None else np.asarray(corners).reshape(-1, 2).tolist()
        rows = [{"x": x, "y": y} for x, y in points]
    else:
        if min(grey.shape) < _SMALLEST:
            size = f"{grey.shape[1]} × {grey.shape[0]}"
            raise ToolError("features", "image", size, f"an image of at least {_SMALLEST} × {_SMALLEST} pixels")
        detectors: dict[str, Any] = {"sift": cv2.SIFT, "fast": cv2.FastFeatureDetector, "orb": cv2.ORB}
        detector = detectors[method].create()
        found = sorted(detector.detect(grey, None), key=lambda p: (-p.response, p.pt))[:max_points]
        rows = [{"x": p.pt[0], "y": p.pt[1], "size": p.size, "angle": p.angle} for p in found]
    out = as_rgb(image)
    for row in rows:
        cv2.circle(out, (round(row["x"]), round(row["y"])), 3, _MARK, 1)
    return ToolResult(out, {"points": rows})


@tool(
    gettext_noop(
        "Frequencies of the gray image: log(1 + magnitude), the lowest in the middle, scaled to 0 to 255. The result "
        "shows frequencies, not positions."
    )
)
def dft(image: Picture) -> ToolResult:
    spectrum = np.fft.fftshift(np.abs(np.fft.fft2(as_grey(image))))
    values = np.log1p(spectrum)
    span = float(values.max() - values.min())
    grey = (values - values.min()) * (255 / span) if span > 0 else np.zeros_like(values)
    return ToolResult(as_picture(np.rint(grey)), transform=None)
