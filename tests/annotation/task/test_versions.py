"""A frozen version keeps the words of facets that it froze."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.content.freeze import freeze_version
from annotation.models import Annotation, Benchmark, FacetValue, Revision, Sample, VersionEntry
from annotation.project_file import Reader
from annotation.task.write import CHANGE, DROP
from annotation.work.write.facets import set_facet
from tests.annotation.portable.files import exported
from tests.annotation.task.test_task import CATEGORY, fresh, in_force
from tests.annotation.work_data import next_review, reviewed, submitted, to_annotate
from webapp.accounts.models import User
from webapp.common.errors import Conflict

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    """Two accepted samples with the categories colour and Shape."""
    benchmark = to_annotate(2, annotator=ana, reviewer=rui, lead=lea)
    Sample.objects.update(image=None)
    for value in ("colour", "Shape"):
        submitted(ana, benchmark, facets={"category": [value]})
        reviewed(rui, next_review(rui, benchmark), "accept")
    return benchmark


def facets(benchmark: Benchmark, path: Path, number: int) -> list[str]:
    with Reader(exported(benchmark, path, version=benchmark.versions.get(number=number))) as file:
        return [row["value"] for row in file.rows("facetvalue")]


def test_a_version_keeps_its_words_after_values_were_changed_and_set(
    kitchen: Benchmark, lea: User, tmp_path: Path
) -> None:
    freeze_version(actor=lea, benchmark=kitchen)
    words: Any = facets(kitchen, tmp_path / "before", 1)
    assert words == ["colour", "Shape"]
    decisions = {("category", "colour"): (CHANGE, "Color"), ("category", "Shape"): (DROP, "")}
    in_force(lea, kitchen, decisions, facets=[CATEGORY | {"required": "no"}])
    kitchen = fresh(kitchen)
    assert list(FacetValue.objects.values_list("value", flat=True)) == ["Color"]
    assert facets(kitchen, tmp_path / "after", 1) == words
    freeze_version(actor=lea, benchmark=kitchen)
    every = kitchen.samples.all()
    set_facet(actor=lea, benchmark=kitchen, samples=every, facet="category", value="OCR", remove=False, key="one")
    assert facets(kitchen, tmp_path / "second", 2) == ["Color"]
    assert list(FacetValue.objects.values_list("value", flat=True)) == ["OCR", "OCR"]
    freeze_version(actor=lea, benchmark=kitchen, note="Other facets, the same gold.")
    assert facets(kitchen, tmp_path / "third", 3) == ["OCR", "OCR"]
    assert len(set(kitchen.versions.values_list("checksum", flat=True))) == 1, "The gold is the same."
    with pytest.raises(Conflict):
        freeze_version(actor=lea, benchmark=kitchen)


def test_a_version_keeps_the_facets_of_imported_samples(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    sample = Sample.objects.order_by("key")[0]
    made = Annotation.objects.create(sample=sample, kind="imported", state="superseded")
    old = sample.gold.revision
    imported = Revision.objects.create(
        annotation=made, number=1, question=old.question, answer_type=old.answer_type, options=old.options,
        answers=old.answers, submitted_at=old.submitted_at, digest=old.digest,
    )  # fmt: skip
    sample.gold.revision = imported
    sample.gold.save()
    freeze_version(actor=lea, benchmark=kitchen)
    assert VersionEntry.objects.get(sample=sample).facets == {"category": ["colour"]}
    decisions = dict.fromkeys([("category", "colour"), ("category", "Shape")], (CHANGE, "Color"))
    in_force(lea, kitchen, decisions, facets=[CATEGORY])
    assert facets(kitchen, tmp_path / "file", 1) == ["colour", "Shape"]
