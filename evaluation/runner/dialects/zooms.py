"""The zoom dialects by name. Separate from ``catalogue.py``, because trainers read completions without OpenCV."""

from __future__ import annotations

from evaluation.runner.dialects.json_object import JsonObject
from evaluation.runner.dialects.native import Native
from evaluation.runner.dialects.pixel_reasoner import PixelReasoner
from evaluation.runner.dialects.qwen import Qwen
from evaluation.runner.dialects.zoom import Frame, ZoomDialect

ZOOM_DIALECTS: dict[str, ZoomDialect] = {
    "tools": Native(),
    "qwen3-vl": Qwen(Frame.NORM1000),
    "qwen2.5-vl": Qwen(Frame.RESIZED),
    "pixel-reasoner": PixelReasoner(),
    "json": JsonObject(),
}
"""Dialect or family to its zoom tool. ``tools`` and ``json`` also accept the frame of an endpoint."""


def zoom_dialect(name: str, frame: Frame | None = None) -> ZoomDialect:
    """Return a zoom dialect; ``tools`` and ``json`` with the frame of an endpoint, if given."""
    match name, frame:
        case "tools", Frame():
            return Native(frame)
        case "json", Frame():
            return JsonObject(frame)
    return ZOOM_DIALECTS[name]
