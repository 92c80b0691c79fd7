"""Whether the column or key that is read as the model's answer holds the correct ones: how often both are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from annotation.models import Benchmark, Revision
from evaluation.importers import IMPORTERS
from evaluation.importers.interface import ImportProblem, ReadOptions
from evaluation.importers.mapped.paths import KeyPath
from evaluation.importers.mapping import is_gold
from evaluation.importers.matching import normalised
from evaluation.imports.read.mappings import FORMAT as TABLE
from evaluation.imports.read.mappings import KEYS, read_by
from evaluation.imports.read.samples import sample_index
from evaluation.schema import Trajectory

SUSPECT = 0.95
"""Above this share of equal answers the column is taken for the correct ones until a person says otherwise."""
CHUNK = 5000


@dataclass
class GoldShare:
    """The number of rows whose answer equals the gold answer. ``column``: the chosen column, as text."""

    benchmark: Benchmark
    column: str
    rows: int = 0
    equal: int = 0
    _said: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def _correct(self) -> Mapping[str, frozenset[str]]:
        golds = Revision.objects.filter(gold_of__sample__benchmark=self.benchmark)
        rows = golds.values_list("gold_of__sample__key", "answers", "options").iterator(CHUNK)
        return {key: _all_forms(answers, options) for key, answers, options in rows}

    def take(self, record: Trajectory) -> None:
        correct = self._correct.get(record.sample_id, frozenset())
        if record.answer and correct:
            self.rows += 1
            self.equal += normalised(record.answer) in correct

    @property
    def suspect(self) -> bool:
        return self.rows > 0 and self.equal > SUSPECT * self.rows

    @property
    def sentence(self) -> str:
        rows = f"{self.rows:,} row{'' if self.rows == 1 else 's'}"
        return f"The {self.column} equals the gold answer in {self.equal:,} of {rows}."

    def as_dict(self) -> dict[str, Any]:
        """For the preview; empty where no answer could be compared."""
        return {"sentence": self.sentence, "suspect": self.suspect} if self.rows else {}


def _all_forms(answers: list[str], options: Mapping[str, str]) -> frozenset[str]:
    """A correct answer as it may be written: its letter, its text, or one of the accepted strings."""
    texts = [options[answer] for answer in answers if answer in options]
    return frozenset(normalised(str(text)) for text in (*answers, *texts) if text)


def gold_column(format: str, mapping: Mapping[str, Any] | None) -> str:
    """Return the column or key read as the answer, if its name is one for correct answers; "" otherwise."""
    if format == KEYS:
        path = KeyPath.parse((mapping or {}).get("answer", ""))
        names = ".".join(step for step in path.steps if isinstance(step, str))
        return f"key {path}" if names and is_gold(names) else ""
    column = (mapping or {}).get("columns", {}).get("answer", "") if format == TABLE else ""
    return f"column {column}" if column and is_gold(column) else ""


def gold_share(benchmark: Benchmark, path: Path, format: str, mapping: Mapping[str, Any]) -> GoldShare:
    """Return the share of gold of a table or a mapped file before it is imported. Raises ``ImportProblem`` if it
    can't be read."""
    share = GoldShare(benchmark, gold_column(format, mapping))
    for item in IMPORTERS[format].read(path, ReadOptions(**read_by(format, mapping)), sample_index(benchmark)):
        if isinstance(item, Trajectory):
            share.take(item)
    return share


def refuse_gold(share: GoldShare) -> None:
    """Raises ``ImportProblem`` for a column that holds the correct answers, as far as can be seen."""
    if share.suspect:
        raise ImportProblem(
            f"{share.sentence} It seems to contain the gold answers, not the model's. Choose another one, or "
            "confirm that it is the model's with --answer-is-not-gold."
        )
