"""SVG to PNG, with fonts of our own: a bare machine has none, and another machine's would change the image."""

from __future__ import annotations

from pathlib import Path

import resvg_py

FONTS = [str(Path(__file__).parent / "fonts" / f"SourceSansPro-{face}.ttf") for face in ("Regular", "It", "Bold")]


def png_of(svg: str) -> bytes:
    """The image that ``svg`` describes, as PNG. Raises ``ValueError`` on markup that cannot be drawn."""
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=FONTS))
