"""A benchmark as one portable file: a zip of tables as JSON lines, images, and a manifest with checksums. Pure.

``manifest.json`` names every other member with its SHA-256 and, of a table, its number of rows. The checksum of a
file is the SHA-256 of ``NAME SHA256\\n`` of all members in order of their names, so it depends on the content alone.
Tables are ``tables/NAME.jsonl``: one row per line, keys sorted, without spaces; row n of a table has the number n, by
which rows of later tables name it. Images are ``images/SHA256.SUFFIX`` with the bytes that the server stores.
"""

from annotation.project_file.changes import FIELDS, Difference, Kind, differences
from annotation.project_file.members import Manifest, Member, Reader, Writer, line_of
from annotation.project_file.values import InvalidFileError, Line, in_utc, invalid, is_storable

__all__ = [
    "FIELDS", "Difference", "InvalidFileError", "Kind", "Line", "Manifest", "Member", "Reader", "Writer",
    "differences", "in_utc", "invalid", "is_storable", "line_of",
]  # fmt: skip
