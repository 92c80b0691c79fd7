"""The images that external agents receive in a session, over the API and MCP alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotation.images.store import picture_path
from annotation.imaging.model_view import MOST_BYTES, POLICY, ModelView, model_view, stored_view
from annotation.models import Image
from annotation.toolbox.cache import ResultCache
from annotation.toolbox.results import Picture, ToolResult
from webapp.common import objects

_VIEWS = ResultCache(64_000_000)
"""Encoded views by the content of their image, the longest unused dropped first."""


def view_of(picture: Picture, key: str, longest_side: int | None = None) -> ModelView:
    """Return the view of an image; ``key`` identifies its content, "" if unknown."""
    name = f"{key}/{longest_side}"
    kept = _VIEWS.get(name) if key else None
    if kept is not None and kept.image is not None:
        size = kept.measurements
        return ModelView(kept.image.tobytes(), size["media_type"], size["width"], size["height"])
    view = model_view(picture, longest_side)
    if key:
        about = {"media_type": view.media_type, "width": view.width, "height": view.height}
        _VIEWS.put(name, ToolResult(np.frombuffer(view.data, np.uint8).copy(), about))
    return view


def view_of_original(image: Image, picture: Picture, longest_side: int | None = None) -> ModelView:
    """The stored file if it can be sent unchanged and is small enough, else a view made from its pixels."""
    fits = longest_side is None or max(image.width, image.height) <= longest_side
    if fits and image.bytes <= MOST_BYTES:
        stored = stored_view(objects.read(picture_path(image)), image.width, image.height)
        if stored is not None:
            return stored
    return view_of(picture, image.sha256, longest_side)


def policy(longest_side: int | None) -> dict[str, Any]:
    """Return the image policy, for the record of the trajectory."""
    return {"images": POLICY, "longest_side": longest_side}
