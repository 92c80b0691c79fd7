"""The job that makes the tiles of an image."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_noop

from annotation.images.tiles import make_tiles
from webapp.jobs.context import JobContext
from webapp.jobs.registry import job


@job("annotation.tiles", title=gettext_noop("Tiles of an image, %(width)s × %(height)s"))
def tiles(context: JobContext, image_id: int) -> dict[str, Any]:
    return dict(make_tiles(context, image_id=image_id))
