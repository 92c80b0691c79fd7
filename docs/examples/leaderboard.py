"""The leaderboard rebuilt from its trajectories: python leaderboard.py https://sightline.example.org demo TOKEN"""

import sys
from statistics import fmean

from client import Sightline


def rebuilt(server: Sightline) -> dict[str, tuple[float | None, float | None]]:
    """Of each run, by its name: accuracy and the share right and grounded; None where nothing defines it."""
    # The accuracy leaves out samples without an accepted answer, as those that ask for a plan of tools.
    asked = {sample["id"] for sample in server.rows("samples/") if sample.get("answer")}
    board = {}
    for run in server.rows("runs/"):
        rows = [row for row in server.rows("trajectories/", run=run["id"]) if row["score"]]
        # Null is undefined and never a zero: a trajectory without a zoom call is in no quadrant.
        right = [row["score"]["correct"] is True for row in rows if row["trajectory"]["sample_id"] in asked]
        both = [row["score"]["quadrant"] == "G+A+" for row in rows if row["score"]["quadrant"] is not None]
        board[f"{run['model']}, {run['setting']}"] = (fmean(right) if right else None, fmean(both) if both else None)
    return board


def place(row: tuple[str, tuple[float | None, float | None]]) -> list[float]:
    """To sort by: the share right and grounded, then the accuracy, best first; what nothing defines comes last."""
    return [1.0 if share is None else -share for share in reversed(row[1])]


if __name__ == "__main__":
    print(f"{'Best by right and grounded':40}   right  and grounded")
    for name, shares in sorted(rebuilt(Sightline(*sys.argv[1:])).items(), key=place):
        print(f"{name:40}", *(f"{share:7.1%}" if share is not None else "    n/a" for share in shares))
