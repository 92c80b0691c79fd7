"""What a portable file holds, in numbers, before anything of it is imported."""

from __future__ import annotations

from typing import Any

from annotation.project_file import Reader

COUNTED = {
    "samples": "sample", "revisions": "revision", "versions": "version", "people": "person", "images": "image",
    "reviews": "review", "comments": "comment", "runs": "run", "trajectories": "trajectories",
}  # fmt: skip
LONGEST = 200
"""Of a text in a preview, in characters."""


def preview_of(file: Reader) -> dict[str, Any]:
    """Title, address, people, version and checksum as the manifest has them, and counts of rows. ``version`` is None
    for a working state."""
    about, tables = file.manifest.about, file.tables
    version, left_out = about.get("version"), about.get("left_out")
    return {
        "title": str(about.get("title", ""))[:LONGEST],
        "slug": str(about.get("slug", ""))[:LONGEST],
        "people": "named" if about.get("people") == "named" else "pseudonyms",
        "version": version if isinstance(version, int) else None,
        "checksum": file.manifest.checksum,
        "counts": {name: tables.get(table, 0) for name, table in COUNTED.items()},
        "left_out": sorted(str(name)[:LONGEST] for name in (left_out if isinstance(left_out, list) else ()))[:100],
    }
