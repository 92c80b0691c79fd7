"""A benchmark with images on disk, and endpoints on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.samples import save_samples
from annotation.images import chain_runs
from annotation.images.store import store_pictures
from annotation.imaging.encoding import encode
from annotation.models import Benchmark, Image, Sample
from annotation.schema import SampleContent, SampleRecord
from annotation.workflow import Role
from evaluation.experiments.write.create import Choices, create_experiment
from evaluation.experiments.write.endpoints import add_endpoint
from evaluation.models import Endpoint, Experiment
from tests.unit.toolbox_cases import scene
from webapp.accounts.models import User

Make = Callable[..., Experiment]


@pytest.fixture
def benchmark(db: None, tmp_path: Any, settings: Any, lea: User) -> Benchmark:
    """Two samples of one image, with gold, led by Lea."""
    files = {"BACKEND": "webapp.common.objects.Folder", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    chain_runs.CACHE.clear()
    chain_runs.PREVIEWS.clear()
    made = create_benchmark(actor=None, slug="kitchen", title="Kitchen")
    add_member(actor=None, benchmark=made, user=lea, role=Role.LEAD)
    records = [
        SampleRecord(key, SampleContent(question, answers=("2",)), "s.png")
        for key, question in (("one", "How many shapes?"), ("two", "How many corners?"))
    ]
    found = store_pictures(
        actor=None, benchmark=made, records=records, folder=tmp_path, embedded={"s.png": encode(scene())}
    )
    save_samples(actor=None, benchmark=made, records=records, pictures=found)
    Image.objects.update(state=Image.State.READY)
    return made


@pytest.fixture
def endpoint_at(benchmark: Benchmark, lea: User) -> Callable[..., Endpoint]:
    def make(url: str, name: str = "local", key: str = "", **values: Any) -> Endpoint:
        given = {"preset": "generic", "base_url": url, "model": "m-1", **values}
        return add_endpoint(actor=lea, benchmark=benchmark, name=name, values=given, key=key)

    return make


@pytest.fixture
def experiment_on(benchmark: Benchmark, lea: User) -> Make:
    def make(endpoint: Endpoint, protocol: str = "base", **choices: Any) -> Experiment:
        return create_experiment(
            actor=lea, benchmark=benchmark, endpoint=endpoint, choices=Choices(protocol, **choices)
        )

    return make


@pytest.fixture
def to_do(benchmark: Benchmark, ana: User) -> Benchmark:
    """The kitchen with twelve samples to do besides two with gold; Ana annotates."""
    add_member(actor=None, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    image = Image.objects.get()
    Sample.objects.bulk_create(
        Sample(benchmark=benchmark, key=f"new-{n}", image=image, width=image.width, height=image.height)
        for n in range(12)
    )
    return benchmark
