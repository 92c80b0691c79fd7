"""The table of all tools, in the order of the published taxonomy, and data derived from their signatures."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotation.marking import gettext_noop
from annotation.toolbox import colour, drawing, edges, effort, filters, geometry, matching, outlines, regions
from annotation.toolbox.effort import Effort
from annotation.toolbox.results import ToolResult
from annotation.toolbox.rules import BOTH_OR_NEITHER, CHANNEL_NEEDS_COLOUR, RESIZE, ZOOM
from annotation.toolbox.signature import Parameter, parameters_of, picture_names
from annotation.toolbox.uses import USES, example_call, uses_in

HEAVY = 4_000_000
"""The maximum number of input pixels of tools that would take seconds or gigabytes for more."""

HEAVIEST = 2_000_000
"""The same for non-local means, which compares each pixel with hundreds of patches."""


class Module(StrEnum):
    GEOMETRY = gettext_noop("Geometry")
    ENHANCEMENT = gettext_noop("Enhancement")
    FEATURES = gettext_noop("Feature Extraction")
    DRAWING = gettext_noop("Drawing")


class Pick(StrEnum):
    """The parameters that a position on the image fills: x, y, width, height of a box; x, y of a point; x1 to y2 of a
    stroke; the range around a color.
    """

    BOX = "box"
    POINT = "point"
    STROKE = "stroke"
    COLOUR = "colour"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. ``canonical`` is its name in comparisons of toolchains, which treat color conversions as one tool.

    ``size`` predicts the (width, height) of the output, for tools that change it: ``size(width, height, **arguments)``.
    ``fits`` has the same arguments and raises the tool's error for positions outside an image of that size.
    ``max_input_pixels`` is the largest image for a slow tool; None = any. ``effort`` predicts its time and
    ``working_bytes`` its memory, per pixel of the input. ``rules`` are sentences about several parameters, for its
    description. ``pick`` lists the parameters filled by a click or a box on the image. ``preview`` returns, from the
    arguments, the side of the preview of a slow tool, as a share of the screen's side.
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
        """The names of its input images: ``image`` first."""
        return picture_names(self.function)

    @property
    def description(self) -> str:
        """The purpose of the tool in English: the text given to its decorator."""
        return self.function.__doc__ or ""

    @property
    def uses(self) -> tuple[str, ...]:
        """Everyday words for common uses of the tool."""
        return uses_in(USES[self.name])

    @property
    def example(self) -> str:
        """A call as JSON."""
        return example_call(self.name)

    @property
    def summary(self) -> str:
        """The first sentence of the description."""
        return summary_of(self.description)


def summary_of(description: str) -> str:
    """The first sentence of a description or of its translation, without its period."""
    return re.split(r"(?<=[a-z0-9)])[.;] |[。；]", description, maxsplit=1)[0].rstrip(".")


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
        _spec(geometry.resize, _G, gettext_noop("Resize"), size=geometry.resized_size, rules=RESIZE),
        _spec(geometry.rotate, _G, gettext_noop("Rotate"), size=geometry.rotated_size),
        _spec(geometry.translate, _G, gettext_noop("Translate")),
        _spec(geometry.flip, _G, gettext_noop("Flip")),
        _spec(
            geometry.crop, _G, gettext_noop("Crop"), size=geometry.cropped_size, pick=Pick.BOX, fits=geometry.crop_fits
        ),
        _spec(
            geometry.zoom_in,
            _G,
            gettext_noop("Zoom In"),
            size=geometry.zoomed_size,
            rules=ZOOM,
            pick=Pick.BOX,
            fits=geometry.zoom_fits,
        ),
        _spec(geometry.pyramid, _G, gettext_noop("Pyramid"), size=geometry.pyramid_size),
        _spec(colour.colorspace_gray, _E, gettext_noop("Convert Color to Gray"), canonical=_CONVERT),
        _spec(colour.colorspace_hsv, _E, gettext_noop("Convert Color to HSV"), canonical=_CONVERT),
        _spec(colour.colorspace_lab, _E, gettext_noop("Convert Color to Lab"), canonical=_CONVERT),
        _spec(colour.inrange_color, _E, gettext_noop("In-Range Color"), size=colour.filtered_size, pick=Pick.COLOUR),
        _spec(filters.blur, _E, gettext_noop("Blur"), effort=effort.of_blur),
        _spec(filters.sharpen, _E, gettext_noop("Sharpen"), effort=effort.of_sharpen),
        _spec(
            filters.denoise,
            _E,
            gettext_noop("Denoise"),
            most=HEAVIEST,
            effort=effort.of_denoise,
            working_bytes=64,
            preview=effort.preview_of_slow,
        ),
        _spec(colour.threshold, _E, gettext_noop("Threshold"), effort=effort.of_threshold, rules=CHANNEL_NEEDS_COLOUR),
        _spec(filters.morphology, _E, gettext_noop("Morphology"), effort=effort.of_morphology),
        _spec(colour.histogram, _E, gettext_noop("Histogram"), rules=CHANNEL_NEEDS_COLOUR),
        _spec(colour.convertscaleabs, _E, gettext_noop("Adjust Brightness")),
        _spec(filters.inpaint, _E, gettext_noop("Inpaint"), most=HEAVY, effort=effort.of_inpaint),
        _spec(edges.canny, _F, gettext_noop("Canny Edge"), rules=BOTH_OR_NEITHER + CHANNEL_NEEDS_COLOUR),
        _spec(edges.gradients, _F, gettext_noop("Compute Gradients")),
        _spec(
            regions.watershed, _F, gettext_noop("Watershed"), most=HEAVY, effort=effort.of_watershed, working_bytes=80
        ),
        _spec(
            regions.grabcut,
            _F,
            gettext_noop("GrabCut"),
            most=HEAVY,
            effort=effort.of_grabcut,
            working_bytes=300,
            preview=effort.preview_of_slow,
        ),
        _spec(regions.floodfill, _F, gettext_noop("Flood Fill"), pick=Pick.POINT, fits=regions.start_fits),
        _spec(regions.connected_components_with_stats, _F, gettext_noop("Connected Components")),
        _spec(
            matching.features,
            _F,
            gettext_noop("Keypoint Features"),
            most=HEAVY,
            effort=effort.of_features,
            working_bytes=200,
            preview=effort.preview_of_features,
        ),
        _spec(edges.hough_lines, _F, gettext_noop("Hough Lines")),
        _spec(edges.hough_circles, _F, gettext_noop("Hough Circles"), most=HEAVY),
        _spec(matching.template_match, _F, gettext_noop("Template Match")),
        _spec(matching.dft, _F, gettext_noop("Frequency Transform"), most=HEAVY, working_bytes=64),
        _spec(outlines.contours, _D, gettext_noop("Draw Contours")),
        _spec(outlines.approx_poly, _D, gettext_noop("Approximate Polygon")),
        _spec(drawing.draw_line, _D, gettext_noop("Draw Line"), pick=Pick.STROKE),
        _spec(drawing.draw_circle, _D, gettext_noop("Draw Circle"), pick=Pick.POINT),
        _spec(outlines.contour_area, _D, gettext_noop("Contour Area")),
        _spec(outlines.arc_length, _D, gettext_noop("Arc Length")),
    )
}
"""Interface name to tool."""


def json_schema(name: str) -> dict[str, Any]:
    """JSON Schema of the arguments of ``TOOLS[name]``, without its images.

    It stays in the subset that hosted model APIs accept: ``type``, ``properties``, ``required`` and
    ``additionalProperties`` at the root, flat properties, no combinators. It is never stricter than the tool. Rules
    that it cannot state (odd numbers, relations between values, a crop inside the image) are in the descriptions, and
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
    """Return the tool in the format of chat-completions endpoints; images are named by their ids."""
    spec, schema = TOOLS[name], json_schema(name)
    pictures = {
        picture: {"type": "string", "description": 'id of an image: "original", or one that an earlier call returned'}
        for picture in spec.pictures
    }
    schema["properties"] = pictures | schema["properties"]
    schema["required"] = [*spec.pictures, *schema["required"]]
    description = " ".join((spec.description, *spec.rules))
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}
