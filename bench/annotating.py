"""Annotating over HTTP against ``manage.py serve``: the processor time of each request, eight people at once, and
whether anything is handed out twice.

Limit: what Label Studio 1.23.2 needed for the same steps on such a machine. Processor time counts all processes of the
server; that of the database is not in it, and the people's is not either.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from statistics import median, quantiles

from bench import workers
from bench.crowd import Crowd, Times, expect, work_alone, work_together
from bench.options import Options
from bench.rows import Row, Skipped
from bench.site import Browser, Site, serving
from tests.postgres import NoServer, server

PEOPLE = 8
SUBMIT, NEXT = 15, 15
THEIRS = {"submit": 53 + 49, "next": 49, "draft": 21, "open": 61, "list": 268}
"""Milliseconds of processor time that Label Studio 1.23.2 needs for the same steps, on SQLite. It needs two requests
where a submission here also assigns the next sample."""
TARGETS = {"submit": SUBMIT + NEXT, "next": NEXT, "draft": 15, "open": 61}
STEPS = {"submit": "submit, which assigns the next sample"}


def measure(options: Options) -> Iterator[Row | Skipped]:
    with workers.sqlite() as environ:
        yield from _measure("SQLite", environ, options)
    if options.small:
        return
    try:
        with server(dict(os.environ)) as address, workers.postgres(address) as environ:
            yield from _measure("PostgreSQL", environ, options)
    except (NoServer, ImportError) as problem:
        yield Skipped("annotating", "PostgreSQL", str(problem))


def _measure(name: str, environ: Mapping[str, str], options: Options) -> Iterator[Row]:
    samples, rounds, again, each = (60, 5, 1, 20) if options.small else (10_000, 60, 5, 200)
    sessions = workers.call("desk:make_people", environ, count=PEOPLE)["sessions"]
    slugs = [f"round-{number}" for number in range(again)]
    workers.call("desk:make_work", environ, works={"work": samples, **dict.fromkeys(slugs, each)})
    with serving(environ) as site:
        yield from _alone(name, site, sessions, rounds)
        before = site.worked()
        crowds = [work_together(site, sessions[:PEOPLE], slug) for slug in slugs]
        yield from _together(name, crowds, site.worked() - before)
        yield Row("annotating", f"{name}, memory of the site afterwards", site.resident_mb(), "MB", 200)
    counted = workers.call("desk:count_work", environ, slugs=slugs)
    if counted["held"] or counted["entries"] != counted["annotations"]:
        raise RuntimeError(f"Seats are still held, or the audit lacks entries: {counted}")
    twice = counted["twice"] + sum(len(crowd.handed) - len(set(crowd.handed)) for crowd in crowds)
    said = f"{PEOPLE} people, {again} × {each} samples; Label Studio 10 to 12 % of them"
    yield Row("annotating", f"{name}, samples assigned twice", twice, "samples", 0, limit=said)
    surplus = abs(counted["revisions"] - counted["samples"])
    yield Row("annotating", f"{name}, annotations too many or too few", surplus, "annotations", 0)


def _alone(name: str, site: Site, sessions: list[str], rounds: int) -> Iterator[Row]:
    times = work_alone(site, sessions[0], "work", rounds)
    for request, target in TARGETS.items():
        yield _row(f"{name}, {STEPS.get(request, request)}", times, request, target)
    lead, listed = Browser(site, sessions[-1]), Times()
    for _ in range(max(rounds // 5, 2)):
        expect(listed.take("list", site, lambda: lead.ask("GET", "/api/v1/benchmarks/work/samples/")))
        expect(listed.take("page", site, lambda: lead.ask("GET", "/benchmarks/work/samples/?view=table")))
    lead.close()
    yield _row(f"{name}, list of 100 samples", listed, "list", 40)
    yield _row(f"{name}, page of 48 samples with all its counts", listed, "page", 40)


def _row(title: str, times: Times, request: str, target: float) -> Row:
    worked, waited = times.worked[request], times.waited[request]
    limit = f"p95 {quantiles(worked, n=20)[-1]:.1f} ms; waited for {median(waited):.0f} ms at load {_load():.1f}"
    theirs = THEIRS.get(request)
    limit += f"; Label Studio {theirs} ms, {theirs / median(worked):.1f} times as much" if theirs else ""
    return Row("annotating", f"{title}, processor", median(worked), "ms", target, limit=limit)


def _together(name: str, crowds: Sequence[Crowd], worked: float) -> Iterator[Row]:
    """The best of the rounds: what others do on the machine only ever adds."""
    each = worked / sum(len(crowd.waited) for crowd in crowds)
    best = max(crowds, key=lambda crowd: len(crowd.waited) / crowd.seconds)
    rate, p95 = len(best.waited) / best.seconds, quantiles(best.waited, n=20)[-1]
    said = f"{each:.1f} ms of processor each, load {_load():.1f}; Label Studio 10 to 16 a second"
    title = f"{name}, {PEOPLE} people at once, next and submit"
    yield Row("annotating", title, rate, "a second", 60, False, said)
    said = f"median {median(best.waited):.0f} ms, worst {max(best.waited):.0f} ms; Label Studio 1,380 to 1,680 ms"
    yield Row("annotating", f"{title}, p95", p95, "ms", 250, limit=said)


def _load() -> float:
    """What others and we ask of the machine at this moment."""
    return os.getloadavg()[0]
