"""Working on gray, or on single color channels: what threshold, histogram and canny share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np

from annotation.marking import gettext_noop
from annotation.toolbox.results import Picture, ToolError, as_grey, as_rgb

ColorMode = Annotated[Literal["grayscale", "color"], gettext_noop("one gray image, or each color channel separately")]
Channels = Annotated[
    Literal["all", "red", "green", "blue"], gettext_noop("which color channel; only with color_mode = color")
]

_PLANES = {"all": (0, 1, 2), "red": (0,), "green": (1,), "blue": (2,)}


def by_channel(
    tool: str, image: Picture, color_mode: str, channels: str, change: Callable[[Picture], Picture]
) -> Picture:
    """``change`` done to the gray image, or to the chosen color channels, the others kept."""
    if color_mode == "grayscale":
        if channels != "all":
            raise ToolError(tool, "channels", channels, "all, while color_mode is grayscale")
        return change(as_grey(image))
    out = as_rgb(image)
    for plane in _PLANES[channels]:
        out[:, :, plane] = change(np.ascontiguousarray(out[:, :, plane]))
    return out
