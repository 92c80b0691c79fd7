"""The profile ``vtc``: the tools of the published interface of VTC-Bench, as far as its decisions and pixels are known.

A call is ``{"image": …, "param": {…}}``. It is checked as the release does: types and required parameters, then the
rest. Unknown keys are ignored. ``PUBLISHED`` is what such calls run with; chains of annotators never use it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from annotation.schema import ORIGINAL, ToolCall
from annotation.toolbox import vtc_tools
from annotation.toolbox.results import MISSING, ToolError, ToolResult
from annotation.toolbox.signature import Parameter, snake_case
from annotation.toolbox.table import TOOLS, ToolSpec

PREFIX = "opencv_"


class Profile(StrEnum):
    """How tools are called: ``strict`` as our table has them, ``vtc`` as the published interface does."""

    STRICT = "strict"
    VTC = "vtc"


def _own(name: str, function: Callable[..., ToolResult], **more: Any) -> ToolSpec:
    return replace(TOOLS[name], function=function, **more)


_OWN = {
    "resize": _own("resize", vtc_tools.opencv_resize),
    "zoom_in": _own(
        "zoom_in",
        vtc_tools.opencv_zoom_in,
        size=vtc_tools.zoomed_size,
        rules=("Give scale, or target_width, target_height or both; without any the size stays.",),
    ),
    "rotate": _own("rotate", vtc_tools.opencv_rotate, size=vtc_tools.rotated_size),
    "flip": _own("flip", vtc_tools.opencv_flip),
    "translate": _own("translate", vtc_tools.opencv_translate),
    "colorspace_hsv": _own("colorspace_hsv", vtc_tools.opencv_colorspace_hsv),
    "colorspace_lab": _own("colorspace_lab", vtc_tools.opencv_colorspace_lab),
    "convertscaleabs": _own("convertscaleabs", vtc_tools.opencv_convertscaleabs),
    "blur": _own("blur", vtc_tools.opencv_blur),
    "inpaint": _own("inpaint", vtc_tools.opencv_inpaint),
    "floodfill": _own("floodfill", vtc_tools.opencv_floodfill),
}
PUBLISHED: dict[str, ToolSpec] = {
    PREFIX + name: _OWN.get(name, spec) for name, spec in TOOLS.items() if name != "sharpen"
}
"""Published name to tool: 35, all of ours but ``sharpen``."""


def tools_of(profile: Profile) -> Mapping[str, ToolSpec]:
    """What a chain of this profile runs with, besides the table."""
    return PUBLISHED if profile is Profile.VTC else {}


_UNKNOWN = dict.fromkeys(("contours", "arc_length", "approx_poly"), frozenset({"color", "thickness"}))
"""Parameters of ours that the published tool does not have."""
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
"""What the published schemas require. What else a tool cannot do without, the call itself refuses."""
_TEMPLATE = "template_path"


def published_name(tool: str) -> str:
    """The published name of ``opencv_crop`` or ``crop``. Raises ``ToolError``."""
    name = PREFIX + tool.strip().removeprefix(PREFIX)
    if name not in PUBLISHED:
        raise ToolError("vtc", "tool", tool, "one of " + ", ".join(PUBLISHED))
    return name


def arguments_of(tool: str, param: object) -> dict[str, Any]:
    """The arguments of a published call by our names, each checked; a null counts as absent. Raises ``ToolError``."""
    name = published_name(tool)
    plain = name.removeprefix(PREFIX)
    if not isinstance(param, Mapping):
        raise ToolError(name, "param", param, "an object of parameters")
    given = {snake_case(str(key)): value for key, value in param.items() if value is not None}
    for one in _REQUIRED.get(plain, ()):
        if one not in given:
            raise ToolError(name, one, MISSING, _by_name(name)[one].allowed)
    known = _by_name(name)
    checked = {key: known[key].checked(name, value) for key, value in given.items() if key in known}
    for one, parameter in known.items():
        if parameter.required and one not in checked:
            raise ToolError(name, one, MISSING, parameter.allowed)
    return checked


def call_of(tool: str, given: Mapping[str, Any], image_out: str | None = None) -> ToolCall:
    """A call ``{"image": …, "param": {…}}`` as one that runs with ``PUBLISHED``. Raises ``ToolError``.

    Without ``image`` it works on the original.
    """
    name, param = published_name(tool), given.get("param")
    arguments = arguments_of(name, {} if param is None else param)
    ids = [str(given.get("image") or ORIGINAL)]
    if len(PUBLISHED[name].pictures) > 1:
        template = param.get(_TEMPLATE) if isinstance(param, Mapping) else None
        if not isinstance(template, str) or not template:
            raise ToolError(name, _TEMPLATE, MISSING if template is None else template, "the id of an image")
        ids.append(template)
    return ToolCall(name, arguments, tuple(ids) if len(ids) > 1 else ids[0], image_out)


def published_tool(name: str) -> dict[str, Any]:
    """The tool of this published name as chat-completions endpoints take it: flat but for ``param``."""
    spec, plain = PUBLISHED[name], name.removeprefix(PREFIX)
    values = {_SPELLED.get(one, one): parameter.json_schema() for one, parameter in _by_name(name).items()}
    if len(spec.pictures) > 1:
        values[_TEMPLATE] = {"type": "string", "description": "id of the smaller image"}
    required = [_SPELLED.get(one, one) for one in _REQUIRED.get(plain, ())]
    param = {"type": "object", "properties": values, "required": required}
    image = {"type": "string", "description": 'id of an image: "original", or one that an earlier call returned'}
    schema = {
        "type": "object",
        "properties": {"image": image, "param": param},
        "required": ["image", "param"] if required else ["image"],
        "additionalProperties": False,
    }
    description = " ".join((spec.description, *(() if plain == "resize" else spec.rules)))
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def _by_name(name: str) -> dict[str, Parameter]:
    hidden = _UNKNOWN.get(name.removeprefix(PREFIX), frozenset())
    return {one.name: one for one in PUBLISHED[name].parameters if one.name not in hidden}
