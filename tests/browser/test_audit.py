"""Auditing in a real browser by keys alone: the crop, the picture, gold, the verdict."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import AuditItem, BlindAnswer, Lease
from annotation.quality.write.audits import draw_audit
from annotation.queue.settings import set_queue
from annotation.workflow import Role
from tests.annotation.work_data import next_review, reviewed, submitted
from tests.browser.annotate_data import EVIDENCE, kitchen, sign_in
from tests.factories import make_user
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}


def test_an_audit_by_keys_from_the_crop_to_the_verdict(
    tmp_path: Any, settings: Any, page: Page, faults: list[str], live_server: Any, ana: User, rui: User, lea: User
) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    benchmark = kitchen(tmp_path, 1, annotator=ana, reviewer=rui, lead=lea)
    noor = make_user("Noor Bakker")
    add_member(actor=None, benchmark=benchmark, user=noor, role=Role.REVIEWER)
    submitted(ana, benchmark, gold_boxes=[{"box": list(EVIDENCE), "label": ""}])
    reviewed(rui, next_review(rui, benchmark), "accept")
    set_queue(actor=lea, benchmark=benchmark, order="sequential", blind="crop", blind_margin=0.5)
    draw_audit(actor=lea, benchmark=benchmark, share=1)
    sign_in(page.context, live_server.url, noor)
    page.goto(f"{live_server.url}/benchmarks/kitchen/audit/")
    page.keyboard.press("c")
    crop = page.get_by_role("img", name="Crop 1 of 1")
    expect(crop).to_be_visible()
    assert crop.evaluate("image => image.naturalWidth") > 0
    expect(page.locator(".frame__view")).to_have_count(0)
    page.keyboard.press("1")
    expect(page.get_by_text("From the crop you answered “black”.")).to_be_visible()
    expect(page.locator("[data-magnification]")).to_contain_text("%")
    page.keyboard.press("2")
    expect(page.get_by_text("It matches the gold answer.")).to_be_visible()
    expect(page.locator("dl[data-fields]")).to_contain_text("48 × 32 px")
    page.keyboard.press("1")
    expect(page.get_by_label("box is ambiguous")).to_be_checked()
    page.keyboard.press("d")
    expect(page.get_by_text("You audited")).to_be_visible()
    item = AuditItem.objects.get()
    assert (item.verdict, item.reasons, item.auditor) == ("disagree", ["ambiguous_box"], noor)
    answers = BlindAnswer.objects.filter(reviewer=noor).order_by("pk")
    assert list(answers.values_list("condition", "answer")) == [("crop", "A"), ("after_crop", "B")]
    assert not Lease.objects.filter(seat="audit").exists()
    assert faults == []
