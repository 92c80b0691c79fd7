"""Publishing guidelines, uploading images into them, and confirming that one read them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.notices import notify_guideline
from annotation.common.uploads import require_room
from annotation.guideline_text import Outline, outline, uploads_in
from annotation.guidelines.read import uploaded_by_name
from annotation.images.store import remove_files, remove_unshown, store_picture
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, GoldCheck, Guideline, GuidelineImage, GuidelineReading, Image, Sample
from annotation.workflow import Right, SampleState
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, TooLarge
from webapp.common.formatting import size_of_file

LARGEST_IMAGE = 20_000_000
"""Bytes of an image in guidelines."""
MOST_IMAGES = 500
"""Uploaded images of a benchmark."""


def publish(
    *, actor: User, benchmark: Benchmark, body: str, note: str = "", must_read: bool = True, based_on: int
) -> Guideline:
    """The next version of the guidelines, in force from now on. ``based_on``: the number of the version that the actor
    changed. Raises ``Conflict`` if another was published meanwhile, and ``InvalidInput`` with the problems.

    Uploaded images that no version shows are deleted if they are older than ``UPLOAD_KEEP_DAYS``."""
    require(actor, benchmark, Right.MANAGE)
    found = outline(body)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        last = Guideline.objects.in_force(benchmark)
        number = last.number if last else 0
        if number != based_on:
            raise Conflict(
                gettext("%(person)s published version %(number)s meanwhile. Compare it with your text, then publish.")
                % {"person": last.published_by if last else "", "number": number},
                code="guidelines_changed",
                field="body",
            )
        if last is not None and last.body == body:
            raise InvalidInput(gettext("The text is the same as in version %(n)s.") % {"n": number}, field="body")
        if problems := [*map(str, found.problems), *_unfit(benchmark, found)]:
            raise InvalidInput(" ".join(problems), field="body")
        made: Guideline = Guideline.objects.create(
            benchmark=benchmark, number=number + 1, body=body, note=note, must_read=must_read, published_by=actor
        )
        GuidelineReading.objects.create(guideline=made, user=actor)
        data = {"number": made.number, "note": note, "required": must_read}
        audit.record(actor=actor, action="guidelines.publish", subject=made, benchmark=benchmark.slug, data=data)
        notify_guideline(actor, made)
        unused = _delete_images(benchmark, uploaded_before=timezone.now() - timedelta(days=settings.UPLOAD_KEEP_DAYS))
    for image in unused:
        remove_files(image)
    return made


def _unfit(benchmark: Benchmark, found: Outline) -> Iterator[str]:
    """Yield why images and examples can't be shown. A gold check would be revealed to every reader."""
    keys = {*found.images, *(example.sample for example in found.examples)}
    states = dict(Sample.objects.filter(benchmark=benchmark, key__in=keys).values_list("key", "state"))
    active = GoldCheck.objects.filter(sample__benchmark=benchmark, sample__key__in=keys, active=True)
    checks = set(active.values_list("sample__key", flat=True))
    for key in sorted(keys - states.keys()):
        yield gettext("%(key)s is no sample of this benchmark.") % {"key": key}
    if missing := sorted(set(found.uploads) - uploaded_by_name(benchmark).keys() if found.uploads else ()):
        words = gettext("There is no image %(name)s in these guidelines. Upload it again, or remove it from the text.")
        yield words % {"name": f"image:{missing[0]}"}
    for key in dict.fromkeys(example.sample for example in found.examples):
        if key in states and states[key] != SampleState.ACCEPTED:
            yield gettext("%(key)s is not accepted. Examples show accepted samples.") % {"key": key}
        elif key in checks:
            yield gettext("%(key)s is a gold check. Retire the check, or choose another example.") % {"key": key}


def add_image(*, actor: User, benchmark: Benchmark, data: bytes) -> GuidelineImage:
    """Store an image for the guidelines, as images of samples are stored. A second upload of a file
    returns the first. Raises ``InvalidInput`` for a file that is no image, ``TooLarge`` for a large one."""
    require(actor, benchmark, Right.MANAGE)
    if len(data) > LARGEST_IMAGE:
        raise TooLarge(image_too_large(), field="image")
    require_room(benchmark, len(data))
    try:
        image = store_picture(actor=actor, benchmark=benchmark, source=data)
    except PictureProblem as problem:
        raise InvalidInput(problem.message, field="image") from problem
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        rows = GuidelineImage.objects.filter(benchmark=benchmark).select_related("image")
        known = rows.filter(image=image).first()
        if known is not None:
            return known
        if rows.count() >= MOST_IMAGES:
            words = gettext("Guidelines have at most %(limit)s images. Delete those that no version shows.")
            raise InvalidInput(words % {"limit": MOST_IMAGES}, field="image")
        made = GuidelineImage.objects.create(benchmark=benchmark, image=image, uploaded_by=actor)
        audit.record(actor, "guidelines.image_add", made, benchmark.slug, data={"image": image.sha256})
    return made


def image_too_large() -> str:
    return gettext("An image in guidelines can have %(most)s. Make it smaller, then upload it again.") % {
        "most": size_of_file(LARGEST_IMAGE)
    }


def remove_image(*, actor: User, benchmark: Benchmark, image: GuidelineImage) -> None:
    """Delete an uploaded image, and its file if nothing else shows it. Raises ``Conflict`` if a version shows it."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        entry = {"image": image.image.sha256}
        unused = _delete_images(benchmark, only=image)
        if GuidelineImage.objects.filter(pk=image.pk).exists():
            raise Conflict(
                gettext("A version of the guidelines shows %(name)s. Versions never change, so it stays.")
                % {"name": image.reference}
            )
        audit.record(actor, "guidelines.image_delete", benchmark, benchmark.slug, data=entry)
    for one in unused:
        remove_files(one)


def _delete_images(
    benchmark: Benchmark, *, only: GuidelineImage | None = None, uploaded_before: datetime | None = None
) -> list[Image]:
    """Delete the rows of uploaded images that no version shows; return the images that nothing shows any more. Call
    while the benchmark is locked, so that no version is published meanwhile."""
    rows = GuidelineImage.objects.filter(benchmark=benchmark).select_related("image")
    rows = rows.filter(pk=only.pk) if only else rows.filter(uploaded_at__lt=uploaded_before)
    found = list(rows)
    if not found:
        return []
    shown = uploads_in(Guideline.objects.filter(benchmark=benchmark).values_list("body", flat=True))
    unused = [one for one in found if one.name not in shown]
    GuidelineImage.objects.filter(pk__in=[one.pk for one in unused]).delete()
    return remove_unshown(one.image_id for one in unused)


def confirm_read(*, actor: User, guideline: Guideline) -> None:
    """The person read these guidelines; saying it again changes nothing."""
    require(actor, guideline.benchmark, Right.VIEW)
    with transaction.atomic():
        _, new = GuidelineReading.objects.get_or_create(guideline=guideline, user=actor)
        if new:
            slug = guideline.benchmark.slug
            audit.record(actor, "guidelines.read", guideline, slug, data={"number": guideline.number})
