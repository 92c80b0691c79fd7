"""Keeping what an agent elsewhere did with the toolbox, through the same door as an import."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from annotation.actions.chain_runs import original_of, run_sent
from annotation.actions.find_sample import find_sample
from annotation.models import Benchmark, Sample
from annotation.schema import ToolCall
from annotation.toolbox.results import Picture
from annotation.toolbox.runner import ChainResult
from evaluation.actions.import_runs import import_runs
from evaluation.agents.tool_session import ToolSession
from evaluation.models import Run
from webapp.accounts.models import User


def open_session(benchmark: Benchmark, key: str, *, shared: bool = False) -> tuple[ToolSession, dict[str, Any]]:
    """A session on a sample, and what the agent is told: its question and options, never its gold.

    ``shared``: in a process that serves others too, where each call waits for its turn and its result is kept by
    content, so that a session can be made again from its calls. Its calls raise ``Later``.
    """
    samples = Sample.objects.filter(benchmark=benchmark).select_related("image", "gold__revision")
    sample = find_sample(benchmark, samples, key)
    sample.benchmark = benchmark
    revision = sample.gold.revision if hasattr(sample, "gold") else None
    asked = (
        {"question": revision.question, "options": revision.options} if revision else {"question": "", "options": {}}
    )
    if not shared:
        return ToolSession(key, original_of(sample)), asked
    sha256 = sample.image.sha256 if sample.image else ""
    return ToolSession(key, original_of(sample), partial(_in_turn, sha256)), asked


def _in_turn(
    sha256: str, original: Picture, call: ToolCall, others: Mapping[str, Picture], keys: Mapping[str, str]
) -> ChainResult:
    return run_sent(original, call, others, sha256, keys)


def sample_keys(benchmark: Benchmark, after: str = "", most: int = 200) -> list[str]:
    """The samples with gold and a picture, by id, behind ``after``."""
    ready = Sample.objects.filter(benchmark=benchmark, gold__isnull=False, image__isnull=False, key__gt=after)
    return list(ready.order_by("key").values_list("key", flat=True)[:most])


def record_session(*, actor: User | None, benchmark: Benchmark, row: Mapping[str, Any]) -> Run:
    """One trajectory of the native format, as if it came in a file; gives the run that it is in. The same sample
    answered again: the last counts."""
    with TemporaryDirectory(prefix="session-") as folder:
        path = Path(folder) / "trajectories.jsonl"
        path.write_text(json.dumps(dict(row)) + "\n", encoding="utf-8")
        _, imported = import_runs(actor=actor, benchmark=benchmark, path=path, format="native")
    return imported.runs[0]
