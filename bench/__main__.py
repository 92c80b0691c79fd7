"""``python -m bench [NAMES...] [--small] [--full] [--demo]``: measure, print, and write bench/RESULTS.md."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from subprocess import SubprocessError

from bench import annotating, boxes, demo, exchange, importing, machine, pages, scoring, studio
from bench.options import Options
from bench.rows import Row, Skipped, table

Bench = Callable[[Options], Iterable[Row | Skipped]]
BENCHES: Mapping[str, Bench] = {
    "annotating": annotating.measure,
    "studio": studio.measure,
    "exchange": exchange.measure,
    "boxes": boxes.measure,
    "scoring": scoring.measure,
    "importing": importing.measure,
    "pages": pages.measure,
    "demo": demo.measure,
}
RESULTS = Path(__file__).parent / "RESULTS.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure speed and memory.")
    parser.add_argument("names", nargs="*", choices=[[], *BENCHES], metavar="NAME", help=", ".join(BENCHES))
    parser.add_argument("--small", action="store_true", help="tiny sizes; nothing is written")
    parser.add_argument("--full", action="store_true", help="also the import of a million rows")
    parser.add_argument("--demo", action="store_true", help="also `make demo` from a fresh clone")
    given = parser.parse_args()
    options = Options(given.small, given.full, given.demo)
    described, begun = machine.describe(), time.monotonic()
    rows: list[Row | Skipped] = []
    for name in given.names or BENCHES:
        rows += _rows(name, options)
        print(f"{name}: done after {time.monotonic() - begun:.0f} s", flush=True)
    shown = table(rows)
    print(shown)
    if not options.small and not given.names:
        RESULTS.write_text(_document(described, shown), encoding="utf-8")


def _rows(name: str, options: Options) -> Iterator[Row | Skipped]:
    """The rows of a bench; what stops it is told in a row of its own, and the others go on."""
    try:
        yield from BENCHES[name](options)
    except (RuntimeError, OSError, SubprocessError) as problem:
        print(problem, flush=True)
        yield Skipped(name, "the rest", "it stopped: " + str(problem).splitlines()[-1][:120])


def _document(described: Iterable[str], shown: str) -> str:
    head = "Written by `make bench`. The ratio is the value over its target; the limit says what is left to gain."
    listed = "\n".join(f"- {line}" for line in [*described, f"Measured on {datetime.now(UTC):%d %B %Y}"])
    return f"# Measurements\n\n{head}\n\n{listed}\n\n{shown}\n"


if __name__ == "__main__":
    main()
