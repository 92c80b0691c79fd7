"""Annotating over HTTP against ``manage.py serve``: the processor time of each request, eight people at once, and
whether anything is handed out twice.

Limit: what Label Studio 1.23.2 needed for the same steps on such a machine. Processor time counts all processes of the
server; that of the database is not in it, and the people's is not either.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from statistics import median, quantiles

from bench import workers
from bench.crowd import Times, expect, work_alone, work_together
from bench.options import Options
from bench.rows import Row, Skipped
from bench.site import Browser, Site, serving
from tests.postgres import NoServer, server

PEOPLE = 8
THEIRS = {"submit": 53, "next": 49, "draft": 21, "open": 61, "list": 268}
"""Milliseconds of processor time that Label Studio 1.23.2 needs for a request, on SQLite."""
TARGETS = {"submit": 15, "next": 15, "draft": 15, "open": 61}


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
    samples, rounds, again = (60, 5, 1) if options.small else (10_000, 150, 5)
    sessions = workers.call("desk:make_people", environ, count=PEOPLE)["sessions"]
    slugs = [f"round-{number}" for number in range(again)]
    for slug, count in {"work": samples, **dict.fromkeys(slugs, 20 if options.small else 200)}.items():
        workers.call("desk:make_work", environ, slug=slug, samples=count)
    with serving(environ) as site:
        yield from _alone(name, site, sessions, rounds)
        yield from _together(name, site, sessions, 10 if options.small else 600)
        found = [work_together(site, sessions[:PEOPLE], slug, samples).handed for slug in slugs]
        yield Row("annotating", f"{name}, memory of the site afterwards", site.resident_mb(), "MB", 200)
    counted = [workers.call("desk:count_work", environ, slug=slug) for slug in slugs]
    twice = sum(len(handed) - len(set(handed)) for handed in found) + sum(one["twice"] for one in counted)
    handed_in, wanted = sum(one["revisions"] for one in counted), sum(one["samples"] for one in counted)
    if any(one["held"] or one["entries"] != one["annotations"] for one in counted):
        raise RuntimeError(f"Seats are still held, or the audit lacks entries: {counted}")
    said = f"{PEOPLE} people, {again} × {wanted // again} samples; Label Studio 10 to 12 % of them"
    yield Row("annotating", f"{name}, samples handed out twice", twice, "samples", 0, limit=said)
    yield Row("annotating", f"{name}, annotations too many or too few", abs(handed_in - wanted), "annotations", 0)


def _alone(name: str, site: Site, sessions: list[str], rounds: int) -> Iterator[Row]:
    times = work_alone(site, sessions[0], "work", rounds)
    for request, target in TARGETS.items():
        yield _row(f"{name}, {request}", times, request, target)
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


def _together(name: str, site: Site, sessions: list[str], most: int) -> Iterator[Row]:
    """The better of two rounds: what others do on the machine only ever adds."""
    before = site.worked()
    rounds = [work_together(site, sessions[:PEOPLE], "work", count) for count in (most // 2, most // 2)]
    asked = sum(len(crowd.waited) for crowd in rounds)
    each = (site.worked() - before) / asked
    best = max(rounds, key=lambda crowd: len(crowd.waited) / crowd.seconds)
    rate, p95 = len(best.waited) / best.seconds, quantiles(best.waited, n=20)[-1]
    said = f"{each:.1f} ms of processor each, load {_load():.1f}; Label Studio 10 to 16 a second"
    title = f"{name}, {PEOPLE} people at once, next and submit"
    yield Row("annotating", title, rate, "a second", 60, False, said)
    said = f"median {median(best.waited):.0f} ms, worst {max(best.waited):.0f} ms; Label Studio 1,380 to 1,680 ms"
    yield Row("annotating", f"{title}, p95", p95, "ms", 250, limit=said)


def _load() -> float:
    """What others and we ask of the machine at this moment."""
    return os.getloadavg()[0]
