"""Reading what was made of an image: thumbnail, tiles, regions. Nothing is written here."""

from __future__ import annotations

from django.utils.translation import gettext

from annotation.images.store import tile_folder
from annotation.imaging.regions import region
from annotation.models import Image
from annotation.schema import Box
from webapp.common import objects
from webapp.common.errors import NotFound

THUMBNAIL = "thumbnail.jpg"


def stored(image: Image, name: str) -> bytes:
    """The bytes of a tile or of the thumbnail; ``NotFound`` while they are being made, or when they cannot be."""
    path = f"{tile_folder(image.sha256)}/{name}"
    try:
        return objects.read(path)
    except objects.Missing:
        raise NotFound(
            gettext("The image %(sha256)s has no %(name)s yet. They are created in the background; see the Jobs page.")
            % {"sha256": image.sha256[:12], "name": name}
        ) from None


def region_of(image: Image, box: Box, max_side: int) -> bytes:
    """A region of the upright image as JPEG, its longer side at most ``max_side`` pixels."""
    return region(
        image.width,
        image.height,
        box,
        max_side,
        lambda level, column, row: stored(image, f"{level}/{column}_{row}.jpg"),
    )
