"""All tools, in the one table, in the order of the published taxonomy; and what is derived from their signatures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotation.toolbox import colour, drawing, edges, effort, filters, geometry, matching, outlines, regions
from annotation.toolbox.effort import Effort
from annotation.toolbox.results import ToolResult
from annotation.toolbox.rules import BOTH_OR_NEITHER, CHANNEL_NEEDS_COLOUR, RESIZE, ZOOM
from annotation.toolbox.signature import Parameter, parameters_of, picture_names
from annotation.toolbox.uses import USES, example_call

HEAVY = 4_000_000
"""Most input pixels of tools that take seconds or gigabytes on more."""

HEAVIEST = 2_000_000
"""The same for non-local means, which compares every pixel with hundreds of patches."""


class Module(StrEnum):
    GEOMETRY = "Geometry"
    ENHANCEMENT = "Enhancement"
    FEATURES = "Feature Extraction"
    DRAWING = "Drawing"


class Pick(StrEnum):
    """Which parameters a place on the image fills: x, y, width, height of a box; x, y of a point; x1 to y2 of a
    stroke; the range around a color."""

    BOX = "box"
    POINT = "point"
    STROKE = "stroke"
    COLOUR = "colour"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. ``canonical`` is its name in comparisons of chains, where the color conversions are one.

    ``size`` foretells the output's (width, height) of a tool that changes it: ``size(width, height, **arguments)``;
    ``fits`` raises, of the same, what the tool raises where a place does not lie in an image of that size.
    ``max_input_pixels`` is the largest image a slow tool is run on; None = any. ``effort`` foretells its time,
    ``working_bytes`` its memory, a pixel of the input. ``rules`` are sentences on several parameters at once, for its
    description. ``pick`` is what a click or a box on the image fills in. ``preview`` gives, from the arguments, the
    share of the screen's side that a preview of a slow tool is made at.
    """

    function: Callable[..., ToolResult]
    module: Module
    title: str
    canonical: str
    size: Callable[..., tuple[int, int]] | None = None
    max_input_pixels: int | None = None
    effort: Effort | None = None
    working_bytes: int = 16
    rules: tuple[str, ...] = ()
    pick: Pick | None = None
    preview: Callable[..., float] | None = None
    fits: Callable[..., None] | None = None

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return parameters_of(self.function)

    @property
    def pictures(self) -> tuple[str, ...]:
        """The names of the images it takes: ``image`` first."""
        return picture_names(self.function)

    @property
    def description(self) -> str:
        """The docstring as one line of plain text."""
        return " ".join((inspect.getdoc(self.function) or "").replace("``", "").split())

    @property
    def uses(self) -> tuple[str, ...]:
        """Everyday words for what people use the tool for."""
        return USES[self.name]

    @property
    def example(self) -> str:
        """A call as JSON."""
        return example_call(self.name)

    @property
    def summary(self) -> str:
        """The first sentence of the description."""
        return re.split(r"(?<=[a-z0-9)])[.;] ", self.description, maxsplit=1)[0].rstrip(".")


def _spec(
    function: Callable[..., ToolResult],
    module: Module,
    title: str,
    *,
    canonical: str = "",
    size: Callable[..., tuple[int, int]] | None = None,
    most: int | None = None,
    **more: Any,
) -> ToolSpec:
    return ToolSpec(function, module, title, canonical or function.__name__, size, most, **more)


_G, _E, _F, _D = Module.GEOMETRY, Module.ENHANCEMENT, Module.FEATURES, Module.DRAWING
_CONVERT = "convert_color"

TOOLS: dict[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        _spec(geometry.resize, _G, "Resize", size=geometry.resized_size, rules=RESIZE),
        _spec(geometry.rotate, _G, "Rotate", size=geometry.rotated_size),
        _spec(geometry.translate, _G, "Translate"),
        _spec(geometry.flip, _G, "Flip"),
        _spec(geometry.crop, _G, "Crop", size=geometry.cropped_size, pick=Pick.BOX, fits=geometry.crop_fits),
        _spec(
            geometry.zoom_in,
            _G,
            "Zoom In",
            size=geometry.zoomed_size,
            rules=ZOOM,
            pick=Pick.BOX,
            fits=geometry.zoom_fits,
        ),
        _spec(geometry.pyramid, _G, "Pyramid", size=geometry.pyramid_size),
        _spec(colour.colorspace_gray, _E, "Convert Color to Gray", canonical=_CONVERT),
        _spec(colour.colorspace_hsv, _E, "Convert Color to HSV", canonical=_CONVERT),
        _spec(colour.colorspace_lab, _E, "Convert Color to Lab", canonical=_CONVERT),
        _spec(colour.inrange_color, _E, "In-Range Color", size=colour.filtered_size, pick=Pick.COLOUR),
        _spec(filters.blur, _E, "Blur", effort=effort.of_blur),
        _spec(filters.sharpen, _E, "Sharpen", effort=effort.of_sharpen),
        _spec(
            filters.denoise,
            _E,
            "Denoise",
            most=HEAVIEST,
            effort=effort.of_denoise,
            working_bytes=64,
            preview=effort.preview_of_slow,
        ),
        _spec(colour.threshold, _E, "Threshold", effort=effort.of_threshold, rules=CHANNEL_NEEDS_COLOUR),
        _spec(filters.morphology, _E, "Morphology", effort=effort.of_morphology),
        _spec(colour.histogram, _E, "Histogram", rules=CHANNEL_NEEDS_COLOUR),
        _spec(colour.convertscaleabs, _E, "Adjust Brightness"),
        _spec(filters.inpaint, _E, "Inpaint", most=HEAVY, effort=effort.of_inpaint),
        _spec(edges.canny, _F, "Canny Edge", rules=BOTH_OR_NEITHER + CHANNEL_NEEDS_COLOUR),
        _spec(edges.gradients, _F, "Compute Gradients"),
        _spec(regions.watershed, _F, "Watershed", most=HEAVY, effort=effort.of_watershed, working_bytes=80),
        _spec(
            regions.grabcut,
            _F,
            "GrabCut",
            most=HEAVY,
            effort=effort.of_grabcut,
            working_bytes=300,
            preview=effort.preview_of_slow,
        ),
        _spec(regions.floodfill, _F, "Flood Fill", pick=Pick.POINT, fits=regions.start_fits),
        _spec(regions.connected_components_with_stats, _F, "Connected Components"),
        _spec(
            matching.features,
            _F,
            "Keypoint Features",
            most=HEAVY,
            effort=effort.of_features,
            working_bytes=200,
            preview=effort.preview_of_features,
        ),
        _spec(edges.hough_lines, _F, "Hough Lines"),
        _spec(edges.hough_circles, _F, "Hough Circles", most=HEAVY),
        _spec(matching.template_match, _F, "Template Match"),
        _spec(matching.dft, _F, "Frequency Transform", most=HEAVY, working_bytes=64),
        _spec(outlines.contours, _D, "Draw Contours"),
        _spec(outlines.approx_poly, _D, "Approximate Polygon"),
        _spec(drawing.draw_line, _D, "Draw Line", pick=Pick.STROKE),
        _spec(drawing.draw_circle, _D, "Draw Circle", pick=Pick.POINT),
        _spec(outlines.contour_area, _D, "Contour Area"),
        _spec(outlines.arc_length, _D, "Arc Length"),
    )
}
"""Interface name to tool."""


def json_schema(name: str) -> dict[str, Any]:
    """JSON Schema of the arguments of ``TOOLS[name]``, without its images.

    It stays in the subset that hosted model APIs accept: ``type``, ``properties``, ``required`` and
    ``additionalProperties`` at the root, flat properties, no combinators. It is never stricter than the tool. Rules
    that it cannot state (odd numbers, one value beside another, a crop inside the image) are in the descriptions, and
    the call checks them.
    """
    parameters = TOOLS[name].parameters
    return {
        "type": "object",
        "properties": {parameter.name: parameter.json_schema() for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.required],
        "additionalProperties": False,
    }


def openai_tool(name: str) -> dict[str, Any]:
    """The tool as chat-completions endpoints take it; images are named by their ids."""
    spec, schema = TOOLS[name], json_schema(name)
    pictures = {
        picture: {"type": "string", "description": 'id of an image: "original", or one that an earlier call returned'}
        for picture in spec.pictures
    }
    schema["properties"] = pictures | schema["properties"]
    schema["required"] = [*spec.pictures, *schema["required"]]
    description = " ".join((spec.description, *spec.rules))
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}
