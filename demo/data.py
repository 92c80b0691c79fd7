"""The data of the demo as files: two benchmarks with their images, and what the scripted agents did on the public one.

The same seed gives the same bytes, with the versions of the libraries that are locked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from annotation.exporters.native import row_line, sample_row
from demo.agents.run import run_demo
from demo.scenes.benchmark import DemoBenchmark, demo_benchmark, work_benchmark, write_picture
from evaluation.exporters.native import judgement_row, trajectory_row
from evaluation.schema import Judgement, Trajectory

SEED = 7
FOLDER = Path(__file__).resolve().parents[1] / "evaluation/demo/data"
"""Where the product looks for it."""
PUBLIC, WORK = "demo", "demo-work"
"""One folder for each benchmark, named by its slug."""


def write_data(folder: Path, say: Callable[[str], None]) -> None:
    public, work = demo_benchmark(SEED), work_benchmark(SEED)
    say("Drawing the images ...")
    write_benchmark(folder / PUBLIC, public)
    write_benchmark(folder / WORK, work)
    say(f"Running the agents on {len(public.samples)} samples ...")
    write_runs(folder / PUBLIC, public)


def write_benchmark(folder: Path, benchmark: DemoBenchmark) -> None:
    """The images and ``samples.jsonl``."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in benchmark.pictures:
        write_picture(folder, picture)
    _write_rows(folder / "samples.jsonl", map(sample_row, benchmark.samples))


def write_runs(folder: Path, benchmark: DemoBenchmark) -> None:
    """What every agent does on the images in ``folder``: ``trajectories.jsonl`` and ``judgements.jsonl``."""
    made = list(run_demo(folder, benchmark.samples, SEED))
    trajectories = (trajectory_row(one) for one in made if isinstance(one, Trajectory))
    _write_rows(folder / "trajectories.jsonl", trajectories)
    _write_rows(folder / "judgements.jsonl", (judgement_row(one) for one in made if isinstance(one, Judgement)))


def _write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_bytes(b"".join(row_line(row) + b"\n" for row in rows))
