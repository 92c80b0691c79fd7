"""A board moves with its benchmark to another server, and goes with it when it is deleted."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation.benchmarks.write.trash import delete_benchmark, purge_old
from annotation.board.write.items import set_image
from annotation.building import Stage
from annotation.models import BuildDecision, BuildItem, Image
from annotation.portable.read.project import export_project
from evaluation.exports.write import import_project
from tests.annotation.board_data import accepted, brought, drawn, photo, workshop
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(autouse=True)
def files_elsewhere(tmp_path: Any, settings: Any) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}


def test_items_and_their_decisions_are_in_the_file_of_a_benchmark(lea: User, rui: User, tmp_path: Path) -> None:
    bench = workshop(lea, reviewer=rui)
    accepted(lea, rui, bench)
    waiting = brought(lea, drawn(lea, bench), Stage.IMAGE_CHECK)
    with (tmp_path / "bench.sightline").open("wb") as out:
        export_project(actor=None, benchmark=bench, out=out, named=True)
    copy = import_project(actor=lea, path=tmp_path / "bench.sightline", slug="copy")
    items = BuildItem.objects.filter(benchmark=copy).order_by("number")
    assert [item.stage for item in items] == ["accepted", "image_check"]
    assert items[0].sample == copy.samples.get()
    assert (items[1].image, items[1].description) == (waiting.image, waiting.description)
    decided = BuildDecision.objects.get(item=items[0], stage="image_check")
    # Rui has no account there: a placeholder has his name.
    assert str(decided.person) == str(rui)


def test_a_purged_benchmark_leaves_no_item_and_no_image(lea: User, rui: User, run_jobs: Any) -> None:
    bench = workshop(lea, reviewer=rui)
    accepted(lea, rui, bench)
    item = brought(lea, drawn(lea, bench), Stage.IMAGE)
    set_image(actor=lea, item=item, version=item.version, data=photo("white"))
    assert Image.objects.count() == 2
    delete_benchmark(actor=lea, benchmark=bench, title="Workshop")
    purge_old(timezone.now() + timedelta(days=60))
    run_jobs()
    assert not BuildItem.objects.exists()
    assert not Image.objects.exists()
