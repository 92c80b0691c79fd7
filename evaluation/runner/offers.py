"""The description of tools for a model: their definitions in the request, or instructions in the system prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from annotation.schema import ORIGINAL
from annotation.toolbox.offer import offered_tools, without_keywords
from annotation.toolbox.vtc import Profile, image_path
from evaluation.runner.canonical import digest_of
from evaluation.runner.dialects.catalogue import CODE_DIALECTS
from evaluation.runner.dialects.zoom import Frame
from evaluation.runner.dialects.zooms import zoom_dialect
from evaluation.runner.protocols import PROTOCOLS, Tools

CODE_PATH = "/in/image.png"
"""The image in the sandbox."""
CODE_OPERATIONS = "cv2, numpy, PIL and the Python standard library"


@dataclass(frozen=True)
class Offer:
    """``tools``: definitions for the field of the API. ``instructions``: text for dialects that write calls in text.
    ``name``: the name of the zoom tool, "" without one."""

    tools: tuple[Mapping[str, Any], ...] = ()
    instructions: str = ""
    name: str = ""

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that the model gets."""
        return digest_of([list(self.tools), self.instructions, self.name])


@lru_cache(maxsize=64)
def offer_of(
    protocol: str, dialect: str, profile: Profile, frame: Frame | None = None, omit: tuple[str, ...] = ()
) -> Offer:
    """Return what a model gets under a protocol and a dialect. ``omit``: keywords of schemas that the host rejects."""
    match PROTOCOLS[protocol].tools:
        case Tools.TOOLBOX:
            return Offer(tuple(offered_tools(profile, omit)))
        case Tools.ZOOM:
            zoom = zoom_dialect(dialect, frame)
            tools = (without_keywords(zoom.tool(), omit),) if zoom.native else ()
            return Offer(tools, zoom.instructions(), zoom.tool_name)
        case Tools.CODE:
            return Offer(instructions=CODE_DIALECTS[dialect].instructions())
        case Tools.NONE:
            return Offer()


def image_name(dialect: str, sample: str) -> str:
    """Return what the prompt calls the image of a sample."""
    match dialect:
        case "vtc":
            return image_path(ORIGINAL, sample)
        case "thyme":
            return CODE_PATH
    return ORIGINAL
