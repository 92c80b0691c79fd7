"""The lists of trajectories behind what is counted of two runs on the same samples."""

from __future__ import annotations

from evaluation.metrics.columns import Quadrant


def cell_terms(a: int, b: int) -> dict[str, dict[str, str]]:
    """The lists of trajectories behind the counts of two runs.

    One list for each cell; "shared": both have the sample; "cropped": both have a usable crop on it. Samples that only
    one run answers correctly are listed as its trajectories, others as those of the first."""
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


def flip_terms(a: int, b: int) -> dict[str, dict[str, str]]:
    """The lists behind what changed from run ``a`` to ``b``, as trajectories of ``b``. "G+A+ G-A+": from the first
    quadrant to the second."""
    first, second, two = str(a), str(b), f"{a},{b}"
    became = {
        "answered": {"shared_with": two},
        "correct": {"right_in": second, "wrong_in": first},
        "incorrect": {"right_in": first, "wrong_in": second},
        "looked": {"population_in": two},
        "grounded": {"population_in": two, "grounded_in": second, "ungrounded_in": first},
        "ungrounded": {"population_in": two, "grounded_in": first, "ungrounded_in": second},
    }
    for before in Quadrant.NAMES:
        for after in Quadrant.NAMES:
            sides: dict[str, list[str]] = {"population_in": [two]}
            for name, run in ((before, first), (after, second)):
                sides.setdefault("grounded_in" if name.startswith("G+") else "ungrounded_in", []).append(run)
                sides.setdefault("right_in" if name.endswith("A+") else "wrong_in", []).append(run)
            became[f"{before} {after}"] = {side: ",".join(runs) for side, runs in sides.items()}
    return {name: {"run": second, **terms} for name, terms in became.items()}
