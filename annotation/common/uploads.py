"""The storage limit of a benchmark, and the bytes that can still be uploaded to it. Nothing is written here."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Max, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from annotation.common.access import allowed, benchmark_seen_by, roles_of
from annotation.models import Benchmark, Image, ImportRecord
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.bodies import ENVELOPE, Room, RoomFor
from webapp.common.errors import TooLarge
from webapp.common.formatting import size_of_file
from webapp.common.limits import Rate
from webapp.env import PROGRAM

State = ImportRecord.State
PICTURES_FORMAT = "pictures"
"""The format in the import record of an upload of images without a file of samples."""
UPLOADS = Rate("uploads")
SPLIT = format_lazy(gettext_lazy("Split it, or import it on the server with {program}."), program=PROGRAM)


def used_bytes(benchmark: Benchmark) -> int:
    """Return the bytes of the images of its samples, building board and guidelines, and of the files uploaded to it,
    each counted once.
    """
    shown = (
        Q(samples__benchmark=benchmark) | Q(build_items__benchmark=benchmark) | Q(guideline_images__benchmark=benchmark)
    )
    images = Image.objects.filter(shown).order_by().distinct().values("pk", "bytes")
    files = _kept(benchmark).order_by().values("sha256", "file_name").annotate(size=Max("bytes"))
    return (images.aggregate(sum=Sum("bytes"))["sum"] or 0) + (files.aggregate(sum=Sum("size"))["sum"] or 0)


def _kept(benchmark: Benchmark) -> QuerySet[ImportRecord]:
    """Return the imports whose files still exist: uploads of images until they are samples, undone imports until they
    are swept.
    """
    swept = timezone.now() - timedelta(days=settings.UPLOAD_KEEP_DAYS)
    own = Q(upload="", format=PICTURES_FORMAT, state=State.RUNNING)
    return ImportRecord.objects.filter(~Q(upload="") | own, benchmark=benchmark).exclude(
        state=State.UNDONE, finished_at__lt=swept
    )


def left_bytes(benchmark: Benchmark) -> int:
    """Return the bytes that can still be uploaded; never below 0."""
    return max(0, int(settings.BENCHMARK_QUOTA_BYTES) - used_bytes(benchmark))


def require_room(benchmark: Benchmark, size: int) -> None:
    """Raises ``TooLarge`` if this many bytes do not fit."""
    left = left_bytes(benchmark)
    if size > left:
        raise TooLarge(_full(benchmark, left), code="quota", field="file")


def upload_room(right: Right) -> RoomFor:
    """Return the limit for ``takes_files``: people with this permission can send one upload, limited by the room of the
    benchmark.
    """

    def room_for(user: User, slug: str, **_: object) -> Room | None:
        benchmark = benchmark_seen_by(user, slug)
        if benchmark is None or not allowed(user, benchmark, right):
            return None
        left, most = left_bytes(benchmark), int(settings.MAX_UPLOAD_BYTES)
        return Room(min(left, most) + ENVELOPE, _full(benchmark, left) if left < most else str(SPLIT))

    return room_for


def _full(benchmark: Benchmark, left: int) -> str:
    quota = size_of_file(settings.BENCHMARK_QUOTA_BYTES)
    message = gettext(
        "%(title)s can store %(quota)s of uploads and images and has room for %(left)s. "
        "Undo an import, or ask the admin of the site for a larger SIGHTLINE_BENCHMARK_QUOTA_MB."
    )
    return message % {"title": benchmark.title, "quota": quota, "left": size_of_file(left)}


def member_room(most: int) -> RoomFor:
    """Return the limit for ``takes_files``: people with a role on the benchmark can send this many bytes, which are not
    stored.
    """

    def room_for(user: User, slug: str, **_: object) -> Room | None:
        benchmark = benchmark_seen_by(user, slug)
        if benchmark is None or not roles_of(user, benchmark):
            return None
        return Room(most + ENVELOPE, gettext("Send fewer or smaller files at once."))

    return room_for
