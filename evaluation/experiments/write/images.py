"""Images that were sent to models, stored by their content as long as an experiment names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from annotation.images.store import picture_path
from annotation.models import Image
from evaluation.models import Exchange, Experiment, SentImage
from evaluation.runner.images import SentImage as Sent
from webapp.common import objects

PREFIX = "sent"
SHA256 = re.compile(rb'"sha256:([0-9a-f]{64})"')
"""How a stored request names an image."""
SUFFIX = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp"}


def keep_images(experiment: Experiment, images: Iterable[Sent]) -> None:
    """Store images that the experiment has not sent before. An uploaded image that is sent unchanged is not copied."""
    wanted = {image.sha256: image for image in images}
    known = SentImage.objects.filter(experiment=experiment, sha256__in=wanted)
    for sha256 in known.values_list("sha256", flat=True):
        del wanted[sha256]
    if not wanted:
        return
    uploaded = {image.sha256: picture_path(image) for image in Image.objects.filter(sha256__in=wanted)}
    rows = []
    for sha256, image in wanted.items():
        name = uploaded.get(sha256) or f"{PREFIX}/{sha256[:2]}/{sha256}.{SUFFIX[image.media_type]}"
        if sha256 not in uploaded and not objects.exists(name):
            objects.put(name, image.data)
        rows.append(
            SentImage(
                experiment=experiment,
                sha256=sha256,
                name=name,
                media_type=image.media_type,
                bytes=len(image.data),
                width=image.width,
                height=image.height,
            )
        )
    SentImage.objects.bulk_create(rows, ignore_conflicts=True)


def delete_sent_copies(samples: Sequence[int]) -> None:
    """Delete the images that were sent for these samples: copies and crops of an image that was taken down. Records of
    requests stay."""
    rows = Exchange.objects.filter(attempt__sample__in=samples).values_list("attempt__experiment", "request")
    named: dict[int, set[str]] = {}
    for experiment, request in rows.iterator():
        found = (match.decode() for match in SHA256.findall(bytes(request)))
        named.setdefault(experiment, set()).update(found)
    for experiment, digests in named.items():
        sent = SentImage.objects.filter(experiment=experiment, sha256__in=digests)
        for name in sent.values_list("name", flat=True):
            objects.delete(name)


def sweep_sent_images(now: datetime) -> int:
    """Delete the images that no experiment names any more; return their number."""
    return objects.delete_unnamed(PREFIX, lambda sha256: SentImage.objects.filter(sha256=sha256).exists(), now)
