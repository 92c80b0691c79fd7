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
from lxml import html

from annotation.models import Benchmark
from evaluation.models import Run
from evaluation.publish.bundle import publish
from evaluation.publish.rewriting import Targets, rewritten
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from tests.evaluation.run_pages import make_benchmark, only_run
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
TODAY = date(2030, 1, 2)
MOST = 5


@made_once
def board(lea: User) -> Benchmark:
    return make_board(lea)


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


def test_a_copy_is_whole_and_its_numbers_are_those_of_the_lists_they_open(
    board: Benchmark, query: str, tmp_path: Path, client: Any
) -> None:
    folder = tmp_path / "copy"
    counts = publish(board, folder, [query], most=1, today=TODAY)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    found = pages(folder)
    lost = [(name, to) for name, page in found.items() for to in addresses(page) if leads_to(name, to) not in files]
    assert lost == []
    assert counts["cases"] == 1 == len([name for name in found if re.fullmatch(r"trajectories/\d+\.html", name)])
    assert {
        "index.html",
        "data-card.html",
        "glossary.html",
        "README.txt",
        "data/metrics.csv",
        "data/samples.csv",
        "data/leaderboard.tex",
    } <= files
    assert not any(page.xpath("//form | //*[@hx-get] | //script[contains(@src, 'htmx')]") for page in found.values())
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

    assert client.get(f"/benchmarks/{board.slug}/leaderboard/").status_code == 404


def cases_in(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "trajectories").iterdir() if path.stem.isdecimal()}


def cases_of(page: Any) -> set[str]:
    """The first cases of a list, as many as are copied of each here."""
    return {str(row.trajectory.pk) for row in page.context["rows"][:MOST]}


def test_lists_of_cases_that_overlap_are_copied_together_under_plain_names_and_again_alike(
    lea: User, tmp_path: Path
) -> None:
    """D7.16: the second list holds the first one's trajectories and others, with a sign in its terms."""
    benchmark = make_benchmark(lea, {"seen": 2, "seen-wrong": 1}, pictures=False)
    query = f"run={only_run(benchmark).pk}"
    narrow = f"{query}&quadrant=G%2BA%2B"
    alone = {one: cases_of(signed_in(lea).get(f"/benchmarks/street/trajectories/?{one}")) for one in (narrow, query)}
    both = publish(benchmark, tmp_path / "both", [query, narrow], most=MOST, today=TODAY)
    cases = cases_in(tmp_path / "both")
    assert both["cases"] == len(cases)
    assert cases >= alone[query] | alone[narrow]
    assert alone[query] & alone[narrow]
    files = [path.relative_to(tmp_path / "both").as_posix() for path in (tmp_path / "both").rglob("*")]
    assert [name for name in files if not re.fullmatch(r"[A-Za-z0-9._/-]+", name)] == []
    assert not any(page.xpath("//sightline-session") for page in pages(tmp_path / "both").values())

    first = json.loads((tmp_path / "both" / "copy.json").read_text())
    publish(benchmark, tmp_path / "both", [query, narrow], most=MOST, today=TODAY)
    assert json.loads((tmp_path / "both" / "copy.json").read_text()) == first


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
