"""The page on which an adjudicator compares five annotations, over HTTP against ``manage.py serve``: the processor time
of the server's processes for one page.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import cycle, islice
from statistics import median, quantiles

from bench import workers
from bench.crowd import Times, expect
from bench.options import Options
from bench.rows import Row, Skipped
from bench.site import Browser, serving

PEOPLE, BOXES = 5, 4
MOST_MS = 60


def measure(options: Options) -> Iterator[Row | Skipped]:
    samples, rounds = (2, 3) if options.small else (20, 60)
    with workers.sqlite() as environ:
        sessions = workers.call("desk:make_people", environ, count=PEOPLE)["sessions"]
        made = workers.call("desk:make_disputes", environ, samples=samples, boxes=BOXES)
        with serving(environ) as site:
            lead, times = Browser(site, sessions[-1]), Times()
            for address in islice(cycle(made["addresses"]), rounds):
                answer = expect(times.take("page", site, lambda address=address: lead.ask("GET", address)))
            lead.close()
    worked, waited = times.worked["page"], times.waited["page"]
    limit = f"p95 {quantiles(worked, n=20)[-1]:.1f} ms, {len(answer.body) / 1024:.0f} kB; waited for "
    limit += f"{median(waited):.0f} ms at load {os.getloadavg()[0]:.1f}"
    name = f"SQLite, page of {PEOPLE} annotations with {BOXES} boxes each, processor"
    yield Row("adjudicating", name, median(worked), "ms", MOST_MS, limit=limit)
