"""The images of samples, for models and for people who answer under conditions."""

from __future__ import annotations

from functools import partial
from hashlib import sha256

from django.utils.translation import gettext

from annotation.images.chain_runs import original_of
from annotation.images.store import picture_path
from annotation.imaging.problems import PictureProblem
from annotation.models import Image, Sample
from evaluation.runner.images import SourceImage
from webapp.common import objects


def source_image(sample: Sample) -> SourceImage:
    """Return the image of a sample for sending."""
    image = sample.image
    assert image is not None
    return SourceImage(
        image.sha256, image.width, image.height, load=partial(_stored, image), pixels=partial(original_of, sample)
    )


def _stored(image: Image) -> bytes:
    """Return the file of an image. Raises ``PictureProblem`` if the stored bytes differ from the uploaded ones:
    otherwise, the answer would be about another image.
    """
    data = objects.read(picture_path(image))
    if sha256(data).hexdigest() != image.sha256:
        raise PictureProblem("damaged", gettext("The file store has other bytes than were uploaded. Restore the file."))
    return data
