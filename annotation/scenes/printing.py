"""Pictures with their evidence in them: the scene is drawn, then every piece of evidence is printed into its box."""

from __future__ import annotations

from collections.abc import Mapping
from zlib import crc32

import numpy as np

from annotation.imaging.crops import Picture
from annotation.scenes.evidence import Evidence, Scene
from annotation.scenes.levelling import Floats, levelled
from annotation.scenes.raster import darken_corners, picture_of

GRAIN = 6.0
"""The standard deviation of the grain of evidence, in levels of 0 to 255."""


def prints(part: Evidence) -> Mapping[str, Floats]:
    """What ``part`` looks like at full size for each value it can show, before it is rounded to whole levels."""
    looks = np.stack([picture_of(part.patch(value)) for value in part.values]).astype(np.float64)
    return dict(zip(part.values, levelled(looks, part.box), strict=True))


def drawn(scene: Scene) -> Picture:
    """The pixels of ``scene``, RGB ``uint8``; the same every time."""
    picture = picture_of(scene.svg)
    rng = np.random.default_rng(crc32(scene.svg.encode()))
    for part in scene.evidence.values():
        x1, y1, x2, y2 = part.box
        picture[y1:y2, x1:x2] = grained(prints(part)[part.truth], rng)
    return darken_corners(picture, scene.shade)


def grained(look: Floats, rng: np.random.Generator) -> Picture:
    """``look`` as a camera takes it: with grain, and in whole levels.

    Without grain the rounding would leave a trace of the value in a shrunken copy.
    """
    return np.asarray((look + rng.normal(0, GRAIN, look.shape)).round().clip(0, 255), dtype=np.uint8)
