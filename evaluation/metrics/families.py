"""Families of comparisons: an adjusted p depends on what it is adjusted over, so each says its family and its size."""

from __future__ import annotations

REFERENCE, ADJACENT, ALL_PAIRS, SETTINGS, SLICES = "reference", "adjacent", "all_pairs", "settings", "slices"
FAMILIES = {
    REFERENCE: "vs reference",
    ADJACENT: "adjacent ranks",
    ALL_PAIRS: "all pairs",
    SETTINGS: "settings of one model",
    SLICES: "slices tested",
}
"""Each family of tests: name in exports and the API -> label."""


def family_words(family: str, size: int) -> str:
    """Return the family that a p is adjusted over; "" for an unadjusted one. Example: "vs reference, Holm over 4"."""
    return f"{FAMILIES[family]}, Holm over {size}" if family else ""
