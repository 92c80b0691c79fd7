"""Every tool as lines of plain OpenCV: what it does, without its checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.toolbox.affine import clockwise, shift
from annotation.toolbox.geometry import resized_size as new_size
from annotation.toolbox.geometry import rotated_size, zoomed_size


@dataclass(frozen=True, slots=True)
class Source:
    """An image of the program: its variable, whether it has one value a pixel, its size."""

    variable: str
    grey: bool
    width: int
    height: int

    @property
    def as_grey(self) -> str:
        return self.variable if self.grey else f"cv2.cvtColor({self.variable}, cv2.COLOR_RGB2GRAY)"

    @property
    def as_rgb(self) -> str:
        """A copy to draw on."""
        return f"cv2.cvtColor({self.variable}, cv2.COLOR_GRAY2RGB)" if self.grey else f"{self.variable}.copy()"


Lines = tuple[list[str], bool]
"""The lines of a tool, and whether its image is gray."""
Args = Mapping[str, Any]
_CANNY = {"low": (50.0, 100.0), "medium": (100.0, 200.0), "high": (150.0, 250.0)}


def _one(code: Callable[[Source, Args], str], grey: bool | None = None) -> Callable[..., Lines]:
    """A tool that is one expression; ``grey`` None: as its input is."""

    def lines(inputs: Sequence[Source], out: str, a: Args) -> Lines:
        return [f"{out} = {code(inputs[0], a)}"], inputs[0].grey if grey is None else grey

    return lines


def _resized(i: Source, part: str, across: int, down: int, size: tuple[int, int]) -> str:
    how = "AREA" if size[0] <= across and size[1] <= down else "CUBIC"
    return f"cv2.resize({part}, {size}, interpolation=cv2.INTER_{how})"


def _part(i: Source, a: Args) -> str:
    return f"{i.variable}[{a['y']}:{a['y'] + a['height']}, {a['x']}:{a['x'] + a['width']}]"


def _resize(i: Source, a: Args) -> str:
    return _resized(i, i.variable, i.width, i.height, new_size(i.width, i.height, **a))


def _zoom(i: Source, a: Args) -> str:
    return _resized(i, _part(i, a), a["width"], a["height"], zoomed_size(i.width, i.height, **a))


def _rotate(i: Source, a: Args) -> str:
    angle = a["angle"]
    if angle % 90 == 0:
        return f"np.ascontiguousarray(np.rot90({i.variable}, {-round(angle / 90)}))"
    size = rotated_size(i.width, i.height, angle=angle)
    onto = shift(size[0] / 2, size[1] / 2).after(clockwise(angle)).after(shift(-i.width / 2, -i.height / 2))
    rows = [list(row) for row in shift(-0.5, -0.5).after(onto).after(shift(0.5, 0.5)).rows()]
    return f"cv2.warpAffine({i.variable}, np.array({rows}), {size}, flags=cv2.INTER_LINEAR)"


def _translate(i: Source, a: Args) -> str:
    x, y = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}[a["direction"]]
    x, y = x * min(a["distance"], i.width), y * min(a["distance"], i.height)
    moved = f"np.array([[1.0, 0.0, {x}], [0.0, 1.0, {y}]])"
    return f"cv2.warpAffine({i.variable}, {moved}, {(i.width, i.height)}, flags=cv2.INTER_NEAREST)"


def _planes(space: str, names: Sequence[str]) -> Callable[..., Lines]:
    def lines(inputs: Sequence[Source], out: str, a: Args) -> Lines:
        whole = f"cv2.cvtColor({inputs[0].as_rgb}, cv2.COLOR_RGB2{space})"
        channel = a["channel"]
        one = "" if channel == "all" else f"[:, :, {names.index(channel)}].copy()"
        return [f"{out} = {whole}{one}"], channel != "all"

    return lines


def _by_channel(code: Callable[[str, Args], str]) -> Callable[..., Lines]:
    """A tool that works on the gray image or on color channels; ``code`` is given the name of one plane."""

    def lines(inputs: Sequence[Source], out: str, a: Args) -> Lines:
        if a["color_mode"] == "grayscale":
            return [f"gray = {inputs[0].as_grey}", f"{out} = {code('gray', a)}"], True
        planes = {"all": (0, 1, 2), "red": (0,), "green": (1,), "blue": (2,)}[a["channels"]]
        found = [f"{out} = {inputs[0].as_rgb}"]
        for plane in planes:
            found += [
                f"plane = np.ascontiguousarray({out}[:, :, {plane}])",
                f"{out}[:, :, {plane}] = {code('plane', a)}",
            ]
        return found, False

    return lines


def _threshold(plane: str, a: Args) -> str:
    kind = "cv2.THRESH_BINARY_INV" if a["invert"] else "cv2.THRESH_BINARY"
    if a["mode"].startswith("adaptive"):
        how = "MEAN" if a["mode"] == "adaptive_mean" else "GAUSSIAN"
        block, less = a["adaptive_block_size"], a["adaptive_constant"]
        return f"cv2.adaptiveThreshold({plane}, 255, cv2.ADAPTIVE_THRESH_{how}_C, {kind}, {block}, {less})"
    otsu = " | cv2.THRESH_OTSU" if a["mode"] == "otsu" else ""
    return f"cv2.threshold({plane}, {a['threshold_value']}, 255, {kind}{otsu})[1]"


def _histogram(plane: str, a: Args) -> str:
    if a["mode"] == "equalize":
        return f"cv2.equalizeHist({plane})"
    return f"cv2.createCLAHE({a['clip_limit']}, {a['tile_grid_size']}).apply({plane})"


def _canny(plane: str, a: Args) -> str:
    low, high = _CANNY[a["preset"]]
    low, high = (low, high) if a["threshold_low"] is None else (a["threshold_low"], a["threshold_high"])
    return f"cv2.Canny({plane}, {low}, {high})"


def _inrange(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    space = "HSV" if a["colorspace"] == "hsv" else "BGR"
    low, high = a["lower"], a["upper"]
    found = [f"rgb = {inputs[0].as_rgb}", f"values = cv2.cvtColor(rgb, cv2.COLOR_RGB2{space})"]
    if space == "HSV" and low[0] > high[0]:
        found.append(
            f"mask = cv2.inRange(values, {low}, {(179, *high[1:])}) | cv2.inRange(values, {(0, *low[1:])}, {high})"
        )
    else:
        found.append(f"mask = cv2.inRange(values, {low}, {high})")
    if a["output_format"] == "mask":
        return [*found, f"{out} = mask"], True
    found.append(f"{out} = cv2.bitwise_and(rgb, rgb, mask=mask)")
    if a["output_format"] == "both":
        found.append(f"{out} = np.hstack([{out}, cv2.cvtColor(mask, cv2.COLOR_GRAY2RGB)])")
    return found, False


def _blur(i: Source, a: Args) -> str:
    k, v = a["ksize"], i.variable
    return {
        "average": f"cv2.blur({v}, ({k}, {k}))",
        "gaussian": f"cv2.GaussianBlur({v}, ({k}, {k}), {a['sigma_x']}, sigmaY={a['sigma_y']})",
        "median": f"cv2.medianBlur({v}, {k})",
        "bilateral": f"cv2.bilateralFilter({v}, {a['d']}, {a['sigma_color']}, {a['sigma_space']})",
    }[a["method"]]


def _sharpen(i: Source, a: Args) -> str:
    smooth = f"cv2.GaussianBlur({i.variable}, (0, 0), {a['sigma']})"
    return f"cv2.addWeighted({i.variable}, {1 + a['amount']}, {smooth}, {-a['amount']}, 0)"


def _denoise(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    i, windows = inputs[0], f"{a['template_window']}, {a['search_window']}"
    if a["mode"] == "fast_means_gray":
        return [f"{out} = cv2.fastNlMeansDenoising({i.as_grey}, None, {a['h']}, {windows})"], True
    if a["mode"] == "fast_means_color":
        how = f"cv2.fastNlMeansDenoisingColored({i.as_rgb}, None, {a['h']}, {a['h_color']}, {windows})"
        return [f"{out} = {how}"], False
    each = f"cv2.fastNlMeansDenoising(plane, None, {a['h']}, {windows})"
    return [f"{out} = np.dstack([{each} for plane in cv2.split({i.as_rgb})])"], False


def _morphology(i: Source, a: Args) -> str:
    size = a["kernel_size"]
    kernel = f"cv2.getStructuringElement(cv2.MORPH_{a['kernel_shape'].upper()}, ({size}, {size}))"
    return f"cv2.morphologyEx({i.variable}, cv2.MORPH_{a['op'].upper()}, {kernel}, iterations={a['iterations']})"


def _brightness(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    table = f"table = np.clip(np.rint(np.arange(256) * {a['alpha']} + {a['beta']}), 0, 255).astype(np.uint8)"
    return [table, f"{out} = cv2.LUT({inputs[0].variable}, table)"], inputs[0].grey


def _inpaint(inputs: Sequence[Source], out: str, a: Args) -> Lines:
    i, how = inputs[0], "TELEA" if a["method"] == "telea" else "NS"
    if a["preset"] == "canny":
        mask = f"mask = cv2.dilate(cv2.Canny({i.as_grey}, 100, 200), np.ones((3, 3), np.uint8))"
    else:
        mask = f"mask = cv2.threshold({i.as_grey}, 240, 255, cv2.THRESH_BINARY)[1]"
    return [mask, f"{out} = cv2.inpaint({i.variable}, mask, {a['radius']}, cv2.INPAINT_{how})"], i.grey


def _gradients(i: Source, a: Args) -> str:
    x = int(a["mode"] == "sobel_x")
    slope = f"cv2.Sobel({i.as_grey}, cv2.CV_16S, {x}, {1 - x}, ksize=3)"
    if a["mode"] == "laplacian":
        slope = f"cv2.Laplacian({i.as_grey}, cv2.CV_16S, ksize=3)"
    return f"cv2.convertScaleAbs({slope})"


CODE: dict[str, Callable[..., Lines]] = {
    "resize": _one(_resize),
    "rotate": _one(_rotate),
    "translate": _one(_translate),
    "flip": _one(lambda i, a: f"cv2.flip({i.variable}, {1 if a['direction'] == 'horizontal' else 0})"),
    "crop": _one(_part),
    "zoom_in": _one(_zoom),
    "pyramid": _one(lambda i, a: f"cv2.{'pyrUp' if a['mode'] == 'pyr_up' else 'pyrDown'}({i.variable})"),
    "colorspace_gray": _one(lambda i, a: i.as_grey, True),
    "colorspace_hsv": _planes("HSV", ("hue", "saturation", "value")),
    "colorspace_lab": _planes("LAB", ("lightness", "a", "b")),
    "inrange_color": _inrange,
    "blur": _one(_blur),
    "sharpen": _one(_sharpen),
    "denoise": _denoise,
    "threshold": _by_channel(_threshold),
    "morphology": _one(_morphology),
    "histogram": _by_channel(_histogram),
    "convertscaleabs": _brightness,
    "inpaint": _inpaint,
    "canny": _by_channel(_canny),
    "gradients": _one(_gradients, True),
}
