"""What people do at the queue over HTTP: one after the other, and several at once. Each answer is looked at."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Barrier, Thread

from bench.invented import submission
from bench.site import Answer, Browser, Site

QUEUE = "/benchmarks/{}/annotate/"


@dataclass
class Times:
    """Of each kind of request: milliseconds of the server's processors, and of waiting for the answer."""

    worked: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    waited: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def take(self, name: str, site: Site, ask: Callable[[], Answer]) -> Answer:
        """Ask, and keep how long it took; only one request may be under way."""
        before, begun = site.worked(), time.perf_counter()
        answer = ask()
        self.waited[name].append((time.perf_counter() - begun) * 1000)
        self.worked[name].append(site.worked() - before)
        return answer


def work_alone(site: Site, session: str, slug: str, rounds: int) -> Times:
    """One person: the next sample, its page, two drafts, submit (which assigns the next), give that back."""
    times, browser = Times(), Browser(site, session)
    for i in range(rounds):
        following = _one_round(times, site, browser, slug, submission(i))
        if following is None:
            raise RuntimeError("There are too few samples for so many rounds.")
        expect(browser.ask("POST", _address(following, "release"), {}))
    browser.close()
    return times


def _one_round(times: Times, site: Site, browser: Browser, slug: str, content: object) -> str | None:
    place = _place(times.take("next", site, lambda: browser.ask("POST", f"{QUEUE.format(slug)}next/")))
    expect(times.take("open", site, lambda: browser.ask("GET", place)))
    for version in (0, 1):
        expect(times.take("draft", site, partial(_save, browser, place, content, version)))
    handed_in = expect(times.take("submit", site, lambda: _submit(browser, place, content, 2)))
    following: str | None = handed_in.json()["next"]
    return following


@dataclass
class Crowd:
    """What several people did at once: seconds it all took, milliseconds of each request, and what each was handed."""

    seconds: float = 0.0
    waited: list[float] = field(default_factory=list)
    handed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def work_together(site: Site, sessions: Sequence[str], slug: str) -> Crowd:
    """Everybody asks for the next sample and submits it, until there is none."""
    crowd, together = Crowd(), Barrier(len(sessions) + 1)
    threads = [Thread(target=_one_of_many, args=(site, one, slug, crowd, together)) for one in sessions]
    for thread in threads:
        thread.start()
    together.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    crowd.seconds = time.perf_counter() - begun
    if crowd.problems:
        raise RuntimeError(f"{len(crowd.problems)} people could not go on: {crowd.problems[0]}")
    return crowd


def _one_of_many(site: Site, session: str, slug: str, crowd: Crowd, together: Barrier) -> None:
    browser, queue = Browser(site, session), QUEUE.format(slug)
    together.wait()
    try:
        while True:
            place = _place(_timed(crowd, lambda: browser.ask("POST", f"{queue}next/")))
            if place == queue:
                return
            crowd.handed.append(place)
            expect(_timed(crowd, partial(_submit, browser, place, submission(len(place)), 0)))
    except (RuntimeError, OSError) as problem:
        crowd.problems.append(str(problem))
    finally:
        browser.close()


def _timed(crowd: Crowd, ask: Callable[[], Answer]) -> Answer:
    begun = time.perf_counter()
    answer = ask()
    crowd.waited.append((time.perf_counter() - begun) * 1000)
    return answer


def _save(browser: Browser, place: str, content: object, version: int) -> Answer:
    row = {"version": version, "content": content}
    return browser.ask("PUT", _address(place, "draft"), row, f"draft {version} {place}")


def _submit(browser: Browser, place: str, content: object, version: int) -> Answer:
    return browser.ask("POST", _address(place, "submit"), {"version": version, "content": content}, f"submit {place}")


def _address(place: str, act: str) -> str:
    """Where something is done with the sample whose page is at ``place``."""
    return place.replace("/annotate/samples/", f"/annotate/{act}/", 1)


def _place(answer: Answer) -> str:
    if answer.status != 303:
        raise RuntimeError(f"Asking for the next sample was answered {answer.status}: {answer.body[:300]!r}")
    return answer.headers["location"]


def expect(answer: Answer) -> Answer:
    """The answer, which has to be 200."""
    if answer.status != 200:
        raise RuntimeError(f"A request was answered {answer.status}: {answer.body[:300]!r}")
    return answer
