"""A published copy: the same numbers as on the site, in files that need no server of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from lxml import html

from annotation.models import Benchmark
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.models import Model, Run
from evaluation.publish.bundle import publish
from evaluation.publish.rewriting import Targets, rewritten
from evaluation.schema import Trajectory
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
TODAY = date(2030, 1, 2)
MOST = 5


@made_once
def board(lea: User) -> Benchmark:
    """A run with a gap and rows under interventions, a baseline and a run that failed."""
    kinds = {"seen": 2, "seen-wrong": 1, "missed": 1, "absent": 1}
    board = make_benchmark(lea, kinds, pictures=False, scored=False)
    keys = list(board.samples.values_list("key", flat=True))
    rows = [Trajectory("Whole picture", key, answer="A") for key in keys]
    rows += [Trajectory("Endpoint down", key, error="timeout") for key in keys]
    with transaction.atomic():
        save_trajectories(RunRegistry(board, lea), rows, None)
    Model.objects.filter(name="Whole picture").update(baseline=True)
    score_benchmark(actor=lea, benchmark=board)
    return board


@made_once
def query(board: Benchmark) -> str:
    return f"run={Run.objects.of(board).filter(model__name='Model C').get().pk}"


def pages(folder: Path) -> dict[str, Any]:
    return {path.relative_to(folder).as_posix(): html.parse(path).getroot() for path in folder.rglob("*.html")}


def leads_to(page: str, address: str) -> str:
    """The file an address in a page means, as a browser finds it."""
    base = Path("/") / page
    return str((base.parent / unquote(urlsplit(address).path)).resolve().relative_to("/"))


def addresses(page: Any) -> Iterator[str]:
    for name in ("href", "src"):
        yield from (value for value in page.xpath(f"//@{name}") if not value.startswith("#"))


def unreached(found: dict[str, Any]) -> set[str]:
    """Pages that no way of links leads to from the first one."""
    reached, waiting = {"index.html"}, ["index.html"]
    while waiting:
        name = waiting.pop()
        new = {leads_to(name, to) for to in addresses(found[name])} & found.keys() - reached
        reached |= new
        waiting += new
    return found.keys() - reached


def going_nowhere(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Links that open the page they stand on and do not say that it is the one."""
    shown = ("@aria-current", "@aria-selected", "../@aria-sort", "ancestor::svg", "ancestor::header",
             "ancestor::p[@class='published-copy']")  # fmt: skip
    return [
        (name, link.text_content().strip())
        for name, page in found.items()
        for link in page.xpath(f"//a[@href and not({' or '.join(shown)})]")
        if "#" not in link.get("href") and leads_to(name, link.get("href")) == name
    ]


def cases_in(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "trajectories").iterdir() if path.stem.isdecimal()}


def cases_of(page: Any) -> set[str]:
    """The first cases of a list, as many as are copied of each here."""
    return {str(row.trajectory.pk) for row in page.context["rows"][:MOST]}


@pytest.mark.endurance
def test_a_copy_is_whole_its_numbers_are_those_of_the_lists_they_open_and_made_again_it_is_the_same(
    lea: User, board: Benchmark, query: str, tmp_path: Path, client: Any
) -> None:
    """D7.16: the second list holds some of the first one's trajectories, with a sign in its terms."""
    folder, narrow = tmp_path / "copy", f"{query}&quadrant=G%2BA%2B"
    alone = {one: cases_of(signed_in(lea).get(f"/benchmarks/street/trajectories/?{one}")) for one in (narrow, query)}
    counts = publish(board, folder, [query, narrow], most=MOST, today=TODAY)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    found = pages(folder)
    lost = [(name, to) for name, page in found.items() for to in addresses(page) if leads_to(name, to) not in files]
    assert lost == []
    assert {
        "index.html",
        "data-card.html",
        "glossary.html",
        "README.txt",
        "data/metrics.csv",
        "data/samples.csv",
        "data/leaderboard.tex",
    } <= files
    assert [name for name in files if not re.fullmatch(r"[A-Za-z0-9._/-]+", name)] == []
    cases = cases_in(folder)
    assert cases == alone[query] | alone[narrow]
    assert alone[query] & alone[narrow]
    assert counts["cases"] == len(cases)

    assert not any(page.xpath("//form | //*[@hx-get] | //script[contains(@src, 'htmx')]") for page in found.values())
    assert not any(page.xpath("//sightline-session") for page in found.values())
    counted = [
        (int(link.get("data-count")), int(found[leads_to(name, link.get("href"))].xpath("//main/@data-total")[0]))
        for name, page in found.items()
        for link in page.xpath("//a[@data-count and @href]")
    ]
    assert len(counted) > 10
    assert [pair for pair in counted if pair[0] != pair[1]] == []

    assert not any(page.xpath("//svg//span") for page in found.values())
    drawn = [(use.get("href"), page) for page in found.values() for use in page.iter("use")]
    assert len(drawn) > 50
    assert all(len(page.xpath(f"//symbol[@id='{to.removeprefix('#')}']/*")) > 0 for to, page in drawn)
    assert not any(page.xpath("//section[contains(@class, 'toolbar')]") for page in found.values())
    assert unreached(found) == set()
    assert going_nowhere(found) == []

    first = json.loads((folder / "copy.json").read_text())
    publish(board, folder, [query, narrow], most=MOST, today=TODAY)
    assert json.loads((folder / "copy.json").read_text()) == first

    assert client.get(f"/benchmarks/{board.slug}/leaderboard/").status_code == 404


def test_a_folder_with_anything_else_in_it_is_left_alone(
    board: Benchmark, query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.management.commands.publish.collect", lambda: None)
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(CommandError, match="not an earlier copy"):
        call_command("publish", board.slug, str(tmp_path), "--cases", query)
    with pytest.raises(CommandError, match="contains no trajectories"):
        call_command("publish", board.slug, str(tmp_path / "new"), "--cases", "run=999999")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["thesis.tex"]


HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">'


def test_what_leads_nowhere_is_words_and_untrusted_text_stays_text() -> None:
    page = f"""<!doctype html><html><head><title>T</title></head><body><header class="bar"></header><main>
        <p>{HOSTILE.replace("<", "&lt;")}</p><a href="/admin/" class="x" onclick="y">kept words</a>
        <a class="btn" href="/import/">Import</a><time datetime="2030-01-02T03:04:05Z">5 min ago</time>
        <svg viewBox="0 0 1 1"><use href="/static/i.svg#a"/><a href="/admin/"><path d="M0 0h1"/></a></svg>
        </main></body></html>"""
    nowhere = Targets(page=lambda _: None, static=lambda a: "../" + a[1:], tiles=lambda _: None)
    text = rewritten(page.encode(), nowhere, [("A <copy>", ""), ("Home", "index.html")]).decode()
    assert HOSTILE not in text
    assert HOSTILE in unescape(text)
    assert '<span class="x">kept words</span>' in text
    assert "Import" not in text
    assert ">2030-01-02<" in text
    assert "../static/i.svg#a" in text
    assert '<g><path d="M0 0h1"></path></g>' in text
    assert re.search(r"A &lt;copy&gt;.*href=\"index.html\"", text)
