"""Large pictures to annotate, made in a process of their own (see ``bench.workers``)."""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np
from PIL import Image as Picture

from annotation.content.samples import save_samples
from annotation.images.store import store_pictures
from annotation.models import Guideline
from annotation.schema import SampleContent, SampleRecord
from bench.desk import open_benchmark
from webapp.jobs.runner import run_waiting

QUALITY = 90
GUIDELINES = "# Evidence\n\n" + "\n\n".join(
    f"## Rule {n}\n\nDraw the smallest box that a person needs." for n in range(30)
)


def make_large(width: int, height: int, count: int, slug: str = "large") -> dict[str, Any]:
    """A benchmark with guidelines and an image of its own for each sample: their mean colors, and megabytes of the
    first."""
    benchmark = open_benchmark(slug)
    Guideline.objects.create(benchmark=benchmark, number=1, body=GUIDELINES, must_read=False)
    records = [SampleRecord(f"{slug}-{number:02}", SampleContent(), f"{number}.jpg") for number in range(count)]
    colours = [_colour(number) for number in range(count)]
    with TemporaryDirectory(prefix="sightline-bench-") as name:
        folder = Path(name)
        for number, colour in enumerate(colours):
            (folder / f"{number}.jpg").write_bytes(_picture(width, height, colour, number))
        megabytes = (folder / "0.jpg").stat().st_size / 1e6
        found = store_pictures(actor=None, benchmark=benchmark, records=records, folder=folder, embedded={})
    save_samples(actor=None, benchmark=benchmark, records=records, pictures=found)
    run_waiting()
    return {"colours": colours, "mb": megabytes}


def _colour(number: int) -> tuple[int, int, int]:
    """Colors far enough from each other to be distinguished: three steps of red, green and blue."""
    return 70 + 55 * (number % 3), 70 + 55 * (number // 3 % 3), 70 + 55 * (number // 9 % 3)


def _picture(width: int, height: int, colour: tuple[int, int, int], seed: int) -> bytes:
    """A JPEG of detail at every size, as a photograph has it, around one color."""
    random = np.random.default_rng(seed)
    grey = np.zeros((height, width), np.float32)
    side, strength = 4, 12.0
    while side < width:
        coarse = random.normal(0, strength, (side * height // width + 1, side)).astype(np.float32)
        grey += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
        side, strength = side * 4, strength * 0.75
    grey += random.normal(0, 5, grey.shape).astype(np.float32)
    # Chromium is asked for the color in the middle.
    middle = grey[height * 9 // 20 : height * 11 // 20, width * 9 // 20 : width * 11 // 20]
    grey -= middle.mean()
    pixels = np.clip(grey[..., None] + np.array(colour, np.float32), 0, 255).astype(np.uint8)
    file = io.BytesIO()
    Picture.fromarray(pixels).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()
