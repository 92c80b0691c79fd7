"""The image that a trajectory was recorded on, and how its pixels relate to those of the image that its sample has. The
same for what was drawn or computed at some time, such as the region of a note.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import QuerySet

from annotation.content.image_history import size_of
from annotation.content.rescaling import Fit, Size, fit_of
from annotation.models import ImageReplacement
from evaluation.models import Trajectory


@dataclass(frozen=True, slots=True)
class Earlier:
    """An image that a sample had until another replaced it. ``lost``: its pixels are not those of the next one scaled,
    because the boxes of the sample had to be drawn again. ``until``: when it was replaced; ``sha256``: of its
    file.
    """

    size: Size
    lost: bool
    until: datetime | None = field(default=None, compare=False)
    sha256: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Recorded:
    """The known facts about the image of a trajectory. ``size``: in pixels, None for that of the image of the sample.
    ``lost``: no scaling makes its crops comparable with the gold.
    """

    size: Size | None = None
    lost: bool = False


HERE = Recorded()
"""A trajectory on the image that its sample has."""
Corners = tuple[float, float, float, float]
Earliers = Mapping[int, Sequence[Earlier]]
"""The earlier images of samples in their order, by primary key. Samples without any are omitted."""


def earlier_images(replaced: QuerySet[ImageReplacement]) -> Earliers:
    """Return the earlier images of the samples of these rows. One query."""
    found: dict[int, list[Earlier]] = {}
    names = ("sample", "boxes", "image__width", "image__height", "replaced_at", "image__sha256")
    for sample, boxes, *size, until, sha256 in replaced.order_by("replaced_at", "pk").values_list(*names):
        lost = boxes == ImageReplacement.Boxes.RETURNED
        found.setdefault(sample, []).append(Earlier((size[0], size[1]), lost, until, sha256))
    return found


def earlier_images_on(samples: Collection[int]) -> Earliers:
    """The same of the samples with these primary keys."""
    return earlier_images(ImageReplacement.objects.filter(sample__in=samples))


def recorded_image(
    earlier: Sequence[Earlier], number: int | None, stated: Size | None, present: Size | None
) -> Recorded:
    """Return the image that a trajectory was recorded on.

    ``earlier``: the earlier images of its sample; ``number``: how many of them had been replaced; ``stated``: the size
    that its file states, None for none; ``present``: the size of the image that the sample has, None if unknown.

    A stated size that differs from that image means the last image before it with that size. If the sample never had
    such an image, crops are scaled from the stated size if the shape is equal.
    """
    at = min(number or 0, len(earlier))
    sizes = [*(one.size for one in earlier), present]
    own = sizes[at]
    if stated is not None and own is not None and stated != own:
        same = [place for place in range(len(sizes)) if sizes[place] == stated]
        at = max((place for place in same if place < at), default=max(same, default=at))
        own = stated
    lost = any(one.lost for one in earlier[at:])
    if own is None or present is None or own == present:
        return Recorded(None, lost) if lost else HERE
    # Each replacement that was scaled had the same shape, to a pixel.
    return Recorded(own, lost or (sizes[at] != own and fit_of(own, present) is Fit.OTHER))


def image_at(earlier: Sequence[Earlier], at: datetime, present: Size | None) -> Recorded:
    """Return the image that a sample had at a time. ``earlier``, ``present``: as of ``recorded_image``."""
    return recorded_image(earlier, sum(one.until is not None and one.until <= at for one in earlier), None, present)


def on_present(box: Corners, drawn: Recorded, present: Size | None) -> Corners | None:
    """Return a box in pixels of the image that its sample has. ``drawn``: the image that it is on. None: that image
    was replaced by one with other pixels, so the box has no place.

    >>> on_present((10, 10, 30, 25), Recorded((100, 80)), (200, 160))
    (20.0, 20.0, 60.0, 50.0)
    """
    if drawn.lost:
        return None
    if drawn.size is None or present is None:
        return box
    x, y = present[0] / drawn.size[0], present[1] / drawn.size[1]
    return box[0] * x, box[1] * y, box[2] * x, box[3] * y


def image_of(trajectory: Trajectory, earlier: Earliers | None = None) -> Recorded:
    """Return the image that a trajectory, loaded with its sample, was recorded on. ``earlier``: of its sample, None to
    ask for it with one query."""
    known = _known(trajectory, earlier)
    return recorded_image(known, trajectory.image_number, stated_size(trajectory), size_of(trajectory.sample))


def digest_of_image(trajectory: Trajectory, earlier: Earliers | None = None) -> str:
    """Return the SHA-256 of the image that a trajectory was recorded on; "" if its sample never had another one, or if
    a file stated another size. It is loaded with the image of its sample. ``earlier``: as of ``image_of``."""
    known, number = _known(trajectory, earlier), trajectory.image_number or 0
    if not known:
        return ""
    present, stated = trajectory.sample.image, stated_size(trajectory)
    here = number >= len(known)
    if stated is not None and stated != (size_of(trajectory.sample) if here else known[number].size):
        return ""
    return (present.sha256 if present is not None else "") if here else known[number].sha256


def stated_size(trajectory: Trajectory) -> Size | None:
    """Return the size of its image that its file stated."""
    width, height = trajectory.image_width, trajectory.image_height
    return (width, height) if width and height else None


def _known(trajectory: Trajectory, earlier: Earliers | None) -> Sequence[Earlier]:
    if earlier is None:
        earlier = earlier_images(ImageReplacement.objects.filter(sample=trajectory.sample_id))
    return earlier.get(trajectory.sample_id, ())


def is_on_present_image(trajectory: Trajectory) -> bool:
    """Whether no image replaced the one that a trajectory was recorded on, also none of the same size. One query."""
    return ImageReplacement.objects.filter(sample=trajectory.sample_id).count() <= (trajectory.image_number or 0)
