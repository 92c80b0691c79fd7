"""Forty words for nine values on ten thousand samples."""

from __future__ import annotations

from collections import Counter

import pytest

from annotation.models import Benchmark, FacetValue, Revision, Sample
from annotation.task.read import values_to_decide
from annotation.task.write import CHANGE, activate, save_draft
from annotation.task_schema import TaskSchema
from tests.annotation.work_data import to_annotate
from webapp.accounts.models import User

pytestmark = pytest.mark.django_db
LISTED = ("OCR", "Color", "Counting", "Chart", "Math", "Shape", "Material", "Position", "Motion")
SAMPLES = 10_000


def variants() -> list[str]:
    """Forty words: each value as it is listed, and 31 by case, spaces and one letter."""
    changed = [
        change(one) for change in (str.lower, str.upper, lambda one: f" {one}", lambda one: f"{one}s") for one in LISTED
    ]
    words = list(dict.fromkeys([*LISTED, *changed]))
    return words[:40]


@pytest.mark.endurance
def test_exactly_the_previewed_samples_change(lea: User) -> None:
    benchmark: Benchmark = to_annotate(1, lead=lea)
    made = Sample.objects.bulk_create(Sample(benchmark=benchmark, key=f"many-{n:05}") for n in range(SAMPLES))
    words = variants()
    assert len(words) == 40
    FacetValue.objects.bulk_create(
        FacetValue(sample=sample, benchmark=benchmark, name="category", value=words[n % 40])
        for n, sample in enumerate(made)
    )
    listed = [{"value": one} for one in LISTED]
    content = {"facets": [{"name": "category", "kind": "single", "closed": True, "values": listed}]}
    found = values_to_decide(benchmark, TaskSchema.parse(content))
    assert len(found) == 31
    assert all(one.proposed for one in found)
    assert {one.value: one.count for one in found} == {word: SAMPLES // 40 for word in words if word not in LISTED}
    expected = Counter(FacetValue.objects.filter(value__in=LISTED).values_list("value", flat=True))
    for one in found:
        expected[one.proposed] += one.count
    revisions = Revision.objects.count()
    draft = save_draft(actor=lea, benchmark=benchmark, content=content)
    decisions = {(one.facet, one.value): (CHANGE, one.proposed) for one in found}
    activate(actor=lea, benchmark=benchmark, version=draft.version, decisions=decisions)
    assert Counter(FacetValue.objects.values_list("value", flat=True)) == expected
    assert sum(expected.values()) == SAMPLES
    assert Revision.objects.count() == revisions
