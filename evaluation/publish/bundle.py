"""Copies the leaderboard and the pages it links to into a folder."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl

from django.conf import settings
from django.urls import reverse

from annotation.common.access import PublicReader, known_to
from annotation.imaging.pyramid import levels, tile_areas
from annotation.models import Benchmark, Image
from evaluation.common.exports import EXPORTS
from evaluation.exporters.tables import WRITERS
from evaluation.models import Trajectory
from evaluation.publish.places import (
    BOARD,
    CASE,
    CASE_TEXT,
    DATA_CARD,
    GLOSSARY,
    LIST,
    PICTURES,
    RUN,
    SAMPLE,
    Place,
    is_a_view_of_the_board,
    link,
    place_of,
)
from evaluation.publish.reading import read
from evaluation.publish.rewriting import Targets, links, rewritten
from evaluation.publish.statics import signs, static_files
from webapp.common.errors import Conflict, NotFound

RECORD = "copy.json"
"""The file with the source of the copy, and the SHA-256 of each of its files."""

TABLES = ("metrics", "samples")
BOARD_FILES = ("csv", "md", "tex", "svg")
"""The entire board as the page exports it: the table and the figure for a paper equal those of the copy."""
README = """{title}, {which}: a copy made on {day}. It does not change.

index.html        the leaderboard; from there every run, slice and chosen trajectory
data-card.html    contents of the benchmark
data/             the tables: leaderboard.* as shown, metrics.csv with every metric on every slice, samples.csv
copy.json         the SHA-256 of every file

It needs no server: open index.html from this folder, or hand the folder out with any web server.
"""


@dataclass(slots=True)
class Copy:
    """A copy in progress: the chosen trajectories, the copied pages, and the pages still to copy."""

    benchmark: Benchmark
    folder: Path
    most: int
    chosen: dict[str, str] = field(default_factory=dict)
    """Trajectory to the query of the list from which it was chosen."""
    runs: set[str] = field(default_factory=set)
    """The runs of the chosen trajectories."""
    pages: dict[str, Place] = field(default_factory=dict)
    pictures: dict[str, Place] = field(default_factory=dict)
    reader: PublicReader = field(default_factory=PublicReader)

    def place(self, address: str, page: str = "") -> Place | None:
        """Return the place for an address that a page at ``page`` contains: "?by=scene" belongs to the
        page's own path.
        """
        return place_of(page.partition("?")[0] + address if address.startswith("?") else address, self.benchmark.slug)

    def holds(self, target: Place, origin: Place) -> bool:
        """Return whether a page found on another is copied. Lists are copied if the entire board counts them, or if
        they are linked from the page of a run with chosen trajectories.
        """
        if target.kind == BOARD:
            return is_a_view_of_the_board(target)
        if target.kind == LIST:
            return (origin.kind == RUN and origin.part("pk") in self.runs) or (
                origin.kind == BOARD and not origin.query
            )
        if target.kind == SAMPLE:
            return origin.kind == CASE
        return target.kind in {DATA_CARD, RUN, CASE, CASE_TEXT, GLOSSARY}


def publish(benchmark: Benchmark, folder: Path, cases: list[str], *, most: int, today: date) -> dict[str, int]:
    """Write the copy; return its numbers of pages, trajectories, images and files.

    ``cases``: queries of lists of trajectories, in the form after the "?" of their address; the first ``most``
    trajectories of each are copied. The folder is new, empty or an earlier copy, which is replaced once the new one is
    complete.

    Raises: Conflict when the folder contains anything else, while gold checks run, and while a judging queue is open;
    NotFound when a list of cases is empty.
    """
    if not known_to(PublicReader(), benchmark).gold:
        raise Conflict(f"Gold checks run on {benchmark.title}, and a copy would show their gold. Stop them first.")
    if Benchmark.objects.asking_judges().filter(pk=benchmark.pk).exists():
        raise Conflict(
            f"Judges could look up their questions about {benchmark.title} in a copy. Finish or delete their queues "
            "first."
        )
    _refuse_other_folders(folder)
    beside = folder.with_name(folder.name + ".part")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    copy = Copy(benchmark, beside, most)
    lists = [_choose(copy, query.removeprefix("?")) for query in cases]
    copy.runs = {str(pk) for pk in Trajectory.objects.filter(pk__in=copy.chosen).values_list("run_id", flat=True)}
    _walk(copy, lists)
    _finish(copy, lists, today)
    shutil.rmtree(folder, ignore_errors=True)
    beside.rename(folder)
    files = sum(1 for path in folder.rglob("*") if path.is_file())
    return {"pages": len(copy.pages), "cases": len(copy.chosen), "pictures": len(copy.pictures), "files": files}


def _refuse_other_folders(folder: Path) -> None:
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not (folder / RECORD).is_file()):
        raise Conflict(f"{folder} contains files that are not an earlier copy. Choose a new or empty folder.")


def _choose(copy: Copy, query: str) -> Place:
    """Choose trajectories of one list, page after page, up to the wanted number. A trajectory of an earlier list also
    counts here, and stays in the earlier one.
    """
    first = place = copy.place(f"{reverse('evaluation:trajectories', args=[copy.benchmark.slug])}?{query}")
    found_here: set[str] = set()
    while place is not None and len(found_here) < copy.most:
        answer = read(place.address, copy.reader)
        following = None
        for found in links(answer.content) if answer else []:
            target = copy.place(found.address, place.path)
            if target is None:
                continue
            if target.kind == CASE and len(found_here) < copy.most:
                found_here.add(target.part("pk"))
                copy.chosen.setdefault(target.part("pk"), query)
            if found.next and target.kind == LIST:
                following = target
        place = following
    if first is None or not found_here:
        raise NotFound(f"The list ?{query} contains no trajectories. Use the part after ? in the address of a list.")
    return first


def _walk(copy: Copy, lists: list[Place]) -> None:
    """Read every page of the copy from its view into the folder."""
    names = ("evaluation:leaderboard", "evaluation:data-card")
    first = [copy.place(reverse(name, args=[copy.benchmark.slug])) for name in names]
    waiting = deque([place for place in [*first, *lists] if place is not None])
    seen = {place.file for place in waiting}
    chosen_lists = {place.file for place in lists}
    while waiting:
        place = waiting.popleft()
        answer = read(_asked(copy, place), copy.reader)
        if answer is None or not answer.is_page:
            continue
        targets = list(_targets(copy, place, answer.content))
        if place.kind == LIST and place.file not in chosen_lists and not any(t.kind == CASE for t in targets):
            continue
        copy.pages[place.file] = place
        _write(copy, place.file, answer.content)
        for target in targets:
            if target.kind in PICTURES:
                copy.pictures.setdefault(target.file, target)
            elif target.file not in seen and copy.holds(target, place):
                seen.add(target.file)
                waiting.append(target)


def _asked(copy: Copy, place: Place) -> str:
    """Return the address of a chosen trajectory within its list, so that its page links to its neighbors there."""
    listed = copy.chosen.get(place.part("pk")) if place.kind == CASE else None
    query = "&".join(part for part in (listed, place.query) if part)
    return f"{place.path}?{query}" if query else place.path


def _targets(copy: Copy, place: Place, page: bytes) -> Iterator[Place]:
    for found in links(page):
        if found.kind == "tiles":
            yield from _tiles(copy, found.address)
            continue
        target = copy.place(found.address, place.path)
        if target is None or (target.kind in {CASE, CASE_TEXT} and target.part("pk") not in copy.chosen):
            continue
        yield target


def _tiles(copy: Copy, address: str) -> Iterator[Place]:
    """Yield every tile of an image, from the address of one with {level}, {column} and {row} in it."""
    first = copy.place(address.format(level=0, column=0, row=0))
    if first is None:
        return
    image = Image.objects.get(sha256=first.part("sha256"))
    for level, size in enumerate(levels(image.width, image.height)):
        for area in tile_areas(*size):
            tile = copy.place(address.format(level=level, column=area.column, row=area.row))
            if tile is not None:
                yield tile


def _finish(copy: Copy, lists: list[Place], today: date) -> None:
    """Write the images, the static files and the tables, then the links of each page, now that all pages are known."""
    for file, place in list(copy.pictures.items()):
        answer = read(place.address, copy.reader)
        if answer is None:
            del copy.pictures[file]
        else:
            _write(copy, file, answer.content)
    for name, content in static_files():
        _write(copy, f"static/{name}", content)
    (copy.folder / "data").mkdir()
    for table in TABLES:
        export = EXPORTS[table]
        with (copy.folder / "data" / f"{table}.csv").open("wb") as out:
            WRITERS["csv"](out, export.rows(copy.benchmark), export.columns)
    board = reverse("evaluation:leaderboard", args=[copy.benchmark.slug])
    for name in BOARD_FILES:
        if answer := read(f"{board}?format={name}", copy.reader):
            _write(copy, f"data/leaderboard.{name}", answer.content)
    drawn, which = signs(), _which(copy.benchmark)
    words = [(_case_words(copy, place), place) for place in lists]
    for file, place in copy.pages.items():
        targets = Targets(
            page=partial(_page_link, copy, place),
            static=partial(_static_link, place),
            tiles=partial(_tiles_link, copy, place),
            signs=drawn,
        )
        path = copy.folder / file
        path.write_bytes(rewritten(path.read_bytes(), targets, _notice(copy, place, which, words, today)))
    about = README.format(title=copy.benchmark.title, which=which, day=today.isoformat())
    _write(copy, "README.txt", about.encode())
    _record(copy, today)


def _page_link(copy: Copy, page: Place, address: str) -> str | None:
    target = copy.place(address, page.path)
    if target is None or not (target.file in copy.pages or target.file in copy.pictures):
        return None
    fragment = address.partition("#")[2]
    return link(target.file, page.file) + (f"#{fragment}" if fragment else "")


def _static_link(page: Place, address: str) -> str:
    name, _, fragment = address.removeprefix(settings.STATIC_URL).partition("#")
    return link(f"static/{name}", page.file) + (f"#{fragment}" if fragment else "")


def _tiles_link(copy: Copy, page: Place, address: str) -> str | None:
    first = copy.place(address.format(level=0, column=0, row=0))
    if first is None or first.file not in copy.pictures:
        return None
    return link(first.file.replace("tiles/0/0_0.jpg", "tiles/{level}/{column}_{row}.jpg"), page.file)


def _notice(copy: Copy, page: Place, which: str, lists: list[tuple[str, Place]], today: date) -> list[tuple[str, str]]:
    """Return the line at the top of a page. ``which``: the version that was copied. ``lists``: of cases, each with its
    description.
    """
    cases = [(words, link(place.file, page.file)) for words, place in lists]
    files = [f"leaderboard.{name}" for name in BOARD_FILES] + [f"{table}.csv" for table in TABLES]
    tables = [(file, link(f"data/{file}", page.file)) for file in files if (copy.folder / "data" / file).is_file()]
    words = f"Copy of {copy.benchmark.title}, {which}, made on {today.isoformat()}. It does not change."
    fixed = [
        (words, ""),
        ("Leaderboard", link("index.html", page.file)),
        ("Data card", link("data-card.html", page.file)),
    ]
    return [*fixed, *cases, *(tables if page.kind in {BOARD, DATA_CARD} else [])]


def _which(benchmark: Benchmark) -> str:
    version = benchmark.versions.order_by("-number").first()
    return f"version {version.number}" if version else "working state"


def _case_words(copy: Copy, place: Place) -> str:
    """Return the description of a list of cases, by its terms: "Cases: quadrant G+A-"; a run by its name."""
    runs = {str(run.pk): str(run) for run in copy.benchmark.runs.select_related("model")}
    said = [
        value if name == "q" else runs.get(value, value) if name == "run" else f"{name.removeprefix('facet.')} {value}"
        for name, value in parse_qsl(place.query)
    ]
    return f"Cases: {', '.join(said)}"


def _record(copy: Copy, today: date) -> None:
    digests = {
        path.relative_to(copy.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(copy.folder.rglob("*"))
        if path.is_file()
    }
    record = {"benchmark": copy.benchmark.slug, "made_on": today.isoformat(), "sha256": digests}
    (copy.folder / RECORD).write_text(json.dumps(record, indent=1) + "\n")


def _write(copy: Copy, file: str, content: bytes) -> None:
    path = copy.folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
