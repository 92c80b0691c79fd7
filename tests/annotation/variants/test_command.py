"""``manage.py variants``: variants of many samples, counted first, and continued where it stopped."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Image, ImageVariant, Sample
from annotation.variants import write
from tests.annotation.variants.test_variants import desk as desk

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def told(*words: str, **options: Any) -> str:
    out, err = io.StringIO(), io.StringIO()
    call_command("variants", *words, stdout=out, stderr=err, **options)
    return out.getvalue() + err.getvalue()


def test_a_dry_run_counts_and_makes_nothing(desk: Sample) -> None:
    said = told(desk.benchmark.slug, "--recipe", "rotate:90,180", "--recipe", "crop:40", "--dry-run")
    assert "1 samples: 2 variants to make, 0 exist, 1 rejected" in said
    assert not ImageVariant.objects.exists()


def test_a_run_that_was_interrupted_goes_on_and_makes_nothing_twice(desk: Sample, monkeypatch: Any) -> None:
    words = (desk.benchmark.slug, "--recipe", "blur:1..4x4", "--recipe", "flip/horizontal")
    stored, left = write.store_bytes, [2]

    def power_fails(*about: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return stored(*about)

    monkeypatch.setattr(write, "store_bytes", power_fails)
    with pytest.raises(KeyboardInterrupt):
        told(*words)
    assert ImageVariant.objects.count() == 2
    monkeypatch.undo()
    assert "3 variants made, 2 exist" in told(*words)
    assert "0 variants made, 5 exist" in told(*words)
    doses = sorted(row.recipe.get("dose", 0) for row in ImageVariant.objects.all())
    assert doses == [0, 1, 2, 3, 4]
    assert Sample.objects.filter(variant_of=desk, state="in_review").count() == 5


def test_the_query_selects_the_samples(desk: Sample) -> None:
    slug = desk.benchmark.slug
    assert "1 samples" in told(slug, "--recipe", "rotate:90", "--samples", "facet.category=Color", "--dry-run")
    assert "0 samples" in told(slug, "--recipe", "rotate:90", "--samples", "facet.category=Chart", "--dry-run")
    with pytest.raises(CommandError, match="no known term"):
        told(slug, "--recipe", "rotate:90", "--samples", "color=red")


def test_an_image_that_is_not_ready_is_named_and_stops_nothing(desk: Sample) -> None:
    Image.objects.update(state=Image.State.FAILED)
    said = told(desk.benchmark.slug, "--recipe", "rotate:90")
    assert "The image of desk is not ready" in said
    assert "0 variants made, 0 exist, 0 rejected because they cut gold, 1 not possible" in said


@pytest.mark.parametrize("recipe", ["turn:90", "rotate", "rotate:half", "rotate:900", "blur:1..2x99", "flip/up"])
def test_a_recipe_that_cannot_be_read_is_refused_before_anything_is_made(desk: Sample, recipe: str) -> None:
    with pytest.raises(CommandError, match=recipe.split(":")[0]):
        told(desk.benchmark.slug, "--recipe", "rotate:90", "--recipe", recipe)
    assert not ImageVariant.objects.exists()
