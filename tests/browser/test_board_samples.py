"""From twenty seed tools and a stand-in model to thirty accepted samples, on the pages alone.

Lea leads: she adds the tools, writes each item, and checks the texts that no model may check for her. A model reads the
other texts and draws the images. Rui checks each image. Both do every other item with keys alone.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.models import Benchmark, BuildItem, ItemAudit, Sample
from annotation.workflow import Role
from evaluation.models import Experiment
from evaluation.stand_in.recorded import Recorded
from evaluation.stand_in.server import Options, StandIn
from tests.browser.annotate_data import sign_in
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

pytestmark = [
    pytest.mark.browser, pytest.mark.endurance, pytest.mark.slow, pytest.mark.django_db(transaction=True),
]  # fmt: skip
SEEDS = (
    "hammer", "saw", "torch", "ladle", "vise", "trowel", "plane", "sieve", "awl", "wrench",
    "clamp", "drill", "shovel", "mallet", "scraper", "pliers", "file", "level", "roller", "tongs",
)  # fmt: skip
SAMPLES = 30
DISTRACTORS = (("garden rake", "looks alike"), ("whisk", "same trade"), ("peeler", "does something similar"))
FAULTS = ("unrealistic scene", "tool not visible", "artificial cue")
MOST_TABS = 80


@pytest.fixture
def benchmark(tmp_path: Any, settings: Any, lea: User, rui: User) -> Benchmark:
    """Without tools and without items."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    made = create_benchmark(actor=lea, slug="workshop", title="Workshop")
    add_member(actor=None, benchmark=made, user=rui, role=Role.REVIEWER)
    return made


class Person:
    """Someone at the pages of the benchmark, with a mouse, or with keys alone."""

    def __init__(self, page: Page, home: str, user: User) -> None:
        self.page, self.home, self.keys = page, home, False
        sign_in(page.context, home, user)

    def goes_to(self, path: str) -> None:
        self.page.goto(f"{self.home}/benchmarks/workshop/{path}")

    def reaches(self, target: Locator) -> None:
        """Move the focus there with Tab."""
        for _ in range(MOST_TABS):
            if target.evaluate("(one) => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{target} is not reached with Tab")

    def presses(self, target: Locator) -> None:
        if self.keys:
            self.reaches(target)
            self.page.keyboard.press("Enter")
        else:
            target.click()

    def submits(self, name: str) -> None:
        self.presses(self.page.get_by_role("button", name=name))

    def writes(self, label: str, text: str) -> None:
        label_text = re.compile(rf"^\s*{label}\s*(optional)?\s*$")
        field = self.page.locator("input, textarea").and_(self.page.get_by_label(label_text))
        if self.keys:
            self.reaches(field)
            self.page.keyboard.insert_text(text)
        else:
            field.fill(text)

    def selects(self, label: str, option: str) -> None:
        field = self.page.locator("select").and_(self.page.get_by_label(label, exact=True))
        if self.keys:
            self.reaches(field)
            self.page.keyboard.type(option)
        else:
            field.select_option(label=option)

    def answers(self, question: str, *, yes: bool) -> None:
        answer = re.compile("^yes$" if yes else "^no$", re.IGNORECASE)
        group = self.page.get_by_role("radiogroup", name=question)
        radio = group.get_by_role("radio", name=answer)
        if self.keys:
            self.reaches(group.get_by_role("radio").first)
            self.page.keyboard.press("Space")
            if not radio.is_checked():
                self.page.keyboard.press("ArrowRight")
        else:
            group.get_by_text(answer).click()
        expect(radio).to_be_checked()

    def is_at(self, stage: str) -> None:
        expect(self.page.get_by_role("heading", level=2)).to_contain_text(stage)

    def opens_next(self, stage: str) -> int:
        """Open the item that has waited longest at a stage of the board; return its number. Every other is by keys."""
        if "/board/items/" in self.page.url:
            self.presses(self.page.get_by_role("link", name="Building board", exact=True).last)
        link = (
            self.page.get_by_role("region", name=re.compile(f"^{stage}"))
            .get_by_role("listitem")
            .first.get_by_role("link")
        )
        number = int(link.inner_text().split()[0])
        self.presses(link)
        expect(self.page).to_have_url(re.compile(f"/items/{number}/$"))
        self.keys = number % 2 == 0
        return number


def adds_tools(lea: Person) -> None:
    lea.goes_to("settings/tools/")
    for number, name in enumerate(SEEDS, start=1):
        lea.keys = number % 2 == 0
        lea.writes("Name", name)
        lea.submits("Add")
        expect(lea.page.get_by_role("row", name=re.compile(f"^{name}"))).to_be_visible()


def adds_endpoint(lea: Person, name: str, preset: str, model: str, address: str) -> None:
    lea.keys = False
    lea.goes_to("endpoints/")
    lea.selects("Server", preset)
    for label, text in (("Name", name), ("Address", address), ("Model", model)):
        lea.writes(label, text)
    lea.submits("Add endpoint")
    expect(lea.page.get_by_role("main")).to_contain_text(name)


def draws(lea: Person) -> None:
    lea.goes_to("board/")
    lea.writes("Combinations", str(SAMPLES))
    lea.selects("Scenarios of each", "1")
    lea.submits("Draw items")
    expect(lea.page.get_by_role("region", name=f"Targets {SAMPLES}")).to_be_visible()


def writes_item(lea: Person) -> None:
    """From its targets to the check of its text."""
    number = lea.opens_next("Targets")
    targets = BuildItem.objects.get(number=number).targets
    lea.submits("Keep these targets")
    if len(targets) > 1:
        lea.is_at("Steps")
        lea.submits("Save steps")
    lea.is_at("Instruction")
    lea.writes("Instruction", f"Get booth {number} ready before the guests of tour {number} arrive.")
    lea.submits("Save instruction")
    lea.is_at("Distractors")
    for at, (name, likeness) in enumerate(DISTRACTORS, start=1):
        lea.writes(f"Distractor {at}", name)
        lea.selects(f"Likeness of distractor {at}", likeness)
    lea.submits("Save distractors")
    lea.is_at("Description")
    names = ", ".join([*targets, *(name for name, _ in DISTRACTORS)])
    lea.writes("Description of the scene", f"A bench in a bright room with {names} on it.")
    lea.submits("Save description")
    lea.is_at("QC-I")


def checks_text(lea: Person) -> None:
    """On the page of an item at QC-I: what its author meant."""
    number = int(lea.page.url.rstrip("/").rsplit("/", 1)[1])
    lea.keys = number % 2 == 0
    item = BuildItem.objects.get(number=number)
    for name in lea.page.get_by_role("table").get_by_role("rowheader").all_inner_texts():
        lea.answers(f"Does the task need {name}?", yes=name in item.targets)
        lea.answers(f"Does {name} fit?", yes=True)
    lea.answers("Is the order of the steps valid?", yes=True)
    lea.submits("Save check")
    lea.is_at("Image")


def asks_model_to_check(lea: Person, numbers: list[int]) -> None:
    """A model reads the texts with one target. Lea checks those that are drawn for people."""
    lea.keys = False
    lea.goes_to("board/")
    lea.presses(lea.page.get_by_role("link", name="Check texts"))
    lea.writes("Items", ", ".join(map(str, numbers)))
    lea.submits("Create and run")
    expect(lea.page.get_by_role("heading", name="QC-I").first).to_be_visible()
    run_waiting()
    lea.goes_to("board/")
    waiting = lea.page.get_by_role("region", name="QC-I by models").get_by_role("definition").get_by_role("link")
    addresses = [str(one.get_attribute("href")) for one in waiting.all()]
    assert len(addresses) == len(numbers) // 10
    for address in addresses:
        lea.page.goto(lea.home + address)
        checks_text(lea)


def asks_model_for_images(lea: Person) -> None:
    lea.keys = False
    lea.goes_to("board/")
    lea.presses(lea.page.get_by_role("link", name="Generate images"))
    lea.submits("Create and run")
    run_waiting()
    lea.goes_to("board/")
    expect(lea.page.get_by_role("region", name=f"QC-III: image {SAMPLES}")).to_be_visible()


def accepts_image(rui: Person) -> None:
    number = rui.opens_next("QC-III")
    expect(rui.page.get_by_role("img", name=f"Image of item {number}")).to_be_visible()
    for fault in FAULTS:
        rui.answers(fault, yes=False)
    rui.submits("Accept as sample")
    rui.is_at("Accepted")


def test_twenty_seed_tools_become_thirty_accepted_samples_on_the_pages(
    benchmark: Benchmark, page: Page, browser: Browser, live_server: Any, lea: User, rui: User
) -> None:
    lead = Person(page, live_server.url, lea)
    adds_tools(lead)
    draws(lead)
    for _ in range(SAMPLES):
        writes_item(lead)
    with StandIn(Recorded({}, {}), Options()) as model:
        adds_endpoint(lead, "reader", "Stand-in endpoint", "auditor", model.base_url)
        adds_endpoint(lead, "painter", "Stand-in, image generation", "painter", model.base_url)
        alone = [one.number for one in BuildItem.objects.order_by("number") if len(one.targets) == 1]
        assert len(alone) == len(SEEDS)
        asks_model_to_check(lead, alone)
        lead.goes_to("board/")
        for _ in range(SAMPLES - len(alone)):
            lead.opens_next("QC-I")
            checks_text(lead)
        asks_model_for_images(lead)
    other = browser.new_context()
    reviewer = Person(other.new_page(), live_server.url, rui)
    reviewer.goes_to("board/")
    for _ in range(SAMPLES):
        accepts_image(reviewer)
    other.close()
    assert set(BuildItem.objects.values_list("stage", flat=True)) == {"accepted"}
    assert Experiment.objects.filter(state="done").count() == 2
    assert ItemAudit.objects.count() == len(SEEDS)
    assert Sample.objects.filter(state="accepted", gold__isnull=False).count() == SAMPLES
    targets = [tuple(item.targets) for item in BuildItem.objects.all()]
    for size in {len(one) for one in targets}:
        used = Counter(tool for one in targets if len(one) == size for tool in one)
        assert max(used.values()) - min(used[tool] for tool in SEEDS) <= 1
    for sample in Sample.objects.select_related("gold__revision"):
        plan = sample.gold.revision.plan_tools.all()
        assert sum(tool.step is None for tool in plan) == len(DISTRACTORS)
