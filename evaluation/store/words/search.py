"""Searching trajectories by words: in the index files of runs, or in the texts of runs without one."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from annotation.models import Benchmark, Gold
from evaluation.metrics.columns import Ints
from evaluation.models import Run, Step, Trajectory, WordFile
from evaluation.query.words import Word, holds, phrase_of
from evaluation.store.files import folder, kept_file, words_name
from evaluation.store.words.file import COLUMNS, NONE, available, find
from webapp.common import objects

WHERE: dict[str, tuple[str, ...]] = {"": (*COLUMNS, "question"), **{name: (name,) for name in (*COLUMNS, "question")}}
"""The columns that each field of a query searches; "" is text without a field."""
CHUNK = 2000
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Holding:
    """The numbers of trajectories with a phrase in their own texts, and of samples with it in their question."""

    trajectories: Ints
    samples: Ints


def holding(benchmark: Benchmark, runs: Sequence[Run], name: str, text: str) -> Holding:
    """The trajectories of these runs and samples of a benchmark that contain ``text`` in the field ``name``.

    Two queries, and two more for each run without an index."""
    phrase, where = phrase_of(text), WHERE[name]
    if not phrase:
        return Holding(NONE, NONE)
    own = [column for column in COLUMNS if column in where]
    files = {file.run_id: file for file in WordFile.objects.filter(run__in=runs)} if own else {}
    found = [_of_run(run, files.get(run.pk), phrase, own) for run in runs] if own else []
    return Holding(np.concatenate([NONE, *found]), _of_questions(benchmark, phrase) if "question" in where else NONE)


def texts_of(run: Run) -> Iterator[tuple[int, str, list[str]]]:
    """Primary key, answer and all texts of each trajectory of a run, by primary key."""
    rows = Trajectory.objects.filter(run=run).order_by("pk").values_list("pk", "answer")
    steps = Step.objects.filter(trajectory__run=run).order_by("trajectory_id", "position")
    said = groupby(steps.values_list("trajectory_id", "text", "observation").iterator(CHUNK), key=lambda row: row[0])
    ahead = next(said, None)
    for pk, answer in rows.iterator(CHUNK):
        own: list[str] = []
        while ahead is not None and ahead[0] <= pk:
            own = [text for row in ahead[1] for text in row[1:]] if ahead[0] == pk else []
            ahead = next(said, None)
        yield pk, answer or "", own


def _of_run(run: Run, file: WordFile | None, phrase: Sequence[Word], own: Collection[str]) -> Ints:
    if file is not None and file.revision == run.revision and available():
        name, digest = words_name(file.digest), file.digest
        path = folder() / f"{digest}.sqlite3"
        try:
            return find(kept_file(path, lambda part: objects.fetch(name, part, sha256=digest)), phrase, own)
        except (objects.Missing, objects.Damaged, sqlite3.DatabaseError):
            logger.warning("The words of run %s cannot be read from %s; its texts are read.", run.pk, name)
            path.unlink(missing_ok=True)  # The next search fetches a damaged copy again.
    there = (pk for pk, answer, said in texts_of(run) if _says(phrase, own, answer, said))
    return np.fromiter(there, np.int64)


def _says(phrase: Sequence[Word], own: Collection[str], answer: str, said: Sequence[str]) -> bool:
    texts = {"answer": (answer,), "transcript": said}
    return any(holds(text, phrase) for column in own for text in texts[column])


def _of_questions(benchmark: Benchmark, phrase: Sequence[Word]) -> Ints:
    rows = Gold.objects.filter(sample__benchmark=benchmark).values_list("sample_id", "revision__question")
    return np.fromiter((sample for sample, question in rows.iterator(CHUNK) if holds(question, phrase)), np.int64)
