"""Reading images: their files, and what was made of them: thumbnail, tiles, regions. Nothing is written here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from django.utils.translation import gettext

from annotation.exporters.interface import Pictures, StoredFile
from annotation.images.store import WITHOUT_FILE, picture_path, tile_folder
from annotation.imaging.regions import region
from annotation.models import Benchmark, Image, Sample
from annotation.schema import Box
from webapp.common import objects
from webapp.common.errors import NotFound

THUMBNAIL = "thumbnail.jpg"
MEDIA_TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp", "TIFF": "image/tiff"}


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


def original(image: Image) -> tuple[bytes, str]:
    """The stored file of an image, and its media type; ``NotFound`` for an image that was taken down."""
    if image.state not in WITHOUT_FILE:
        try:
            return objects.read(picture_path(image)), MEDIA_TYPES[image.format]
        except objects.Missing:
            pass
    raise NotFound(image.problem or gettext("The image %(sha256)s has no file.") % {"sha256": image.sha256[:12]})


def region_of(image: Image, box: Box, max_side: int) -> bytes:
    """A region of the upright image as JPEG, its longer side at most ``max_side`` pixels."""
    return region(
        image.width,
        image.height,
        box,
        max_side,
        lambda level, column, row: stored(image, f"{level}/{column}_{row}.jpg"),
    )


def stored_files(benchmark: Benchmark) -> Pictures:
    """The stored files of the images of samples, for exports: without metadata, unless the benchmark keeps it. The
    reason why a sample has none is in English, as all of a file."""

    def found(keys: Sequence[str]) -> Mapping[str, StoredFile | str]:
        samples = benchmark.samples.filter(key__in=keys).select_related("image")
        given = {sample.key: _file_of(sample) for sample in samples}
        return {key: file for key, file in given.items() if file}

    return found


def _file_of(sample: Sample) -> StoredFile | str:
    image = sample.image
    if image is None or image.state in WITHOUT_FILE:
        return sample.image_problem or (image.problem if image else "")
    return partial(_read, picture_path(image))


def _read(path: str) -> bytes:
    try:
        return objects.read(path)
    except objects.Missing as error:
        raise FileNotFoundError(path) from error
