"""Boxes of trajectories and notes on an image that another replaced: drawn scaled, or not at all."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from annotation.models import Sample
from evaluation.common.present_crops import present_crops
from evaluation.models import Note, Run, Trajectory
from evaluation.store.scores import put_scores
from evaluation.trajectories.write.marks import write_note
from tests.annotation.work_data import another_size
from tests.conftest import signed_in
from tests.evaluation.scoring.test_replaced_images import kitchen, mug, scaled
from tests.evaluation.trajectory_data import of
from webapp.accounts.models import User

__all__ = ["kitchen"]
pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
REGION = (10.0, 10.0, 30.0, 25.0)
WORDS = "its region is on an earlier image, and is not drawn"


def returned(lea: User) -> None:
    """An image of another shape replaces the image of the mug."""
    another_size(mug(), (900, 900), lea)
    Sample.objects.get(key="mug").save()


def page_of(person: User, name: str, row: Trajectory, query: str = "") -> Any:
    return signed_in(person).get(reverse(f"evaluation:{name}", args=["kitchen", row.pk]) + query)


def told(person: User) -> dict[str, Any]:
    [note] = signed_in(person).get("/api/v1/benchmarks/kitchen/notes/").json()["results"]
    return {name: note[name] for name in ("region", "image_replaced")}


def test_the_region_of_a_note_is_drawn_where_the_image_shows_it_now(kitchen: Any, lea: User) -> None:
    row = of("Model A", "mug")
    write_note(actor=lea, trajectory=row, text="Here.", region=REGION)
    assert told(lea) == {"region": list(REGION), "image_replaced": False}
    scaled(lea)
    page = page_of(lea, "trajectory", row, "?tab=notes")
    assert page.context["marks"]["notes"] == [{"box": [20, 20, 60, 50], "label": "N1"}]
    assert "#box=20,20,60,50" in page.content.decode()
    listed = signed_in(lea).get(f"/benchmarks/kitchen/trajectories/?at={row.pk}").content.decode()
    assert "#box=20,20,60,50" in listed
    assert told(lea) == {"region": [20, 20, 60, 50], "image_replaced": False}
    write_note(actor=lea, trajectory=row, text="And here.", region=REGION)
    page = page_of(lea, "trajectory", row, "?tab=notes")
    assert [one["box"] for one in page.context["marks"]["notes"]] == [[20, 20, 60, 50], list(REGION)]


def test_the_region_of_a_note_is_not_drawn_on_an_image_of_another_shape(kitchen: Any, lea: User) -> None:
    row = of("Model A", "mug")
    write_note(actor=lea, trajectory=row, text="Here.", region=REGION, turn=1)
    returned(lea)
    page = page_of(lea, "trajectory", row, "?tab=notes")
    assert page.context["marks"]["notes"] == []
    assert WORDS in page.content.decode()
    assert "turn=1" in page.content.decode()
    listed = signed_in(lea).get(f"/benchmarks/kitchen/trajectories/?at={row.pk}").content.decode()
    assert WORDS in listed
    assert told(lea) == {"region": None, "image_replaced": True}
    assert Note.objects.get().x1 == 10, "the note itself is unchanged"


def test_a_shape_that_comes_back_later_does_not_bring_the_region_back(kitchen: Any, lea: User) -> None:
    row = of("Model A", "mug")
    write_note(actor=lea, trajectory=row, text="Here.", region=REGION)
    returned(lea)
    another_size(mug(), (1000, 800), lea)
    assert told(lea) == {"region": None, "image_replaced": True}


def test_a_stored_crop_is_drawn_on_the_image_of_now_before_the_run_is_scored_again(kitchen: Any, lea: User) -> None:
    row = Trajectory.objects.select_related("sample").get(pk=of("Model A", "mug").pk)
    runs = list(Run.objects.of(kitchen))
    put_scores([row], runs)
    crop = row.score.crop
    assert present_crops([row], runs) == {row.pk: crop}
    scaled(lea)
    row.sample = mug()
    assert present_crops([row], runs) == {row.pk: tuple(2 * edge for edge in crop)}
    address = f"/benchmarks/kitchen/trajectories/?run={row.run_id}"
    [shown] = [one for one in signed_in(lea).get(address).context["rows"] if one.trajectory.pk == row.pk]
    assert shown.crops[0]["box"] == tuple(2 * edge for edge in crop)
    returned(lea)
    [shown] = [one for one in signed_in(lea).get(address).context["rows"] if one.trajectory.pk == row.pk]
    assert (shown.crops, shown.crop_loupe, shown.crop_words) == ([], "", "image replaced")


def test_boxes_of_a_detector_follow_the_image(kitchen: Any, lea: User) -> None:
    row = of("Model A", "mug")
    boxes = [{"label": "mug", "tool": "mug", "score": 0.9, "box": list(REGION)}]
    Trajectory.objects.filter(pk=row.pk).update(extra={"detections": {"threshold": 0.3, "below": 0, "boxes": boxes}})
    assert page_of(lea, "trajectory", row).context["found"] == [{"box": list(REGION), "label": "mug"}]
    scaled(lea)
    assert page_of(lea, "trajectory", row).context["found"] == [{"box": [20, 20, 60, 50], "label": "mug"}]
    returned(lea)
    page = page_of(lea, "trajectory", row, "?tab=detections")
    assert page.context["found"] == []
    assert page.context["crops"] == []
    assert "no place on the image that is shown" in page.content.decode()
