"""What a server on another database makes of portable files: a process of its own, on a copy of an empty database.

``made FOLDER``: a benchmark with two versions. ``copied FILE FOLDER``: the benchmark of a file. Both write the files
``state``, ``1`` and ``2`` into the folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import django

KEYS = ("a", "B", "é", "Z-1", "z 1", "Ä 2", "mug-6")
"""Most locales put them into another order than code points do."""


def files_in(folder: Path) -> list[Path]:
    return [folder / name for name in ("state", "1", "2")]


def write(folder: Path, slug: str = "kitchen") -> None:
    """Export the benchmark and its versions."""
    from annotation.models import Benchmark
    from tests.annotation.portable.files import exported

    folder.mkdir(exist_ok=True)
    benchmark = Benchmark.objects.get(slug=slug)
    exported(benchmark, folder / "state")
    for version in benchmark.versions.all():
        exported(benchmark, folder / str(version.number), version=version)


def make() -> None:
    """The planned kitchen, with keys that no two locales put in one order."""
    from tests.annotation.portable.files import add_planned, make_kitchen
    from tests.factories import make_user

    ana, rui, lea = (make_user(name) for name in ("Ana Lind", "Rui Costa", "Lea Moreau"))
    make_kitchen(ana, rui, lea, keys=KEYS)
    from annotation.models import Benchmark

    add_planned(Benchmark.objects.get(slug="kitchen"), ana, rui, lea)


def main(what: str, *paths: str) -> None:
    from evaluation.exports.write import import_project
    from tests.databases import own_copy

    with own_copy():
        if what == "made":
            make()
        else:
            import_project(actor=None, path=Path(paths[0]), slug="kitchen")
        write(Path(paths[-1]))


if __name__ == "__main__":
    django.setup()
    main(*sys.argv[1:])
