"""A scored kitchen, for the pages of one trajectory and of one sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.models import Image, Sample
from annotation.schema import SampleRecord
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.models import Trajectory
from evaluation.schema import Trajectory as TrajectoryRecord
from evaluation.scoring.write import score_benchmark
from tests.evaluation import records
from webapp.accounts.models import User


def scored_kitchen(
    lead: User,
    samples: Sequence[SampleRecord] | None = None,
    trajectories: Sequence[TrajectoryRecord] | None = None,
) -> Any:
    """A benchmark with these samples and trajectories, by default those of ``records``, scored."""
    benchmark = create_benchmark(actor=lead, slug="kitchen", title="Kitchen")
    save_samples(actor=lead, benchmark=benchmark, records=samples or records.samples())
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lead), trajectories or records.trajectories(), None)
    score_benchmark(actor=lead, benchmark=benchmark)
    return benchmark


HOSTILE = (
    "<script>alert(1)</script> \"><img src=x onerror=alert(2)> {{ 7*7 }} {% url 'x' %} \u202egold\u202c \u200f </li>"
)


def hostile_records(megabytes: int = 0) -> tuple[list[SampleRecord], list[TrajectoryRecord]]:
    """A sample and a trajectory on it whose every text is an attack; the reasoning that many megabytes long."""
    mug = next(record for record in records.samples() if record.id == "mug")
    content = replace(mug.content, question=HOSTILE, options={"A": HOSTILE, "B": "white"})
    text = HOSTILE + "x" * (megabytes * 1_000_000)
    step = records.zoom(50, 50, 450, 450, image_out="a", text=text, observation=HOSTILE, label=HOSTILE)
    named = replace(step, tool=HOSTILE, arguments={HOSTILE: HOSTILE})
    steps = (replace(step, arguments={HOSTILE: HOSTILE}), named)
    done = TrajectoryRecord("Model A", "mug", HOSTILE, steps=steps, answer=HOSTILE, error=HOSTILE)
    return [replace(mug, content=content, facets={"category": (HOSTILE[:60],)})], [done]


def of(model: str, sample: str, **fields: Any) -> Trajectory:
    """The trajectory of a model on a sample; the first rollout without an intervention unless said."""
    wanted = {"rollout": 0, "condition": "none"} | fields
    return Trajectory.objects.get(run__model__name=model, sample__key=sample, **wanted)


def with_picture(benchmark: Any, key: str = "mug", state: str = Image.State.READY, problem: str = "") -> Image:
    """Give a sample a picture of its size; only its row, not its tiles."""
    image = Image.objects.create(
        sha256=key.encode().hex().ljust(64, "0"),
        width=1000,
        height=800,
        format="PNG",
        bytes=1,
        state=state,
        problem=problem,
    )
    Sample.objects.filter(benchmark=benchmark, key=key).update(image=image)
    return image


def page(client: Any, address: str) -> str:
    """The text of a page that is there."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.status_code
    text: str = answer.content.decode()
    return text
