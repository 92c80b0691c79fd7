"""The form of a drafting follows the choice of an endpoint without a reload."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.models import Endpoint
from tests.browser.annotate_data import sign_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page_of_lea(benchmark: Benchmark, lea: User, page: Page, faults: list[str], live_server: Any) -> Any:
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.LEAD)
    presets = {"chat": "generic", "owl": "detector", "yolo": "detector", "finder": "label-studio"}
    for name, preset in presets.items():
        Endpoint.objects.create(benchmark=benchmark, name=name, preset=preset, base_url="http://127.0.0.1:9", model="m")
    sign_in(page.context, live_server.url, lea)
    page.goto(f"{live_server.url}/benchmarks/kitchen/drafting/")
    yield page
    assert faults == []


def test_the_fields_change_with_the_kind_and_keep_what_was_typed(page_of_lea: Page) -> None:
    endpoint, question = page_of_lea.locator("#id_endpoint"), page_of_lea.get_by_role("checkbox", name="Question")
    names, samples = page_of_lea.locator("#id_names"), page_of_lea.locator("#id_samples")
    expect(question).to_be_checked()
    expect(names).to_have_count(0)
    samples.fill("facet.scene=street")
    endpoint.select_option(label="owl")
    expect(names).to_be_visible()
    expect(question).to_have_count(0)
    expect(page_of_lea.get_by_role("checkbox", name="Boxes")).to_be_checked()
    expect(samples).to_have_value("facet.scene=street")
    names.fill("mug")
    endpoint.select_option(label="yolo")
    page_of_lea.wait_for_load_state("networkidle")
    expect(names).to_have_value("mug")
    endpoint.select_option(label="chat")
    expect(question).to_be_checked()
    expect(names).to_have_count(0)


def test_what_was_typed_for_a_kind_is_there_when_the_kind_is_back(page_of_lea: Page) -> None:
    endpoint, names = page_of_lea.locator("#id_endpoint"), page_of_lea.locator("#id_names")
    question, answer = (page_of_lea.get_by_role("checkbox", name=name, exact=True) for name in ("Question", "Answer"))
    question.uncheck()
    endpoint.select_option(label="owl")
    names.fill("mug, plate")
    page_of_lea.locator("#id_threshold").fill("0.7")
    endpoint.select_option(label="finder")
    expect(page_of_lea.locator("#id_label_config")).to_have_value("")
    expect(names).to_have_value("")
    names.fill("cup")
    answer.check()
    endpoint.select_option(label="chat")
    expect(question).not_to_be_checked()
    expect(answer).to_be_checked()
    expect(names).to_have_count(0)
    endpoint.select_option(label="owl")
    expect(names).to_have_value("mug, plate")
    expect(page_of_lea.locator("#id_threshold")).to_have_value("0.7")
    endpoint.select_option(label="finder")
    expect(names).to_have_value("cup")
    expect(answer).to_be_checked()
