"""Deleting, importing, scoring and deciding at the same moment never end in a deadlock."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import pytest

from annotation.models import Benchmark, Sample
from evaluation.answers.read.groups import read_groups
from evaluation.answers.write import decide_answers, take_back_last
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.judging.write.queues import draw_judging
from evaluation.models import Run
from evaluation.schema import Trajectory
from evaluation.scoring.load.columns import load_samples
from evaluation.scoring.rank import rank_runs
from evaluation.scoring.settings import settings_of
from evaluation.scoring.write import score_benchmark, score_one
from evaluation.trash.write.runs import delete_run
from evaluation.trash.write.samples import delete_samples, restore_sample
from tests.crossing import problems_of, undone
from tests.evaluation.run_pages import make_benchmark
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@dataclass
class Street:
    """Two runs with decided answers and a queue of questions; one of their samples is in the trash."""

    benchmark: Benchmark
    lea: User
    removed: Sample

    def run(self, model: str = "Model C") -> Run:
        return Run.objects.get(benchmark=self.benchmark, model__name=model)

    def keys(self) -> list[str]:
        return list(self.benchmark.samples.order_by("key").values_list("key", flat=True))

    def imported(self, *models: str) -> None:
        """Another answer of each sample by these models."""
        rows = [Trajectory(model, key, answer=f"Harbor {key}") for model in models for key in self.keys()]
        save_trajectories(RunRegistry(self.benchmark, self.lea), rows, None)

    def scored(self, then: Callable[..., Any]) -> Any:
        return then(samples=load_samples(self.benchmark), settings=settings_of(self.benchmark))


ACTS: dict[str, Callable[[Street], Any]] = {
    "delete run": lambda s: delete_run(actor=s.lea, run=s.run()),
    "delete samples": lambda s: delete_samples(actor=s.lea, benchmark=s.benchmark, keys=s.keys()),
    "restore sample": lambda s: restore_sample(actor=s.lea, benchmark=s.benchmark, sample=s.removed),
    "import": lambda s: s.imported("Model C", "Model D"),
    "import new models": lambda s: s.imported("Model Y", "Model X"),
    "import them in another order": lambda s: s.imported("Model X", "Model Y"),
    "take back": lambda s: take_back_last(actor=s.lea, benchmark=s.benchmark),
    "score": lambda s: s.scored(lambda **of: score_one(actor=s.lea, run=s.run(), **of)),
    "rank": lambda s: s.scored(lambda **of: rank_runs(s.benchmark, **of)),
}
SHORT = {
    ("delete samples", "delete run"),
    ("restore sample", "import"),
    ("take back", "import"),
    ("score", "rank"),
    ("import new models", "import them in another order"),
}
"""Pairs that deadlocked once; the others are for a long run."""
LONG = ((), pytest.mark.endurance)
ALL = list(permutations(ACTS, 2))
PAIRS = sorted({*SHORT, *ALL[:: int(os.environ.get("LOCK_PAIRS", "4"))]}, key=ALL.index)
"""One of four other pairs is tested: each takes seconds. ``LOCK_PAIRS=1``: all."""


@pytest.fixture
def street(lea: User) -> Street:
    benchmark = make_benchmark(lea, {"seen": 2, "undecided": 2}, models=("Model C", "Model D"))
    groups = [group.key for group in read_groups(benchmark, lea).tallies]
    decide_answers(actor=lea, benchmark=benchmark, said=dict.fromkeys(groups, "n"))
    draw_judging(actor=lea, benchmark=benchmark, terms={}, size=20, people=1)
    removed = benchmark.samples.get(key="seen-01")
    delete_samples(actor=lea, benchmark=benchmark, keys=[removed.key])
    score_benchmark(actor=lea, benchmark=benchmark)
    return Street(benchmark, lea, removed)


@pytest.mark.parametrize(
    ("first", "second"),
    [pytest.param(*pair, marks=LONG[pair not in SHORT]) for pair in PAIRS],
)
def test_acts_on_runs_and_samples_do_not_deadlock(street: Street, first: str, second: str) -> None:
    """Each against each other, at each lock of the first."""
    act, other = (undone(lambda do=ACTS[name]: do(street)) for name in (first, second))
    assert list(problems_of(lambda: None, lambda _: act(), lambda _: other())) == []
