"""What a server on another database makes of portable files: a process of its own, on a copy of an empty database.

``made FOLDER``: a benchmark with samples of every state, three versions and runs. ``copied FILE FOLDER``: the benchmark
of a file. Both write the files ``runs`` (the working state with runs), ``1``, ``2``, ``3`` and ``state``, and
``scores`` into the folder.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import django

KEYS = ("a", "B", "é", "Z-1", "z 1", "Ä 2", "mug-6")
"""Most locales put them into another order than code points do."""


def files_in(folder: Path) -> list[Path]:
    return [folder / name for name in ("runs", "1", "2", "3", "state")]


def write(folder: Path, slug: str = "kitchen") -> None:
    """Export the benchmark, its versions and its runs, and list its scores."""
    from annotation.models import Benchmark
    from tests.annotation.portable.files import exported
    from tests.annotation.portable.runs import scores_of, with_runs

    folder.mkdir(exist_ok=True)
    benchmark = Benchmark.objects.get(slug=slug)
    exported(benchmark, folder / "state")
    with_runs(benchmark, folder / "runs")
    (folder / "scores").write_text(json.dumps(scores_of(benchmark)))
    for version in benchmark.versions.all():
        exported(benchmark, folder / str(version.number), version=version)


def make() -> None:
    """The planned kitchen, with keys that no two locales put in one order."""
    from tests.annotation.portable.files import add_planned, add_states, make_kitchen
    from tests.factories import make_user

    ana, rui, lea = (make_user(name) for name in ("Ana Lind", "Rui Costa", "Lea Moreau"))
    make_kitchen(ana, rui, lea, keys=KEYS)
    from annotation.models import Benchmark
    from tests.annotation.portable.runs import add_runs_to

    kitchen = add_planned(Benchmark.objects.get(slug="kitchen"), ana, rui, lea)
    kitchen = add_states(kitchen, ana, rui, lea)
    add_runs_to(kitchen, lea, judge=rui)


def copy(file: Path, slug: str = "kitchen") -> None:
    """The benchmark of a file, with scores of its runs."""
    from evaluation.exports.write import import_project
    from evaluation.scoring.write import score_benchmark

    score_benchmark(actor=None, benchmark=import_project(actor=None, path=file, slug=slug))


def main(what: str, *paths: str) -> None:
    from tests.databases import own_copy

    with own_copy():
        if what == "made":
            make()
        else:
            copy(Path(paths[0]))
        write(Path(paths[-1]))


if __name__ == "__main__":
    django.setup()
    main(*sys.argv[1:])
