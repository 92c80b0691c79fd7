"""Bodies of the background jobs of this half; each calls one action."""

from __future__ import annotations

from typing import Any

from annotation.actions import make_tiles as tiles_action
from webapp.jobs.context import JobContext
from webapp.jobs.registry import job


@job("annotation.tiles", title="Tiles")
def tiles(context: JobContext, image_id: int) -> dict[str, Any]:
    return dict(tiles_action.make_tiles(context, image_id=image_id))
