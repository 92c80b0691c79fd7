"""The data of the demo that the product ships is what its generator writes."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from annotation.exporters.native import row_line, sample_row
from demo.agents import AGENTS
from demo.data import FOLDER, PUBLIC, SEED, WORK, write_runs
from demo.scenes.benchmark import DemoBenchmark, demo_benchmark, work_benchmark, write_picture
from evaluation.demo import build

BENCHMARKS = {PUBLIC: demo_benchmark(SEED), WORK: work_benchmark(SEED)}
AGAIN = ("tools-steel-01", "tools-steel-05")
"""A choice, and a plan."""


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def test_the_product_looks_where_the_generator_writes() -> None:
    assert build.DATA == FOLDER
    assert {build.SLUG, build.WORK} == set(BENCHMARKS) == {folder.name for folder in FOLDER.iterdir()}


@pytest.mark.parametrize(("slug", "benchmark"), BENCHMARKS.items(), ids=BENCHMARKS)
def test_samples_and_names_of_images_are_those_of_the_generator(slug: str, benchmark: DemoBenchmark) -> None:
    assert lines(FOLDER / slug / "samples.jsonl") == [row_line(sample_row(one)) for one in benchmark.samples]
    assert {path.name for path in (FOLDER / slug).glob("*.jpg")} == {picture.file for picture in benchmark.pictures}


@pytest.mark.endurance
@pytest.mark.parametrize(("slug", "name"), [(PUBLIC, "tools-steel"), (WORK, "board-cork")])
def test_a_scene_that_is_drawn_again_has_the_same_digest(slug: str, name: str, tmp_path: Path) -> None:
    picture = next(one for one in BENCHMARKS[slug].pictures if one.name == name)
    drawn, shipped = write_picture(tmp_path, picture), FOLDER / slug / picture.file
    assert sha256(drawn.read_bytes()).hexdigest() == sha256(shipped.read_bytes()).hexdigest()


def test_every_agent_runs_every_sample_under_its_conditions_and_is_judged_once() -> None:
    rows = map(json.loads, lines(FOLDER / PUBLIC / "trajectories.jsonl"))
    found = sorted((row["model"], row.get("condition", "none"), row["sample_id"]) for row in rows)
    ids = [sample.id for sample in BENCHMARKS[PUBLIC].samples]
    assert found == sorted((a.name, str(c), one) for a in AGENTS.values() for c in a.conditions for one in ids)
    rows = map(json.loads, lines(FOLDER / PUBLIC / "judgements.jsonl"))
    judged = Counter((row["model"], row["sample_id"], row["kind"]) for row in rows)
    assert set(judged.values()) == {1}
    assert {found[:2] for found in judged} == {
        (agent, one) for agent in AGENTS if agent != "whole image" for one in ids
    }


@pytest.mark.endurance
def test_agents_that_run_again_do_and_are_judged_the_same(tmp_path: Path) -> None:
    public = BENCHMARKS[PUBLIC]
    chosen = DemoBenchmark(public.pictures, [one for one in public.samples if one.id in AGAIN], public.looks)
    (tmp_path / "tools-steel.jpg").symlink_to(FOLDER / PUBLIC / "tools-steel.jpg")
    write_runs(tmp_path, chosen)
    for name in ("trajectories.jsonl", "judgements.jsonl"):
        shipped = [row for row in lines(FOLDER / PUBLIC / name) if json.loads(row)["sample_id"] in AGAIN]
        assert lines(tmp_path / name) == shipped
