"""The human study of the demo. Its people are scripts, and its name says so: they zoom in, answer and tire by rule."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Benchmark, GoldBox, GoldShape, Revision
from evaluation.models import Experiment, HumanAnswer
from evaluation.studies.write.answers import answer, next_to_answer
from evaluation.studies.write.create import StudyChoices, create_study
from evaluation.studies.write.states import close
from webapp.accounts.models import User

NAME = "scripted"
SAMPLES, FACET, SEED = 20, "scene", "demo"
FINDS = (0.95, 0.85, 0.75)
"""The probability that each person finds the evidence. Otherwise, they look elsewhere and guess."""
AROUND = 2.0
"""A person who finds the evidence has it in view with this many times its size on each side."""


def build_demo_study(*, benchmark: Benchmark, people: Sequence[User]) -> None:
    """Create the study, answer it and close it, or continue after an interruption. The benchmark must not be public,
    because participants could look up the gold.
    """
    study = Experiment.objects.filter(benchmark=benchmark, kind=Experiment.Kind.HUMAN).first()
    if study is None:
        choices = StudyChoices(NAME, SAMPLES, (FACET,), people=len(people), seed=SEED)
        study = create_study(actor=None, benchmark=benchmark, choices=choices)
    if study.state == Experiment.State.DONE:
        return
    for person, finds in zip(people, FINDS, strict=True):
        while item := next_to_answer(actor=person, study=study):
            item.experiment, item.sample.benchmark = study, benchmark
            answer(actor=person, item=item, said=_said(item, finds))
    close(actor=None, study=study)


def _said(item: HumanAnswer, finds: float) -> dict[str, Any]:
    """The answer of this person to a sample, the same each time the demo is made."""
    chance = random.Random(f"{SEED} {item.person.email} {item.sample.key}")
    gold = Revision.objects.get(gold_of__sample=item.sample)
    boxes = gold.evidence
    found = chance.random() < finds
    targets = [tool.tool for tool in gold.plan_tools.filter(step__isnull=False).order_by("step", "pk")]
    given = (gold.answers[0] if gold.answers else "") if found else _guess(gold, chance)
    return {
        "answer": given,
        "cannot": bool(gold.answers) and not given,
        "recognition": "\n".join(tool.tool for tool in gold.plan_tools.all() if found or chance.random() < finds),
        "plan": "\n".join(targets if found else targets[:-1] or targets),
        "familiarity": chance.choice((2, 3, 4, 4, 5, 5) if found else (1, 2, 3, 4)),
        "unsure": not found,
        "seconds": round(chance.lognormvariate(3.0 if found else 3.5, 0.4), 1),
        "zooms": json.dumps([_zoom(item, box, chance) for box in (boxes if found else [None])]),
    }


def _guess(gold: Revision, chance: random.Random) -> str:
    """One of the options; nothing for an open question."""
    options: Mapping[str, str] = gold.options or {}
    return chance.choice(sorted(options)) if options else ""


def _zoom(item: HumanAnswer, box: GoldBox | GoldShape | None, chance: random.Random) -> dict[str, Any]:
    """A view around the evidence, or of another place."""
    image = item.sample.image
    if image is None:
        raise RuntimeError(f"The demo has no image of {item.sample.key}.")
    if box is None:
        x, y = chance.randrange(image.width - 400), chance.randrange(image.height - 300)
        seen = [x, y, x + 400, y + 300]
    else:
        wide, high = AROUND * (box.x2 - box.x1), AROUND * (box.y2 - box.y1)
        seen = [
            max(0, int(box.x1 - wide)), max(0, int(box.y1 - high)),
            min(image.width, int(box.x2 + wide)), min(image.height, int(box.y2 + high)),
        ]  # fmt: skip
    return {"box": seen, "seconds": round(chance.uniform(1.0, 6.0), 1)}
