"""The profile ``vtc``: the tools of the published interface of VTC-Bench, with the same rules and pixels.

A call is ``{"image": …, "param": {…}}``. It is checked like the release: types and required parameters first, by its
JSON schema, then values, by its code. Unknown keys are ignored. ``PUBLISHED`` contains the tools of such calls;
toolchains of annotators never use it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from annotation.schema import ORIGINAL, ToolCall
from annotation.toolbox.published import color, drawing, edges, filters, geometry, matching, outlines, regions
from annotation.toolbox.results import MISSING, ToolError, ToolResult
from annotation.toolbox.signature import Kind, Parameter, parameters_of, snake_case
from annotation.toolbox.table import TOOLS, ToolSpec

PREFIX = "opencv_"


class Profile(StrEnum):
    """The interface of calls: ``strict`` is our table, ``vtc`` the published interface."""

    STRICT = "strict"
    VTC = "vtc"


_SIZES: dict[str, Callable[..., tuple[int, int]]] = {
    "resize": geometry.resized_size,
    "zoom_in": geometry.zoomed_size,
    "rotate": geometry.rotated_size,
    "pyramid": geometry.pyramid_size,
}
_FUNCTIONS: tuple[Callable[..., ToolResult], ...] = (
    geometry.opencv_resize, geometry.opencv_rotate, geometry.opencv_translate, geometry.opencv_flip,
    geometry.opencv_crop, geometry.opencv_zoom_in, geometry.opencv_pyramid,
    color.opencv_colorspace_gray, color.opencv_colorspace_hsv, color.opencv_colorspace_lab, color.opencv_inrange_color,
    color.opencv_threshold, color.opencv_histogram, color.opencv_convertscaleabs,
    filters.opencv_blur, filters.opencv_denoise, filters.opencv_morphology, filters.opencv_inpaint,
    edges.opencv_canny, edges.opencv_gradients, edges.opencv_hough_lines, edges.opencv_hough_circles,
    regions.opencv_watershed, regions.opencv_grabcut, regions.opencv_floodfill,
    regions.opencv_connected_components_with_stats,
    matching.opencv_features, matching.opencv_template_match, matching.opencv_dft,
    outlines.opencv_contours, outlines.opencv_approx_poly, outlines.opencv_contour_area, outlines.opencv_arc_length,
    drawing.opencv_draw_line, drawing.opencv_draw_circle,
)  # fmt: skip


def _spec(function: Callable[..., ToolResult]) -> ToolSpec:
    plain = function.__name__.removeprefix(PREFIX)
    spec = TOOLS[plain]
    size = None if plain == "inrange_color" else _SIZES.get(plain, spec.size)
    return replace(spec, function=function, size=size, rules=(), fits=None)


PUBLISHED: dict[str, ToolSpec] = {
    PREFIX + name: spec for spec in map(_spec, _FUNCTIONS) for name in [spec.function.__name__.removeprefix(PREFIX)]
}
"""Published name to tool: 35 tools, all of ours except ``sharpen``."""


def tools_of(profile: Profile) -> Mapping[str, ToolSpec]:
    """Return the tools of a toolchain of this profile, in addition to the table."""
    return PUBLISHED if profile is Profile.VTC else {}


_SPELLED = {
    snake_case(name): name
    for name in ("minLineLength", "maxLineGap", "minDist", "minRadius", "maxRadius", "loDiff", "upDiff", "newVal")
}
_REQUIRED = {
    "resize": ("width", "height"),
    "threshold": ("mode",),
    "blur": ("method", "ksize"),
    "draw_line": ("x1", "y1", "x2", "y2"),
    "gradients": ("mode",),
}
"""Required parameters of the published schemas. The call itself rejects other missing ones."""
_WITHOUT_PARAM = frozenset(
    ("colorspace_gray", "colorspace_hsv", "colorspace_lab", "morphology", "canny", "contours", "dft", "watershed")
)
"""Tools whose published schema does not require ``param``."""
_OTHERWISE = {("canny", "preset"): "medium", ("contours", "mode"): "list", ("contour_area", "mode"): "list",
              ("arc_length", "mode"): "list", ("approx_poly", "mode"): "list"}  # fmt: skip
"""The default for a text that is not a valid choice. For other parameters, such a text is rejected."""
_SPELLINGS = {"avg": "average"}
_WINDOWS = {"template_window": (3, 21), "search_window": (3, 31)}
"""Windows of ``denoise``. A value outside is replaced by the default."""
_TEMPLATE = "template_path"
_IMAGE = 'path or id of an image: "original", or what an earlier call returned'


def published_name(tool: str) -> str:
    """Return the published name of ``opencv_crop`` or ``crop``. Raises ``ToolError``."""
    name = PREFIX + tool.strip().removeprefix(PREFIX)
    if name not in PUBLISHED:
        raise ToolError("vtc", "tool", tool, "one of " + ", ".join(PUBLISHED))
    return name


def arguments_of(tool: str, param: object) -> dict[str, Any]:
    """Return the arguments of a published call by our names, each checked. A null counts as missing. Raises
    ``ToolError``.

    Values are normalized like in the release: texts become lower case, numbers are clamped to their range, even kernel
    sizes become odd, and colors and differences with an invalid length are replaced by the default.
    """
    name = published_name(tool)
    plain = name.removeprefix(PREFIX)
    if not isinstance(param, Mapping):
        raise ToolError(name, "param", param, "an object of parameters")
    values = {snake_case(str(key)): value for key, value in param.items() if value is not None}
    parameters = {parameter.name: parameter for parameter in parameters_of(PUBLISHED[name].function)}
    for required in _REQUIRED.get(plain, ()):
        if required not in values:
            raise ToolError(name, required, MISSING, parameters[required].allowed)
    arguments = {}
    for key, value in values.items():
        if key in parameters:
            _require_type(name, parameters[key], value)
            if (replaced := _as_released(plain, parameters[key], value)) is not None:
                arguments[key] = parameters[key].checked(name, replaced)
    for parameter in parameters.values():
        if parameter.required and parameter.name not in arguments:
            raise ToolError(name, parameter.name, MISSING, parameter.allowed)
    return arguments


def _require_type(name: str, parameter: Parameter, value: object) -> None:
    """Raise ``ToolError`` where the published schema rejects the value by its type."""
    items = value if parameter.kind is Kind.LIST and isinstance(value, list | tuple) else None
    match _type_of(parameter):
        case "string":
            fits = isinstance(value, str)
        case "boolean":
            fits = isinstance(value, bool)
        case "array":
            fits = items is not None and all(_is_number(item, whole=parameter.whole) for item in items)
        case kind:
            fits = _is_number(value, whole=kind == "integer")
    if not fits:
        raise ToolError(name, parameter.name, value, parameter.allowed)


def _is_number(value: object, *, whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return not whole or isinstance(value, int) or value.is_integer()


def _as_released(plain: str, parameter: Parameter, value: Any) -> Any:
    """Return the value that the release uses instead; None = its default."""
    if isinstance(value, str):
        text = _SPELLINGS.get(value.lower(), value.lower())
        otherwise = _OTHERWISE.get((plain, parameter.name))
        return text if otherwise is None or text in parameter.choices else otherwise
    if parameter.name == "color" and len(value) != 3:
        return None
    if parameter.name in ("lo_diff", "up_diff", "new_val"):
        return value[:3] if len(value) >= 3 else None
    if plain == "denoise" and parameter.name in _WINDOWS:
        low, high = _WINDOWS[parameter.name]
        return value if low <= value <= high else None
    return value


def call_of(tool: str, given: Mapping[str, Any], image_out: str | None = None) -> ToolCall:
    """Convert a call ``{"image": …, "param": {…}}`` to one that runs with ``PUBLISHED``. Raises ``ToolError``.

    Images are named by id or by path (``image_id``); without ``image``, it uses the original.
    """
    name, param = published_name(tool), given.get("param")
    if param is None:
        if name.removeprefix(PREFIX) not in _WITHOUT_PARAM:
            raise ToolError(name, "param", MISSING, "an object of parameters")
        param = {}
    arguments = arguments_of(name, param)
    ids = [image_id(given.get("image") or ORIGINAL)]
    if len(PUBLISHED[name].pictures) > 1:
        template = param.get(_TEMPLATE) if isinstance(param, Mapping) else None
        if not isinstance(template, str) or not template:
            raise ToolError(name, _TEMPLATE, MISSING if template is None else template, "the path of an image")
        ids.append(image_id(template))
    return ToolCall(name, arguments, tuple(ids) if len(ids) > 1 else ids[0], image_out)


_RESULT = re.compile(r"(?:.*/)?out/([1-9][0-9]{0,5})\.png")
_SAMPLE = re.compile(r"(?:.*/)?images/.+", re.DOTALL)


def image_id(path: object) -> str:
    """Return the id of the image at a path of a session: ``/images/SAMPLE.png`` is the original, ``/out/3.png`` the
    result of call 3. Any other text is an id.
    """
    text = str(path)
    if match := _RESULT.fullmatch(text):
        return f"image_{match[1]}"
    return ORIGINAL if _SAMPLE.fullmatch(text) else text


def image_path(name: str, sample: str) -> str:
    """Return the path of an image of a session, the inverse of ``image_id``."""
    return f"/images/{sample}.png" if name == ORIGINAL else f"/out/{name.removeprefix('image_')}.png"


def published_tool(name: str) -> dict[str, Any]:
    """Return the tool of this published name in the format of chat-completions endpoints, flat except for ``param``.

    It has the names, types and required parameters of the published schema, which states no bounds and no choices.
    These are in the descriptions, since the release also accepts other spellings and clamps numbers.
    """
    spec, plain = PUBLISHED[name], name.removeprefix(PREFIX)
    values = {_SPELLED.get(one.name, one.name): _schema(one) for one in spec.parameters}
    if len(spec.pictures) > 1:
        values[_TEMPLATE] = {"type": "string", "description": "path or id of the smaller image"}
    required = [_SPELLED.get(one, one) for one in _REQUIRED.get(plain, ())]
    schema = {
        "type": "object",
        "properties": {
            "image": {"type": "string", "description": _IMAGE},
            "param": {"type": "object", "properties": values, "required": required},
        },
        "required": ["image"] if plain in _WITHOUT_PARAM else ["image", "param"],
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": spec.description, "parameters": schema}}


def _type_of(parameter: Parameter) -> str:
    if parameter.kind is Kind.CHOICE:
        return "string" if isinstance(parameter.choices[0], str) else "integer"
    return "array" if parameter.kind is Kind.LIST else parameter.kind.value


def _schema(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": _type_of(parameter)}
    if parameter.kind is Kind.LIST:
        schema["items"] = {"type": "integer" if parameter.whole else "number"}
    return schema | {"description": "; ".join(_words(parameter))}


def _words(parameter: Parameter) -> Iterator[str]:
    if parameter.description:
        yield parameter.description
    if parameter.choices:
        yield "one of " + ", ".join(str(choice) for choice in parameter.choices)
    if not parameter.required and parameter.default is not None:
        yield f"default {json.dumps(parameter.default)}"
