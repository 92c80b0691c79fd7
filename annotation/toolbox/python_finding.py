"""The tools that find and draw, as lines of plain OpenCV. What they find stays in a variable of the program."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from annotation.toolbox.python_tools import Args, Lines, Source

_MARK = (0, 255, 0)


def _draw_line(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    ends = f"({a['x1']}, {a['y1']}), ({a['x2']}, {a['y2']})"
    return [f"{out} = cv2.line({inputs[0].as_rgb}, {ends}, {a['color'][::-1]}, {a['thickness']})"], False


def _draw_circle(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    place = f"({a['x']}, {a['y']}), {a['radius']}"
    return [f"{out} = cv2.circle({inputs[0].as_rgb}, {place}, {a['color'][::-1]}, {a['thickness']})"], False


def _lines(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    i = inputs[0]
    return [
        f"edges = cv2.Canny({i.as_grey}, {a['canny_low']}, {a['canny_high']})",
        f"lines = cv2.HoughLinesP(edges, 1, np.pi / 180, {a['threshold']}, None, {a['min_line_length']}, "
        f"{a['max_line_gap']})",
        "lines = [] if lines is None else lines.reshape(-1, 4).tolist()",
        "lines = sorted(lines, key=lambda line: (-np.hypot(line[2] - line[0], line[3] - line[1]), line))",
        f"{out} = {i.as_rgb}",
        f"for x1, y1, x2, y2 in lines[:{a['max_lines']}]:",
        f"    cv2.line({out}, (x1, y1), (x2, y2), {_MARK}, 2)",
    ], False


def _circles(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    i = inputs[0]
    given = ", ".join(str(a[name]) for name in ("dp", "min_dist"))
    more = ", ".join(str(a[name]) for name in ("param1", "param2", "min_radius", "max_radius"))
    return [
        f"circles = cv2.HoughCircles({i.as_grey}, cv2.HOUGH_GRADIENT, {given}, None, {more})",
        "circles = [] if circles is None else circles.reshape(-1, circles.shape[-1])[:, :3].tolist()",
        f"{out} = {i.as_rgb}",
        f"for x, y, radius in circles[:{a['max_circles']}]:",
        f"    cv2.circle({out}, (round(x), round(y)), round(radius), {_MARK}, 2)",
    ], False


def _outlines(i: Source, a: Args) -> list[str]:
    how = "EXTERNAL" if a["mode"] == "external" else "LIST"
    chosen = f"[: {a['max_contours']}]" if a["rank"] is None else f"[{a['rank'] - 1} : {a['rank']}]"
    return [
        f"edges = cv2.Canny({i.as_grey}, {a['canny_low']}, {a['canny_high']})",
        f"outlines = list(cv2.findContours(edges, cv2.RETR_{how}, cv2.CHAIN_APPROX_SIMPLE)[0])",
        "outlines.sort(key=lambda o: (-cv2.contourArea(o), o[:, 0, 1].min(), o[:, 0, 0].min()))",
        f"outlines = outlines{chosen}",
    ]


def _contours(measured: str) -> Callable[..., Lines]:
    def lines(inputs: Sequence[Source], out: str, a: Args) -> Lines:
        more = [measured.format(**a)] if measured else []
        drawn = f"cv2.drawContours({inputs[0].as_rgb}, outlines, -1, {a['color'][::-1]}, {a['thickness']})"
        return [*_outlines(inputs[0], a), *more, f"{out} = {drawn}"], False

    return lines


def _components(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    i = inputs[0]
    level = {"otsu": 0, "binary": a["threshold_value"], "none": 0}[a["threshold_mode"]]
    otsu = " | cv2.THRESH_OTSU" if a["threshold_mode"] == "otsu" else ""
    return [
        f"mask = cv2.threshold({i.as_grey}, {level}, 255, cv2.THRESH_BINARY{otsu})[1]",
        f"count, labels, stats, centers = cv2.connectedComponentsWithStats(mask, connectivity={a['connectivity']})",
        f"order = sorted(range(1, count), key=lambda n: (-stats[n, cv2.CC_STAT_AREA], n))[: {a['max_components']}]",
        f"{out} = {i.as_rgb}",
        "for x, y, w, h, area in stats[order].tolist():",
        f"    cv2.rectangle({out}, (x, y), (x + w - 1, y + h - 1), {_MARK}, 2)",
    ], False


def _watershed(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    i = inputs[0]
    return [
        f"mask = cv2.threshold({i.as_grey}, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1]",
        "distance = cv2.distanceTransform(mask, cv2.DIST_L2, 5)",
        "sure = (distance > 0.5 * float(distance.max())).astype(np.uint8)",
        "markers = cv2.connectedComponents(sure)[1].astype(np.int32) + 1",
        "around = cv2.dilate(mask, np.ones((3, 3), np.uint8), iterations=3) > 0",
        "markers[around & (sure == 0)] = 0",
        f"{out} = {i.as_rgb}",
        f"markers = cv2.watershed({out}, markers)",
        f"{out}[markers == -1] = (255, 0, 0)",
    ], False


def _grabcut(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    i, margin = inputs[0], {"center": 0.25, "tight": 0.1, "loose": 0.02}[a["preset"]]
    x, y = max(1, round(i.width * margin)), max(1, round(i.height * margin))
    box = (x, y, i.width - 2 * x, i.height - 2 * y)
    return [
        "cv2.setRNGSeed(0)",
        f"mask = np.zeros({(i.height, i.width)}, np.uint8)",
        f"{out} = {i.as_rgb}",
        f"cv2.grabCut({out}, mask, {box}, np.zeros((1, 65)), np.zeros((1, 65)), 5, cv2.GC_INIT_WITH_RECT)",
        f"{out}[(mask != cv2.GC_FGD) & (mask != cv2.GC_PR_FGD)] = 0",
    ], False


def _floodfill(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    colour, low, high = (a[name][::-1] for name in ("new_val", "lo_diff", "up_diff"))
    place = f"({a['x']}, {a['y']}), {colour}, {low}, {high}, {a['flags']}"
    return [f"{out} = {inputs[0].as_rgb}", f"filled = cv2.floodFill({out}, None, {place})[0]"], False


def _features(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    i, most, method = inputs[0], a["max_points"], a["method"]
    if method in ("harris", "shi_tomasi"):
        harris = method == "harris"
        found = [
            f"points = cv2.goodFeaturesToTrack({i.as_grey}, {most}, 0.01, 5, useHarrisDetector={harris})",
            "points = [] if points is None else points.reshape(-1, 2).tolist()",
        ]
    else:
        detector = {"sift": "SIFT", "fast": "FastFeatureDetector", "orb": "ORB"}[method]
        found = [
            f"points = cv2.{detector}.create().detect({i.as_grey}, None)",
            f"points = [p.pt for p in sorted(points, key=lambda p: (-p.response, p.pt))[:{most}]]",
        ]
    drawn = [
        f"{out} = {i.as_rgb}",
        "for x, y in points:",
        f"    cv2.circle({out}, (round(x), round(y)), 3, {_MARK}, 1)",
    ]
    return [*found, *drawn], False


def _template(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    i, part = inputs
    method = {"sqdiff": "SQDIFF", "ccorr": "CCORR", "ccoeff": "CCOEFF"}[a["method"]]
    at = 2 if method == "SQDIFF" else 3
    corner = f"({part.width} + x - 1, {part.height} + y - 1)"
    return [
        f"scores = cv2.matchTemplate({i.as_grey}, {part.as_grey}, cv2.TM_{method}_NORMED)",
        f"x, y = cv2.minMaxLoc(scores)[{at}]",
        f"{out} = cv2.rectangle({i.as_rgb}, (x, y), {corner}, {_MARK}, 2)",
    ], False


def _dft(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    return [
        f"values = np.log1p(np.fft.fftshift(np.abs(np.fft.fft2({inputs[0].as_grey}))))",
        "span = float(values.max() - values.min())",
        "scaled = (values - values.min()) * (255 / span) if span > 0 else np.zeros_like(values)",
        f"{out} = np.rint(scaled).astype(np.uint8)",
    ], True


CODE: dict[str, Callable[..., Lines]] = {
    "watershed": _watershed,
    "grabcut": _grabcut,
    "floodfill": _floodfill,
    "connected_components_with_stats": _components,
    "features": _features,
    "hough_lines": _lines,
    "hough_circles": _circles,
    "template_match": _template,
    "dft": _dft,
    "contours": _contours(""),
    "approx_poly": _contours(
        "outlines = [cv2.approxPolyDP(o, {epsilon_ratio} * cv2.arcLength(o, True), True) for o in outlines]"
    ),
    "draw_line": _draw_line,
    "draw_circle": _draw_circle,
    "contour_area": _contours("areas = [cv2.contourArea(o) for o in outlines]"),
    "arc_length": _contours("perimeters = [cv2.arcLength(o, True) for o in outlines]"),
}
