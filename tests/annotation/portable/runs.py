"""Runs on the kitchen: two models with calls, a lineage, interventions, judgments of a model and of a person."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from annotation.models import Benchmark, Version
from annotation.project_file import line_of
from evaluation.common.judging.digests import judged_digests
from evaluation.exports.write.files import export_file
from evaluation.imports.write.runs import import_runs
from evaluation.models import Experiment, Judgement, Metric, Run, Trajectory
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from evaluation.trajectories.write.marks import correct_failure, tag_trajectories, write_note
from webapp.accounts.models import User

SECRETS = ("sk-secret", "gpu-7.internal", "/home/lea", "C:\\\\models")
"""Texts of these runs that no file may have."""


def rows_on(keys: list[str]) -> dict[str, list[dict[str, Any]]]:
    def call(number: int) -> dict[str, Any]:
        return {
            "tool": "zoom_in", "bbox": [5 + number, 5, 40, 30], "image_in": "original", "image_out": "c1",
            "out_size": [35, 25], "text": "Look. ☕",
        }  # fmt: skip

    trajectories: list[dict[str, Any]] = [
        {
            "model": "Qwen-VL ü", "setting": "base", "sample_id": key, "steps": [call(number)], "answer": "A",
            "usage": {"input_tokens": 10, "output_tokens": 3, "seconds": 0.5},
            "base_url": "http://gpu-7.internal:8000", "source_image": "/home/lea/images/a.png",
            "sent": {"api_key": "sk-secret", "size": [10, 8]}, "final_image": "C:\\models\\out\\final.png",
        }
        for number, key in enumerate(keys)
    ]  # fmt: skip
    trajectories += [
        {"model": "b", "setting": "", "sample_id": key, "rollout": rollout, "answer": None, "error": "Stopped.",
         "lineage": "GRPO", "step": 100}
        for key in keys[:2] for rollout in (0, 1)
    ]  # fmt: skip
    trajectories.append({"model": "b", "sample_id": keys[0], "condition": "visual", "answer": "B"})
    return {
        "trajectories": trajectories,
        "interventions": [{"model": "b", "sample_id": keys[1], "condition": "text", "correct": True}],
        "judgements": [
            {"model": "Qwen-VL ü", "setting": "base", "sample_id": keys[0], "kind": "reliability", "verdict": "yes",
             "judge": "judge-7b"},
        ],
    }  # fmt: skip


def add_runs_to(benchmark: Benchmark, lea: User, *, judge: User | None = None, settings: bool = True) -> None:
    keys = sorted(benchmark.samples.exclude(gold=None).values_list("key", flat=True))
    rows = rows_on([*keys, *sorted(set(benchmark.samples.values_list("key", flat=True)) - set(keys))][:4])
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "runs"
        folder.mkdir()
        for name, found in rows.items():
            (folder / f"{name}.jsonl").write_bytes(b"".join(map(line_of, found)))
        import_runs(actor=lea, benchmark=benchmark, path=folder, format="native")
    Run.objects.filter(benchmark=benchmark, model__name="b").update(note="Second checkpoint.")
    Experiment.objects.create(
        benchmark=benchmark, kind="run", model="Qwen-VL ü", setting="base", state="done", endpoint_name="local",
        recipe=RECIPE, recipe_digest="1" * 64, import_record=benchmark.imports.filter(kind="runs").first(),
    )  # fmt: skip
    if judge is not None:
        one = Trajectory.objects.get(run__benchmark=benchmark, run__model__name="Qwen-VL ü", sample__key=keys[0])
        Judgement.objects.create(
            run=one.run, sample=one.sample, trajectory=one, kind="answer", person=judge, judge=judge.email,
            verdict=None, answer="A", decides=True, text_digest=judged_digests("answer", [one.pk])[one.pk],
        )  # fmt: skip
    if settings:
        change_settings(actor=lea, benchmark=benchmark, values={"ioa_threshold": 0.4})
    score_benchmark(actor=lea, benchmark=benchmark)


RECIPE = {
    "protocol": "zoom", "model": "/home/lea/weights/qwen", "base_url": "http://gpu-7.internal:8000/v1",
    "checkpoint": "/home/lea/weights/qwen", "user": {"slug": "direct", "version": "1", "text": "?"}, "dialect": "tools",
    "sampling": {"temperature": 0.2, "seed": 7, "user": "sk-secret"}, "limits": {"rounds": 5, "calls": 5},
}  # fmt: skip


def with_runs(
    benchmark: Benchmark, path: Path, *, named: bool = True, version: Version | None = None, actor: User | None = None
) -> Path:
    with path.open("wb") as out:
        export_file(actor=actor, benchmark=benchmark, out=out, named=named, version=version, with_runs=True)
    return path


def add_marks_to(benchmark: Benchmark, ana: User, rui: User, lea: User) -> None:
    """Notes on a whole trajectory, a turn and a region, tags of two people, a private tag, a failure that was set
    twice, and rollout groups of a run and of none."""
    first, second = Trajectory.objects.filter(run__benchmark=benchmark, run__setting="base").order_by("pk")[:2]
    write_note(actor=ana, trajectory=first, text="Look at the handle. ☕")
    write_note(actor=rui, trajectory=first, text="Too wide.", turn=1)
    write_note(actor=ana, trajectory=second, text="Here.", region=(1.5, 2, 30, 40))
    given = {"benchmark": benchmark, "trajectories": [first.pk, second.pk]}
    tag_trajectories(actor=ana, name="größe", **given)
    tag_trajectories(actor=rui, benchmark=benchmark, trajectories=[second.pk], name="Alpha")
    tag_trajectories(actor=rui, name="mine alone", shared=False, **given)
    for person, failure in ((ana, "wrong_tool"), (rui, "none")):
        correct_failure(actor=person, trajectory=first, failure=failure)
    rollouts = [{"image_tokens": 100 + n, "acc": 1.0, "format": 0.5, "sufficient": bool(n)} for n in range(3)]
    named = {"model": "Qwen-VL ü", "setting": "base", "api_key": "sk-secret"}
    groups = [
        {"group_id": "g-1", "rollouts": rollouts, "alpha": 0.2, **named},
        {"group_id": "a ü", "rollouts": rollouts},
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rollout_groups.jsonl"
        path.write_bytes(b"".join(map(line_of, groups)))
        import_runs(actor=lea, benchmark=benchmark, path=path, format="native")


def scores_of(benchmark: Benchmark) -> list[Any]:
    """Every metric of every run, on every slice."""
    names = (
        "scoring__run__model__name", "scoring__run__setting", "metric", "slice_by", "slice", "value", "n", "numerator",
        "ci_low", "ci_high", "ci_method", "p_value", "detail",
    )  # fmt: skip
    rows = Metric.objects.filter(scoring__run__benchmark=benchmark).values_list(*names)
    return sorted(rows, key=lambda row: json.dumps(row, default=str))
