"""Drafts that an endpoint on this machine answers, and the samples that get them."""

from __future__ import annotations

import json
from typing import Any

from annotation.drafting import Arm, arm_of
from annotation.models import Benchmark, Drafting, Sample
from evaluation.experiments.write.drafts import DraftChoices, create_drafts
from evaluation.experiments.write.states import start_all
from evaluation.models import Endpoint, Experiment
from tests.evaluation.endpoints.server import Answer
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

SECRET = "How many zebras hide here?"
DRAFT: dict[str, Any] = {
    "question": SECRET, "options": ["five", "eleven"], "answer": "eleven", "boxes": [[10, 10, 60, 50]],
}  # fmt: skip


def answering(said: Any = DRAFT) -> Answer:
    text = said if isinstance(said, str) else json.dumps(said)
    message = {"role": "assistant", "content": text}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "model": "m-1"}
    return Answer(body=json.dumps(body).encode())


def drafted(benchmark: Benchmark, endpoint: Endpoint, lea: User, **choices: Any) -> Experiment:
    experiment = create_drafts(actor=lea, benchmark=benchmark, endpoint=endpoint, choices=DraftChoices(**choices))
    start_all(actor=lea, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    return experiment


def reseed(benchmark: Benchmark, person: User, arm: Arm, *samples: Sample) -> None:
    """Give the drafting the first seed with which this person meets these samples in this arm. Which samples an arm has
    depends on their numbers in the database, and these on the tests before."""
    drafting = Drafting.objects.get(benchmark=benchmark)
    tried = (f"{number:032x}" for number in range(10_000))
    drafting.seed = next(
        seed for seed in tried
        if all(arm_of(seed, person.pk, one.pk, drafting.control_share) is arm for one in samples)
    )  # fmt: skip
    drafting.save(update_fields=["seed"])


def arms(benchmark: Benchmark, person: User, arm: Arm) -> list[Sample]:
    """The samples to do in this arm of a person, in the order of their ids."""
    drafting = Drafting.objects.get(benchmark=benchmark)
    found = benchmark.samples.filter(state="to_do").order_by("pk")
    return [one for one in found if arm_of(drafting.seed, person.pk, one.pk, drafting.control_share) is arm]
