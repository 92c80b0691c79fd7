"""The studio with what others bring to it, in a real browser: boxes of models, and a reviewer's remarks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from playwright.sync_api import Page, expect

from annotation.benchmarks.write.benchmark import add_member
from annotation.content import suggestions
from annotation.content.comments import add_comment
from annotation.content.suggestions import Suggestion
from annotation.models import Annotation, Benchmark, BenchmarkQueue, Comment, Draft, Lease, Revision, Sample
from annotation.queue.assignment import next_to_annotate
from annotation.schema import Box
from annotation.workflow import Role
from tests.annotation.work_data import reviewed, submitted
from tests.browser.annotate_data import EVIDENCE, HEIGHT, WIDTH, Studio, sign_in
from tests.factories import facet_of, make_user
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
GIVEN = [Suggestion(Box(*EVIDENCE), "Model A", "2 of 2 runs here"), Suggestion(Box(300, 300, 400, 380), "Model B")]


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return browser_context_args | {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}


@pytest.fixture
def suggested(
    monkeypatch: pytest.MonkeyPatch,
    benchmark: Benchmark,
    page: Page,
    faults: list[str],
    live_server: Any,
    ana: User,
) -> Iterator[Studio]:
    """Ana has a sample open on which two models looked."""
    monkeypatch.setattr(suggestions, "_suggested", [lambda sample: GIVEN])
    BenchmarkQueue.objects.create(benchmark=benchmark, suggests=True)
    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    sign_in(page.context, live_server.url, ana)
    yield Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    assert [fault for fault in faults if "Ignoring tile" not in fault] == []


def sources() -> list[str]:
    return [box.get("source", "") for box in Draft.objects.get().content["gold_boxes"]]


def test_suggested_boxes_are_adopted_by_key_and_by_press_and_are_boxes_like_others(suggested: Studio) -> None:
    page = suggested.page
    rows = page.locator(".suggestion")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Model A 2 of 2 runs here")
    suggested.boxes(0)
    page.keyboard.press("s")
    suggested.boxes(1)
    assert suggested.numbers() == [1176, 784, 48, 32]
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="Adopt S2, Model B").first.click()
    suggested.boxes(2)
    expect(page.locator(".stage .pin--suggested")).to_have_count(0)
    suggested.saved()
    assert sources() == ["Model A", "Model B"]
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    suggested.boxes(0)
    expect(rows).to_have_count(2)
    page.keyboard.press("v")
    expect(page.locator(".stage .pin--suggested")).to_have_count(0)
    page.keyboard.press("s")
    suggested.boxes(0)
    page.keyboard.press("v")
    page.keyboard.press("Shift+S")
    suggested.boxes(2)


@pytest.fixture
def returned(
    benchmark: Benchmark,
    page: Page,
    faults: list[str],
    live_server: Any,
    ana: User,
    rui: User,
) -> Iterator[Studio]:
    """Ana has a sample open that Rui returned, with a remark on a place and one on the whole."""
    sample = submitted(ana, benchmark)
    annotation = Annotation.objects.select_related("sample__benchmark").get(sample=sample, author=ana)
    add_comment(actor=rui, annotation=annotation, text="Only the plate is needed.", place=(1200.0, 800.0))
    add_comment(actor=rui, annotation=annotation, text="A good question.")
    reviewed(rui, sample, "return", reasons=("more_than_minimal_evidence",), comment="The box is too large.")
    sign_in(page.context, live_server.url, ana)
    yield Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    assert [fault for fault in faults if "Ignoring tile" not in fault] == []


def test_the_author_talks_with_the_reviewer_where_the_work_is_mended(returned: Studio) -> None:
    page = returned.page
    expect(page.locator(".returned")).to_contain_text("box too large")
    threads = page.locator("#comments > ul > li")
    expect(threads).to_have_count(2)
    expect(page.get_by_role("button", name="Comment by Rui Costa")).to_be_visible()
    threads.first.get_by_role("button", name="Reply").click()
    page.keyboard.type("Done.")
    page.keyboard.press("Control+Enter")
    expect(threads.first).to_contain_text("Done.")
    assert Revision.objects.count() == 1
    threads.first.get_by_role("button", name="Resolve").click()
    expect(page.get_by_role("button", name="Comment by Rui Costa")).to_have_count(0)
    page.keyboard.press("c")
    expect(page.locator("[data-picking]")).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.type("Is this the one?")
    page.keyboard.press("Control+Enter")
    expect(threads).to_have_count(3)
    placed = Comment.objects.get(text="Is this the one?")
    assert (placed.x, placed.y) == (WIDTH / 2, HEIGHT / 2)
    page.get_by_role("tab", name="History").click()
    expect(page.locator("#history")).to_contain_text("Rui Costa returned")
    expect(page.locator("#history")).to_contain_text("The box is too large.")


def test_the_toolchain_is_read_as_calls_and_written_as_json_with_its_checks_beside_it(returned: Studio) -> None:
    page = returned.page
    page.get_by_role("tab", name="Evidence").focus()
    page.keyboard.press("ArrowRight")
    field = page.get_by_label("As JSON")
    field.fill('[{"tool": "Crop", "where": 3}]')
    expect(page.locator("#chain-problem")).to_contain_text("Call 1 has the unknown key “where”")
    expect(page.locator(".chain__call")).to_have_count(0)
    field.fill('[{"tool": "Crop", "arguments": {"x": 1, "y": 2, "width": 0, "height": 9}}]')
    expect(page.locator("#chain-problem")).to_be_hidden()
    expect(page.locator(".chain__call")).to_contain_text("width = 0")
    expect(page.locator("#chain [data-checks] .msg--bad")).to_contain_text("Step 1")
    page.get_by_role("tab", name="Evidence").click()
    page.keyboard.press("Control+Enter")
    expect(field).to_be_focused()
    page.get_by_role("tab", name="Toolchain").focus()
    page.keyboard.press("Control+z")
    expect(field).to_have_value("")


def test_a_key_is_changed_by_pressing_another_and_the_studio_obeys(
    benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, ana: User
) -> None:
    sign_in(page.context, live_server.url, ana)
    page.goto(f"{live_server.url}/account/keys/")
    field = page.get_by_label("Draw a box; again")
    field.focus()
    page.keyboard.press("h")
    expect(page.locator(".msg--bad:visible")).to_have_count(2)
    page.keyboard.press("n")
    expect(page.locator(".msg--bad:visible")).to_have_count(0)
    expect(field).to_have_value("N")
    page.get_by_role("button", name="Save shortcuts").click()
    expect(page.get_by_text("1 shortcut changed.")).to_be_visible()
    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    studio = Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    page.keyboard.press("b")
    studio.boxes(0)
    page.keyboard.press("n")
    studio.boxes(1)
    expect(page.locator(".stage-tools [data-key-of=box]")).to_have_text("N")
    page.keyboard.press("?")
    row = page.locator(".key-help li").filter(has_text="draw a box")
    expect(row.locator("kbd")).to_have_text("N")
    page.keyboard.press("Escape")
    page.goto(f"{live_server.url}/account/keys/")
    page.get_by_role("button", name="Reset to B").click()
    expect(field).to_have_value("B")
    assert faults == []


@pytest.fixture
def opened(benchmark: Benchmark, page: Page, faults: list[str], live_server: Any, ana: User) -> Iterator[Studio]:
    """Ana has the first sample open."""
    sample = next_to_annotate(actor=ana, benchmark=benchmark)
    assert sample is not None
    sign_in(page.context, live_server.url, ana)
    yield Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    assert [fault for fault in faults if "Ignoring tile" not in fault] == []


def test_a_whole_sample_is_one_drag_five_keys_and_what_is_typed(opened: Studio) -> None:
    page = opened.page
    first = Sample.objects.get(key="mug-0")
    for key in ("mug-2", "mug-3", "mug-4"):
        Sample.objects.create(benchmark=first.benchmark, key=key, image=first.image, width=WIDTH, height=HEIGHT)
    for name, value in (("category", "Color"), ("tier", "2")):
        facet_of(Sample.objects.get(key="mug-4"), name=name, value=value)
    cache.clear()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.reload()
    page.evaluate("navigator.clipboard.writeText('A. red\\nB. green\\nC. blue\\nD. grey')")
    # A space stands before what is typed; everything else is a key.
    opened_answer = ["1", " Which colour is the mug?", "Enter", " black", "Control+Enter"]
    typed = ["1", "Shift+Digit1", " Which colour?", "Alt+Enter", " red;green; *blue;grey;;;", "Control+Enter"]
    plan = ["1", "p", " level;tape; -pliers;", "Enter", " Which colour?", "Enter", " red;*blue", "Control+Enter"]
    pasted = [" Which colour?", "Enter", "Control+v", "c", "Control+Enter"]
    for pressed in (opened_answer, typed, plan, pasted):
        assert len([key for key in pressed if not key.startswith(" ")]) <= 5
        opened.ready()
        opened.drag((300, 500), (380, 560))
        here = page.url
        for key in pressed:
            if key.startswith(" "):
                page.keyboard.press(f"Shift+{key[1]}" if key[1].isupper() else key[1])
                page.keyboard.type(key[2:])
            else:
                page.keyboard.press(key)
        expect(page).not_to_have_url(here)
    colours = {"A": "red", "B": "green", "C": "blue", "D": "grey"}
    found = [(one.question, one.options, one.answers, one.facets) for one in Revision.objects.order_by("pk")]
    assert found == [
        ("Which colour is the mug?", {}, ["black"], {"category": ["Color"]}),
        ("Which colour?", colours | {"D": "grey;"}, ["C"], {"category": ["Color"], "tier": ["2"]}),
        ("Which colour?", {"A": "red", "B": "blue"}, ["B"], {"category": ["Color"]}),
        ("Which colour?", colours, ["C"], {}),
    ]
    planned = Revision.objects.get(annotation__sample__key="mug-2")
    assert list(planned.plan_tools.values_list("tool", "step")) == [("level", 1), ("tape", 2), ("pliers", None)]


@pytest.mark.parametrize(
    ("question", "keys", "given"),
    [
        ({"answer_type": "open", "options": {}, "answer": ["white"]}, ["Enter", "r", "e", "d"], ["red"]),
        ({"options": {"A": "black", "B": "white", "C": "red"}}, ["Enter", "c"], ["C"]),
    ],
)
def test_enter_goes_to_the_answer_where_another_person_fixed_the_question(
    benchmark: Benchmark, page: Page, live_server: Any, ana: User, question: Any, keys: list[str], given: list[str]
) -> None:
    BenchmarkQueue.objects.create(benchmark=benchmark, overlap=2)
    noor = make_user("Noor Aziz")
    add_member(actor=None, benchmark=benchmark, user=noor, role=Role.ANNOTATOR)
    sample = submitted(noor, benchmark, **question)
    assert next_to_annotate(actor=ana, benchmark=benchmark) == sample
    sign_in(page.context, live_server.url, ana)
    studio = Studio(page, f"{live_server.url}/benchmarks/kitchen/annotate/samples/{sample.key}/")
    studio.drag((300, 500), (380, 560))
    here = page.url
    for key in ("1", *keys, "Control+Enter"):
        page.keyboard.press(key)
    expect(page).not_to_have_url(here)
    assert Revision.objects.get(annotation__author=ana).answers == given


@pytest.mark.endurance
def test_the_next_sample_opens_without_loading_the_page_anew_and_is_given_back_on_leaving(opened: Studio) -> None:
    page = opened.page
    opened.fill_all()
    page.evaluate("window.stayed = true")
    opened.saved()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".crumbs [aria-current]")).to_have_text("mug-1")
    opened.ready()
    assert page.evaluate("window.stayed")
    assert page.title().startswith("mug-1")
    assert opened.question() == ""
    expect(page.get_by_label("Multiple choice")).to_be_checked()
    page.keyboard.press("b")
    opened.boxes(1)
    opened.saved()
    assert Draft.objects.get().annotation.sample.key == "mug-1"
    page.go_back()
    expect(page.locator(".crumbs [aria-current]")).to_have_text("mug-0")
    expect(page.get_by_role("alert")).to_contain_text("Read-only")


def test_what_was_kept_ahead_is_given_back_by_who_goes_elsewhere(opened: Studio) -> None:
    page = opened.page
    with page.expect_response(lambda answer: "/annotate/ahead/" in answer.url and answer.ok):
        page.get_by_label("Question").fill("Which colour?")
    kept = Lease.objects.filter(sample__key="mug-1")
    assert kept.count() == 1
    page.get_by_role("link", name="Annotate").click()
    expect(page.locator("main")).to_contain_text("1 draft")
    for _ in range(50):
        if not kept.exists():
            break
        page.wait_for_timeout(50)
    assert not kept.exists()
