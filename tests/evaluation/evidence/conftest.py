"""The benchmark and the endpoints of the tests of experiments, with people who annotate and review."""

from __future__ import annotations

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark, Image, Sample
from annotation.queue.settings import set_queue
from annotation.workflow import Role
from tests.evaluation.experiments.conftest import benchmark, endpoint_at
from webapp.accounts.models import User

__all__ = ["benchmark", "endpoint_at", "to_do"]


@pytest.fixture
def to_do(benchmark: Benchmark, lea: User, ana: User, rui: User) -> Benchmark:
    """The kitchen with four samples to do; Ana annotates, Rui reviews after a blind answer from the image."""
    for user, role in ((ana, Role.ANNOTATOR), (rui, Role.REVIEWER)):
        add_member(actor=None, benchmark=benchmark, user=user, role=role)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", blind="picture", take_back_minutes=0)
    image = Image.objects.get()
    Sample.objects.bulk_create(
        Sample(benchmark=benchmark, key=f"new-{n}", image=image, width=image.width, height=image.height)
        for n in range(4)
    )
    return benchmark
