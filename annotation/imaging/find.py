"""Finds a small image in a large one at the same scale."""

from __future__ import annotations

import cv2
import numpy as np

from annotation.imaging.crops import Picture


def occurrences(image: Picture, part: Picture, score: float) -> list[tuple[int, int]]:
    """Return the top-left corners where ``part`` matches with a correlation of at least ``score`` (0 to 1), best first.

    Matches within half of the part count as one. Empty for a part that is larger, or of one color, which matches
    anywhere. At most two corners are returned, which is enough to decide whether the match is unique.
    """
    height, width = part.shape[:2]
    if height > image.shape[0] or width > image.shape[1] or float(part.std(axis=(0, 1)).max()) < 1.0:
        return []
    scores = cv2.matchTemplate(image, part, cv2.TM_CCOEFF_NORMED)
    scores = np.where(np.isfinite(scores), scores, -1.0)
    found: list[tuple[int, int]] = []
    while len(found) < 2:
        y, x = (int(at) for at in np.unravel_index(int(scores.argmax()), scores.shape))
        if scores[y, x] < score:
            break
        found.append((x, y))
        reach_x, reach_y = max(1, width // 2), max(1, height // 2)
        scores[max(0, y - reach_y) : y + reach_y + 1, max(0, x - reach_x) : x + reach_x + 1] = -1.0
    return found
