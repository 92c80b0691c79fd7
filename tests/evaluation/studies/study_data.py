"""A benchmark, a study of it, and people who answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.models import Experiment, HumanAnswer
from evaluation.studies.write.answers import answer, next_to_answer
from evaluation.studies.write.create import StudyChoices, create_study
from tests.evaluation.run_pages import SEEN, make_benchmark
from webapp.accounts.models import User

ON_GOLD = json.dumps([{"box": [round(edge) for edge in SEEN], "seconds": 1.5}])
ELSEWHERE = json.dumps([{"box": [0, 0, 90, 90], "seconds": 0.7}])
KINDS = {"seen": 6, "missed": 6, "planned": 4}


def make_study_benchmark(lea: User, people: dict[User, Role], kinds: dict[str, int] = KINDS) -> Benchmark:
    benchmark = make_benchmark(lea, kinds)
    for user, role in people.items():
        add_member(actor=lea, benchmark=benchmark, user=user, role=role)
    return benchmark


def open_study(lea: User, benchmark: Benchmark, **changes: Any) -> Experiment:
    choices = {"name": "study 1", "n": 8, "facets": ("category",), "people": 2, "seed": "x"} | changes
    return create_study(actor=lea, benchmark=benchmark, choices=StudyChoices(**choices))


def said(item: HumanAnswer, letter: str = "A", familiarity: int = 4, zooms: str = ON_GOLD) -> dict[str, Any]:
    """An answer to whatever the sample asks for."""
    return {
        "answer": letter, "recognition": "hammer\nnail", "plan": "hammer\nnail", "familiarity": familiarity,
        "seconds": 12.5, "zooms": zooms,
    }  # fmt: skip


def answer_all(
    user: User, study: Experiment, how: Callable[[HumanAnswer], dict[str, Any]] = said, most: int = 1000
) -> list[HumanAnswer]:
    """Everything that is open to this person, in the order in which it is assigned."""
    done: list[HumanAnswer] = []
    while len(done) < most and (item := next_to_answer(actor=user, study=study)):
        item.experiment, item.sample.benchmark = study, study.benchmark
        done.append(answer(actor=user, item=item, said=how(item)))
    return done
