"""Taking images down, for legal requests: their bytes go at once and are refused afterwards. Samples, and versions with
their checksums, stay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.changes import content_changed
from annotation.images.store import delete_files, has_files
from annotation.models import Benchmark, Image, ImageVariant, Sample
from annotation.models.sample import TAKEN_DOWN
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit, objects
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.locks import lock_rows

_COPIES: list[Callable[[Sequence[int]], None]] = []


def subscribe_to_takedowns(call: Callable[[Sequence[int]], None]) -> None:
    """Have this called with samples whose image was taken down, to delete copies of it. Asked for at the start."""
    if call not in _COPIES:
        _COPIES.append(call)


def images_of(sample: Sample) -> list[Image]:
    """The image of a sample first, then those that it replaced. One query."""
    earlier = Image.objects.filter(replacements__sample=sample).distinct().order_by("-pk")
    own = [sample.image] if sample.image is not None else []
    return [*own, *(one for one in earlier if one not in own)]


def take_down(
    *, actor: User, benchmark: Benchmark, sample: Sample, reason: str, image: Image | None = None
) -> list[Image]:
    """Remove an image of a sample, and all images that variants made from it show, from the file store at once.

    This holds for all samples of the site that show it. They keep boxes, gold and entries of versions. Uploading the
    same file is refused from now on. ``sample``: of the benchmark, also a deleted or withdrawn one. ``image``: its
    current one, or one that it replaced. Raises ``InvalidInput`` without a reason."""
    require(actor, benchmark, Right.MANAGE)
    if not reason.strip():
        raise InvalidInput(gettext("Enter a reason. Pages and exports show it instead of the image."), field="reason")
    with transaction.atomic():
        numbers = _with_variants(image.pk if image is not None else sample.image_id)
        rows = Image.objects.select_for_update(no_key=True).filter(pk__in=numbers).order_by("pk")
        images = [image for image in rows if image.state != Image.State.REMOVED]
        if not images:
            raise Conflict(gettext("%(key)s has no image that could be removed.") % {"key": sample.key})
        _mark(images, Image.State.REMOVED, reason.strip(), f"{TAKEN_DOWN}{reason.strip()}")
        _record(actor, images, "image.remove", reason.strip())
    showing = Q(image__in=images) | Q(replacements__image__in=images)
    samples = list(Sample.everything.filter(showing).distinct().values_list("pk", flat=True))
    for image in images:
        _delete_bytes(image)
    for call in _COPIES:
        call(samples)
    return images


def allow_again(*, actor: User, image: Image) -> None:
    """Let the file of a removed image be uploaded again. Only site admins can do this."""
    if not actor.is_staff:
        raise NotAllowed(gettext("Only site admins can allow a removed image again."))
    with transaction.atomic():
        image = Image.objects.select_for_update(no_key=True).get(pk=image.pk)
        if image.state != Image.State.REMOVED:
            raise Conflict(gettext("The image %(image)s is not removed.") % {"image": image.sha256[:12]})
        _mark([image], Image.State.ALLOWED, "", "Image missing. Upload it again.")
        _record(actor, [image], "image.allow", "")


def sweep_removed(now: datetime) -> int:
    """Delete the files of removed images that a crash or a refused upload left, and return the number of images."""
    removed = Image.objects.filter(state=Image.State.REMOVED)
    left = [image for image in removed if has_files(image) or any(map(objects.exists, _uploads_of(image)))]
    for image in left:
        _delete_bytes(image)
    return len(left)


def _delete_bytes(image: Image) -> None:
    delete_files(image)
    for name in _uploads_of(image):
        objects.delete(name)


def _uploads_of(image: Image) -> list[str]:
    """The names of uploads that were this image and nothing else."""
    digests = {image.sha256, *image.originals.values_list("sha256", flat=True)}
    return [f"uploads/{digest}" for digest in sorted(digests)]


def _with_variants(image: int | None) -> set[int]:
    """The image, and those of variants that were made from it or from such an image."""
    found = {image} if image is not None else set()
    while True:
        made = ImageVariant.objects.filter(parent__in=found, sample__image__isnull=False)
        more = set(made.values_list("sample__image", flat=True)) - found
        if not more:
            return found
        found |= more


def _mark(images: Sequence[Image], state: Image.State, problem: str, said: str) -> None:
    Image.objects.filter(pk__in=[image.pk for image in images]).update(state=state, problem=problem)
    Sample.everything.filter(pk__in=lock_rows(Sample.everything.filter(image__in=images))).update(image_problem=said)


def _record(actor: User | None, images: Sequence[Image], action: str, reason: str) -> None:
    """An entry in the log of each benchmark that has the images; lists of its samples change."""
    by_benchmark: dict[Benchmark, list[str]] = defaultdict(list)
    showing = Q(image__in=images) | Q(replacements__image__in=images)
    rows = Sample.everything.filter(showing).distinct().select_related("benchmark", "removed_from")
    for sample in rows.order_by("key"):
        by_benchmark[sample.benchmark or sample.removed_from].append(sample.key)
    for benchmark, keys in by_benchmark.items():
        data = {"samples": keys, "images": sorted(image.sha256 for image in images)}
        audit.record(actor, action, benchmark, benchmark.slug, reason=reason, data=data)
        content_changed(benchmark.pk)
