"""Guidelines with who has read them, and the images in them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, Max

from annotation.guideline_text import uploads_in
from annotation.models import Benchmark, Guideline, GuidelineImage, GuidelineReading, Membership
from annotation.workflow import Role
from webapp.accounts.models import User

WORKERS = (Role.ANNOTATOR.value, Role.REVIEWER.value)


@dataclass(frozen=True, slots=True)
class Readers:
    """Among the people who annotate or review, the number who have read the guidelines in force, and those who have
    not.
    """

    read: int
    total: int
    missing: tuple[User, ...]


def versions_of(benchmark: Benchmark) -> list[Guideline]:
    """All versions, newest first, with ``readers``: how many confirmed each."""
    rows = Guideline.objects.filter(benchmark=benchmark).select_related("published_by")
    return list(rows.annotate(readers=Count("readings")).order_by("-number"))


def readers_of(guideline: Guideline) -> Readers:
    """Two queries."""
    members = Membership.objects.filter(benchmark=guideline.benchmark_id, role__in=WORKERS)
    people = {one.user_id: one.user for one in members.select_related("user").order_by("user__name", "pk")}
    read = set(
        GuidelineReading.objects.filter(guideline__benchmark=guideline.benchmark_id, user__in=people)
        .values("user")
        .annotate(last=Max("guideline__number"))
        .filter(last__gte=guideline.number)
        .values_list(F("user"), flat=True)
    )
    missing = tuple(person for number, person in people.items() if number not in read)
    return Readers(len(people) - len(missing), len(people), missing)


@dataclass(frozen=True, slots=True)
class UploadedImage:
    """An uploaded image, and the numbers of the versions that show it, the newest first."""

    row: GuidelineImage
    versions: tuple[int, ...]


def uploaded_images(benchmark: Benchmark) -> list[UploadedImage]:
    """All uploaded images, the newest first. Two queries."""
    rows = list(benchmark.guideline_images.select_related("image", "uploaded_by"))
    bodies = Guideline.objects.filter(benchmark=benchmark).order_by("-number") if rows else ()
    shown = [(one.number, uploads_in([one.body])) for one in bodies]
    return [UploadedImage(row, tuple(number for number, names in shown if row.name in names)) for row in rows]


def uploaded_by_name(benchmark: Benchmark) -> dict[str, GuidelineImage]:
    """One query."""
    return {one.name: one for one in benchmark.guideline_images.select_related("image")}


def last_read(user: User, benchmark: Benchmark) -> int:
    """The number of the newest version that the person confirmed; 0: none."""
    readings = GuidelineReading.objects.filter(user=user, guideline__benchmark=benchmark)
    return readings.aggregate(last=Max("guideline__number"))["last"] or 0
