"""Settings > Task in a real browser: a lead builds a task without a file, and annotators get its form."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.models import Revision
from annotation.queue.assignment import next_to_annotate
from tests.browser.annotate_data import Studio, kitchen, sign_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_lead_builds_the_task_of_tool_plans_and_an_annotator_fills_in_a_plan(
    page: Page,
    browser: Browser,
    faults: list[str],
    live_server: Any,
    tmp_path: Any,
    settings: Any,
    ana: User,
    lea: User,
) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    benchmark = kitchen(tmp_path, 1, annotator=ana, lead=lea)
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/kitchen/settings/task/")
    page.get_by_role("link", name="Tool plan").click()
    expect(page).to_have_url(re.compile("template=tool_plan"))
    expect(page.get_by_role("heading", name="Tool plan", exact=True)).to_be_visible()
    page.get_by_role("button", name="Save the draft").first.click()
    expect(page.get_by_text("No existing sample would break a rule")).to_be_visible()
    page.get_by_role("button", name="Put schema 1 in force").click()
    expect(page.get_by_text("Schema 1 is in force.").first).to_be_visible()

    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    sign_in(context, live_server.url, ana)
    theirs = context.new_page()
    studio = Studio(theirs, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    expect(theirs.locator("[data-part=answering]")).to_be_hidden()
    theirs.get_by_label("Question").fill("Hang the picture on the wall.")
    theirs.get_by_role("tab", name="Tool plan").click()
    expect(theirs.get_by_role("heading", name="Targets")).to_be_visible()
    expect(theirs.get_by_role("heading", name="Distractors")).to_be_visible()
    find = theirs.get_by_label("Add a tool")
    for name, key in (("hammer", "Enter"), ("saw", "Shift+Enter"), ("whisk", "Shift+Enter"), ("spoon", "Shift+Enter")):
        find.fill(name)
        find.press(key)
    expect(theirs.locator("[data-part=targets] .plan-target")).to_have_count(1)
    studio.saved()
    theirs.get_by_role("button", name=re.compile("^Submit")).click()
    expect(theirs).to_have_url(re.compile(r"/annotate/(?!samples)"))
    context.close()
    revision = Revision.objects.get()
    assert sorted(revision.plan_tools.values_list("tool", "step")) == [
        ("hammer", 1), ("saw", None), ("spoon", None), ("whisk", None),
    ]  # fmt: skip
    assert (list(revision.answers), faults) == ([], [])
