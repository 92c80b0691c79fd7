"""Finding and describing: template match, keypoints, frequencies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import cv2
import numpy as np

from annotation.toolbox.published.common import as_bgr, from_bgr
from annotation.toolbox.published.filters import kernel_of
from annotation.toolbox.results import Picture, ToolError, ToolResult, as_grey, as_picture
from annotation.toolbox.signature import tool

_METHODS = {"sqdiff": cv2.TM_SQDIFF, "ccorr": cv2.TM_CCORR_NORMED, "ccoeff": cv2.TM_CCOEFF_NORMED}


@tool("Finds where the colors of the image are most similar to a second, smaller image; draws and measures the box.")
def opencv_template_match(
    image: Picture, template: Picture, *, method: Literal["sqdiff", "ccorr", "ccoeff"] = "ccorr"
) -> ToolResult:
    height, width = template.shape[:2]
    if height > image.shape[0] or width > image.shape[1]:
        allowed = f"at most {image.shape[1]} × {image.shape[0]} pixels"
        raise ToolError("opencv_template_match", "template_path", f"{width} × {height}", allowed)
    canvas = as_bgr(image)
    low, high, at_low, at_high = cv2.minMaxLoc(cv2.matchTemplate(canvas, as_bgr(template), _METHODS[method]))
    score, (x, y) = (low, at_low) if method == "sqdiff" else (high, at_high)
    cv2.rectangle(canvas, (x, y), (x + width, y + height), (0, 0, 255), 2)
    box = {"x": x, "y": y, "width": width, "height": height}
    return from_bgr(canvas, {"method": method, "score": float(score), "bbox": box})


@tool("Frequencies of the gray image: the logarithm of the magnitude, the lowest in the middle, scaled to 0 to 255.")
def opencv_dft(image: Picture) -> ToolResult:
    spectrum = np.fft.fftshift(cv2.dft(as_grey(image).astype(np.float32), flags=cv2.DFT_COMPLEX_OUTPUT))
    magnitude = cv2.magnitude(np.ascontiguousarray(spectrum[:, :, 0]), np.ascontiguousarray(spectrum[:, :, 1]))
    values: Any = 20 * np.log(np.asarray(magnitude) + 1e-5)
    scaled: Any = cv2.normalize(values, np.empty_like(values), 0, 255, cv2.NORM_MINMAX)
    return ToolResult(as_picture(np.asarray(scaled)), transform=None)


@tool(
    "Finds corners and other striking points; draws them and measures their places. The methods surf and brief are "
    "rejected, as by the release with a usual OpenCV."
)
def opencv_features(
    image: Picture,
    *,
    method: Literal["harris", "shi_tomasi", "sift", "fast", "orb"] = "orb",
    max_points: Annotated[int, "how many points are measured"] = 50,
) -> ToolResult:
    gray, canvas = as_grey(image), as_bgr(image)
    if method == "harris":
        total, points = _harris(gray, max_points)
        for x, y in points:
            cv2.circle(canvas, (x, y), 3, (0, 0, 255), -1)
    elif method == "shi_tomasi":
        corners: Any = cv2.goodFeaturesToTrack(gray, 200, 0.01, 5)
        rows = [] if corners is None else np.asarray(corners).astype(int).reshape(-1, 2).tolist()
        total, points = len(rows), rows[:max_points]
        for x, y in points:
            cv2.circle(canvas, (x, y), 3, (0, 255, 0), -1)
    else:
        cv2.setRNGSeed(0)  # keypoints of SIFT are drawn in random colors
        total, points, canvas = _keypoints(gray, canvas, method, max_points)
    return from_bgr(canvas, {"total_points": total, "points": points})


def _harris(gray: Picture, number: int) -> tuple[int, list[list[int]]]:
    """Return the number of corner pixels and the strongest ones. Ties are sorted by larger x, then by larger y."""
    strength: Any = cv2.dilate(cv2.cornerHarris(gray.astype(np.float32), 2, 3, 0.04), kernel_of(3))
    rows, columns = np.nonzero(strength > 0.01 * strength.max())
    order = np.lexsort((rows, columns, strength[rows, columns]))[::-1][:number]
    return len(rows), np.stack([columns[order], rows[order]], axis=1).tolist()


def _keypoints(gray: Picture, pixels: Picture, method: str, number: int) -> tuple[int, list[list[int]], Picture]:
    """The number of keypoints, the places of the first ones, and the image with all of them."""
    detectors: dict[str, Any] = {"sift": cv2.SIFT, "fast": cv2.FastFeatureDetector, "orb": cv2.ORB}
    detector = detectors[method].create()
    points: Any = detector.detect(gray, None)
    styles: dict[str, dict[str, Any]] = {
        "sift": {"flags": cv2.DRAW_MATCHES_FLAGS_DRAW_RICH_KEYPOINTS},
        "fast": {"color": (255, 0, 0)},
        "orb": {"color": (0, 255, 0), "flags": 0},
    }
    drawn = cv2.drawKeypoints(pixels, points, np.empty_like(pixels), **styles[method])
    places = [[int(point.pt[0]), int(point.pt[1])] for point in points[:number]]
    return len(points), places, as_picture(drawn)
