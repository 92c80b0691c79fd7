"""Attempts on samples of the demo, run by the client and the runner of the product against a stand-in."""

from __future__ import annotations

from functools import partial
from typing import Any

from annotation.outgoing.addresses import LOOPBACK
from evaluation.endpoints.client import Client, Settings
from evaluation.execution.attempt import Done, Work, run_attempt
from evaluation.runner.conversation import Conversation
from evaluation.runner.images import SourceImage
from evaluation.runner.recipe import Recipe, Task
from evaluation.stand_in.recorded import Recorded
from evaluation.stand_in.server import StandIn

RECORDED = Recorded.read()


class Owner:
    """Stores nothing, and never stops an attempt."""

    def store(self, event: Any) -> None:
        """Let it go on."""

    def stopping(self) -> bool:
        return False


def task_of(known: Any) -> Task:
    width, height = known.size
    data = known.image.read_bytes()
    image = SourceImage(known.id.ljust(64, "0"), width, height, load=lambda: data)
    return Task(known.id, known.question, image, dict(known.row.get("options") or {}))


def row_of(
    running: StandIn, known: Any, protocol: str, model: str = "oracle zoom", *, patience: Any = None, **choices: Any
) -> Any:
    """The row of an attempt. ``patience``: further settings of the client."""
    recipe = Recipe.of(protocol, model, running.base_url, images="fit:1024", sampling={"seed": 1}, **choices)
    settings = Settings(running.base_url, model, allowed_hosts=LOOPBACK, **(patience or {}))
    with Client(settings, sleep=lambda _: None) as client:
        task = task_of(known)
        work = Work(1, partial(Conversation, recipe, task), task.image, {"sample_id": known.id, "rollout": 0})
        outcome = run_attempt(work, Owner(), client)
    assert isinstance(outcome, Done)
    return outcome.row


def recorded(known: Any, agent: str = "oracle zoom") -> Any:
    return RECORDED.runs[agent][known.id]
