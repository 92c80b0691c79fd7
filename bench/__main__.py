"""``python -m bench [NAMES...] [--small] [--full] [--demo] [--writing]``: measure, print, write bench/RESULTS.md."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from importlib import import_module
from subprocess import SubprocessError

from bench import machine, results
from bench.options import Options
from bench.rows import Row, Skipped, table

BENCHES = (
    "annotating", "adjudicating", "studio", "exchange", "boxes", "scoring", "answers", "reading", "importing", "pages",
    "browsing", "lists", "lineages", "toolbox", "workbench", "rewards", "demo",
)  # fmt: skip
"""Each is a module with a function ``measure``."""
OURS = ("annotation", "bench", "evaluation", "tests", "webapp")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure speed and memory.")
    parser.add_argument("names", nargs="*", choices=[[], *BENCHES], metavar="NAME", help=", ".join(BENCHES))
    parser.add_argument("--small", action="store_true", help="tiny sizes; nothing is written")
    parser.add_argument("--full", action="store_true", help="also the import of a million rows")
    parser.add_argument("--demo", action="store_true", help="also `make demo` from a fresh clone")
    parser.add_argument("--writing", action="store_true", help="also lists while others write")
    given = parser.parse_args()
    options = Options(given.small, given.full, given.demo, given.writing)
    begun = time.monotonic()
    for name in given.names or BENCHES:
        described = machine.describe()
        rows = list(_rows(name, options))
        shown = table(rows)
        print(f"{name}: done after {time.monotonic() - begun:.0f} s\n{shown}", flush=True)
        if not options.small and any(isinstance(row, Row) for row in rows):
            results.keep(name, described, shown, list(BENCHES))


def _rows(name: str, options: Options) -> Iterator[Row | Skipped]:
    """The rows of a bench; what stops it is told in a row of its own, and the others go on."""
    try:
        yield from import_module(f"bench.{name}").measure(options)
    except ModuleNotFoundError as missing:
        package = str(missing.name).partition(".")[0]
        if package in OURS:
            raise
        yield Skipped(name, "all of it", f"the package {package} is not installed; make bench installs it")
    except (RuntimeError, OSError, SubprocessError) as problem:
        print(problem, flush=True)
        yield Skipped(name, "the rest", "it stopped: " + str(problem).splitlines()[-1][:120])


if __name__ == "__main__":
    main()
