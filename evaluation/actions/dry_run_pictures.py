"""Small pictures of the drawn samples, made while their pictures are only in the upload; kept beside it."""

from __future__ import annotations

from pathlib import Path

from annotation.imaging.crops import crop, encode_jpeg, shrink_to
from annotation.imaging.decoding import decode
from annotation.imaging.problems import PictureProblem
from annotation.models import ImportRecord
from annotation.schema import Box
from evaluation.actions.upload import path_of
from webapp.common.errors import NotFound

FRAME, GOLD = "frame", "gold"
FRAME_SIDE, GOLD_SIDE = 320, 240
AROUND = 0.15
"""Of the box's size, shown around the evidence on every side."""


def draw(record: ImportRecord, source: Path, sha256: str, gold: Box | None) -> str:
    """Make the two pictures of a sample; why they cannot be made, "" when they are there."""
    folder = _folder(record)
    folder.mkdir(exist_ok=True)
    name = _name(sha256, gold)
    if (folder / f"{name}-{FRAME}.jpg").is_file():
        return ""
    try:
        pixels = decode(source)
    except PictureProblem as problem:
        return problem.message
    if gold is not None:
        x, y = AROUND * gold.width, AROUND * gold.height
        part = crop(pixels, Box(gold.x1 - x, gold.y1 - y, gold.x2 + x, gold.y2 + y))
        (folder / f"{name}-{GOLD}.jpg").write_bytes(encode_jpeg(shrink_to(part, GOLD_SIDE)))
    (folder / f"{name}-{FRAME}.jpg").write_bytes(encode_jpeg(shrink_to(pixels, FRAME_SIDE)))
    return ""


def drawn(record: ImportRecord, index: int, what: str) -> bytes:
    """The small picture of the drawn sample ``index``: its frame, or its first gold box. Raises ``NotFound``."""
    rows = record.preview.get("records", [])
    if record.kind == ImportRecord.Kind.SAMPLES and index < len(rows) and what in (FRAME, GOLD):
        row = rows[index]
        gold = Box(*row["gold"][0]) if row["gold"] else None
        path = _folder(record) / f"{_name(row['sha256'], gold)}-{what}.jpg"
        if path.is_file():
            return path.read_bytes()
    raise NotFound("There is no such picture in the preview. Read the file again.")


def _folder(record: ImportRecord) -> Path:
    return path_of(record).parent / "preview"


def _name(sha256: str, gold: Box | None) -> str:
    return f"{sha256}-" + ("whole" if gold is None else "_".join(f"{value:g}" for value in gold.as_list()))
