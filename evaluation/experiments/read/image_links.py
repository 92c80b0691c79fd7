"""Signed addresses of sent images, which an ML backend fetches without an account. They are valid for a short time."""

from __future__ import annotations

from django.core import signing
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext

from annotation.imaging.problems import PictureProblem
from annotation.models import Image, Sample
from evaluation.common.source_images import source_image
from evaluation.models import SentImage
from evaluation.runner.images import ImagePolicy, sent_original
from webapp.accounts.links import on_site

SECONDS = 15 * 60
"""An address is valid as long as one request can take. A retry has another one."""
_SALT = "evaluation.drafting.image"
CLICK_SECONDS = 60
"""An address for a click is valid a little longer than the request."""
_CLICK_SALT = "evaluation.click.image"


def image_link(experiment: int, sha256: str, media_type: str) -> str:
    """Return the whole address of an image that an experiment sends. Its last part is a file name, from which backends
    read the format."""
    token = signing.dumps([experiment, sha256], salt=_SALT)
    return on_site(reverse("evaluation:drafting-image", args=[token, _file_name(media_type)]))


def _file_name(media_type: str) -> str:
    return {"image/jpeg": "image.jpg", "image/webp": "image.webp"}.get(media_type, "image.png")


def linked_image(token: str) -> SentImage:
    """Return the image of an address. Raises ``Http404`` if it was not made here, is too old, or has no image."""
    try:
        experiment, sha256 = signing.loads(token, salt=_SALT, max_age=SECONDS)
        found = SentImage.objects.filter(experiment=experiment, sha256=sha256).first()
    except (signing.BadSignature, ValueError, TypeError):
        found = None
    if found is None:
        raise Http404(gettext("There is no such image."))
    return found


def click_link(sample: int, policy: str, sha256: str, media_type: str) -> str:
    """Return the whole address of the image of a sample, in the size that a click sends."""
    token = signing.dumps([sample, policy, sha256], salt=_CLICK_SALT)
    return on_site(reverse("evaluation:click-image", args=[token, _file_name(media_type)]))


def clicked_image(token: str) -> tuple[bytes, str]:
    """Return the bytes and the media type of the image of such an address, made again. Raises ``Http404``."""
    try:
        number, policy, sha256 = signing.loads(token, salt=_CLICK_SALT, max_age=CLICK_SECONDS)
        sample = Sample.objects.filter(pk=number, image__state=Image.State.READY).select_related("image").first()
        sent = sent_original(source_image(sample), ImagePolicy(policy)) if sample is not None else None
    except (signing.BadSignature, ValueError, TypeError, PictureProblem):
        sent = None
    if sent is None or sent.sha256 != sha256:
        raise Http404(gettext("There is no such image."))
    return sent.data, sent.media_type
