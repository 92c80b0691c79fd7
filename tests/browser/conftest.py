"""A real browser, and a benchmark with pictures to annotate in it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from annotation.models import Benchmark
from tests import lanes
from tests.browser.annotate_data import kitchen
from webapp.accounts.models import User

# How long something may take to appear: the limit of a machine that is busy otherwise too, no wait of one that is not.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    found = lanes.find_chromium()
    if found is None:
        pytest.skip("no Chromium on PATH")
    return {"executable_path": found, "args": ["--no-sandbox", "--disable-gpu", "--disable-quic"]}


@pytest.fixture
def faults(page: Page) -> list[str]:
    """What the browser complains of: refused code, missing files, errors."""
    found: list[str] = []
    # A piece of a page that the next one overtakes is taken back, which htmx says aloud.
    overtaken = ("htmx:afterRequest,", "htmx:sendAbort,")

    def heard(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(overtaken):
            found.append(message.text)

    page.on("console", heard)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


@pytest.fixture
def benchmark(tmp_path: Any, settings: Any, ana: User, rui: User) -> Benchmark:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    return kitchen(tmp_path, 2, annotator=ana, reviewer=rui)
