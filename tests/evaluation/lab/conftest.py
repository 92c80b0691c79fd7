"""A run of the board with arms: its crops matter, and its text does not."""

from __future__ import annotations

import pytest

from annotation.models import Benchmark
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.models import Experiment, Run
from evaluation.schema import Trajectory
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.evaluation.board_data import PICTURES, make_board
from tests.worlds import made_once
from webapp.accounts.models import User

KEYS = [f"{half}-{place}" for half in ("Chart", "Math & more") for place in range(PICTURES)]
ARMS = {"sham": 10, "noise-50": 6, "noise-100": 1, "filler": 10, "truncate-0": 2, "truncate-50": 9, "gold": 11}
"""Arm to the number of samples whose answer is correct in each of its three draws."""


def draws() -> list[Trajectory]:
    """Three draws of each arm on the twelve; one draw of ``gold`` failed."""
    found = []
    for arm, right in ARMS.items():
        for place, key in enumerate(KEYS):
            for seed in range(3):
                failed = (arm, place, seed) == ("gold", 11, 2)
                found.append(
                    Trajectory(
                        "Model C", key, "base", rollout=seed, condition=f"{arm}@prefix",
                        answer=None if failed else "B" if place < right else "A",
                        error="timeout: no answer" if failed else "",
                    )
                )  # fmt: skip
    return found


def make_lab(lea: User) -> Benchmark:
    board = make_board(lea)
    save_trajectories(RunRegistry(board, lea), draws(), None)
    run = Run.objects.of(board).get(model__name="Model C")
    Experiment.objects.create(
        benchmark=board, kind="arms", source=run, endpoint_name="lab", model="Model C", setting="base",
        recipe={"estimand": "prefix", "model": "m", "base_url": "", "sampling": {}}, recipe_digest="0" * 64,
        design={"arms": {f"{arm}@prefix": 3 for arm in ARMS}, "confirm": ["noise-100@prefix"], "margin": 10.0},
    )  # fmt: skip
    change_settings(actor=lea, benchmark=board, values={"interv_population": "paired"})
    score_benchmark(actor=lea, benchmark=board)
    return board


@made_once
def lab(lea: User) -> Benchmark:
    return make_lab(lea)


@pytest.fixture
def run(lab: Benchmark) -> Run:
    return Run.objects.of(lab).get(model__name="Model C")
