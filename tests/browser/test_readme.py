"""The image in the README: one sample of the demo on the page that visitors see first. Delete the file to renew it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import settings as project
from playwright.sync_api import expect

from annotation.benchmarks.write.benchmark import create_benchmark, set_public
from annotation.exchange.write.samples import import_samples
from evaluation.demo.build import DATA, SLUG
from evaluation.imports.write.runs import import_runs
from evaluation.scoring.write import score_benchmark
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

IMAGE = Path(project.BASE_DIR) / "docs/images/home.jpg"
SAMPLE = "desk-oak-01"


@pytest.fixture
def demo(tmp_path, settings):
    """A sample of the demo with the runs of its agents, public."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    folder, data = tmp_path / "demo", DATA / SLUG
    folder.mkdir()
    for name, key in (("samples.jsonl", "id"), ("trajectories.jsonl", "sample_id")):
        rows = [row for row in (data / name).read_text("utf-8").splitlines() if json.loads(row)[key] == SAMPLE]
        (folder / name).write_text("\n".join(rows), "utf-8")
    benchmark = create_benchmark(actor=None, slug="demo", title="Demo")
    set_public(actor=None, benchmark=benchmark, public=True)
    import_samples(actor=None, benchmark=benchmark, path=folder, format="native", images=data)
    run_waiting()
    import_runs(actor=None, benchmark=benchmark, path=folder, format="native")
    score_benchmark(actor=None, benchmark=benchmark)


def test_visitors_see_the_evidence_and_where_two_models_looked(demo, live_server, page):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(live_server.url)
    case = page.locator(".welcome--case")
    expect(case.locator("figure")).to_have_count(3)
    page.wait_for_function("[...document.images].every((image) => image.complete && image.naturalWidth > 0)")
    taken = case.screenshot(type="jpeg", quality=88)
    assert len(taken) <= 200_000
    if not IMAGE.exists():
        IMAGE.write_bytes(taken)
