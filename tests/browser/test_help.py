"""Every dialog and menu opened, and every key of the help lists pressed, on every page of the permission table.

A dialog of the templates that nothing opens here is a failure, and so is a listed key that does nothing. A key that
needs something first (a box, a field to write in) has a line in ``FIRST``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from playwright.sync_api import Browser, Page

from annotation.content import suggestions
from annotation.content.comments import add_comment
from annotation.content.suggestions import Suggestion
from annotation.models import Annotation, Benchmark, BenchmarkQueue, Sample
from annotation.review.write.decisions import answer_blind
from annotation.schema import Box
from evaluation.models import Trajectory
from evaluation.trajectories.write.marks import tag_trajectories
from tests import permission_table as table
from tests.annotation.work_data import drafted, reviewed, submitted
from tests.browser.annotate_data import EVIDENCE, kitchen
from tests.browser.conftest import bring_axe
from tests.browser.test_axe import the_world
from tests.factories import facet_of
from tests.test_permissions import World
from webapp.accounts.models import User
from webapp.notifications.models import Notification

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.endurance, pytest.mark.django_db(transaction=True)]

SCRIPTS = Path(__file__).with_name("scripts")
LISTED = """() => [...document.querySelectorAll('#key-help[open] li')].map((row) =>
    [[...row.querySelectorAll('kbd')].map((one) => one.textContent), row.firstChild.textContent])"""
CONTRAST = """(id) => axe.run('#' + id, { runOnly: { type: 'rule', values: ['color-contrast'] } })
    .then(({ violations }) => violations.flatMap(({ nodes }) => nodes.map(({ html }) => html.slice(0, 120))))"""
PARTS = re.compile(r"<sightline-[a-z-]+|\bdata-key=\"[^\"]+\"|<dialog[^>]*id=\"[\w-]+\"|<details class=\"[^\"]*\"")
"""What of a page has keys or can be opened. Of pages with the same parts, one is looked at."""
OTHER_FORMS = {
    "evaluation:trajectories": ("?q=right",),
    "evaluation:leaderboard": ("?q=right",),
    "annotation:samples": ("?view=table",),
}

STUDIO, REVIEW, BLIND, WRITTEN, LIST = "studio", "review", "blind", "blind, open-ended", "trajectories"
KINDS = {"annotation:review-sample": REVIEW, "evaluation:trajectories": LIST}
WORK = frozenset({"annotation:annotate-sample"})
"""Pages that ``work`` opens."""
OPTION = "[aria-label='Option A']"
FIND = "#find-tool"
INBOX = "notifications:inbox"
A_BOX = ("b", "b")
WHEEL = "wheel"
AFRESH = "afresh"
FIRST: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "]"): (AFRESH,),
    ("", "f"): ("z",),
    (STUDIO, "j"): ("b", "b", "Escape"),
    (STUDIO, "Delete"): A_BOX,
    (STUDIO, "Control+D"): A_BOX,
    (STUDIO, "v"): ("Control+z", "Control+z"),
    (STUDIO, "f"): ("+",),
    (STUDIO, "Control+Z"): ("@[data-part=question]", "x"),
    (STUDIO, "Control+Y"): ("@[data-part=question]", "x", "Control+z"),
    (STUDIO, "ArrowLeft"): A_BOX,
    (STUDIO, "Alt+ArrowLeft"): A_BOX,
    (STUDIO, "Escape"): A_BOX,
    (STUDIO, ";"): (f"@{OPTION}", "x"),
    (STUDIO, "- before"): (f"@{FIND}",),
    (STUDIO, "*"): (f"@{OPTION}",),
    (STUDIO, "a in"): ("@[name=right]",),
    (STUDIO, "Alt+Enter"): ("@[data-part=question]",),
    (STUDIO, "Alt+ArrowUp"): ("@[aria-label='Option B']",),
    (STUDIO, "x"): A_BOX,
    (REVIEW, "r"): ("Escape", "Escape"),
    (REVIEW, "d"): ("Escape",),
    (REVIEW, "c"): ("Escape",),
    (REVIEW, "z"): (WHEEL,),
    (REVIEW, "Control+Enter"): ("Escape", "d", "x"),
    (REVIEW, "Escape"): ("d",),
    (LIST, "n"): (AFRESH,),
    (INBOX, "k"): ("j", "j"),
    (REVIEW, "f"): (WHEEL,),
    (BLIND, "f"): (WHEEL,),
    (BLIND, "Control+Enter"): ("1",),
    (WRITTEN, "f"): (WHEEL,),
    (WRITTEN, "Control+Enter"): ("@[name=answer]", "x"),
    (WRITTEN, "Enter"): ("@[name=answer]", "x"),
    (WRITTEN, "Alt+U"): ("@[name=answer]",),
    (WRITTEN, "Alt+0"): ("@[name=answer]",),
}
"""What comes before a key, by the kind of page ("" is any) and the key; with a word where a key has two rows."""


@dataclass(frozen=True)
class Scene:
    """A page as one person has it open. ``kind`` names its lines of ``FIRST``."""

    kind: str
    person: str
    address: str


def test_every_dialog_can_be_used_and_every_listed_key_does_something(
    browser: Browser, live_server: Any, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D7.1, D7.3: with one load of each page; dialogs in both themes and at two widths, keys in both themes in turn."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    given = [
        Suggestion(Box(*EVIDENCE), "Model A"),
        Suggestion(Box(9, 9, 99, 99), "Model B"),
        Suggestion(Box(300, 300, 400, 380), "Model B"),
    ]
    monkeypatch.setattr(suggestions, "_suggested", [lambda sample: given])
    world = the_world(tmp_path)
    shown = Shown(browser, world, live_server.url)
    for scene in scenes(world, tmp_path):
        shown.open(scene)
        shown.use_boxes()
        shown.press_keys()
    assert not shown.wrong, f"{len(shown.wrong)} faults:\n" + "\n".join(shown.wrong)
    assert dialogs() - shown.dialogs == set(), "Nothing here opens these dialogs."
    assert len(shown.keys) > 60, sorted(shown.keys)


def dialogs() -> set[str]:
    """The ids of all dialogs that the templates of the product have."""
    found: set[str] = set()
    for path in (Path(project.BASE_DIR) / "templates").rglob("*.html"):
        if path.name == "gallery.html":
            continue
        text = path.read_text()
        written = re.findall(r"<[a-z-]+\b(?=[^>]*(?:dialog|popover))[^>]*>", text)
        used = re.findall(r"ui/_dialog\.html[\"'] with ([^%]*)%}", text)
        for one in [tag for tag in written if tag.startswith("<dialog") or "popover" in tag] + used:
            named = re.search(r"\bid=\"([\w-]+)\"", one)
            assert named or path.name == "_dialog.html", f"{path}: write the id of this dialog out: {one}"
            found |= {named[1]} if named else set()
    return found


class Shown:
    """A browser that goes from page to page, and what is wrong there."""

    def __init__(self, browser: Browser, world: World, url: str) -> None:
        self.context = browser.new_context(
            bypass_csp=True, reduced_motion="reduce", viewport={"width": 1280, "height": 800}
        )
        self.context.add_init_script(path=SCRIPTS / "effects.js")
        self.context.add_init_script(path=SCRIPTS / "dialogs.js")
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.world, self.url = world, url
        self.scene = Scene("", "", "")
        self.dark = False
        self.dialogs: set[str] = set()
        self.keys: set[tuple[str, str]] = set()
        self.wrong: list[str] = []

    def open(self, scene: Scene) -> None:
        if scene.person != self.scene.person:
            self.context.clear_cookies()
        if scene.person in self.world.sessions:
            session = {"name": project.SESSION_COOKIE_NAME, "value": self.world.sessions[scene.person], "url": self.url}
            self.context.add_cookies([session])  # type: ignore[list-item]
        self.scene = scene
        self.dark = not self.dark
        self._load()

    def _load(self) -> None:
        self.page.goto(self.url + self.scene.address)
        self.page.wait_for_function("document.querySelector('#key-help li') !== null")
        self._theme(self.dark)
        self.page.evaluate("effects.ready()")

    def _theme(self, dark: bool) -> None:
        self.page.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", "dark" if dark else "light")

    def fault(self, words: str) -> None:
        self.wrong.append(f"{self.scene.address} for the {self.scene.person}: {words}")

    def use_boxes(self) -> None:
        """Open each dialog that was not seen yet, and each menu."""
        names = self.page.evaluate("[...document.querySelectorAll('dialog, [popover]')].map((one) => one.id)")
        for name in dict.fromkeys(names):
            if name not in self.dialogs:
                self.dialogs.add(name)
                self._use_dialog(name)
        menus = self.page.locator("sightline-menu > details")
        for at in range(menus.count()):
            if menus.nth(at).locator("summary").is_visible():
                menus.nth(at).locator("summary").click()
                for fault in menus.nth(at).evaluate(
                    "(menu) => faultsOfBox(menu.querySelector(':scope > :not(summary)'))"
                ):
                    self.fault(fault)
                self.page.keyboard.press("Escape")

    def _use_dialog(self, name: str) -> None:
        box = self.page.locator(f"#{name}")
        if name == "conflict":
            self._conflict()
        elif name == "key-help":
            self.page.keyboard.press("?")
        else:
            self.page.locator(f"[data-opens={name}]").first.click()
        bring_axe(self.page)
        for width in (1280, 390):
            self.page.set_viewport_size({"width": width, "height": 800})
            for dark in (False, True):
                self._theme(dark)
                found = box.evaluate("(box) => faultsOfBox(box)") + self.page.evaluate(CONTRAST, name)
                for fault in found:
                    self.fault(f"{fault} ({width} px, {'dark' if dark else 'light'})")
        self.page.set_viewport_size({"width": 1280, "height": 800})
        self._theme(self.dark)
        self.page.keyboard.press("Escape")
        if name == "conflict":
            self._load()
        elif box.evaluate("(box) => box.open"):
            self.fault(f"Escape leaves {name} open")

    def _conflict(self) -> None:
        """The draft is changed elsewhere and here."""
        data = self.page.evaluate("JSON.parse(document.getElementById('studio').textContent)")
        content = data["content"] | {"question": "Which colour has the plate?"}
        body = {"version": data["version"], "content": content}
        answer = self.world.client(self.scene.person).put(data["urls"]["draft"], body, "application/json")
        assert answer.status_code == 200, answer.content
        self.page.evaluate("effects.holding = false")
        self.page.locator("[data-part=question]").fill("Which colour has the mug?")
        self.page.locator("#conflict[open]").wait_for()

    def press_keys(self) -> None:
        self.page.keyboard.press("?")
        rows = self.page.evaluate(LISTED)
        for kbds, words in rows:
            for stroke in strokes_of(kbds):
                self.keys.add((self.scene.kind, stroke))
                if not self._does(stroke, words):
                    self.fault(f"{stroke} ({words}) does nothing")
        if len(rows) > 2 and self._does("F8", "is no key", wait=100):
            self.fault(f"whatever is pressed counts as an effect: {self.page.evaluate('effects.last')}")

    def _does(self, stroke: str, words: str, wait: int = 1000) -> bool:
        """Whether a key has an effect that can be seen, where it is pressed as its row says."""
        self.page.evaluate("effects.ready()")
        kind = self.scene.kind
        ways = ((kind, f"{stroke} {words.split()[0]}"), (kind, stroke), ("", stroke))
        steps = next((FIRST[way] for way in ways if way in FIRST), ())
        for step in steps:
            self._prepare(step)
        if steps:
            self.page.evaluate("effects.begin()")
        self.page.keyboard.press(stroke)
        return bool(self.page.evaluate("(wait) => effects.seen(wait)", wait))

    def _prepare(self, step: str) -> None:
        if step == AFRESH:
            self._load()
        elif step == WHEEL:
            self.page.locator(".frame__view, .stage__view").first.hover()
            self.page.mouse.wheel(0, -200)
        elif step.startswith("@"):
            field = step.removeprefix("@")
            self.page.evaluate(
                "(field) => document.querySelector(field).closest('[role=tabpanel]')?.removeAttribute('hidden')", field
            )
            self.page.locator(field).first.focus()
        else:
            self.page.keyboard.press(step)


MODIFIERS = {"Ctrl": "Control", "Shift": "Shift", "Alt": "Alt"}
NAMES = {"←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown", "Esc": "Escape"}


def strokes_of(kbds: list[str]) -> list[str]:
    """The keys to press for a row of the list: a chord, the first of a range, or each of several keys."""
    if "…" in kbds:
        kbds = kbds[: kbds.index("…")]
    if kbds[0] in MODIFIERS and len(kbds) > 1:
        return ["+".join(MODIFIERS.get(one, NAMES.get(one, one)) for one in kbds)]
    return [NAMES.get(one, one.lower() if len(one) == 1 else one) for one in kbds]


def scenes(world: World, folder: Path) -> Iterator[Scene]:
    """All pages as the lead has them, those that others have otherwise, and work on real images."""
    lead = world.people[table.LEAD]
    street = Benchmark.objects.get(slug="street")
    listed = list(Trajectory.objects.of(street).order_by("pk").values_list("pk", flat=True))
    tag_trajectories(actor=lead, benchmark=street, trajectories=listed[:2], name="glare")
    others = {table.REVIEWER: ("annotation:audit",), table.VISITOR: ("accounts:sign-in", "evaluation:home")}
    known: set[frozenset[str]] = set()
    yield from work(world, folder)
    # Three entries for the inbox, between which a key can move.
    for entry in list(Notification.objects.filter(person=lead)):
        for _ in range(2):
            entry.pk = None
            entry.save(force_insert=True)
    world.sessions["participant"] = world.session_of(User.objects.get(name="Ivo Blom"))
    yield Scene("evaluation:study", "participant", f"/benchmarks/street/studies/{world.names['study']}/")
    for person, names in {table.LEAD: None, **others}.items():
        for line in table.TABLE:
            if line.get and line.name not in WORK and (names is None or line.name in names):
                for address in (
                    world.address(line),
                    *(world.address(line) + form for form in OTHER_FORMS.get(line.name, ())),
                ):
                    answer = world.client(person).get(address)
                    if not answer.streaming and answer.content.startswith(b"<!doctype html>"):
                        parts = frozenset(PARTS.findall(answer.content.decode()))
                        if parts not in known:
                            known.add(parts)
                            yield Scene(KINDS.get(line.name, line.name), person, address)


def work(world: World, folder: Path) -> Iterator[Scene]:
    """Annotation, review and audit on a real image: one sample returned with a comment, others in review."""
    ana, rui, lea = (world.people[name] for name in (table.ANNOTATOR, table.REVIEWER, table.LEAD))
    desk = kitchen(folder, 4, slug="desk", annotator=ana, reviewer=rui, lead=lea)
    BenchmarkQueue.objects.create(benchmark=desk, suggests=True)
    for sample in desk.samples.all():
        facet_of(sample, "category", "Color")
    where = "/benchmarks/desk"
    blind, after = submitted(ana, desk), submitted(ana, desk)
    written = submitted(ana, desk, answer_type="open", options={}, answer=["white"])
    returned = submitted(ana, desk)
    Sample.objects.create(benchmark=desk, key="no-image", width=1000, height=800)
    bare = drafted(lea, desk, gold_boxes=[])
    add_comment(
        actor=rui, annotation=Annotation.objects.get(sample=returned), text="Only the plate.", place=(12.0, 8.0)
    )
    reviewed(rui, returned, "return", reasons=("typo",), comment="The box is too large.")
    answer_blind(actor=lea, sample=after, answer="B", unsure=False, seconds=4)
    yield Scene(STUDIO, table.ANNOTATOR, f"{where}/annotate/samples/{returned.key}/")
    yield Scene(STUDIO, table.LEAD, f"{where}/annotate/samples/{bare.key}/")
    yield Scene(BLIND, table.REVIEWER, f"{where}/review/samples/{blind.key}/")
    yield Scene(WRITTEN, table.REVIEWER, f"{where}/review/samples/{written.key}/")
    yield Scene(REVIEW, table.LEAD, f"{where}/review/samples/{after.key}/")
