"""The demo as a whole: its data imported, scored and given to people, as ``manage.py demo`` does it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Benchmark, ImportIssue, Sample, VerifiedChain
from evaluation.demo.build import SLUG, WORK, build_demo, is_built
from evaluation.models import Metric, Model, Trajectory

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.slow, pytest.mark.endurance]
VALID_GROUNDED = {
    "contrast zoom": 21 / 62, "random zoom": 8 / 62, "center zoom": 3 / 62, "oracle zoom": 50 / 62, "whole image": None,
    "People": 24 / 31,
}  # fmt: skip


def test_the_demo_has_its_leaderboard_and_its_work_and_is_made_once(tmp_path: Path, settings: Any) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    said: list[str] = []
    assert not is_built()
    build_demo(password="of-tests", say=said.append)
    assert is_built()
    made = Metric.objects.filter(metric="valid_grounded_reasoning", slice="")
    people = made.get(scoring__run__model__name="People")
    assert (people.n, people.detail["people"], people.ci_low is not None) == (20, 3, True)
    assert Benchmark.objects.get(slug=SLUG).public
    shown = dict(made.values_list("scoring__run__model__name", "value"))
    assert shown == pytest.approx(VALID_GROUNDED)
    assert list(Model.objects.filter(baseline=True).values_list("name", flat=True)) == ["oracle zoom"]
    assert set(ImportIssue.objects.values_list("severity", flat=True)) == {"noted"}
    assert Sample.objects.filter(benchmark__slug=SLUG, image__isnull=True).count() == 0
    assert Benchmark.objects.filter(public=False).get().samples.count() == 23
    assert ends_of(SLUG) == {"blind, the answer": 49, "blind, another answer": 13}
    assert ends_of(WORK) == {"blind, the answer": 4}
    rows = (Sample.objects.count(), Trajectory.objects.count(), Metric.objects.count())
    build_demo(password="of-tests", say=said.append)
    assert (Sample.objects.count(), Trajectory.objects.count(), Metric.objects.count()) == rows
    assert VerifiedChain.objects.count() == 66


def ends_of(slug: str) -> Counter[str]:
    """Accepted toolchains by what their end was found to give. None is undecided."""
    found = Counter[str]()
    for sample in Sample.objects.filter(benchmark__slug=slug, gold__revision__reference_calls__isnull=False).distinct():
        [mark] = sample.verified_chains.all()
        assert mark.how != "seen"
        found[f"{mark.how}, {'the' if mark.matches else 'another'} answer"] += 1
    return found
