"""Runs a model's calls again through the toolbox, on our image, and compares the results with the recorded ones.

A call that our tools cannot repeat is reported with the reason, never guessed. Images that depend on it are also lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from annotation.marking import gettext_noop
from annotation.schema import ORIGINAL, Box, ToolCall
from annotation.toolbox.affine import IDENTITY, Affine
from annotation.toolbox.cache import picture_key
from annotation.toolbox.names import candidates, plain_name
from annotation.toolbox.results import Picture, ToolError
from annotation.toolbox.runner import Limits, run_chain
from annotation.toolbox.vtc import Profile, arguments_of, published_name, tools_of
from evaluation.schema import ARGS_RAW, NOT_RUN, Coordinates, Step

ZOOMS = frozenset({"crop", "zoom_in", "zoom", "image_zoom_in", "crop_image", "crop_image_normalized"})
"""Calls that are fully determined by their box (docs/metrics.md#crops), by ``plain_name``."""

USUAL = Limits(kept_pixels=200_000_000)
"""``kept_pixels``: the total of the images that later calls name."""

DIGEST = "out_digest"
"""The key of a recorded step with the digest of its image: ``picture_key`` in hexadecimal."""


class Outcome(StrEnum):
    """The result of a recorded call.

    SAME: the size is as recorded and, if its image or its digest is available, so are the values. DIFFERS: another size
    or other values. RAN: nothing is recorded to compare with. FAILED: it failed then and fails here. UNLIKE: it failed
    then and runs here, or the tool accepted the call but fails here. LOST: it can't be replayed, because our tools do
    not accept it as recorded.
    """

    SAME = "same"
    DIFFERS = "differs"
    RAN = "ran"
    FAILED = "failed"
    UNLIKE = "unlike"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Replayed:
    """Step ``number`` (1, 2, ...) run again.

    ``digest``: of the image made here; ``recorded_digest``: as recorded. ``difference``: mean absolute difference to
    the recorded image, 0 to 255, None if there is none. ``seen``: the region of the original that its image shows, None
    if unknown. ``image``: the image kept for display; ``image_out``: its id. ``ok``: whether it ran here, None if it
    could not be run again. ``executed``: for a zoom call that ran, the box whose pixels it returned, x1, y1, x2, y2 in
    the coordinates of its step.
    """

    number: int
    tool: str
    outcome: Outcome
    reason: str = ""
    size: tuple[int, int] | None = None
    recorded_size: tuple[int, int] | None = None
    digest: str = ""
    recorded_digest: str = ""
    difference: float | None = None
    seen: Box | None = None
    ok: bool | None = None
    executed: tuple[float, float, float, float] | None = None
    measurements: Mapping[str, Any] = field(default_factory=dict)
    image: Picture | None = None
    image_out: str = ""


@dataclass(slots=True)
class _Pictures:
    """Images by id, each with its transformation to the original; ``lost`` names those that could not be recreated."""

    made: dict[str, tuple[Picture, Affine | None]]
    lost: set[str] = field(default_factory=set)
    latest: str = ORIGINAL

    @property
    def pixels(self) -> int:
        """Return the number of pixels of all images made here."""
        return sum(one.shape[0] * one.shape[1] for name, (one, _) in self.made.items() if name != ORIGINAL)

    def forget(self, rest: Sequence[Step]) -> None:
        """Release the images that the remaining steps do not name."""
        named = {ORIGINAL, self.latest}
        for step in rest:
            named |= {step.image_in} if isinstance(step.image_in, str) else set(step.image_in or ())
        self.made = {name: one for name, one in self.made.items() if name in named}


class CannotRun(Exception):
    """The reason why a call is not repeated."""


def replay(
    steps: Sequence[Step],
    original: Picture,
    recorded: Mapping[str, Picture] | None = None,
    limits: Limits = USUAL,
    show: Callable[[Picture], Picture] | None = None,
    profile: Profile = Profile.STRICT,
) -> tuple[Replayed, ...]:
    """Run every step again, in order. ``recorded``: available images of the trajectory, by their ids.

    ``show`` converts each image for display; without it none is kept, because many large ones would fill the memory.
    ``profile``: the interface of the tool calls.
    """
    pictures = _Pictures({ORIGINAL: (original, IDENTITY)})
    found = []
    for number, step in enumerate(steps, 1):
        one = _replayed(number, step, pictures, recorded or {}, limits, profile)
        shown = show(one.image) if show and one.image is not None else None
        found.append(replace(one, image=shown, image_out=step.image_out or ""))
        pictures.forget(steps[number:])
    return tuple(found)


def _replayed(
    number: int,
    step: Step,
    pictures: _Pictures,
    recorded: Mapping[str, Picture],
    limits: Limits,
    profile: Profile,
) -> Replayed:
    wanted = (round(step.out_size[0]), round(step.out_size[1])) if step.out_size else None
    noted = str(step.extra.get(DIGEST) or "")
    try:
        if step.extra.get(NOT_RUN) is True:
            raise CannotRun(step.observation or "It was not run.")
        ids = _inputs(step, pictures, limits)
        first, way = pictures.made[ids[0]]
        others = {f"other_{at}": pictures.made[name][0] for at, name in enumerate(ids[1:])}
        call = _call(step, first, (ORIGINAL, *others), profile)
    except CannotRun as why:
        if step.ok and step.image_out:
            pictures.lost.add(step.image_out)
        outcome = Outcome.LOST if step.ok else Outcome.FAILED
        return Replayed(number, step.tool, outcome, str(why), recorded_size=wanted, recorded_digest=noted)
    result = run_chain(first, [call], limits, others=others, tools=tools_of(profile))
    if result.error is not None or result.steps[0].image is None:
        if step.ok and step.image_out:
            pictures.lost.add(step.image_out)
        reason = result.error.message.removeprefix("Step 1 ") if result.error else "it returned no image."
        ran = result.error is None or result.error.by_tool
        outcome = (Outcome.UNLIKE if ran else Outcome.LOST) if step.ok else Outcome.FAILED
        ok = False if ran else None
        return Replayed(number, step.tool, outcome, reason, recorded_size=wanted, recorded_digest=noted, ok=ok)
    made = result.steps[0]
    image = result.steps[0].image
    back = way.after(made.to_original) if way is not None and made.to_original is not None else None
    if step.ok:
        pictures.latest = step.image_out or f"step_{number}"
        pictures.made[pictures.latest] = (image, back)
    # A size taken from the record agrees with it trivially.
    compared = None if "target_width" in call.arguments and "target_width" not in step.arguments else wanted
    digest = picture_key(image)
    outcome, difference = _compared(
        step, image, compared, recorded.get(step.image_out or ""), noted and noted == digest
    )
    height, width = image.shape[:2]
    bounds = pictures.made[ORIGINAL][0].shape
    seen = back.box(Box(0, 0, width, height)).clipped(bounds[1], bounds[0]) if back is not None else None
    cut = made.to_original.box(Box(0, 0, width, height)) if _is_zoom(step) and made.to_original else None
    executed = _in_coordinates(cut, step.coords, first) if cut else None
    return Replayed(
        number, step.tool, outcome, "", (width, height), wanted, digest, noted, difference, seen, True, executed,
        made.measurements, image,
    )  # fmt: skip


def _compared(
    step: Step, image: Picture, wanted: tuple[int, int] | None, known: Picture | None, alike: bool | str
) -> tuple[Outcome, float | None]:
    """Compare a result. ``alike``: whether the recorded digest equals ours; "" if none is recorded."""
    if not step.ok:
        return Outcome.UNLIKE, None
    size = (image.shape[1], image.shape[0])
    if known is not None:
        if known.shape[:2] != image.shape[:2]:
            return Outcome.DIFFERS, None
        ours, theirs = (np.atleast_3d(one).astype(np.int16) for one in (image, known))
        difference = float(np.abs(ours - theirs).mean())
        return Outcome.SAME if difference == 0 else Outcome.DIFFERS, difference
    if alike != "":
        return (Outcome.SAME, 0.0) if alike else (Outcome.DIFFERS, None)
    if wanted is None:
        return Outcome.RAN, None
    return Outcome.SAME if size == wanted else Outcome.DIFFERS, None


def _inputs(step: Step, pictures: _Pictures, limits: Limits) -> tuple[str, ...]:
    """Return the ids of the images that the call uses, all of them recreated."""
    if pictures.pixels > limits.kept_pixels:
        raise CannotRun(f"the images that later calls need have more than {limits.kept_pixels:,} pixels together.")
    ids = (step.image_in,) if isinstance(step.image_in, str) else step.image_in or (pictures.latest,)
    for name in ids:
        if name in pictures.lost:
            raise CannotRun(f"its image {name} could not be created again.")
        if name not in pictures.made:
            raise CannotRun(f"no earlier step produced its image {name}.")
    return ids


def _call(step: Step, image: Picture, ids: tuple[str, ...], profile: Profile) -> ToolCall:
    """Return the recorded call as one of ours, on the image that is its original."""
    names = ids if len(ids) > 1 else ids[0]
    if profile is Profile.VTC:
        try:
            written = step.extra.get(ARGS_RAW, step.arguments)
            return ToolCall(published_name(step.tool), arguments_of(step.tool, written), names)
        except ToolError as refused:
            raise CannotRun(str(refused).split(": ", 1)[-1]) from refused
    found = candidates(step.tool)
    if _is_zoom(step) and (not found or "width" not in step.arguments or step.executed_bbox is not None):
        return zoom_call(step, image, names)
    if len(found) != 1:
        meant = f"it may mean {', '.join(found)}" if found else "the toolbox has no such tool"
        raise CannotRun(f"{step.tool}: {meant}.")
    return ToolCall(found[0], step.arguments, names)


def _is_zoom(step: Step) -> bool:
    return plain_name(step.tool) in ZOOMS


def zoom_call(step: Step, image: Picture, names: tuple[str, ...] | str) -> ToolCall:
    """Return a crop of the box, resized to the recorded size, because results were rescaled to it
    (docs/metrics.md#crops). Raises ``CannotRun``.
    """
    box = _box(step, image)
    if step.out_size is None:
        return ToolCall("crop", box, names)
    size = {"target_width": max(1, round(step.out_size[0])), "target_height": max(1, round(step.out_size[1]))}
    return ToolCall("zoom_in", box | size, names)


def _unit(coords: Coordinates, image: Picture) -> tuple[float, float]:
    """Return the number of pixels of ``image`` per unit, horizontally and vertically."""
    height, width = image.shape[:2]
    whole = {Coordinates.PIXEL: (1.0, 1.0), Coordinates.NORM1: (float(width), float(height))}
    return whole.get(coords, (width / 1000, height / 1000))


def _in_coordinates(box: Box, coords: Coordinates, image: Picture) -> tuple[float, float, float, float]:
    across, down = _unit(coords, image)
    return box.x1 / across, box.y1 / down, box.x2 / across, box.y2 / down


def _box(step: Step, image: Picture) -> dict[str, int]:
    """Return the recorded box as a crop: the pixels actually returned, if recorded."""
    box = step.executed_bbox or step.bbox
    if box is None:
        raise CannotRun("it has no box that could be cropped.")
    height, width = image.shape[:2]
    across, down = _unit(step.coords, image)
    try:
        cut = Box(box[0] * across, box[1] * down, box[2] * across, box[3] * down).clipped(width, height)
    except ValueError:
        cut = None
    if cut is None:
        raise CannotRun("its box is empty or outside the image.")
    x, y = int(cut.x1), int(cut.y1)
    return {
        "x": x,
        "y": y,
        "width": max(1, min(round(cut.x2), width) - x),
        "height": max(1, min(round(cut.y2), height) - y),
    }


WORDS = {
    Outcome.SAME: gettext_noop("as recorded"),
    Outcome.DIFFERS: gettext_noop("differs"),
    Outcome.RAN: gettext_noop("replayed; no recorded result to compare"),
    Outcome.FAILED: gettext_noop("failed in the record and in the replay"),
    Outcome.UNLIKE: gettext_noop("differs from the record"),
    Outcome.LOST: gettext_noop("can't be replayed"),
}
