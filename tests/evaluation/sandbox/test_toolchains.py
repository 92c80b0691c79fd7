"""The reference toolchains of the demo, written as Python, give the images of the toolbox."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import pytest

from annotation.imaging.crops import Picture
from annotation.imaging.decoding import decode
from annotation.schema import ToolCall
from annotation.toolbox.python_code import python_code
from annotation.toolbox.runner import run_chain
from evaluation.sandbox import Limits, Mode, Python, Sandbox
from evaluation.stand_in.recorded import Known, Recorded

SAMPLES = sorted(Recorded.read().samples, key=lambda known: known.image)
FIRST = [known for at, known in enumerate(SAMPLES) if at == 0 or known.image != SAMPLES[at - 1].image]
"""One sample of each image."""
DIGESTS = """
import hashlib, json
made = {name: made for name, made in globals().items() if isinstance(made, np.ndarray) and name != "img"}
print(json.dumps([hashlib.sha256(np.ascontiguousarray(made.pop(name))).hexdigest() for name in list(made)]))
"""
FORGET = (
    "for name in [name for name, made in globals().items() if isinstance(made, np.ndarray)]:\n    del globals()[name]"
)


def chain_of(known: Known) -> list[ToolCall]:
    return [
        ToolCall(step["tool"], step.get("arguments", {}), step.get("image_in"), step.get("image_out"))
        for step in known.row["reference_toolchain"]
    ]


def stored(picture: Picture) -> bytes:
    """A file of plain pixels, which is read quickly for each sample. OpenCV looks at the content, not at the name."""
    return bytes(cv2.imencode(".bmp", picture[:, :, ::-1])[1].tobytes())


def digest(picture: Picture) -> str:
    return hashlib.sha256(np.ascontiguousarray(picture)).hexdigest()


def outcome(box: Sandbox, known: Known, chain: Sequence[ToolCall]) -> tuple[Any, Counter[str]]:
    """The image that the program saves, and the digests of all images that it makes."""
    code = python_code(chain, *known.size, f"/in/{known.image.stem}.png")
    result = box.run(code.replace('"result.png"', '"/out/result.png"') + DIGESTS)
    assert (result.error, result.killed) == ("", "")
    [image] = result.images
    assert box.run(FORGET).error == ""
    return image.picture, Counter(json.loads(result.text))


def test_every_sample_of_the_demo_has_a_toolchain() -> None:
    assert len([known for known in SAMPLES if len(chain_of(known)) > 1]) == 62
    assert len(FIRST) == 10


@pytest.mark.slow
@pytest.mark.parametrize("several", [pytest.param(SAMPLES, marks=pytest.mark.endurance), FIRST], ids=["all", "first"])
def test_a_toolchain_as_code_makes_the_images_of_the_toolbox(
    mode: Mode, python: Python, several: Sequence[Known]
) -> None:
    originals = {known.image: decode(known.image.read_bytes()) for known in several}
    images = {path.stem: stored(picture) for path, picture in originals.items()}
    with Sandbox(images, Limits(attempt=600.0), mode, python) as box:
        for known in several:
            chain = chain_of(known)
            wanted = run_chain(originals[known.image], chain)
            assert wanted.error is None
            saved, digests = outcome(box, known, chain)
            steps = [step.image for step in wanted.steps]
            assert Counter(digest(one) for one in steps) <= digests, known.id
            last = steps[-1] if steps[-1].ndim == 3 else np.repeat(steps[-1][:, :, None], 3, axis=2)
            assert np.array_equal(saved, last), known.id
