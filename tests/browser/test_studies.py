"""A human study in a real browser: taken by keys alone, with what was looked at and how long; axe in both themes."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, ViewportSize, expect

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.samples import save_samples
from annotation.models import Benchmark, EvidenceTest, Image
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, Target, ToolPlan
from annotation.workflow import Role
from evaluation.models import Experiment, HumanAnswer
from evaluation.studies.write.answers import next_to_answer
from evaluation.studies.write.create import StudyChoices, create_study
from evaluation.studies.write.states import pause
from tests.browser.annotate_data import EVIDENCE, HEIGHT, WIDTH, kitchen, sign_in
from tests.browser.test_axe import faults as axe_faults
from tests.browser.test_axe import narrow_faults, other_faults
from webapp.accounts.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WINDOW: ViewportSize = {"width": 1280, "height": 800}


def question(key: str, content: SampleContent) -> SampleRecord:
    return SampleRecord(key, content, "mug.png", None, WIDTH, HEIGHT)


OPTIONS = SampleContent(
    "Which color is the rectangle?", AnswerType.MULTIPLE_CHOICE, {"A": "black", "B": "white"}, ("A",),
    (Box(*map(float, EVIDENCE)),),
)  # fmt: skip
PLAN = SampleContent("Hang the picture.", plan=ToolPlan((Target("hammer", 1), Target("nail", 2)), ("saw",), None))


@pytest.fixture
def street(tmp_path: Any, settings: Any, lea: User, ana: User, rui: User) -> Benchmark:
    """Lea leads; Ana and Rui can take part."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    benchmark = kitchen(tmp_path, 0, lead=lea, annotator=ana)
    add_member(actor=None, benchmark=benchmark, user=rui, role=Role.REVIEWER)
    return benchmark


def study_on(street: Benchmark, lea: User, *contents: SampleContent) -> Experiment:
    records = [question(f"mug-{number}", content) for number, content in enumerate(contents)]
    pictures = {"mug.png": Image.objects.get()}
    save_samples(actor=lea, benchmark=street, records=records, pictures=pictures)
    return create_study(actor=lea, benchmark=street, choices=StudyChoices("study 1", len(contents), people=2, seed="x"))


def begin(page: Page, live_server: Any, person: User, study: Experiment) -> None:
    """The first sample is shown, and listens to keys."""
    sign_in(page.context, live_server.url, person)
    page.goto(f"{live_server.url}/benchmarks/kitchen/studies/{study.pk}/")
    page.get_by_role("button", name=re.compile("^(Start|Continue)")).press("Enter")
    drawn(page)


def drawn(page: Page) -> None:
    expect(page.locator("[data-magnification]")).to_contain_text("%")


def test_a_sample_is_answered_by_keys_with_what_was_looked_at(
    street: Benchmark, page: Page, live_server: Any, faults: list[str], lea: User, ana: User
) -> None:
    study = study_on(street, lea, OPTIONS, OPTIONS)
    begin(page, live_server, ana, study)
    before = page.url
    page.keyboard.press("Enter")  # Nothing is chosen: it stays.
    page.get_by_role("button", name="Zoom in").click(click_count=2)
    page.wait_for_timeout(1200)
    page.keyboard.press("0")
    page.locator("body").press("a")
    page.keyboard.press("4")
    page.keyboard.press("u")
    assert page.url == before
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != before)
    drawn(page)
    kept = HumanAnswer.objects.get(done_at__isnull=False)
    assert (kept.person, kept.answer, kept.familiarity, kept.unsure) == (ana, "A", 4, True)
    assert kept.seconds is not None
    assert kept.seconds >= 1.2
    [zoom] = kept.steps
    x1, y1, x2, y2 = zoom["box"]
    assert (x1, y1) > (0, 0)
    assert (x2 - x1) * (y2 - y1) < 0.5 * WIDTH * HEIGHT
    assert 0.7 <= zoom["seconds"] <= kept.seconds
    page.keyboard.press("t")
    # "I can't tell" needs the familiarity too, and says so.
    expect(page.get_by_role("alert")).to_contain_text("familiar")
    page.keyboard.press("2")
    page.keyboard.press("t")
    expect(page.get_by_text("You answered 2 samples")).to_be_visible()
    assert set(HumanAnswer.objects.values_list("answer", flat=True)) == {"", "A"}
    assert [one for one in faults if "400" not in one] == []


def test_tools_are_written_and_the_keys_of_choices_are_letters_there(
    street: Benchmark, page: Page, live_server: Any, faults: list[str], lea: User, ana: User
) -> None:
    study = study_on(street, lea, PLAN, PLAN)
    begin(page, live_server, ana, study)
    seen, needed = page.locator("[name=recognition]"), page.locator("[name=plan]")
    seen.press_sequentially("tuba, saw")
    needed.press_sequentially("tuba")
    needed.press("Enter")
    needed.press_sequentially("saw")
    before = page.url
    page.locator("h1").click()
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != before)
    drawn(page)
    kept = HumanAnswer.objects.get(done_at__isnull=False)
    assert (kept.recognition, kept.plan, kept.familiarity) == (["tuba", "saw"], ["tuba", "saw"], 5)
    assert faults == []


@pytest.mark.endurance
def test_time_stands_still_without_a_sign_of_the_person_and_goes_on_after_a_reload(
    street: Benchmark, page: Page, live_server: Any, lea: User, ana: User
) -> None:
    study = study_on(street, lea, OPTIONS, OPTIONS)
    page.clock.install()
    begin(page, live_server, ana, study)
    page.clock.run_for(20_000)
    page.reload()
    drawn(page)
    page.mouse.move(200, 200)
    # A minute after the last sign, the time stands still.
    page.clock.run_for(600_000)
    page.mouse.move(220, 200)
    page.clock.run_for(5_000)
    before = page.url
    page.keyboard.press("b")
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != before)
    kept = HumanAnswer.objects.get(done_at__isnull=False)
    assert kept.seconds is not None
    assert 85 <= kept.seconds < 120


@pytest.mark.endurance
def test_a_sample_is_kept_for_who_works_on_it_and_a_lost_one_says_so(
    street: Benchmark, page: Page, live_server: Any, lea: User, ana: User, rui: User
) -> None:
    study = study_on(street, lea, OPTIONS, OPTIONS)
    page.clock.install()
    begin(page, live_server, ana, study)
    mine = HumanAnswer.objects.filter(person=ana)

    def expiring() -> None:
        mine.update(expires_at=timezone.now() + timedelta(seconds=5))

    def is_kept() -> bool:
        return mine.get().expires_at > timezone.now() + timedelta(minutes=15)

    expiring()
    assert renewed(page) == 200
    assert is_kept()
    # The person has left: nothing is sent, and the sample runs out.
    expiring()
    page.clock.run_for(600_000)
    assert not is_kept()
    taken_by(rui, study)
    assert renewed(page) == 409
    expect(page.get_by_role("alert")).to_contain_text("no longer assigned to you")
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    page.get_by_role("alert").get_by_role("link").click()
    page.get_by_role("button", name=re.compile("^(Start|Continue)")).click()
    drawn(page)


def renewed(page: Page) -> int:
    """The status of the next renewal of who works. The clock stops right behind it: a request ends after 20 seconds,
    and those pass at once in a clock that runs on."""
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/stay/") else None)
    with page.expect_response("**/stay/") as answered:
        page.keyboard.press("Shift")
        for _ in range(26):
            page.clock.run_for(5_000)
            if sent:
                break
    return answered.value.status


def taken_by(person: User, study: Experiment) -> None:
    """Both places of the sample that Ana let run out are taken: one by this person, one was answered before."""
    item = HumanAnswer.objects.filter(experiment=study).get()
    item.expires_at = timezone.now() - timedelta(seconds=1)
    item.save(update_fields=["expires_at"])
    while (taken := next_to_answer(actor=person, study=study)) and taken.sample_id != item.sample_id:
        HumanAnswer.objects.filter(pk=taken.pk).update(place=None)
    assert taken is not None
    HumanAnswer.objects.filter(pk=item.pk).exclude(person=person).delete()


@pytest.mark.parametrize("content", [OPTIONS, PLAN], ids=["options", "plan"])
@pytest.mark.endurance
def test_axe_finds_nothing_wrong_with_the_task_page(
    street: Benchmark, browser: Browser, live_server: Any, lea: User, ana: User, content: SampleContent
) -> None:
    """The task page, in both themes and at the width of a telephone, first as it opens, then with a problem in it."""
    study = study_on(street, lea, content, content)
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce", viewport=WINDOW)
    page = context.new_page()
    begin(page, live_server, ana, study)
    assert axe_faults(page, dark=True) + other_faults(page) + narrow_faults(page, main=True) == []
    page.emulate_media(color_scheme="light")
    page.get_by_role("button", name="I can't tell").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert axe_faults(page, dark=True) == []
    context.close()


@pytest.mark.endurance
def test_axe_finds_nothing_wrong_with_the_pages_of_a_study(
    street: Benchmark, browser: Browser, live_server: Any, lea: User, ana: User
) -> None:
    study = study_on(street, lea, OPTIONS, PLAN)
    next_to_answer(actor=ana, study=study)
    here = f"{live_server.url}/benchmarks/kitchen/studies/"
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce", viewport=WINDOW)
    page = context.new_page()
    found = []
    for person in (ana, lea):
        sign_in(context, live_server.url, person)
        own = ["new/?name=b&n=2&people=2&roles=annotator"] if person == lea else []
        for address in ("", f"{study.pk}/", *own):
            page.goto(here + address)
            faults = axe_faults(page, dark=True) + other_faults(page) + narrow_faults(page, main=True)
            found += [f"{address} for {person}: {one}" for one in faults]
    pause(actor=lea, study=study)
    context.close()
    assert found == []


def test_a_sample_under_a_condition_is_answered_by_keys_from_what_it_shows(
    street: Benchmark, page: Page, live_server: Any, faults: list[str], lea: User, ana: User
) -> None:
    study_on(street, lea, OPTIONS, OPTIONS)
    choices = StudyChoices("under conditions", 2, people=2, seed="x", conditions=("crop", "masked"))
    study = create_study(actor=lea, benchmark=street, choices=choices)
    sign_in(page.context, live_server.url, ana)
    page.goto(f"{live_server.url}/benchmarks/kitchen/studies/{study.pk}/")
    page.get_by_role("button", name=re.compile("^Start")).press("Enter")
    part = page.get_by_role("img", name="Image of the question")
    for _ in range(2):
        expect(part).to_be_visible()
        page.wait_for_function("() => document.querySelector('.study-task__part').naturalWidth > 0")
        expect(page.locator("[data-seen]")).to_contain_text("art of the image")
        before = page.url
        page.locator("body").press("a")
        page.keyboard.press("4")
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, before=before: url != before)
    expect(page.get_by_text("You answered 2 samples")).to_be_visible()
    tests = EvidenceTest.objects.values_list("condition", "right", "person")
    assert len(tests) == 2
    assert {(right, person) for _, right, person in tests} == {(True, ana.pk)}
    assert faults == []
