"""Adjudicating in a real browser: three annotations on one stage, one gold, by keys and by mouse."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Annotation, Benchmark, Gold, Sample
from annotation.queue.settings import set_queue
from annotation.review.present.adjudication import adjudication_json
from annotation.workflow import Role
from tests.annotation.work_data import submitted
from tests.browser.annotate_data import EVIDENCE, kitchen, sign_in
from tests.factories import make_user
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDE = [1150, 760, 1260, 840]
APART = [200, 200, 260, 260]


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1440, "height": 900}}


@pytest.fixture
def benchmark(tmp_path: Any, settings: Any, ana: User, rui: User, lea: User) -> Benchmark:
    """Two samples that Ana, Bo and Cy annotated: they disagree on the answer and on the boxes."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    made = kitchen(tmp_path, 2, annotator=ana, reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=made, order="sequential", overlap=3)
    people = [ana, make_user("Bo Ek"), make_user("Cy Dahl")]
    for person in people[1:]:
        add_member(actor=None, benchmark=made, user=person, role=Role.ANNOTATOR)
    said = [{"gold_boxes": [{"box": EVIDENCE, "label": "mug"}]}, {"gold_boxes": [{"box": WIDE, "label": ""}]},
            {"answer": ["A"], "gold_boxes": [{"box": EVIDENCE, "label": ""}, {"box": APART, "label": ""}]}]  # fmt: skip
    for _ in range(2):
        for person, changes in zip(people, said, strict=True):
            submitted(person, made, **changes)
    return made


@pytest.fixture
def desk(benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, rui: User) -> Any:
    sign_in(page.context, live_server.url, rui)
    page.goto(f"{live_server.url}/benchmarks/kitchen/review/")
    page.keyboard.press("c")
    expect(page).to_have_url(f"{live_server.url}/benchmarks/kitchen/review/adjudication/mug-0/")
    expect(page.locator("sightline-adjudication .stage.is-drawn")).to_be_visible()
    yield page
    assert [fault for fault in faults if "422" not in fault] == []


def letter_of(rui: User, name: str, key: str = "mug-0") -> str:
    """The letter under which Rui sees this person's annotation."""
    sample = Sample.objects.select_related("benchmark", "image").get(key=key)
    revision = Annotation.objects.get(sample=sample, author__name=name).revisions.get()
    boxes = [[box.x1, box.y1, box.x2, box.y2] for box in revision.gold_boxes.all()]
    shown = adjudication_json(rui, sample)["annotations"]
    return next(
        one["letter"] for one in shown
        if [box["box"] for box in one["content"]["gold_boxes"]] == boxes
        and one["content"]["answer"] == list(revision.answers)
    )  # fmt: skip


@pytest.mark.endurance
def test_one_annotation_is_taken_with_two_keys(desk: Page, rui: User) -> None:
    place = "ABC".index(letter_of(rui, "Cy Dahl")) + 1
    desk.keyboard.press(f"Shift+{place}")
    expect(desk.locator("[data-result]")).to_contain_text("makes annotation")
    desk.keyboard.press("Enter")
    expect(desk).to_have_url(desk.url.replace("mug-0", "mug-1"))
    gold = Gold.objects.get().revision
    assert (gold.annotation.author.name, gold.answers) == ("Cy Dahl", ["A"])
    states = set(Annotation.objects.filter(sample__key="mug-0").values_list("state", flat=True))
    assert states == {"accepted", "superseded"}


def test_fields_and_boxes_are_chosen_by_mouse_and_the_rest_edited(desk: Page, rui: User) -> None:
    cy = letter_of(rui, "Cy Dahl")
    desk.locator("[data-field=answer] .chip", has_text=cy).click()
    expect(desk.locator("[data-field=answer] .chip", has_text=cy)).to_have_attribute("aria-pressed", "true")
    apart = desk.locator(f".adjudication__group [data-how={cy}]").first
    apart.click()
    expect(apart).to_have_attribute("aria-pressed", "true")
    desk.keyboard.press("e")
    expect(desk.locator("[data-fix]")).to_be_visible()
    desk.locator("#question").fill("Which color is the mug on the left?")
    desk.keyboard.press("Escape")
    desk.keyboard.press("Escape")
    expect(desk.locator("[data-part=asked]")).to_have_text("Which color is the mug on the left?")
    desk.get_by_role("button", name="Accept").click()
    expect(desk).to_have_url(desk.url.replace("mug-0", "mug-1"))
    gold = Gold.objects.get().revision
    assert (gold.annotation.kind, gold.author, gold.answers) == ("adjudicated", rui, ["A"])
    assert [box.x1 for box in gold.gold_boxes.all()] == [APART[0], EVIDENCE[0]]
    assert gold.question == "Which color is the mug on the left?"
    assert gold.provenance["question"]["how"] == "edited"


@pytest.mark.endurance
def test_boxes_of_one_person_are_shown_alone(desk: Page, rui: User) -> None:
    cy = letter_of(rui, "Cy Dahl")
    marks = desk.locator(".frame__marks > g:not(.is-gone)")
    expect(marks).to_have_count(4)
    desk.keyboard.press(str("ABC".index(cy) + 1))
    expect(marks).to_have_count(2)
    desk.keyboard.press("0")
    expect(marks).to_have_count(4)


def test_an_annotation_is_returned_and_the_others_wait(desk: Page, rui: User) -> None:
    cy = letter_of(rui, "Cy Dahl")
    desk.keyboard.press("r")
    expect(desk.locator("[data-confirm]")).to_be_disabled()
    desk.locator(f"[data-comment-of={cy}]").fill("The mug is white.")
    desk.keyboard.press("Control+Enter")
    expect(desk).to_have_url(desk.url.replace("mug-0", "mug-1"))
    states = dict(Annotation.objects.filter(sample__key="mug-0").values_list("author__name", "state"))
    assert states == {"Ana Lind": "submitted", "Bo Ek": "submitted", "Cy Dahl": "returned"}


@pytest.mark.endurance
def test_without_a_box_the_button_leads_to_the_editor_and_nothing_is_sent(desk: Page) -> None:
    for group in desk.locator(".adjudication__group").all():
        group.get_by_role("button", name="leave out").click()
    accept = desk.locator("[data-decision=accept]")
    expect(accept).to_contain_text("Draw the missing box")
    desk.keyboard.press("Enter")
    expect(desk.locator("[data-fix]")).to_be_visible()
    expect(desk.locator("[data-refused]")).to_be_hidden()
    expect(accept).to_contain_text("Accept")
    accept.click()
    expect(desk.locator("[data-refused]")).to_be_visible()
    assert not Gold.objects.exists()


@pytest.mark.endurance
def test_a_question_that_cannot_be_answered_is_submitted_with_the_reason(
    benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, rui: User, lea: User
) -> None:
    Sample.objects.create(benchmark=benchmark, key="mug-9", image=Sample.objects.first().image, width=2400, height=1600)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    ana, bo = (User.objects.get(name=name) for name in ("Ana Lind", "Bo Ek"))
    submitted(ana, benchmark)
    sign_in(page.context, live_server.url, bo)
    page.goto(f"{live_server.url}/benchmarks/kitchen/annotate/")
    page.keyboard.press("c")
    cannot = page.get_by_label("Cannot be answered")
    cannot.check()
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("[data-checks=unanswerable]")).to_contain_text("Enter why")
    page.get_by_label("Why can't the question be answered?").fill("The mug is hidden.")
    cannot.uncheck()
    cannot.check()
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(f"{live_server.url}/benchmarks/kitchen/annotate/")
    sign_in(page.context, live_server.url, rui)
    page.goto(f"{live_server.url}/benchmarks/kitchen/review/adjudication/mug-9/")
    note = page.locator("[data-unanswerable]")
    expect(note).to_contain_text("cannot be answered. The mug is hidden.")
    expect(page.locator("[data-take]")).to_have_count(1)
    expect(page.locator("[data-field=answer] .chip--choice")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(f"{live_server.url}/benchmarks/kitchen/review/adjudication/mug-9/")
    gold = Gold.objects.get(sample__key="mug-9").revision
    assert (gold.annotation.author, gold.unanswerable) == (ana, None)
    assert [fault for fault in faults if "422" not in fault] == []


def test_on_a_phone_the_path_ends_before_the_search(desk: Page) -> None:
    desk.set_viewport_size({"width": 390, "height": 844})
    path = desk.locator(".crumbs [aria-current]").bounding_box()
    find = desk.locator(".bar .find").bounding_box()
    assert path is not None
    assert find is not None
    assert path["x"] + path["width"] <= find["x"]
    assert path["width"] > 30
