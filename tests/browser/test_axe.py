"""Every page as axe sees it, in light and dark: no rule of WCAG 2.2 AA is broken for anybody who may be there.

The pages are those of the permission table, so that a new page is looked at without being named here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from playwright.sync_api import Browser, Page, ViewportSize, expect

from annotation.content.tools import NameDraft, know_names, propose_drafted
from annotation.drafting import Field
from annotation.models import Benchmark, Sample
from annotation.review.write.decisions import answer_blind
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.schema import Condition
from evaluation.scoring.write import score_benchmark
from tests import permission_table as table
from tests.annotation.agreement_data import mugs, three_people
from tests.browser.conftest import bring_axe
from tests.evaluation.run_pages import trajectories
from tests.test_permissions import World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.endurance, pytest.mark.django_db(transaction=True)]

WINDOW: ViewportSize = {"width": 1280, "height": 800}
RUN = """(only) => axe.run(document, {
    resultTypes: ["violations"], preload: false,
    rules: { "target-size": { enabled: true } },
    ...(only && { runOnly: { type: "rule", values: [only] } }),
}).then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${help})\\n    ${html.slice(0, 160)}\\n    ${failureSummary}`)))"""
NAMELESS = """[...document.querySelectorAll("div[tabindex='0'], span[tabindex='0']")]
    .filter((one) => one.checkVisibility() && !(one.getAttribute("role") && one.getAttribute("aria-label"))
        && !one.matches("[aria-label], [aria-labelledby], [role]"))
    .map((one) => one.outerHTML.slice(0, 120))"""
"""Stops of the keyboard that say neither what they are nor what they show (D9.3)."""
UNDEFINED = "[...new Set([...document.querySelectorAll(':not(:defined)')].map((one) => one.localName))]"
SHIFTED = """new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted = (window.shifted ?? 0) + one.value;
}).observe({ type: "layout-shift", buffered: true });"""
SMALL = """[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=tab]")]
    .map((one) => (one.matches("input[type=checkbox], input[type=radio]") && one.closest("label")) || one)
    .filter((one) => {
        const { width, height } = one.getBoundingClientRect();
        const inText = getComputedStyle(one).display === "inline";
        return one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && width > 1 && height > 1
            && !inText && !one.closest(".skip, svg") && (width < 23.9 || height < 23.9);
    })
    .map((one) => `${one.outerHTML.slice(0, 110)} ${JSON.stringify(one.getBoundingClientRect())}`)"""
"""Targets of their own; a link inside a line of text is as high as the line (WCAG 2.5.8, inline)."""
STACKED = """[...document.querySelectorAll(".btn:has(svg, kbd)")]
    .filter((one) => one.checkVisibility() && !getComputedStyle(one).display.includes("flex"))
    .map((one) => one.outerHTML.slice(0, 120))"""
"""Buttons whose icon stands above their words, as a rule for links takes their layout."""
WIDEST = """(width) => [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > width + 0.5 && !one.closest(".vh, .scroll-x, .skip"))
    .slice(0, 4).map((one) => `${one.outerHTML.slice(0, 90)} to ${Math.round(one.getBoundingClientRect().right)}`)
    .join(" | ")"""
THEIRS = {
    table.VISITOR: ("accounts:sign-in", "accounts:accept-invitation", "evaluation:home", "annotation:benchmarks"),
    table.STRANGER: ("evaluation:home", "annotation:benchmarks", "annotation:samples"),
    table.ANNOTATOR: ("evaluation:home", "annotation:samples", "annotation:annotate", "annotation:settings"),
    table.REVIEWER: ("evaluation:home", "annotation:review", "annotation:review-sample", "annotation:agreement"),
    table.RESEARCHER: ("evaluation:runs", "evaluation:import", "annotation:agreement-people"),
}
"""Pages that others than the lead see differently, among them those that stop them."""
MAIN = frozenset(
    f"evaluation:{name}"
    for name in ("home", "leaderboard", "macro", "runs", "run", "trajectories", "trajectory", "sample", "compare")
)
"""Pages that people read on a telephone; they are seen at its width too."""
COMPARED = tuple(f"/benchmarks/kitchen/agreement/{page}" for page in ("", "people/"))
"""Pages of a second benchmark, on which three people have worked on the same samples."""
OTHER_FORMS = {
    "annotation:samples": ("?view=table", "?q=nothing"),
    "evaluation:trajectories": ("?q=nothing", "?q=right"),
}


def addresses(world: World, person: str) -> Iterator[str]:
    """The whole pages that this person is shown, or stopped with; parts of pages and files are left out."""
    for line in table.TABLE:
        if line.get and (person == table.LEAD or line.name in THEIRS.get(person, ())):
            answer = world.client(person).get(world.address(line))
            if not answer.streaming and answer.content.lstrip().startswith(b"<!doctype html>"):
                yield world.address(line)
                yield from (world.address(line) + form for form in OTHER_FORMS.get(line.name, ()))
    yield from COMPARED if person == table.LEAD else ()


def faults(page: Page, *, dark: bool) -> list[str]:
    """What axe finds on this page: everything in light, and colours again in dark."""
    bring_axe(page)
    found: list[str] = page.evaluate(RUN)
    if dark:
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        found += [f"in dark: {fault}" for fault in page.evaluate(RUN, "color-contrast")]
    return found


def narrow_faults(page: Page, *, main: bool) -> list[str]:
    """Whether the page has to be moved sideways where it is 320 px wide; of a main page also what axe finds at the
    width of a telephone."""
    found: list[str] = []
    for width in (390, 320) if main else (320,):
        page.set_viewport_size({"width": width, "height": 844})
        if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
            found.append(f"{width} px wide: it takes {wide} px: {page.evaluate(WIDEST, width)}")
        if width == 390:
            found += [f"390 px wide: {fault}" for fault in page.evaluate(RUN)]
    page.set_viewport_size(WINDOW)
    return found


def other_faults(page: Page) -> list[str]:
    """Elements whose script the page does not load, targets that are too small, and parts that moved as it loaded."""
    found = [f"<{name}> is not defined" for name in page.evaluate(UNDEFINED)]
    found += [f"a target below 24 px: {one}" for one in page.evaluate(SMALL)]
    found += [f"a focus stop without role or name: {one}" for one in page.evaluate(NAMELESS)]
    found += [f"a button without its layout: {one}" for one in page.evaluate(STACKED)]
    shift = page.evaluate("window.shifted ?? 0")
    return found + ([f"it shifts by {shift:.3f} while it loads"] if shift > 0.05 else [])


def looked_at(browser: Browser, world: World, url: str, person: str) -> Iterator[tuple[str, list[str]]]:
    """Each page of this person and what is wrong with it. The lead's are seen in both themes: every style is there."""
    dark = person == table.LEAD
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce", viewport=WINDOW)
    context.add_init_script(SHIFTED)
    if person in world.sessions:
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": world.sessions[person], "url": url}])
    page = context.new_page()
    narrow = {world.address(line) for line in table.TABLE if line.name in MAIN} if dark else set()
    for address in addresses(world, person):
        page.goto(url + address)
        found = other_faults(page) + faults(page, dark=dark)
        yield address, found + (narrow_faults(page, main=address in narrow) if dark else [])
        plan = page.locator("[role=tab][aria-controls=plan]:visible")
        if plan.count():
            plan.click()
            expect(page.locator("#plan")).to_be_visible()
            yield f"{address}#plan", faults(page, dark=dark)
    context.close()


UNREAD = ("Both A and B fit.", "I cannot see it.", "Perhaps the left one.")
"""Answers in which no option can be read, for the page on which people decide them. On three samples,
as that of a question which somebody still judges is left out."""


def the_world(folder: Path) -> World:
    """Everything there is a page for; the lead has answered blind, so that the review shows the gold. A second run,
    one trajectory of which failed, stands beside the first."""
    world = World(folder)
    street = Benchmark.objects.get(slug="street")
    failed, *others = trajectories("Model D", {"seen": 3, "missed": 2})
    with transaction.atomic():
        save_trajectories(
            RunRegistry(street, None), [replace(failed, error="Out of memory.", answer=None), *others], None
        )
        further = [one for one in others if one.condition == Condition.NONE and not one.rollout][:3]
        unread = [replace(one, rollout=9, answer=said) for one, said in zip(further, UNREAD, strict=True)]
        save_trajectories(RunRegistry(street, None), unread, None)
    score_benchmark(actor=None, benchmark=street)
    ana, rui = world.people[table.ANNOTATOR], world.people[table.REVIEWER]
    mugs(world.people[table.LEAD], {"annotator": ana, "reviewer": rui})
    three_people(ana, rui, world.people[table.RESEARCHER])
    with transaction.atomic():
        know_names(ana, street, ["coping saw"])
        drafts = [NameDraft(one.pk, Field.TARGETS, "spokeshave") for one in street.samples.all()[:5]]
        propose_drafted(street, "m-1", drafts)
    handed_in = Sample.objects.get(key=world.names["handed_in"])
    answer_blind(actor=world.people[table.LEAD], sample=handed_in, answer="B", unsure=False, seconds=4)
    return world


def test_axe_finds_nothing_wrong_with_any_page(browser: Browser, live_server: Any, tmp_path: Path) -> None:
    """Nor does a look at widths of 320 px (D9.1), targets (D9.2), focus stops (D9.3) and shifts (D9.5)."""
    world = the_world(tmp_path)
    seen, wrong = [], []
    for person in (table.LEAD, *THEIRS):
        for address, found in looked_at(browser, world, live_server.url, person):
            seen.append(address)
            wrong += [f"{address} for the {person}: {fault}" for fault in found]
    assert len(seen) > 50, seen
    assert not wrong, f"{len(wrong)} faults:\n" + "\n".join(wrong)
