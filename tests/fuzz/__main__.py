"""Fuzzes one target: ``python -m tests.fuzz TARGET HOME MINUTES``, in an environment with atheris.

What comes up is kept under ``HOME/found/TARGET``, once for each line it comes from, and the run goes on. The corpus
stays in ``HOME/corpus/TARGET`` for the next run; files put there by hand are inputs too.
"""

from __future__ import annotations

import re
import shutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import atheris

with atheris.instrument_imports(include=["annotation", "evaluation", "openpyxl"]):
    import openpyxl  # noqa: F401 - it is loaded when the first workbook is read, too late to be followed

    from tests.fuzz.mutation import reshaped
    from tests.fuzz.targets import TARGETS, Target

INPUT_BYTES = 1 << 15
SECONDS_EACH = 30
MEGABYTES = 3000


class Finder:
    """Tries inputs on a target; keeps the first of each kind that raises what it must not."""

    def __init__(self, target: Target, found: Path) -> None:
        self._target, self._found = target, found
        self._known: set[str] = set()
        memory = Path("/dev/shm")
        self._folder = Path(mkdtemp(prefix="fuzz-", dir=memory if memory.is_dir() else None))

    def __call__(self, data: bytes) -> None:
        folder = self._folder / "input"
        folder.mkdir()
        try:
            self._target.check(data, folder)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            self._keep(data, error)
        finally:
            shutil.rmtree(folder)

    def _keep(self, data: bytes, error: Exception) -> None:
        last = traceback.extract_tb(error.__traceback__)
        ours = next((f for f in reversed(last) if "importers" in f.filename), last[-1])
        kind = f"{type(error).__name__}-{Path(ours.filename).stem}-{ours.lineno}"
        if kind in self._known:
            return
        self._known.add(kind)
        (self._found / kind).write_bytes(data)
        (self._found / f"{kind}.txt").write_text("".join(traceback.format_exception(error))[-6000:], "utf-8", "replace")
        print(f"FOUND {kind}: {str(error)[:200]!r}", flush=True)


def mutator(random: Random) -> Callable[[bytes, int, int], bytes]:
    """Changes of what JSON says and of bytes, in turn."""

    def change(data: bytes, most: int, seed: int) -> bytes:
        random.seed(seed)
        changed = reshaped(data, random) if random.random() < 0.6 else None
        return changed if changed is not None and len(changed) <= most else atheris.Mutate(data, most)

    return change


def words_of(seeds: list[bytes]) -> list[str]:
    """Keys, names and tags that stand in the seeds, for the fuzzer to put elsewhere."""
    found = {word.decode() for seed in seeds for word in re.findall(rb"</?\w{2,20}>|[A-Za-z_][A-Za-z_0-9]{2,24}", seed)}
    return sorted(found)


def main(name: str, home: Path, minutes: float) -> None:
    """Does not return: the fuzzer ends the process."""
    found, corpus, seeds = (home / kind / name for kind in ("found", "corpus", "seeds"))
    for folder in (found, corpus, seeds):
        folder.mkdir(parents=True, exist_ok=True)
    target = TARGETS[name]
    for number, seed in enumerate(target.seeds()):
        (seeds / str(number)).write_bytes(seed)
    words = home / "words" / name
    words.parent.mkdir(exist_ok=True)
    words.write_text("".join(f'"{word}"\n' for word in words_of(target.seeds())), "ascii")
    flags = {
        "max_total_time": round(minutes * 60), "max_len": INPUT_BYTES, "timeout": SECONDS_EACH,
        "rss_limit_mb": MEGABYTES, "print_final_stats": 1, "artifact_prefix": f"{found}/", "verbosity": 1,
        "dict": words,
    }  # fmt: skip
    command = [sys.argv[0], *(f"-{flag}={value}" for flag, value in flags.items()), str(corpus), str(seeds)]
    atheris.Setup(command, Finder(target, found), custom_mutator=mutator(Random()))
    atheris.Fuzz()


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in TARGETS:
        sys.exit(f"TARGET is one of: {' '.join(TARGETS)}")
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
