"""Keeping what an agent elsewhere did with the toolbox, through the same door as an import."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from annotation.actions.chain_runs import original_of
from annotation.models import Benchmark, Sample
from evaluation.actions.import_runs import import_runs
from evaluation.agents.tool_session import ToolSession
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput


def open_session(benchmark: Benchmark, key: str) -> tuple[ToolSession, dict[str, Any]]:
    """A session on a sample, and what the agent is told: its question and options, never its gold."""
    samples = Sample.objects.filter(benchmark=benchmark).select_related("image", "gold__revision")
    sample = samples.filter(key=key).first()
    if sample is None:
        raise InvalidInput(f"{benchmark.title} has no sample {key!r}. list_samples names them.", field="sample")
    sample.benchmark = benchmark
    revision = sample.gold.revision if hasattr(sample, "gold") else None
    asked = (
        {"question": revision.question, "options": revision.options} if revision else {"question": "", "options": {}}
    )
    return ToolSession(key, original_of(sample)), asked


def sample_keys(benchmark: Benchmark, after: str = "", most: int = 200) -> list[str]:
    """The samples with gold and a picture, by id, behind ``after``."""
    ready = Sample.objects.filter(benchmark=benchmark, gold__isnull=False, image__isnull=False, key__gt=after)
    return list(ready.order_by("key").values_list("key", flat=True)[:most])


def record_session(*, actor: User | None, benchmark: Benchmark, row: Mapping[str, Any]) -> None:
    """One trajectory of the native format, as if it came in a file. The same sample answered again: the last counts."""
    with TemporaryDirectory(prefix="session-") as folder:
        path = Path(folder) / "trajectories.jsonl"
        path.write_text(json.dumps(dict(row)) + "\n", encoding="utf-8")
        import_runs(actor=actor, benchmark=benchmark, path=path, format="native")
