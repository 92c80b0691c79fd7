"""The annotation studio in a real browser: draw, type, undo, lose the network, two tabs, reload at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark, BenchmarkQueue, Draft, Lease, Revision, Sample
from annotation.queue.assignment import next_to_annotate
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.workflow import Role
from tests.annotation.work_data import content, reviewed, submitted
from tests.browser.annotate_data import HEIGHT, WIDTH, Studio, another, sign_in
from tests.factories import PASSWORD
from webapp.accounts.models import User

EXPECTED = ("ERR_INTERNET_DISCONNECTED", "status of 409", "status of 401")
"""What the console may say: of a network that is cut, of a conflict, of a session that ended."""

PART = (1190, 790, 1210, 806)
"""Of the evidence, in the middle of the picture."""

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}


@pytest.fixture
def studio(benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, ana: User) -> Iterator[Studio]:
    """Ana has the first sample open."""
    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    sign_in(page.context, live_server.url, ana)
    yield Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    assert [fault for fault in faults if not any(word in fault for word in EXPECTED)] == []


def held(user: User) -> Sample:
    return Sample.objects.select_related("benchmark").get(leases__user=user)


def stored() -> dict[str, Any]:
    return Draft.objects.get().content


def middle(page: Page) -> tuple[float, float]:
    bounds = page.locator(".stage").bounding_box()
    assert bounds is not None
    return bounds["x"] + bounds["width"] / 2, bounds["y"] + bounds["height"] / 2


def test_the_stage_has_most_of_the_window_and_what_floats_over_it_makes_way_for_evidence(studio: Studio) -> None:
    bounds = studio.page.locator(".stage").bounding_box()
    assert bounds is not None
    assert bounds["width"] * bounds["height"] >= 0.6 * 1440 * 900
    eye = studio.page.locator(".eye")
    studio.drag((900, 200), (930, 230))
    expect(eye).to_have_class(re.compile("is-low"))
    studio.drag((860, 180), (930, 560))
    expect(eye).to_have_class(re.compile("is-folded"))


def test_a_box_drawn_over_the_evidence_has_its_pixels(studio: Studio) -> None:
    page = studio.page
    # Without tools to make room for, the middle of the image is in the middle of the stage.
    page.locator(".stage-tools").evaluate("(tools) => (tools.style.display = 'none')")
    page.keyboard.press("f")
    for _ in range(13):
        page.keyboard.press("+")
    # Near enough to judge single pixels, which are squares then (D8.14).
    expect(page.locator("[data-part=zoom]")).to_have_text("3200%")
    x, y = middle(page)
    x1, y1, x2, y2 = (32 * value for value in PART)
    centre = (32 * WIDTH / 2, 32 * HEIGHT / 2)
    studio.drag((x + x1 - centre[0], y + y1 - centre[1]), (x + x2 - centre[0], y + y2 - centre[1]))
    studio.boxes(1)
    assert studio.numbers() == [1190, 790, 20, 16]
    studio.saved()
    assert stored()["gold_boxes"] == [{"box": list(PART), "label": ""}]


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_moving_and_sizing_are_exact_however_the_view_is_turned(studio: Studio, turns: int) -> None:
    page = studio.page
    page.keyboard.press("b")
    before = studio.numbers()
    for _ in range(turns):
        page.keyboard.press("r")
    group = page.locator(".layer g[data-at]")
    bounds = group.locator(".gold").bounding_box()
    assert bounds is not None
    centre = (bounds["x"] + bounds["width"] / 2, bounds["y"] + bounds["height"] / 2)
    studio.drag(centre, (centre[0] + 40, centre[1] + 24))
    studio.drag((centre[0] + 40, centre[1] + 24), centre)
    assert studio.numbers() == before
    handle = page.locator(".handle[data-handle=se]").bounding_box()
    assert handle is not None
    corner = (handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    studio.drag(corner, (corner[0] + 30, corner[1] + 30))
    x, y, w, h = studio.numbers()
    grown = 30 / scale(page)
    assert abs(w - before[2] - grown) <= 1
    assert abs(h - before[3] - grown) <= 1
    fixed = {0: (0, 0), 1: (0, 1), 2: (1, 1), 3: (1, 0)}[turns]
    assert abs(x + fixed[0] * w - before[0] - fixed[0] * before[2]) <= 1
    assert abs(y + fixed[1] * h - before[1] - fixed[1] * before[3]) <= 1


def scale(page: Page) -> float:
    """Screen pixels per picture pixel, from a box as it is drawn and as it is."""
    drawn = page.locator(".layer .gold").evaluate("rect => rect.getBBox().width * rect.getBBox().height")
    sides = [int(page.locator(f".boxrow [data-side={side}]").input_value()) for side in "wh"]
    return float((drawn / (sides[0] * sides[1])) ** 0.5)


def test_a_box_is_made_and_changed_by_keyboard_alone(studio: Studio) -> None:
    page = studio.page
    page.keyboard.press("b")
    x, y, w, h = studio.numbers()
    assert (x + w / 2, y + h / 2) == (WIDTH / 2, HEIGHT / 2)
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowDown", "Alt+ArrowRight", "Alt+Shift+ArrowUp"):
        page.keyboard.press(key)
    assert studio.numbers() == [x + 2, y + 10, w + 1, h - 10]
    page.keyboard.press("Control+d")
    studio.boxes(2)
    page.keyboard.press("Delete")
    studio.boxes(1)
    page.keyboard.press("Tab")
    page.locator(".layer g[data-at]").first.focus()
    expect(page.locator(".layer g.is-on")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".layer g.is-on")).to_have_count(0)


def test_a_drag_right_after_b_draws_that_box_anew(studio: Studio) -> None:
    studio.page.keyboard.press("b")
    made = studio.numbers()
    studio.drag((300, 500), (380, 560))
    studio.boxes(1)
    assert studio.numbers() != made
    studio.drag((500, 500), (580, 560))
    studio.boxes(2)


def test_every_kind_of_change_is_undone_and_done_again(studio: Studio) -> None:
    page = studio.page
    studio.fill_all()
    page.get_by_label("New facet").fill("category")
    page.keyboard.press("Enter")
    page.keyboard.type("sign")
    page.keyboard.press("Enter")
    page.get_by_role("tab", name="Tool plan").click()
    page.get_by_label("Add a tool").fill("my own tool")
    page.keyboard.press("Enter")
    studio.saved()
    whole = stored()
    for _ in range(20):
        page.keyboard.press("Control+z")
    studio.saved()
    blank = stored()
    assert (blank["question"], blank["gold_boxes"], blank["facets"], blank["targets"]) == ("", [], {}, [])
    for _ in range(20):
        page.keyboard.press("Control+y")
    studio.saved()
    assert stored() == whole
    assert whole["facets"] == {"category": ["sign"]}
    assert whole["targets"] == [{"tool": "my own tool", "step": 1}]


def test_options_are_pasted_moved_and_keep_their_answer(studio: Studio) -> None:
    page = studio.page
    page.get_by_label("Multiple choice").check()
    page.get_by_label("Option A", exact=True).focus()
    page.evaluate(
        """() => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", "A. red\\nB. green\\nC. blue");
          const pasted = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
          document.activeElement.dispatchEvent(pasted);
        }"""
    )
    page.get_by_label("C is the answer").check()
    page.get_by_label("Option C", exact=True).focus()
    page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("Alt+ArrowUp")
    studio.saved()
    assert stored()["options"] == {"A": "blue", "B": "red", "C": "green"}
    assert stored()["answer"] == ["A"]


def test_a_change_outlives_a_reload_after_three_tenths_of_a_second(studio: Studio) -> None:
    page = studio.page
    page.keyboard.press("b")
    page.get_by_label("Question").fill("Which colour?")
    page.wait_for_timeout(300)
    page.reload()
    studio.ready()
    expect(page.get_by_label("Question")).to_have_value("Which colour?")
    studio.boxes(1)
    studio.saved()
    assert stored()["question"] == "Which colour?"


def test_without_network_nothing_is_lost_and_it_is_sent_later(studio: Studio, context: BrowserContext) -> None:
    page = studio.page
    context.set_offline(True)
    page.get_by_label("Question").fill("Which colour?")
    expect(page.locator("#saving")).to_have_attribute("data-state", "offline")
    expect(page.get_by_role("alert")).to_contain_text("Offline")
    expect(page.get_by_role("button", name="Submit and next")).to_have_attribute("aria-disabled", "true")
    page.get_by_label("Question").fill("Which colour has it?")
    context.set_offline(False)
    studio.saved()
    assert stored()["question"] == "Which colour has it?"


@pytest.mark.endurance
def test_a_session_that_ended_is_said_and_the_tab_saves_for_its_person_alone(
    studio: Studio, context: BrowserContext, rui: User
) -> None:
    """D7.12: Ana's session ends; Rui signs in beside her work, then Ana does, in a tab of her own."""
    page, alert = studio.page, studio.page.locator(".signed-out")
    add_member(actor=None, benchmark=Benchmark.objects.get(), user=rui, role=Role.LEAD)
    for person in (rui, User.objects.get(email="ana@example.org")):
        context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
        page.get_by_label("Question").fill(f"What does {person} see?")
        expect(alert).to_be_visible()
        expect(page.locator("#saving")).to_have_attribute("data-state", "signed-out")
        assert not Draft.objects.exists()
        with context.expect_page() as opened:
            alert.get_by_role("link", name="Sign in again").click()
        door = opened.value
        door.get_by_label("Email").fill(person.email)
        door.get_by_label("Password", exact=True).fill(PASSWORD)
        door.keyboard.press("Enter")
        expect(door.get_by_role("heading", name="You're signed in")).to_be_visible()
        door.close()
        expect(alert).to_contain_text("Rui Costa") if person == rui else expect(alert).to_be_hidden()
    studio.saved()
    assert stored()["question"] == "What does Ana Lind see?"
    page.get_by_label("Question").fill("And now?")
    studio.saved()


def test_work_left_offline_is_there_after_the_tab_was_lost(studio: Studio, context: BrowserContext) -> None:
    context.set_offline(True)
    studio.page.get_by_label("Question").fill("Which colour?")
    studio.page.wait_for_timeout(300)
    studio.page.close()
    context.set_offline(False)
    again = Studio(context.new_page(), studio.url)
    assert again.question() == "Which colour?"
    again.saved()
    assert stored()["question"] == "Which colour?"


@pytest.mark.endurance
def test_two_versions_are_shown_in_words_and_on_the_picture_and_put_together(
    studio: Studio, browser: Browser, live_server: Any, ana: User
) -> None:
    elsewhere = another(browser, live_server.url, ana)
    other = Studio(elsewhere.new_page(), studio.url)
    other.page.get_by_label("Question").fill("Theirs?")
    other.page.get_by_label("Accepted answers").fill("green")
    other.drag((300, 500), (380, 560))
    other.saved()
    # Both changes are made before either is sent: the dialog would lie where the box is drawn.
    studio.page.context.set_offline(True)
    studio.page.get_by_label("Question").fill("Mine?")
    studio.drag((500, 500), (580, 560))
    studio.page.context.set_offline(False)
    dialog = studio.page.get_by_role("dialog", name="was edited in two places")
    expect(dialog).to_be_visible()
    rows = dialog.locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(0).locator("[data-side=mine] ins")).to_have_text("Mine?")
    expect(rows.nth(0).get_by_text("Choose one side.")).to_be_visible()
    for at, side in enumerate(("mine", "theirs", "both")):
        expect(rows.nth(at).locator(f"[data-side={side}] input")).to_be_checked()
    for side in ("mine", "theirs"):
        expect(dialog.locator(f"[data-picture={side}] rect.gold")).to_have_count(1)
        expect(dialog.locator(f"[data-picture={side}] rect.old")).to_have_count(1)
    assert stored()["question"] == "Theirs?"
    studio.page.keyboard.press("ArrowDown")
    studio.page.keyboard.press("ArrowLeft")
    expect(rows.nth(1).locator("[data-side=mine] input")).to_be_checked()
    studio.page.keyboard.press("ArrowRight")
    studio.page.keyboard.press("Control+Enter")
    studio.saved()
    assert (stored()["question"], stored()["answer"]) == ("Mine?", ["green"])
    studio.boxes(2)
    studio.page.keyboard.press("Control+z")
    assert studio.question() == "Theirs?"
    studio.page.keyboard.press("Control+z")
    assert studio.question() == "Mine?"
    studio.boxes(1)
    elsewhere.close()


def test_the_answers_of_the_checks_stand_beside_their_fields(studio: Studio) -> None:
    page = studio.page
    page.get_by_label("Question").fill("Why?")
    studio.saved()
    submit = page.get_by_role("button", name="Submit and next")
    expect(submit).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#reason")).to_contain_text("Fix ")
    expect(page.locator("[data-part=open] .msg--bad")).to_contain_text("answer is missing")
    page.keyboard.press("Control+Enter")
    assert Revision.objects.count() == 0
    expect(page).to_have_url(studio.url)


def test_a_sample_is_submitted_and_the_next_one_opens(studio: Studio) -> None:
    studio.fill_all()
    studio.page.keyboard.press("Control+Enter")
    expect(studio.page).not_to_have_url(studio.url)
    studio.ready()
    revision = Revision.objects.get()
    assert (revision.question, revision.answers) == ("Which colour is the mug?", ["B"])
    assert studio.question() == ""


def test_a_lost_lease_is_said_and_the_work_is_kept(studio: Studio, benchmark: Benchmark, rui: User) -> None:
    Lease.objects.all().delete()
    sample = Sample.objects.get(key=studio.url.rstrip("/").rsplit("/", 1)[1])
    submitted_by_rui(sample, rui)
    studio.page.get_by_label("Question").fill("Mine?")
    expect(studio.page.locator("#saving")).to_have_attribute("data-state", "lost")
    expect(studio.page.get_by_role("alert")).to_contain_text("only in this browser")
    assert studio.question() == "Mine?"


def submitted_by_rui(sample: Sample, rui: User) -> None:
    add_member(actor=None, benchmark=sample.benchmark, user=rui, role=Role.ANNOTATOR)
    taken = next_to_annotate(actor=rui, benchmark=sample.benchmark)
    assert taken == sample
    submit(actor=rui, sample=sample, version=0, content=content())


def test_the_plan_is_made_by_keys(studio: Studio) -> None:
    page = studio.page
    page.get_by_role("tab", name="Tool plan").click()
    for name, key in (("tape", "Enter"), ("level", "Enter"), ("saw", "Enter"), ("pliers", "Shift+Enter")):
        page.get_by_label("Add a tool").fill(name)
        page.keyboard.press(key)
    page.get_by_label("level, step 2").focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(page.get_by_label("level, step 1")).to_be_focused()
    studio.saved()
    steps = [(one["tool"], one["step"]) for one in stored()["targets"]]
    assert steps == [("tape", 1), ("level", 1), ("saw", 2)]
    assert stored()["distractors"] == ["pliers"]


def test_targets_are_dragged_onto_a_step_and_between_two(studio: Studio) -> None:
    page = studio.page
    page.get_by_role("tab", name="Tool plan").click()
    for name in ("tape", "level", "saw"):
        page.get_by_label("Add a tool").fill(name)
        page.keyboard.press("Enter")
    rows = page.locator(".plan-target")
    rows.nth(2).locator("[data-grip]").drag_to(rows.nth(0))
    expect(page.get_by_label("saw, step 1")).to_be_visible()
    expect(page.locator(".plan-step")).to_have_count(2)
    page.get_by_label("tape, step 1").locator("[data-grip]").drag_to(
        page.get_by_label("level, step 2"), target_position={"x": 60, "y": 38}
    )
    expect(page.get_by_label("tape, step 3")).to_be_visible()


def test_a_mistyped_facet_leaves_nothing_and_an_emptied_option_goes(studio: Studio) -> None:
    """D8.15."""
    page = studio.page
    name = page.get_by_label("New facet")
    rows = page.locator(".frow")
    name.fill("categry")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(1)
    page.keyboard.press("Escape")
    expect(rows).to_have_count(0)
    name.fill("categry")
    page.keyboard.press("Enter")
    page.keyboard.type("sign")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(rows).to_have_count(0)
    page.get_by_label("Accepted answers").fill("two")
    page.get_by_label("Multiple choice").check()
    expect(page.get_by_label("Option A", exact=True)).to_have_value("two")
    page.get_by_role("button", name="Add option").click()
    page.keyboard.press("Backspace")
    expect(page.locator(".opts__row")).to_have_count(2)
    expect(page.get_by_label("Option B", exact=True)).to_be_focused()
    page.get_by_label("Open-ended").check()
    expect(page.get_by_label("Accepted answers")).to_have_value("two")


def test_options_are_dragged_by_their_grip(studio: Studio) -> None:
    page = studio.page
    page.get_by_label("Multiple choice").check()
    page.get_by_label("Option A", exact=True).fill("black")
    page.get_by_label("Option B", exact=True).fill("white")
    page.get_by_label("A is the answer").check()
    rows = page.locator(".opts__row")
    rows.nth(0).locator("[data-grip]").drag_to(rows.nth(1), target_position={"x": 6, "y": 22})
    expect(page.get_by_label("Option B", exact=True)).to_have_value("black")
    expect(page.get_by_label("B is the answer")).to_be_checked()


def test_looking_changes_nothing_of_the_sample(studio: Studio) -> None:
    page = studio.page
    page.keyboard.press("b")
    studio.saved()
    before = stored()
    for key in ("m", "r", "r", "+", "g", "-", "h", "f", "m"):
        page.keyboard.press(key)
    page.get_by_label("Brightness and contrast").click()
    page.get_by_label("Brightness", exact=True).fill("180")
    expect(page.locator(".stage__view canvas").first).to_have_css("filter", "brightness(1.8) contrast(1)")
    page.get_by_role("button", name="Reset").click()
    expect(page.locator(".stage__view canvas").first).to_have_css("filter", "none")
    assert page.get_by_label("Undo").is_enabled()
    page.keyboard.press("Control+z")
    studio.saved()
    studio.boxes(0)
    assert before["gold_boxes"]
    assert not stored()["gold_boxes"]


def test_the_picture_is_moved_in_every_mode_and_two_fingers_draw_nothing(studio: Studio) -> None:
    """D8.3, D8.5: Space and the middle button move the picture; a second finger ends the drawing and magnifies."""
    page = studio.page
    page.keyboard.press("b")
    page.keyboard.press("g")
    studio.rests()
    before = studio.numbers()
    place = page.locator(".layer g[data-at] .gold")
    first = place.bounding_box()
    assert first is not None
    page.keyboard.down("Space")
    studio.drag(middle(page), (middle(page)[0] + 60, middle(page)[1] + 40))
    page.keyboard.up("Space")
    studio.rests()
    second = place.bounding_box()
    assert second is not None
    assert (second["x"] - first["x"], second["y"] - first["y"]) == (pytest.approx(60, abs=1), pytest.approx(40, abs=1))
    page.mouse.move(300, 700)
    page.mouse.down(button="middle")
    page.mouse.move(270, 690)
    page.mouse.move(240, 680)
    page.mouse.up(button="middle")
    studio.rests()
    third = place.bounding_box()
    assert third is not None
    assert (third["x"] - second["x"], third["y"] - second["y"]) == (
        pytest.approx(-60, abs=1),
        pytest.approx(-20, abs=1),
    )
    zoom = page.locator("[data-part=zoom]").inner_text()
    fingers = page.context.new_cdp_session(page)
    fingers.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    points = [{"x": 300, "y": 700, "id": 0}, {"x": 400, "y": 700, "id": 1}]
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points[:1]})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points})
    for x in (440, 500):
        points[1] = points[1] | {"x": x}
        fingers.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator("[data-part=zoom]")).not_to_have_text(zoom)
    studio.boxes(1)
    assert studio.numbers() == before


def test_a_turned_view_keeps_zoom_and_place_and_arrows_follow_the_screen(studio: Studio) -> None:
    """D8.4, D8.5."""
    page = studio.page
    page.keyboard.press("b")
    page.keyboard.press("g")
    studio.rests()
    zoom = page.locator("[data-part=zoom]").inner_text()
    place = page.locator(".layer g[data-at] .gold")
    page.keyboard.press("r")
    studio.rests()
    expect(page.locator("[data-part=zoom]")).to_have_text(zoom)
    before = place.bounding_box()
    page.keyboard.press("Shift+ArrowRight")
    after = place.bounding_box()
    assert before is not None
    assert after is not None
    assert after["x"] > before["x"]
    assert after["y"] == pytest.approx(before["y"], abs=0.6)
    page.keyboard.press("Alt+Shift+ArrowDown")
    grown = place.bounding_box()
    assert grown is not None
    assert (grown["x"], grown["y"]) == (pytest.approx(after["x"], abs=0.6), pytest.approx(after["y"], abs=0.6))
    assert grown["height"] > after["height"]


def test_a_box_is_drawn_where_it_was_pressed_while_the_picture_still_glides(
    studio: Studio, browser: Browser, live_server: Any, ana: User
) -> None:
    """D8.5: a press ends the movement."""
    moving = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="no-preference")
    sign_in(moving, live_server.url, ana)
    gliding = Studio(moving.new_page(), studio.url)
    page = gliding.page
    x, y = middle(page)
    page.mouse.move(x - 50, y - 30)
    page.keyboard.press("+")
    page.mouse.down()
    page.mouse.move(x, y)
    page.mouse.move(x + 50, y + 30)
    page.mouse.up()
    gliding.boxes(1)
    drawn = page.locator(".layer g[data-at] .gold").bounding_box()
    assert drawn is not None
    assert (drawn["width"], drawn["height"]) == (pytest.approx(100, abs=2), pytest.approx(60, abs=2))
    moving.close()


def test_a_sentence_without_focus_becomes_the_question_and_escape_leads_back_to_the_keys(studio: Studio) -> None:
    """D8.6, D8.7: what its letters switched is as it was; Escape leaves the field, and once more the box."""
    page = studio.page
    studio.drag((400, 400), (440, 430))
    page.keyboard.type("rich AND bright? have they 2")
    assert studio.question() == "rich AND bright? have they 2"
    expect(page.get_by_label("Draw boxes")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-tool=eye]")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("[data-part=facet-rows] .frow")).to_have_count(0)
    studio.boxes(1)
    page.keyboard.press("Escape")
    expect(page.get_by_label("Question")).not_to_be_focused()
    expect(page.locator(".layer g.is-on")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".layer g.is-on")).to_have_count(0)
    page.mouse.click(420, 415)
    expect(page.locator(".layer g.is-on")).to_have_count(1)
    page.keyboard.type("canned")
    assert studio.question().endswith("they 2 canned")
    expect(page.locator(".stage.is-picking")).to_have_count(0)


def test_boxes_are_drawn_inside_one_another_hidden_and_judged_by_the_pixel(studio: Studio) -> None:
    """D8.13, D8.14."""
    page = studio.page
    studio.drag((300, 300), (700, 700))
    page.keyboard.down("Alt")
    studio.drag((400, 400), (440, 430))
    page.keyboard.up("Alt")
    studio.boxes(2)
    assert studio.numbers(1)[2] < studio.numbers(0)[2]
    small = page.locator(".layer g.is-on")
    box, handle = small.locator(".gold").bounding_box(), small.locator("[data-handle=nw]").bounding_box()
    assert box is not None
    assert handle is not None
    assert handle["x"] + handle["width"] <= box["x"] + 1
    assert page.locator(".layer .gold").first.evaluate("one => getComputedStyle(one).fill") == "none"
    page.keyboard.press("x")
    expect(page.locator(".layer")).to_have_css("visibility", "hidden")
    page.keyboard.press("x")
    expect(page.locator(".layer")).to_have_css("visibility", "visible")
    page.get_by_label("Collapse panel").click()
    expect(page.locator(".eye .shot")).to_be_hidden()
    page.reload()
    studio.ready()
    expect(page.locator(".eye .shot")).to_be_hidden()
    page.get_by_label("Expand panel").click()
    expect(page.locator(".eye .shot")).to_be_visible()


def test_submitted_work_is_shown_and_cannot_be_changed(
    benchmark: Benchmark, page: Page, live_server: Any, ana: User
) -> None:
    """D8.8: a line says why, no field takes anything, no box can be moved, and no key changes the sample."""
    sample = submitted(ana, benchmark)
    sign_in(page.context, live_server.url, ana)
    studio = Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    expect(page.get_by_role("alert")).to_contain_text("Read-only")
    expect(page.get_by_role("button", name="Submit and next")).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_role("button", name="Skip")).to_be_disabled()
    fields = page.locator("[data-form] :is(input:not([type=radio]), textarea)")
    assert fields.evaluate_all("all => all.length > 5 && all.every((one) => one.readOnly)")
    others = page.locator("[data-form] :is(button, select, [type=radio])")
    assert others.evaluate_all("all => all.length > 5 && all.every((one) => one.disabled)")
    before = studio.numbers()
    page.locator(".layer g[data-at]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    page.keyboard.type("Why is it so? ")
    studio.drag(middle(page), (middle(page)[0] + 60, middle(page)[1] + 40))
    studio.boxes(1)
    assert studio.numbers() == before
    assert studio.question() == "Which colour is the mug?"


def test_a_submission_is_found_again_by_key_and_taken_back(studio: Studio, benchmark: Benchmark, ana: User) -> None:
    """Its banner is there until the time is over; the draft is as it was, and can be edited and submitted again."""
    BenchmarkQueue.objects.update_or_create(benchmark=benchmark, defaults={"take_back_minutes": 10})
    page = studio.page
    first = page.url
    save_draft(actor=ana, sample=held(ana), version=0, content=content())
    page.reload()
    studio.ready()
    page.keyboard.press("Control+Enter")
    expect(page).not_to_have_url(first)
    studio.ready()
    page.keyboard.press("[")
    expect(page).to_have_url(first)
    expect(page.get_by_text("You can take it back until")).to_be_visible()
    expect(page.locator("#question")).to_have_attribute("readonly", "")
    page.get_by_role("button", name="Take back").click()
    expect(page.locator("#question")).not_to_have_attribute("readonly", "")
    assert studio.question() == "Which colour is the mug?"
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile(r"/annotate/mine/$"))
    expect(page.get_by_role("main")).to_contain_text("mug-0")


def test_a_skipped_sample_leads_back_to_the_queue(studio: Studio) -> None:
    page = studio.page
    page.get_by_role("button", name="Skip").click()
    page.get_by_label("Reason").fill("The picture is broken.")
    page.get_by_role("dialog").get_by_role("button", name="Skip").click()
    expect(page).to_have_url(re.compile(r"/benchmarks/kitchen/annotate/$"))
    expect(page.locator("main")).to_contain_text("to do")


def test_what_came_back_says_why(benchmark: Benchmark, page: Page, live_server: Any, ana: User, rui: User) -> None:
    reviewed(rui, submitted(ana, benchmark), "return", reasons=("ambiguous_box",), comment="Only the plate.")
    sign_in(page.context, live_server.url, ana)
    page.goto(f"{live_server.url}/benchmarks/kitchen/annotate/")
    expect(page.locator("main")).to_contain_text("Only the plate.")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".returned")).to_contain_text("Rui Costa returned this")
    expect(page.locator(".layer g[data-at]")).to_have_count(1)


def test_the_model_view_shows_the_place_that_is_looked_at(studio: Studio) -> None:
    page, zoom = studio.page, studio.page.locator("[data-part=zoom]")
    for _ in range(3):
        page.keyboard.press("+")
    studio.rests()
    before = zoom.inner_text()
    for pressed in ("true", "false"):
        page.keyboard.press("m")
        expect(page.locator("[data-tool=eye]")).to_have_attribute("aria-pressed", pressed)
        studio.rests()
        expect(zoom).to_have_text(before)
