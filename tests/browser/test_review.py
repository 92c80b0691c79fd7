"""Reviewing in a real browser: by keys alone, there and back, without network, and when somebody else was faster."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.revisions import content_of
from annotation.models import (
    Annotation,
    Benchmark,
    Comment,
    Gold,
    Lease,
    Problem,
    Review,
    Revision,
    Sample,
    Skip,
    VerifiedChain,
)
from annotation.review.write.decisions import Decision, answer_blind, decide
from annotation.workflow import Role
from tests.annotation.work_data import submitted
from tests.browser.annotate_data import EVIDENCE, kitchen, sign_in
from tests.conftest import signed_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ROUGH = [1150, 760, 1260, 840]
"""Around the evidence, and more than it."""


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}


@pytest.fixture
def benchmark(tmp_path: Any, settings: Any, ana: User, rui: User) -> Benchmark:
    """Ana has submitted two samples, with a box that is too large."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    made = kitchen(tmp_path, 2, annotator=ana, reviewer=rui)
    for _ in range(2):
        submitted(ana, made, gold_boxes=[{"box": ROUGH, "label": ""}])
    return made


@pytest.fixture
def desk(benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, rui: User) -> Iterator[Desk]:
    """Rui at the list of what waits; at the end the browser has complained of nothing but the network."""
    sign_in(page.context, live_server.url, rui)
    yield Desk(page, f"{live_server.url}/benchmarks/kitchen/")
    expected = "ERR_INTERNET_DISCONNECTED|Failed to fetch|409|422"
    assert [fault for fault in faults if not re.search(expected, fault)] == []


class Desk:
    """The pages of reviewing, and what a person does on them."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        page.goto(f"{url}review/")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def blind(self) -> None:
        """Take the next one; gold is still hidden."""
        self.press("c")
        expect(self.page.locator("sightline-blind .stage.is-live")).to_be_visible()

    def gold(self) -> None:
        """Take the next one and answer it as gold does."""
        self.blind()
        self.press("2")
        expect(self.page.locator("sightline-review .stage.is-drawn")).to_be_visible()

    def on(self, key: str) -> None:
        expect(self.page).to_have_url(f"{self.url}review/samples/{key}/")


def state(key: str) -> str:
    return Sample.objects.get(key=key).state


def test_a_whole_review_by_keys_alone(desk: Desk, rui: User) -> None:
    page = desk.page
    desk.blind()
    assert "gold_boxes" not in page.content()
    expect(page.locator(".frame__marks, [data-lens]")).to_have_count(0)
    # With the decision these are three keys; when sure two.
    desk.press("u", "2")
    expect(page.get_by_text("You answered B, white. It matches the gold answer.")).to_be_visible()
    expect(page.locator(".layer rect.gold")).to_have_count(1)
    desk.press("a")
    desk.on("mug-1")
    expect(page.locator("sightline-blind .stage.is-live")).to_be_visible()
    review = Review.objects.get()
    assert (review.decision, review.reviewer, review.blind_answer) == ("accept", rui, "B")
    assert review.revision.blind_answers.get().unsure
    assert Gold.objects.get().revision == review.revision
    assert state("mug-0") == "accepted"


def test_the_picture_that_does_not_tell_is_said_by_one_key(desk: Desk) -> None:
    desk.blind()
    desk.press("0")
    expect(desk.page.get_by_text("You couldn't answer from the image.")).to_be_visible()


def test_returned_work_is_fixed_by_its_author_and_accepted(
    desk: Desk, browser: Browser, live_server: Any, ana: User
) -> None:
    page = desk.page
    desk.gold()
    desk.press("4", "r", "Control+Enter")
    expect(page.get_by_text("Write in the comment what the author should change.")).to_be_visible()
    page.keyboard.type("Only the black mark.")
    desk.press("Control+Enter")
    desk.on("mug-1")
    desk.page.goto(f"{desk.url}review/")

    theirs = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    sign_in(theirs, live_server.url, ana)
    author = theirs.new_page()
    author.goto(f"{desk.url}annotate/")
    expect(author.get_by_text("Only the black mark.")).to_be_visible()
    author.get_by_role("button", name="Continue").click()
    expect(author).to_have_url(f"{desk.url}annotate/samples/mug-0/")
    expect(author.locator(".returned")).to_contain_text("Only the black mark.")
    side = author.locator(".boxrow [data-side=w]")
    author.get_by_label("Question").first.fill("Which colour is the small mug?")
    side.fill(str(EVIDENCE[2] - ROUGH[0]))
    author.keyboard.press("Control+Enter")
    expect(author).not_to_have_url(re.compile("mug-0"))
    theirs.close()

    desk.gold()
    desk.on("mug-0")
    changed = page.locator("[data-difference]")
    expect(changed.locator("ins").filter(has_text="small")).to_be_visible()
    expect(changed.locator("del").filter(has_text="110 × 80")).to_be_visible()
    expect(page.locator(".frame__marks rect.old")).to_have_count(1)
    expect(page.get_by_text("revision 1 by Rui Costa")).to_be_visible()
    desk.press("a")
    desk.on("mug-1")
    gold = Gold.objects.get()
    assert (gold.sample.key, gold.revision.number, gold.revision.author) == ("mug-0", 2, ana)
    late = signed_in(ana).put(
        "/benchmarks/kitchen/annotate/draft/mug-0/", {"version": 0, "content": {}}, content_type="application/json"
    )
    assert late.status_code == 409
    assert state("mug-0") == "accepted"


@pytest.mark.endurance
def test_a_fix_becomes_a_revision_of_the_reviewer(desk: Desk, rui: User) -> None:
    page = desk.page
    desk.gold()
    desk.press("e")
    page.get_by_label("Question").press("Control+a")
    page.keyboard.type("Which colour has the mark?")
    page.locator(".boxrow [data-side=w]").fill("74")
    page.locator(".boxrow [data-side=h]").fill("60")
    desk.press("Tab")
    page.reload()
    expect(page.locator("sightline-review .stage.is-drawn")).to_be_visible()
    desk.press("e")
    expect(page.locator(".boxrow [data-side=w]")).to_have_value("74")
    expect(page.locator(".layer g[data-at]")).to_have_count(1)
    desk.press("Control+Enter")
    desk.on("mug-1")
    fixed = Gold.objects.get().revision
    assert (fixed.number, fixed.author, fixed.question) == (2, rui, "Which colour has the mark?")
    box = fixed.gold_boxes.get()
    assert [box.x1, box.y1, box.x2, box.y2] == [1150, 760, 1224, 820]
    assert fixed.options == {"A": "black", "B": "white"}


def test_a_fix_with_an_error_is_not_taken_and_says_why(desk: Desk) -> None:
    page = desk.page
    desk.gold()
    desk.press("e")
    page.get_by_label("Question").fill("")
    with page.expect_response("**/decide/**") as answered:
        desk.press("Control+Enter")
    assert answered.value.status == 422
    expect(page.get_by_role("alert").filter(has_text="question")).to_be_visible()
    assert Revision.objects.filter(annotation__sample__key="mug-0").count() == 1


@pytest.mark.endurance
def test_a_reviewer_fixes_with_the_editor_of_the_annotator(desk: Desk, rui: User) -> None:
    """D8.1, D8.2: handles size a box, every change is undone and done again, and the whole content can be changed."""
    page = desk.page
    desk.gold()
    # While one reads, a box is no handle: a drag over it moves the picture.
    assert page.locator(".handle:visible").count() == 0
    desk.press("e", "Escape")
    drag(page, centre(page, ".layer g[data-at] .gold"), (40, 16))
    x, y, w, h = measures(page)
    assert (w, h) == (110, 80)
    assert x > 1150
    drag(page, centre(page, ".handle[data-handle=se]"), (-30, -20))
    small = measures(page)
    assert small[:2] == [x, y]
    assert small[2] < 110
    assert small[3] < 80
    desk.press("Control+z", "Control+z")
    assert measures(page) == [1150, 760, 110, 80]
    desk.press("Control+y", "Control+y")
    assert measures(page) == small
    page.get_by_label("Label of box G1").fill("mark")
    page.get_by_role("button", name="Add option").click()
    page.keyboard.type("grey")
    page.get_by_label("C is the answer").check()
    page.get_by_label("New facet").fill("category: colour;")
    page.get_by_role("tab", name="Toolchain").click()
    page.get_by_label("As JSON").fill('[{"tool": "crop", "arguments": {"x": 9, "y": 9, "width": 20, "height": 20}}]')
    page.get_by_role("tab", name="Tool plan").click()
    page.get_by_label("Add a tool").fill("lamp")
    desk.press("Enter", "Control+Enter")
    desk.on("mug-1")
    fixed = Gold.objects.get().revision
    assert (fixed.author, fixed.options) == (rui, {"A": "black", "B": "white", "C": "grey"})
    assert (fixed.answers, fixed.facets) == (["C"], {"category": ["Color", "colour"]})
    box = fixed.gold_boxes.get()
    assert [box.x1, box.y1, box.x2 - box.x1, box.y2 - box.y1, box.label] == [*small, "mark"]
    assert [call.tool for call in content_of(fixed).reference_toolchain] == ["crop"]
    assert [target.tool for target in content_of(fixed).plan.targets] == ["lamp"]


@pytest.mark.endurance
def test_a_reviewer_fixes_the_answer_type_and_the_order_of_a_plan_and_turns_the_view(desk: Desk, rui: User) -> None:
    page = desk.page
    desk.gold()
    desk.press("e", "Escape", "r")
    page.get_by_label("Brightness and contrast").click()
    page.get_by_label("Brightness", exact=True).fill("180")
    expect(page.locator(".stage__view canvas").first).to_have_css("filter", "brightness(1.8) contrast(1)")
    page.get_by_label("Open-ended").check()
    page.get_by_label("Accepted answers").fill("white")
    page.get_by_role("tab", name="Tool plan").click()
    for name, key in (("tape", "Enter"), ("level", "Enter"), ("pliers", "Shift+Enter")):
        page.get_by_label("Add a tool").fill(name)
        desk.press(key)
    page.get_by_label("level, step 2").focus()
    desk.press("Alt+ArrowUp")
    expect(page.get_by_label("level, step 1")).to_be_focused()
    desk.press("Control+Enter")
    desk.on("mug-1")
    fixed = content_of(Gold.objects.get().revision)
    assert Gold.objects.get().revision.author == rui
    assert (fixed.answer_type, fixed.answers, fixed.options) == ("open", ("white",), {})
    assert fixed.plan is not None
    assert [(target.tool, target.step) for target in fixed.plan.targets] == [("tape", 1), ("level", 1)]
    assert fixed.plan.distractors == ("pliers",)


def test_what_is_accepted_unchanged_is_what_is_shown(desk: Desk) -> None:
    """Back from a fix the revision is shown as it was submitted; the fix is there again when it goes on."""
    page = desk.page
    desk.gold()
    desk.press("e", "Escape")
    drag(page, centre(page, ".layer g[data-at] .gold"), (40, 16))
    moved = measures(page)
    desk.press("Escape", "Escape")
    expect(page.locator("[data-four]")).to_be_visible()
    expect(page.locator(".layer g[data-at]")).to_have_attribute("aria-label", re.compile("at 1150, 760"))
    desk.press("e")
    assert measures(page) == moved


def centre(page: Page, selector: str) -> tuple[float, float]:
    bounds = page.locator(selector).bounding_box()
    assert bounds is not None
    return bounds["x"] + bounds["width"] / 2, bounds["y"] + bounds["height"] / 2


def drag(page: Page, start: tuple[float, float], by: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + by[0] / 2, start[1] + by[1] / 2)
    page.mouse.move(start[0] + by[0], start[1] + by[1])
    page.mouse.up()


def measures(page: Page) -> list[int]:
    """x, y, w, h of the first box as the form has them."""
    return [int(page.locator(f".boxrow [data-side={name}]").input_value()) for name in "xywh"]


@pytest.mark.endurance
def test_a_review_is_skipped_with_a_reason_and_options_have_their_letters(desk: Desk, rui: User) -> None:
    """D8.15."""
    page = desk.page
    desk.blind()
    expect(page.locator(".opt label").nth(1)).to_contain_text("B")
    desk.press("s")
    page.get_by_label("Reason").fill("I know the place.")
    page.get_by_role("dialog").get_by_role("button", name="Skip").click()
    expect(page).to_have_url(f"{desk.url}review/")
    skipped = Skip.objects.get()
    assert (skipped.user, skipped.reason, skipped.seat) == (rui, "I know the place.", "review")
    desk.gold()
    desk.on("mug-1")
    expect(page.get_by_role("button", name="Skip S")).to_be_visible()
    desk.press("l")
    page.get_by_role("textbox", name="Problem").fill("A face is visible.")
    page.get_by_role("button", name="Report", exact=True).click()
    expect(page.get_by_text("Reported to the lead.")).to_be_visible()
    desk.press("Escape", "s")
    page.get_by_role("textbox", name="Reason").fill("I know this one, too.")
    desk.press("Tab", "Tab", "Enter")
    expect(page).to_have_url(f"{desk.url}review/")
    assert (Problem.objects.get().text, Skip.objects.count()) == ("A face is visible.", 2)


@pytest.mark.endurance
def test_comments_stand_on_their_place_with_answers_and_an_end(desk: Desk) -> None:
    page = desk.page
    desk.gold()
    desk.press("c")
    mark = page.locator(".layer rect.gold").bounding_box()
    assert mark is not None
    page.mouse.click(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    page.keyboard.type("Is this <b>it</b>?")
    desk.press("Control+Enter")
    expect(page.locator(".comment__text")).to_have_text("Is this <b>it</b>?")
    comment = Comment.objects.get()
    assert (comment.x, comment.y) == (pytest.approx(1205, abs=2), pytest.approx(800, abs=2))
    expect(page.get_by_role("button", name="Comment by Rui Costa")).to_be_visible()
    page.get_by_role("button", name="Reply", exact=True).click()
    page.keyboard.type("It is.")
    desk.press("Control+Enter")
    expect(page.locator(".comment .comment")).to_contain_text("It is.")
    page.get_by_role("button", name="Resolve").click()
    expect(page.locator(".comment.is-resolved")).to_be_visible()
    expect(page.locator(".pin--note")).to_have_count(0)
    desk.press("c", "Enter")
    page.keyboard.type("In the middle.")
    desk.press("Control+Enter")
    expect(page.locator(".pin--note")).to_have_count(1)


@pytest.mark.endurance
def test_without_network_all_that_was_typed_stays_and_is_sent_again(desk: Desk) -> None:
    page = desk.page
    desk.gold()
    desk.press("3", "r")
    page.keyboard.type("Look again.")
    page.context.set_offline(True)
    desk.press("Control+Enter")
    expect(page.get_by_text("No response from the server.")).to_be_visible()
    expect(page.get_by_label("What should Ana Lind change?")).to_have_value("Look again.")
    page.context.set_offline(False)
    page.reload()
    desk.press("r")
    expect(page.get_by_label("What should Ana Lind change?")).to_have_value("Look again.")
    expect(page.get_by_role("button", name="incorrect answer")).to_have_attribute("aria-pressed", "true")
    page.context.set_offline(True)
    desk.press("Control+Enter")
    page.context.set_offline(False)
    page.get_by_role("button", name="Send again").click()
    desk.on("mug-1")
    review = Review.objects.get()
    assert (review.decision, review.reasons, review.comment) == ("return", ["wrong_answer"], "Look again.")


@pytest.mark.endurance
def test_a_decision_made_meanwhile_is_said_in_a_sentence(desk: Desk, benchmark: Benchmark, lea: User) -> None:
    page = desk.page
    desk.gold()
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.REVIEWER)
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    sample = Sample.objects.select_related("benchmark").get(key="mug-0")
    answer_blind(actor=lea, sample=sample, answer="B", unsure=False, seconds=3)
    decide(actor=lea, sample=sample, decision=Decision("discard", ("typo",)))
    desk.press("a")
    expect(page.get_by_role("alert").filter(has_text="mug-0 is not waiting for review")).to_be_visible()
    assert Review.objects.get().reviewer == lea
    assert state("mug-0") == "discarded"


@pytest.mark.endurance
def test_the_seat_is_given_back_on_leaving(desk: Desk) -> None:
    desk.gold()
    assert Lease.objects.filter(sample__key="mug-0").count() == 1
    desk.page.get_by_role("link", name="Review").click()
    expect(desk.page.get_by_text("2 samples to review")).to_be_visible()
    desk.page.wait_for_load_state("networkidle")
    for _ in range(50):
        if not Lease.objects.exists():
            break
        desk.page.wait_for_timeout(100)
    assert not Lease.objects.exists()
    assert {one.state for one in Annotation.objects.all()} == {"submitted"}


@pytest.mark.endurance
def test_the_toolchain_is_seen_run_step_by_step_and_confirmed(
    page: Page, tmp_path: Any, settings: Any, live_server: Any, ana: User, rui: User
) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    made = kitchen(tmp_path, 1, annotator=ana, reviewer=rui)
    part = {"x": 1100, "y": 700, "width": 200, "height": 200}
    calls = [("crop", part), ("threshold", {"invert": True}), ("connected_components_with_stats", {})]
    chain = [{"tool": tool, "arguments": given, "image_in": None, "image_out": None} for tool, given in calls]
    submitted(ana, made, reference_toolchain=chain, options={"A": "one", "B": "two"}, answer=["B"])
    sign_in(page.context, live_server.url, rui)
    desk = Desk(page, f"{live_server.url}/benchmarks/kitchen/")
    desk.blind()
    expect(page.locator("sightline-chain-strip")).to_have_count(0)
    desk.press("2")
    strip = page.locator("sightline-chain-strip")
    frames = strip.locator(".bframe")
    expect(frames.locator(".clip")).to_have_text(
        ["0 original", "1 crop", "2 threshold", "3 connected_components_with_stats"]
    )
    assert all("data:image/" in str(image.get_attribute("src")) for image in frames.locator("img").all())
    expect(frames.nth(3)).to_have_attribute("aria-pressed", "true")
    expect(strip.locator("[data-part=measured] dd").first).to_have_text("1")
    frames.nth(1).click()
    expect(strip.get_by_alt_text("After step 1")).to_be_visible()
    # D8.11: the measurement stands beside the answer; another number wants a reason.
    expect(strip.locator("[data-part=end]")).to_have_text("Measured: 1 · Gold: “two” · does not match")
    strip.get_by_role("button", name="Verify").click()
    expect(strip.get_by_role("alert")).to_contain_text("measures 1, but")
    assert not VerifiedChain.objects.exists()
    strip.get_by_label("Why the last step still shows").fill("The mug has two marks; one is hidden.")
    strip.get_by_role("button", name="Verify").click()
    expect(strip.get_by_text("Verified by Rui Costa on")).to_contain_text("one is hidden")
    mark = VerifiedChain.objects.get()
    assert (mark.how, mark.answer, mark.measurements["total_components"]) == ("seen", "two", 1)
