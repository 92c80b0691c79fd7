"""A real browser, and a benchmark with pictures to annotate in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings as project
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.management import call_command
from django.core.servers.basehttp import WSGIRequestHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.test import override_settings
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from annotation.models import Benchmark
from tests import lanes
from tests.browser.annotate_data import kitchen
from webapp.accounts.models import User

# How long something may take to appear: the limit of a machine that is busy otherwise too, no wait of one that is not.
expect.set_options(timeout=20_000)

# Sent at once, as the server does: otherwise each file waits 40 ms for the browser to say that its head has arrived.
WSGIRequestHandler.disable_nagle_algorithm = True


AXE = Path(project.BASE_DIR) / "node_modules/axe-core/axe.min.js"
KEPT = "kept.html"
"""An empty page beside the static files."""


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    found = lanes.find_chromium()
    if found is None:
        pytest.skip("no Chromium on PATH")
    fewer_processes = ["--process-per-site", "--in-process-gpu"]
    return {"executable_path": found, "args": ["--no-sandbox", "--disable-gpu", "--disable-quic", *fewer_processes]}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """Pictures move at once: what is read in the middle of a movement is not what stands there afterwards."""
    return browser_context_args | {"reduced_motion": "reduce"}


@pytest.fixture(scope="session", autouse=True)
def static_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The static files as they are shipped: hashed, and the styles in one file."""
    folder = tmp_path_factory.mktemp("static")
    hashed = {"staticfiles": {"BACKEND": "webapp.common.static.HashedStaticFilesStorage"}}
    with override_settings(STATIC_ROOT=folder, STORAGES=project.STORAGES | hashed):
        call_command("collectstatic", verbosity=0, interactive=False)
        shutil.copy(AXE, folder)
        (folder / KEPT).write_text("<!doctype html>")
        finder = "django.contrib.staticfiles.finders.FileSystemFinder"
        with override_settings(STATICFILES_DIRS=[folder], STATICFILES_FINDERS=[finder]), kept_by_browsers():
            yield


@contextmanager
def kept_by_browsers() -> Iterator[None]:
    """As the product has it: a browser that has a file does not ask for it again."""
    serve = StaticFilesHandler.serve

    def served(handler: StaticFilesHandler, request: HttpRequest) -> HttpResponseBase:
        answer: HttpResponseBase = serve(handler, request)
        answer["Cache-Control"] = "max-age=31536000, public, immutable"
        return answer

    with patch.object(StaticFilesHandler, "serve", served):
        yield


@pytest.fixture(scope="session")
def contexts(browser: Browser) -> Iterator[dict[str, BrowserContext]]:
    """Those that tests have used, by their settings."""
    found: dict[str, BrowserContext] = {}
    yield found
    for context in found.values():
        context.close()


@pytest.fixture
def context(
    browser: Browser, contexts: dict[str, BrowserContext], browser_context_args: dict[str, Any], live_server: Any
) -> Iterator[BrowserContext]:
    """It keeps the static files for the tests after it, and nothing else. What a first visit takes needs a new one."""
    settings = repr(sorted(browser_context_args.items()))
    if settings not in contexts:
        contexts[settings] = browser.new_context(**browser_context_args)
        # As long as it is open, the pages of the tests share its process: a new one costs more than many a page.
        contexts[settings].new_page().goto(f"{live_server.url}{project.STATIC_URL}{KEPT}")
    context = contexts[settings]
    kept, *_ = context.pages
    yield context
    context.unroute_all()
    context.set_offline(False)
    context.clear_cookies()
    context.clear_permissions()
    emptied = {"origin": live_server.url, "storageTypes": "local_storage,indexeddb,cache_storage,service_workers"}
    for page in context.pages:
        if page != kept:
            page.close()
    context.new_cdp_session(kept).send("Storage.clearDataForOrigin", emptied)


@pytest.fixture
def page(page: Page) -> Page:
    """Keys are pressed when the scripts run, and not while a page that was just opened is read."""
    press = page.keyboard.press

    def pressed(key: str, **options: Any) -> None:
        page.wait_for_load_state()
        press(key, **options)

    page.keyboard.press = pressed  # type: ignore[method-assign]
    return page


def bring_axe(page: Page) -> None:
    """As a file that the browser keeps with its compiled code. The context has to have ``bypass_csp``."""
    page.add_script_tag(url=f"{project.STATIC_URL}{AXE.name}")


OVERTAKEN = ("Ignoring tile", "Image load aborted")
"""What the library of the frames says aloud of a tile whose view or page is left. Of a tile that the server refuses the
browser itself complains as well."""


@pytest.fixture
def faults(page: Page) -> list[str]:
    """What the browser complains of: refused code, missing files, errors."""
    found: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(said in message.text for said in OVERTAKEN):
            found.append(message.text)

    page.on("console", heard)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


@pytest.fixture
def benchmark(tmp_path: Any, settings: Any, ana: User, rui: User) -> Benchmark:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    return kitchen(tmp_path, 2, annotator=ana, reviewer=rui)
