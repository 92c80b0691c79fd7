"""The segments that tools are sorted into: two-digit codes of the UNSPSC and their titles (``segments.json``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

SEGMENTS: Mapping[str, str] = json.loads((Path(__file__).parent / "segments.json").read_text())["segments"]
"""Code -> title. The title is what slices of metrics are named by."""
