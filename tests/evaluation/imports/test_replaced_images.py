"""Files that arrive after the image of a sample was replaced, and do not state on which image their rows are."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from evaluation.importers.interface import ImportProblem
from evaluation.imports.write import upload
from evaluation.imports.write.runs import import_runs
from tests.conftest import signed_in
from tests.evaluation.import_data import File
from tests.evaluation.scoring.test_replaced_images import drawn_again, kitchen
from tests.evaluation.trajectory_data import of
from webapp.accounts.models import User

__all__ = ["kitchen"]
pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
OLD_ROWS = [
    {"model": "Old", "sample_id": "mug", "answer": "B", "steps": [{"tool": "zoom_in", "bbox": [90, 90, 210, 160]}]},
    {"model": "Old", "sample_id": "cup", "answer": "B", "steps": []},
]


@pytest.mark.parametrize("day", ["", "tomorrow", "yesterday", "stated"])
def test_an_import_says_which_rows_may_be_on_a_replaced_image(kitchen: Any, lea: User, tmp_path: Any, day: str) -> None:
    drawn_again(lea)
    rows = [{**row, "image_size": [900, 900]} if day == "stated" else row for row in OLD_ROWS]
    path = tmp_path / "runs.json"
    path.write_text(json.dumps({"trajectories": rows}))
    shift = {"yesterday": -1, "tomorrow": 2}.get(day)
    chosen = "" if shift is None else f"{timezone.now() + timedelta(days=shift):%Y-%m-%d}"
    record, _ = import_runs(actor=lea, benchmark=kitchen, path=path, format="native", recorded_on=chosen)
    said = list(record.issues.filter(rule="image-assumed").values_list("done", flat=True))
    assert bool(said) == (day in ("", "tomorrow"))
    assert all(one.startswith("1 row is on a sample whose image was replaced") for one in said)
    assert of("Old", "mug").image_number == (None if day == "yesterday" else 1)
    assert record.options.get("recorded_on", "") == chosen
    with pytest.raises(ImportProblem, match="year-month-day"):
        import_runs(actor=lea, benchmark=kitchen, path=path, format="native", recorded_on="last week")


def test_the_dry_run_says_it_and_takes_the_day(kitchen: Any, lea: User, tmp_path: Any, run_jobs: Any) -> None:
    drawn_again(lea)
    file = File(json.dumps({"trajectories": OLD_ROWS}).encode(), "runs.json")
    record = upload.store_upload(actor=lea, benchmark=kitchen, file=file)
    run_jobs()
    client, page = signed_in(lea), f"/benchmarks/kitchen/import/{record.pk}/"
    record.refresh_from_db()
    assert record.preview["counts"]["image_assumed"] == 1
    assert "image-assumed" in [issue["rule"] for issue in record.preview["issues"]]
    assert 'name="recorded_on"' in client.get(page).content.decode()
    address = f"/api/v1/benchmarks/kitchen/imports/{record.pk}/"
    assert client.patch(address, {"recorded_on": "31.03.2026"}, content_type="application/json").status_code == 400
    answer = client.patch(address, {"recorded_on": "2026-03-31"}, content_type="application/json")
    assert answer.status_code in (200, 202), answer.content
    run_jobs()
    record.refresh_from_db()
    assert "image_assumed" not in record.preview["counts"]
    upload.commit(actor=lea, record=record)
    run_jobs()
    assert of("Old", "mug").image_number is None
    record.refresh_from_db()
    assert not record.issues.filter(rule="image-assumed").exists()
