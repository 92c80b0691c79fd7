"""Samples into a benchmark and out of it: files of 10,000 samples with a gold box each, imported on both databases and
exported over HTTP. Processor time is that of our processes; what a PostgreSQL server takes is not in it.

Limit: what Label Studio 1.23.2 needed for as many tasks on such a machine, on SQLite.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from bench import workers
from bench.options import Options
from bench.rows import Row, Skipped
from bench.site import Site, serving
from tests.postgres import NoServer, server

FORMATS = {"native": 443, "label-studio": 646}
"""Tasks a second that Label Studio takes: with one predicted box each; with a whole annotation each."""
PIECE = 1 << 16
RATE = 2000


def measure(options: Options) -> Iterator[Row | Skipped]:
    count = 200 if options.small else 10_000
    with workers.sqlite() as environ:
        yield from _imports("SQLite", environ, count)
        yield from _exports(environ, 2 * count)
        yield from _portable(environ, 2 * count)
    if options.small:
        return
    try:
        with server(dict(os.environ)) as address, workers.postgres(address) as environ:
            yield from _imports("PostgreSQL", environ, count)
    except (NoServer, ImportError) as problem:
        yield Skipped("exchange", "PostgreSQL", str(problem))


def _imports(name: str, environ: Mapping[str, str], count: int) -> Iterator[Row]:
    """The native file first; the other one brings as many samples more, into a benchmark that has some."""
    for number, (format, theirs) in enumerate(FORMATS.items()):
        path = Path(environ["SIGHTLINE_HOME"]) / f"{format}.json"
        span = {"first": number * count, "last": (number + 1) * count}
        workers.call("stages:write_benchmark", environ, path=str(path), format=format, **span)
        took = workers.call("stages:import_benchmark", environ, path=str(path), format=format)
        if took["counts"].get("new") != count:
            raise RuntimeError(f"{count} samples were to come in, but these: {took['counts']}.")
        said = f"{count / took['seconds']:,.0f} a second by the clock at load {_load():.1f}; "
        said += f"peak {took['peak_mb']:.0f} MB; Label Studio {theirs} by the clock"
        title = f"{name}, import of {count:,} samples, {format}, of processor"
        yield Row("exchange", title, count / took["processor"], "a second", RATE, False, said)


def _portable(environ: Mapping[str, str], count: int) -> Iterator[Row]:
    """The whole benchmark as one file, out of it, and compared with a file in which each sample is another one. Limit:
    60 s."""
    path = str(Path(environ["SIGHTLINE_HOME"]) / "invented.sightline")
    for what in ("write", "read", "compare"):
        took = workers.call(f"stages:{what}_portable", environ, path=path)
        said = f"peak {took['peak_mb']:.0f} MB at load {_load():.1f}"
        yield Row("exchange", f"portable file of {count:,} samples, {what}", took["seconds"], "s", 60, limit=said)


@dataclass(frozen=True)
class Download:
    first: float
    whole: float
    worked: float
    bytes: int
    grown_mb: float


def _exports(environ: Mapping[str, str], count: int) -> Iterator[Row]:
    people = workers.call("desk:make_people", environ, count=0)["sessions"]
    workers.call("desk:let_in", environ, slug="invented")
    with serving(environ) as site:
        for format in FORMATS:
            _download(site, people[0], "label-studio")
            found = _download(site, people[0], format)
            title = f"export of {count:,} samples, {format}"
            yield Row("exchange", f"{title}, first byte", found.first, "s", 0.3, limit="Label Studio 24.6 s")
            said = f"{found.bytes / 1e6:.1f} MB; {found.whole:.1f} s by the clock at load {_load():.1f}; "
            said += "Label Studio 23.3 s for 10,000"
            yield Row("exchange", f"{title}, processor", found.worked, "s", 4 * count / 10_000, limit=said)
            yield Row("exchange", f"{title}, memory", found.grown_mb, "MB", 20, limit="Label Studio 120 MB")


def _download(site: Site, session: str, format: str) -> Download:
    before = most = site.resident_mb()
    worked = site.worked()
    connection = HTTPConnection("127.0.0.1", site.port, timeout=120)
    begun = time.perf_counter()
    connection.request("GET", f"/benchmarks/invented/export/{format}.json", headers={"Cookie": f"sessionid={session}"})
    answer = connection.getresponse()
    size, first = 0, 0.0
    while piece := answer.read(PIECE):
        first = first or time.perf_counter() - begun
        size += len(piece)
        if size % (16 * PIECE) < PIECE:
            most = max(most, site.resident_mb())
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"The export was answered {answer.status}.")
    return Download(first, time.perf_counter() - begun, (site.worked() - worked) / 1000, size, most - before)


def _load() -> float:
    return os.getloadavg()[0]
