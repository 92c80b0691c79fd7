"""An import in a real browser: drop a file, see it drawn, change a setting, commit, without a complaint."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from evaluation.models import Trajectory
from tests.conftest import signed_in
from tests.evaluation.import_data import kitchen, native, run_rows
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def imports(page: Page, live_server: Any, lea: User, settings: Any, tmp_path: Path) -> Page:
    """The import page as Lea sees it."""
    settings.SCRATCH = tmp_path
    kitchen(lea)
    name = settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": signed_in(lea).cookies[name].value, "url": live_server.url}])
    page.goto(f"{live_server.url}/benchmarks/kitchen/import/")
    return page


@pytest.fixture
def send(imports: Page) -> Callable[[str, bytes], None]:
    def sent(name: str, content: bytes) -> None:
        imports.get_by_label(re.compile("Drop a file")).set_input_files(
            [{"name": name, "mimeType": "application/json", "buffer": content}]
        )
        imports.get_by_role("button", name="Preview file").click()

    return sent


def test_a_run_is_read_looked_at_and_committed(
    imports: Page, faults: list[str], send: Callable[[str, bytes], None], run_jobs: Callable[[], int]
) -> None:
    send("runs.json", native(trajectories=run_rows()))
    expect(imports.get_by_role("heading", name="Reading runs.json")).to_be_visible()
    run_jobs()
    expect(imports.locator(".record")).to_have_count(5, timeout=15_000)
    expect(imports.get_by_text("Nothing is saved yet")).to_be_visible()
    imports.get_by_role("link", name="Five other records").click()
    expect(imports.locator(".record")).to_have_count(3)
    imports.get_by_label("Coordinates of the boxes").select_option("pixel")
    expect(imports.get_by_role("heading", name="Reading runs.json")).to_be_visible()
    run_jobs()
    expect(imports.locator(".record").first).to_be_visible(timeout=15_000)
    imports.get_by_role("button", name="Commit 8 records").click()
    expect(imports.get_by_role("heading", name="Importing runs.json")).to_be_visible()
    run_jobs()
    expect(imports.get_by_role("link", name="Model A, base")).to_be_visible(timeout=15_000)
    assert faults == []


def test_a_file_of_nothing_we_know_is_refused_in_place(imports: Page, send: Callable[[str, bytes], None]) -> None:
    send("notes.txt", b"only words")
    expect(imports.get_by_text("notes.txt has an unknown format")).to_be_visible()
    expect(imports.locator("[aria-invalid=true]")).to_be_focused()


@pytest.mark.endurance
def test_columns_are_chosen_on_the_page_and_known_the_next_time(
    imports: Page, faults: list[str], send: Callable[[str, bytes], None], run_jobs: Callable[[], int]
) -> None:
    first = imports.url
    send("mine.csv", b"id,pred,where\nmug,B,100 100 50 50\ncup,A,\n")
    expect(imports.get_by_role("heading", name="Reading mine.csv")).to_be_visible()
    run_jobs()
    expect(imports.get_by_label("pred is read as")).to_have_value("answer")
    imports.get_by_label("where is read as").select_option("boxes")
    expect(imports.get_by_role("heading", name="Reading mine.csv")).to_be_visible()
    run_jobs()
    imports.get_by_label("Box format").select_option("xywh")
    expect(imports.get_by_role("heading", name="Reading mine.csv")).to_be_visible()
    run_jobs()
    imports.get_by_role("button", name="Commit 2 records").click()
    expect(imports.get_by_role("heading", name="Importing mine.csv")).to_be_visible()
    run_jobs()
    step = Trajectory.objects.get(sample__key="mug").steps.get()
    assert (step.x1, step.y1, step.x2, step.y2) == (100, 100, 150, 150)
    imports.goto(first)
    send("next.csv", b"where,id,pred\n1 1 9 9,sign,C\n")
    expect(imports.get_by_role("heading", name="Reading next.csv")).to_be_visible()
    run_jobs()
    expect(imports.get_by_text("saved by Lea")).to_be_visible()
    expect(imports.get_by_label("where is read as")).to_have_value("boxes")
    expect(imports.get_by_label("Box format")).to_have_value("xywh")
    assert faults == []


def test_what_has_no_room_is_not_sent(page: Page, imports: Page, send: Any, settings: Any) -> None:
    """D3.4: the page says so before minutes of sending."""
    settings.BENCHMARK_QUOTA_BYTES = 1000
    imports.reload()
    asked = []
    page.on("request", lambda request: asked.append(request.method))
    send("runs.json", native(trajectories=run_rows()) + b" " * 2000)
    expect(imports.get_by_text("The limit is 1.0")).to_be_visible()
    assert "POST" not in asked
