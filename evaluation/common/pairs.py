"""The lists of trajectories behind what is counted of two runs on the same samples."""

from __future__ import annotations


def cell_terms(a: int, b: int) -> dict[str, dict[str, str]]:
    """The lists of trajectories behind what is counted of two runs: each cell; "shared": both have the sample;
    "cropped": both have a usable crop on it. What only one has right is listed as its trajectories, else as those of
    the first."""
    first, second, two = str(a), str(b), f"{a},{b}"
    return {
        "both": {"run": first, "correct": "yes", "right_in": second},
        "a_only": {"run": first, "correct": "yes", "wrong_in": second},
        "b_only": {"run": second, "correct": "yes", "wrong_in": first},
        "neither": {"run": first, "wrong_in": two},
        "shared": {"run": first, "shared_with": two},
        "cropped": {"run": first, "cropped_in": two},
    }


def look_terms(a: int, b: int) -> dict[str, dict[str, str]]:
    """The lists behind what is counted of where two runs looked, "n": the samples in both's grounding population.
    What only one is grounded on is listed as its trajectories, else as those of the first."""
    first, second, two = str(a), str(b), f"{a},{b}"
    return {
        "n": {"run": first, "population_in": two},
        "both": {"run": first, "grounded_in": two},
        "a_only": {"run": first, "grounded": "yes", "ungrounded_in": second},
        "b_only": {"run": second, "grounded": "yes", "ungrounded_in": first},
        "neither": {"run": first, "ungrounded_in": two},
    }
