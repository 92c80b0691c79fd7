"""The deep-zoom pyramid and the thumbnail of an image: made once, in a job, stored side by side."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from annotation.images.store import WITHOUT_FILE, picture_path, tile_folder
from annotation.imaging.problems import PictureProblem
from annotation.imaging.pyramid import pyramid, thumbnail, tile_count
from annotation.models import Image
from webapp.common import objects
from webapp.jobs.context import JobContext

THUMBNAIL_SIDE = 640
"""Longest side in pixels: a tile of 270 to 320 css px on a screen of double density."""


def make_tiles(context: JobContext, *, image_id: int) -> dict[str, int]:
    """Write thumbnail and tiles; running it twice writes the same bytes again. Returns how many tiles there are."""
    image = Image.objects.get(pk=image_id)
    total = tile_count(image.width, image.height)
    context.progress(0, total)
    try:
        with TemporaryDirectory(prefix="tiles-") as folder:
            local = Path(folder, Path(picture_path(image)).name)
            objects.fetch(picture_path(image), local)
            objects.put(f"{tile_folder(image.sha256)}/thumbnail.jpg", thumbnail(str(local), THUMBNAIL_SIDE))
            done = 0
            for tile in pyramid(str(local)):
                objects.put(f"{tile_folder(image.sha256)}/{tile.level}/{tile.column}_{tile.row}.jpg", tile.bytes)
                done += 1
                context.progress(done, total)
    except PictureProblem as problem:
        failed = Image.objects.filter(pk=image.pk).exclude(state__in=WITHOUT_FILE)
        failed.update(state=Image.State.FAILED, problem=problem.message)
        image.samples.update(image_problem=problem.message)
        context.warn(problem.message)
        return {"tiles": 0}
    # Removed meanwhile: the sweep deletes what was written.
    Image.objects.filter(pk=image.pk).exclude(state__in=WITHOUT_FILE).update(state=Image.State.READY, problem="")
    return {"tiles": done}
