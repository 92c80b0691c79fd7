"""A small benchmark whose answers are partly unread: most of them are the same refusal."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.models import Benchmark
from annotation.schema import AnswerType, SampleContent, SampleRecord
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.models import Run
from evaluation.schema import Trajectory
from evaluation.scoring.write import score_benchmark
from webapp.accounts.models import User

OPTIONS = {"A": "kettle", "B": "cup", "C": "lamp", "D": "vase"}
REFUSAL = "I am sorry, I cannot see the picture."


def sample(key: str, gold: str = "B", options: dict[str, str] = OPTIONS) -> SampleRecord:
    content = SampleContent(f"What is nearer in {key}?", AnswerType.MULTIPLE_CHOICE, options, (gold,))
    return SampleRecord(key, content, facets={"place": ("window" if key == "s0" else "door",)})


def said(lea: User, benchmark: Benchmark, answers: dict[str, str], model: str = "Model A", **fields: Any) -> Run:
    rows = [Trajectory(model, key, answer=answer, **fields) for key, answer in answers.items()]
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lea), rows, None)
    score_benchmark(actor=lea, benchmark=benchmark)
    return Run.objects.get(benchmark=benchmark, model__name=model)


def make_kitchen(lea: User, samples: int = 8) -> Benchmark:
    """Six equal refusals, one text that fits nothing, one answer that is read; an open answer."""
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    sign = SampleRecord("sign", SampleContent("What does it say?", AnswerType.OPEN, {}, ("Quay",)))
    save_samples(actor=lea, benchmark=benchmark, records=[*(sample(f"s{i}") for i in range(samples)), sign])
    answers = {f"s{i}": REFUSAL for i in range(6)} | {"s6": "hmm neither", "s7": "B", "sign": "Quai"}
    said(lea, benchmark, answers)
    return benchmark
