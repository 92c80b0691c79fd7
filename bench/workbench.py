"""Several people at the workbench at once over HTTP, each with a chain of ten steps on a picture of their own; and
what a call that takes long does to the others."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from threading import Event, Thread
from typing import Any

from bench import workers
from bench.crowd import expect
from bench.rows import Row
from bench.site import Answer, Browser, Site, serving

PEOPLE = 8
SIDE = 1280
PAUSE = 2.0
"""Seconds that a person looks at a result before the next change."""
RUN = "/benchmarks/{}/toolchain/run/{}/"
MOST_SECONDS = 20
"""What one call may be foretold to take (``annotation.toolbox.runner.Limits.call_seconds``)."""
DENOISE = {"tool": "denoise", "arguments": {}, "image_in": None, "image_out": None}
Call = dict[str, Any]


def chain(width: int, height: int) -> list[Call]:
    """Ten steps from a part of the picture to things that are counted."""
    part = {"x": width // 8, "y": height // 8, "width": width // 2, "height": height // 2}
    steps: list[tuple[str, dict[str, Any]]] = [
        ("crop", part), ("blur", {"method": "gaussian", "ksize": 5}), ("sharpen", {"amount": 1.0}),
        ("convertscaleabs", {"alpha": 1.1}), ("colorspace_gray", {}), ("histogram", {"mode": "clahe"}),
        ("blur", {"method": "average", "ksize": 3}), ("threshold", {"mode": "binary", "threshold_value": 127}),
        ("morphology", {"op": "open", "kernel_size": 5}), ("connected_components_with_stats", {"max_components": 20}),
    ]  # fmt: skip
    return [{"tool": tool, "arguments": given, "image_in": None, "image_out": None} for tool, given in steps]


def changed(calls: Sequence[Call], by: random.Random) -> tuple[list[Call], int]:
    """The chain with one value changed, and the number of the step."""
    choices = {1: ("ksize", range(3, 31, 2)), 2: ("amount", [n / 10 for n in range(5, 40)]),
               3: ("alpha", [n / 50 for n in range(40, 75)]), 6: ("ksize", range(3, 31, 2)),
               7: ("threshold_value", range(60, 190)), 8: ("kernel_size", range(3, 15)),
               9: ("max_components", range(5, 200))}  # fmt: skip
    at = by.choice(list(choices))
    name, values = choices[at]
    step = {**calls[at], "arguments": {**calls[at]["arguments"], name: by.choice(list(values))}}
    return [*calls[:at], step, *calls[at + 1 :]], at + 1


@dataclass
class Waited:
    """Milliseconds until a person saw the preview, and until it was there in full."""

    preview: list[float] = field(default_factory=list)
    full: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def ask(browser: Browser, address: str, calls: Sequence[Call], focus: int, known: set[str], *, full: bool) -> Answer:
    body = {"calls": calls, "focus": focus, "side": SIDE, "full": full, "known": sorted(known)[-400:]}
    return browser.ask("POST", address, body)


def edit(site: Site, session: str, number: int, size: tuple[int, int], end: Event, waited: Waited) -> None:
    """One person, until it is the end: a changed value, its preview, the whole, and a look at it."""
    browser, by, known = Browser(site, session), random.Random(number), set[str]()
    calls, address = chain(*size), RUN.format("people", f"people-{number:02}")
    end.wait(by.random() * PAUSE)
    try:
        while not end.is_set():
            calls, focus = changed(calls, by)
            for full, times in ((False, waited.preview), (True, waited.full)):
                begun = time.perf_counter()
                said = expect(ask(browser, address, calls, focus, known, full=full)).json()
                times.append((time.perf_counter() - begun) * 1000)
                known |= {step["key"] for step in [said["original"], *said["steps"]]}
                if said["error"]:
                    raise RuntimeError(said["error"]["message"])
                if said["whole"]:
                    break
            end.wait(PAUSE)
    except (RuntimeError, OSError) as problem:
        waited.problems.append(str(problem))
    finally:
        browser.close()


def together(site: Site, sessions: Sequence[str], size: tuple[int, int], seconds: float, beside: Any = None) -> Waited:
    """Everybody edits for so long; ``beside`` is done meanwhile, and they edit at least until it is done."""
    waited, end = Waited(), Event()
    people = [Thread(target=edit, args=(site, one, n, size, end, waited)) for n, one in enumerate(sessions)]
    begun = time.monotonic()
    for person in people:
        person.start()
    if beside:
        beside()
    time.sleep(max(0.0, seconds - (time.monotonic() - begun)))
    end.set()
    for person in people:
        person.join()
    if waited.problems:
        raise RuntimeError(f"{len(waited.problems)} people could not go on: {waited.problems[0]}")
    return waited


def measure() -> Iterator[Row]:
    size, large, count, seconds = (3840, 2160), (7680, 4320), PEOPLE, 45.0
    with workers.sqlite() as environ:
        sessions = workers.call("desk:make_people", environ, count=count)["sessions"]
        for slug, (width, height), pictures in (("people", size, count), ("large", large, 1)):
            workers.call("pictures:make_large", environ, width=width, height=height, count=pictures, slug=slug)
        with serving(environ) as site:
            together(site, sessions[:-1], size, seconds / 3)
            usual = together(site, sessions[:-1], size, seconds)
            yield _row(f"{count} people editing at once, {size[0]} × {size[1]}, until the preview", usual)
            took: list[tuple[float, bool]] = []
            beside = together(site, sessions[:-1], size, seconds / 2, lambda: took.extend(_denoise(site, sessions[-1])))
            refused = ", ".join(f"{'refused' if wrong else 'done'} after {1000 * took:.0f} ms" for took, wrong in took)
            title = f"denoise of {large[0]} × {large[1]}, preview and whole"
            yield Row("toolbox", f"{title}, longest", max(one for one, _ in took), "s", MOST_SECONDS, limit=refused)
            yield _row(f"the others meanwhile, {count} people, until the preview", beside)


def _denoise(site: Site, session: str) -> Iterator[tuple[float, bool]]:
    """Seconds until the preview, and until the whole was done or refused."""
    browser = Browser(site, session)
    for full in (False, True):
        begun = time.perf_counter()
        said = expect(ask(browser, RUN.format("large", "large-00"), [DENOISE], 1, set(), full=full)).json()
        yield time.perf_counter() - begun, said["error"] is not None
    browser.close()


def _row(title: str, waited: Waited) -> Row:
    found = waited.preview
    slow = quantiles(found, n=20)[-1] if len(found) > 1 else found[0]
    said = f"of {len(found)}, median {median(found):.0f} ms"
    if waited.full:
        said += f"; in full: median {median(waited.full):.0f}, most {max(waited.full):.0f} ms"
    return Row("toolbox", f"{title}, p95", slow, "ms", 400, limit=said)
