"""Signed addresses of sent images, which an ML backend fetches without an account. They are valid for a short time."""

from __future__ import annotations

from django.core import signing
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext

from evaluation.models import SentImage
from webapp.accounts.links import on_site

SECONDS = 15 * 60
"""An address is valid as long as one request can take. A retry has another one."""
_SALT = "evaluation.drafting.image"


def image_link(experiment: int, sha256: str, media_type: str) -> str:
    """Return the whole address of an image that an experiment sends. Its last part is a file name, from which backends
    read the format."""
    token = signing.dumps([experiment, sha256], salt=_SALT)
    name = {"image/jpeg": "image.jpg", "image/webp": "image.webp"}.get(media_type, "image.png")
    return on_site(reverse("evaluation:drafting-image", args=[token, name]))


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
