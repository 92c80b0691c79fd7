"""``make demo`` from a fresh clone until the site answers, a second start, and the memory of the idle site.

Limit: what others have to do in between: pip installs the packages.
Runs only when asked for: it installs packages.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from bench.options import Options
from bench.rows import Row, Skipped
from bench.site import free_port, processes, pss_mb
from webapp import env

ROOT = Path(__file__).resolve().parent.parent
READY = "Sightline answers at"
GIVEN_UP = 900


def measure(options: Options) -> Iterator[Row | Skipped]:
    if not options.demo:
        yield Skipped("demo", "make demo from a fresh clone", "only with --demo: it installs packages")
        return
    with TemporaryDirectory(prefix="sightline-bench-") as folder:
        subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{ROOT}", folder], check=True)
        with _started(Path(folder)) as (cold, steps, _):
            yield Row("demo", "cold start", cold, "s", 180, limit=steps)
        with _started(Path(folder)) as (warm, _, process):
            yield Row("demo", "second start", warm, "s", 8, limit="make, one interpreter, migrations looked at")
            held = [pss_mb(pid) for pid in processes(process.pid)]
            note = f"{len(held)} processes, shared pages divided among them"
            yield Row("demo", "memory of the idle site", sum(held), "MB", 200, limit=note)


@contextmanager
def _started(folder: Path) -> Iterator[tuple[float, str, subprocess.Popen[str]]]:
    """The site of ``folder``: seconds until it answers, what took them, its process."""
    port = free_port()
    ours = {variable.name for variable in env.VARIABLES} | {"DJANGO_SETTINGS_MODULE", "MAKEFLAGS", "MAKELEVEL"}
    environ = {name: value for name, value in os.environ.items() if name not in ours}
    environ |= {"PORT": str(port), "PYTHON": sys.executable}
    begun = time.monotonic()
    process = subprocess.Popen(
        ["make", "demo"], cwd=folder, env=environ, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        marks = _until_ready(process, begun)
        with urlopen(f"http://127.0.0.1:{port}/live", timeout=30) as answer:
            answer.read()
        yield marks[-1][0], _durations(marks), process
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)


def _until_ready(process: subprocess.Popen[str], begun: float) -> list[tuple[float, str]]:
    """When each line came, up to the one that says where the site answers."""
    marks: list[tuple[float, str]] = [(0.0, "make")]
    assert process.stdout is not None
    for line in process.stdout:
        marks.append((time.monotonic() - begun, line.strip()))
        if READY in line:
            return marks
        if marks[-1][0] > GIVEN_UP:
            break
    said = "\n".join(line for _, line in marks)
    raise RuntimeError(f"make demo did not come up:\n{said}")


def _durations(marks: list[tuple[float, str]]) -> str:
    """The longest waits and the line that stood before each."""
    waits = [(after[0] - before[0], before[1]) for before, after in pairwise(marks)]
    longest = sorted(waits, reverse=True)[:4]
    return ", ".join(f"{re.sub(r'[^A-Za-z ]', '', said).strip()[:40]} {seconds:.0f} s" for seconds, said in longest)
