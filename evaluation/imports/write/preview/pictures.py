"""Small images of the drawn samples, made while their images are only in the upload; kept until its record goes."""

from __future__ import annotations

from pathlib import Path

from django.utils.translation import gettext

from annotation.exchange.write.sweep import preview_folder
from annotation.imaging.crops import crop, encode_jpeg, shrink_to
from annotation.imaging.decoding import decode
from annotation.imaging.problems import PictureProblem
from annotation.models import ImportRecord
from annotation.schema import Box
from webapp.common import objects
from webapp.common.errors import NotFound

FRAME, GOLD = "frame", "gold"
FRAME_SIDE, GOLD_SIDE = 320, 240
AROUND = 0.15
"""Of the box's size, shown around the evidence on every side."""


def draw(record: ImportRecord, source: Path, sha256: str, gold: Box | None) -> str:
    """Make the two images of a sample; why they cannot be made, "" when they are there."""
    if objects.exists(_name(record, sha256, gold, FRAME)):
        return ""
    try:
        pixels = decode(source)
    except PictureProblem as problem:
        return problem.message
    if gold is not None:
        x, y = AROUND * gold.width, AROUND * gold.height
        part = crop(pixels, Box(gold.x1 - x, gold.y1 - y, gold.x2 + x, gold.y2 + y))
        objects.put(_name(record, sha256, gold, GOLD), encode_jpeg(shrink_to(part, GOLD_SIDE)))
    objects.put(_name(record, sha256, gold, FRAME), encode_jpeg(shrink_to(pixels, FRAME_SIDE)))
    return ""


def drawn(record: ImportRecord, index: int, what: str) -> bytes:
    """The small image of the drawn sample ``index``: its frame, or its first gold box. Raises ``NotFound``."""
    rows = record.preview.get("records", [])
    if record.kind == ImportRecord.Kind.SAMPLES and index < len(rows) and what in (FRAME, GOLD):
        row = rows[index]
        gold = Box(*row["gold"][0]) if row["gold"] else None
        try:
            return objects.read(_name(record, row["sha256"], gold, what))
        except objects.Missing:
            pass
    raise NotFound(gettext("The preview has no such image. Read the file again."))


def _name(record: ImportRecord, sha256: str, gold: Box | None, what: str) -> str:
    box = "whole" if gold is None else "_".join(f"{value:g}" for value in gold.as_list())
    return f"{preview_folder(record.pk)}/{sha256}-{box}-{what}.jpg"
