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
from bench.options import Options
from bench.rows import Row, Skipped
from bench.site import Answer, Browser, Site, serving

PEOPLE = 8
SIDE = 1280
PAUSE = 2.0
"""Seconds that a person looks at a result before the next change."""
RUN = "/benchmarks/{}/toolchain/run/{}/"
AT_ONCE = 0.5
"""Seconds after which a call is refused whose cost can be foretold."""
MOST_SECONDS = 20
"""What one call may be foretold to take (``annotation.toolbox.runner.Limits.call_seconds``)."""
BUSY = 202
AGAIN = 0.5
"""Seconds after which the page asks again when it was not its turn."""
Call = dict[str, Any]


def chain(width: int, height: int) -> list[Call]:
    """Ten steps from a part of the image to things that are counted."""
    part = {"x": width // 8, "y": height // 8, "width": width // 2, "height": height // 2}
    steps: list[tuple[str, dict[str, Any]]] = [
        ("crop", part), ("blur", {"method": "gaussian", "ksize": 5}), ("sharpen", {"amount": 1.0}),
        ("convertscaleabs", {"alpha": 1.1}), ("colorspace_gray", {}), ("histogram", {"mode": "clahe"}),
        ("blur", {"method": "average", "ksize": 3}), ("threshold", {"mode": "binary", "threshold_value": 127}),
        ("morphology", {"op": "open", "kernel_size": 5}), ("connected_components_with_stats", {"max_components": 20}),
    ]  # fmt: skip
    return [_call(tool, given) for tool, given in steps]


def _call(tool: str, arguments: dict[str, Any]) -> Call:
    return {"tool": tool, "arguments": arguments, "image_in": None, "image_out": None}


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
    later: int = 0
    problems: list[str] = field(default_factory=list)


def ask(
    browser: Browser, address: str, calls: Sequence[Call], focus: int, known: set[str], *, full: bool
) -> tuple[Answer, int]:
    """The answer, and how often it was not the request's turn."""
    body = {"calls": calls, "focus": focus, "side": SIDE, "full": full, "known": sorted(known)[-400:], "editor": "one"}
    later = 0
    while (answer := browser.ask("POST", address, body)).status == BUSY:
        later += 1
        time.sleep(AGAIN)
    return expect(answer), later


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
                answer, later = ask(browser, address, calls, focus, known, full=full)
                said = answer.json()
                waited.later += later
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


def measure(options: Options) -> Iterator[Row | Skipped]:
    if options.small:
        yield Skipped("workbench", "several people at once", "it takes a minute")
        return
    size, large, count, seconds = (3840, 2160), (7680, 4320), PEOPLE, 45.0
    with workers.sqlite() as environ:
        sessions = workers.call("desk:make_people", environ, count=count)["sessions"]
        for slug, (width, height), pictures in (("people", size, count), ("large", large, 1)):
            workers.call("pictures:make_large", environ, width=width, height=height, count=pictures, slug=slug)
        with serving(environ) as site:
            together(site, sessions[:-1], size, seconds / 5)
            worked = site.worked()
            usual = together(site, sessions[:-1], size, seconds)
            worked = (site.worked() - worked) / len(usual.preview)
            yield _row(f"{count} people editing at once, {size[0]} × {size[1]}, until the preview", usual)
            yield Row("workbench", "an edit of theirs, previewed and in full, processor", worked, "ms", 250)
            took: list[tuple[float, bool]] = []
            part = {"x": 0, "y": 0, "width": 1400, "height": 1400}
            beside = together(
                site, sessions[:-1], size, seconds / 2,
                lambda: took.extend(_denoise(site, sessions[-1], [], [("crop", part)])),
            )  # fmt: skip
            (at_once, refused), (long, wrong) = took
            title = f"denoise of {large[0]} × {large[1]} is refused"
            yield Row("workbench", title, at_once, "s", AT_ONCE, limit="" if refused else "it was not refused")
            title = "denoise of 1400 × 1400 of it, preview and whole, while the others edit"
            yield Row("workbench", title, long, "s", MOST_SECONDS, limit="it was refused" if wrong else "")
            yield _row(f"the others meanwhile, {count} people, until the preview", beside)


def _denoise(site: Site, session: str, *before: Sequence[tuple[str, dict[str, Any]]]) -> Iterator[tuple[float, bool]]:
    """Seconds until a denoise after these steps is there in full or refused; and whether it was refused."""
    browser = Browser(site, session)
    ask(browser, RUN.format("large", "large-00"), [], 0, set(), full=False)
    for steps in before:
        calls = [_call(tool, arguments) for tool, arguments in (*steps, ("denoise", {}))]
        begun, known = time.perf_counter(), set[str]()
        for full in (False, True):
            said = ask(browser, RUN.format("large", "large-00"), calls, len(calls), known, full=full)[0].json()
            if said["error"] or said["whole"]:
                break
        yield time.perf_counter() - begun, said["error"] is not None
    browser.close()


def _row(title: str, waited: Waited) -> Row:
    found = waited.preview
    slow = quantiles(found, n=20)[-1] if len(found) > 1 else found[0]
    said = f"of {len(found)}, median {median(found):.0f} ms"
    if waited.full:
        said += f"; in full: median {median(waited.full):.0f}, most {max(waited.full):.0f} ms"
    if waited.later:
        said += f"; asked again {waited.later} times"
    return Row("workbench", f"{title}, p95", slow, "ms", 400, limit=said)
