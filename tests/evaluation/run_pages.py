"""Runs as their pages meet them: samples of many kinds, each kind as often as no other where that can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db import transaction

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.models import Benchmark, Image, Sample
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, Target, ToolCall, ToolPlan
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.models import Run
from evaluation.schema import Step, Trajectory
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from webapp.accounts.models import User

GOLD = Box(400, 300, 500, 400)
SEEN = (380.0, 280.0, 520.0, 420.0)
MISSED = (0.0, 0.0, 90.0, 90.0)
PARTLY = (400.0, 300.0, 440.0, 900.0)
"""Holds 0.4 of the gold and is 1/6 gold in itself."""
KINDS = {
    "seen": 7,
    "seen-wrong": 5,
    "missed": 4,
    "missed-wrong": 6,
    "partly": 3,
    "blind": 2,
    "unread": 1,
    "unanswered": 2,
    "failed": 3,
    "unusable": 2,
    "undecided": 1,
    "planned": 4,
    "absent": 2,
}
"""How many samples of each kind; ``absent`` ones have no trajectory."""


def samples(kinds: dict[str, int]) -> Iterator[SampleRecord]:
    for kind, count in kinds.items():
        for number in range(count):
            yield SampleRecord(
                f"{kind}-{number:02}", _content(kind), f"{kind}-{number}.jpg", None, 1000, 800,
                {"category": ("Color" if number % 2 else "Chart & more",), "segment": ("top", "left")},
            )  # fmt: skip


def _content(kind: str) -> SampleContent:
    if kind == "planned":
        plan = ToolPlan((Target("hammer", 1), Target("nail", 2)), ("saw",), None)
        return SampleContent("Hang the picture.", plan=plan)
    if kind == "undecided":
        return SampleContent("What does it say?", AnswerType.OPEN, {}, ("Quay",), (GOLD,))
    if kind == "unasked":
        return SampleContent("Find the quay.", AnswerType.OPEN, {}, (), (GOLD,))
    reference = (ToolCall("crop", {}, "original", "a"), ToolCall("resize", {}, "a", "b"))
    options = {"A": "black", "B": "white"}
    return SampleContent("Which colour?", AnswerType.MULTIPLE_CHOICE, options, ("A",), (GOLD,), reference)


def _zoom(box: Sequence[float], ok: bool = True) -> Step:
    corners = (box[0], box[1], box[2], box[3])
    return Step("crop", {}, corners, image_in="original", image_out="a" if ok else None, ok=ok)


def _trajectory(model: str, key: str, kind: str, number: int) -> Trajectory:
    looks = {"seen": SEEN, "missed": MISSED, "partly": PARTLY, "undecided": SEEN, "unasked": SEEN}
    answers = {"unread": "neither", "unanswered": None, "failed": None, "undecided": "Quai"}
    box = looks.get(kind.removesuffix("-wrong"))
    steps = (_zoom(box),) * (1 + number % 3) if box else (_zoom(SEEN, ok=False),) if kind == "unusable" else ()
    if kind == "planned":
        plan = (("hammer", "nail"), ("nail", "hammer"), ("hammer",), ("hammer", "saw", "nail"))[number % 4]
        return Trajectory(model, key, plan=plan)
    answer = answers.get(kind, "B" if kind.endswith("wrong") else "A")
    return Trajectory(model, key, steps=steps, answer=answer, error="timeout" if kind == "failed" else "")


def trajectories(model: str, kinds: dict[str, int]) -> Iterator[Trajectory]:
    """One per sample; noise and a placebo on the seen ones (noise loses five, gains four); and a further rollout."""
    for kind, count in kinds.items():
        for number in range(count if kind != "absent" else 0):
            key = f"{kind}-{number:02}"
            yield _trajectory(model, key, kind, number)
            if kind in ("seen", "seen-wrong"):
                right = number >= 5 if kind == "seen" else number < 4
                noise = "A" if right else "B"
                yield Trajectory(model, key, condition="visual", steps=(_zoom(SEEN),), answer=noise)
                yield Trajectory(model, key, condition="placebo", steps=(_zoom(MISSED),), answer="A")
    if kinds.get("seen"):
        yield Trajectory(model, "seen-00", rollout=1, answer="B")


FURTHER = {
    "seen-01": "AA",
    "seen-02": "AB",
    "seen-wrong-00": "BB",
    "seen-wrong-01": "BA",
    "missed-00": "A",
    "unanswered-00": "B",
    "undecided-00": ("Quay",),
}
"""Answers of rollouts 1, 2, ... of some samples: right in all of them, in some, in none."""


def repeat(benchmark: Benchmark, lea: User, model: str = "Model C") -> None:
    """Adds them to the run of a model, and one under an intervention, which is no rollout of its sample."""
    rows = [
        Trajectory(model, key, rollout=number, answer=answer, steps=(_zoom(SEEN),))
        for key, answers in FURTHER.items()
        for number, answer in enumerate(answers, start=1)
    ]
    rows.append(Trajectory(model, "seen-03", condition="visual", rollout=1, answer="A", steps=(_zoom(SEEN),)))
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lea), rows, None)
    score_benchmark(actor=lea, benchmark=benchmark)


def make_benchmark(
    lea: User,
    kinds: dict[str, int] = KINDS,
    models: Sequence[str] = ("Model C",),
    scored: bool = True,
    pictures: bool = True,
) -> Benchmark:
    """A benchmark of these samples, each with the row of a picture, and runs on them; by default they are scored. A few
    unread answers make no run provisional."""
    benchmark = create_benchmark(actor=lea, slug="street", title="Street")
    change_settings(actor=lea, benchmark=benchmark, values={"unread_alarm": 0.5})
    save_samples(actor=lea, benchmark=benchmark, records=list(samples(kinds)))
    for number, sample in enumerate(Sample.objects.filter(benchmark=benchmark) if pictures else ()):
        sample.image = Image.objects.create(
            sha256=f"{number:064x}", width=1000, height=800, format="JPEG", bytes=1, state=Image.State.READY
        )
        sample.save(update_fields=["image"])
    for model in models:
        with transaction.atomic():
            save_trajectories(RunRegistry(benchmark, lea), list(trajectories(model, kinds)), None)
    if scored:
        score_benchmark(actor=lea, benchmark=benchmark)
    return benchmark


def only_run(benchmark: Benchmark) -> Run:
    return Run.objects.get(benchmark=benchmark)
