"""Where an image that code made lies in the original."""

from __future__ import annotations

import numpy as np

from annotation.schema import Box
from evaluation.sandbox import Located, locate

PIXELS = np.random.default_rng(1).integers(0, 255, (100, 120, 3), np.uint8)


def test_a_stated_crop_gives_its_box() -> None:
    code = "x = cv2.imread('/in/a.png')\ncv2.imwrite('/out/b.png', x[10:50, 20:60])"
    assert locate(code, PIXELS, PIXELS[10:50, 20:60], "b.png") == Located(Box(20, 10, 60, 50), "code")


def test_a_crop_that_code_does_not_state_is_inferred() -> None:
    assert locate("pass", PIXELS, PIXELS[10:50, 20:60]) == Located(Box(20, 10, 60, 50), "inferred")


def test_pixels_that_lie_nowhere_or_anywhere_have_no_box() -> None:
    assert locate("pass", PIXELS, 255 - PIXELS[10:50, 20:60]) == Located(None, None)
    assert locate("pass", PIXELS, np.zeros((9, 9, 3), np.uint8)) == Located(None, None)
