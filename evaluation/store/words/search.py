"""Which trajectories hold words: read from the index of their runs, and word by word where a run has none."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import groupby
from operator import or_
from typing import Any

import numpy as np
from django.apps import apps
from django.db.models import Exists, OuterRef, Q

from evaluation.metrics.columns import Ints
from evaluation.query.postings import LAST, Block, Packed, Packer, found, meets
from evaluation.query.words import Word, holds, phrase_of
from webapp.common.kept import Kept

TEXTS = ("answer", "transcript")
"""What the index of a run holds of each trajectory, in this order."""
WHERE: dict[str, tuple[str, ...]] = {"": (*TEXTS, "question"), **{name: (name,) for name in (*TEXTS, "question")}}
"""Where each field of a query looks; "" is text without a field."""
CHUNK = 2000
NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Holding:
    """The numbers of trajectories with a phrase in their own texts, and of samples with it in their question."""

    trajectories: Ints = field(default_factory=lambda: NONE)
    samples: Ints = field(default_factory=lambda: NONE)


def holding(benchmark: Any, name: str, text: str) -> Holding:
    """What of a benchmark holds the words of ``text`` in the field ``name``. Three queries, and some more for each run
    whose words are not kept."""
    phrase, where = phrase_of(text), WHERE[name]
    if not phrase:
        return Holding()
    own = [TEXTS.index(one) for one in where if one in TEXTS]
    return Holding(
        np.concatenate([NONE, *_of_runs(benchmark, phrase, own)]) if own else NONE,
        _of_questions(benchmark, phrase) if "question" in where else NONE,
    )


def texts_of(run_ids: Collection[int]) -> Iterator[tuple[int, str, list[str]]]:
    """The number of each trajectory of these runs, its answer, and all that was said and seen, in order of number."""
    rows = _model("Trajectory").objects.filter(run__in=run_ids).order_by("pk").values_list("pk", "answer")
    steps = _model("Step").objects.filter(trajectory__run__in=run_ids).order_by("trajectory_id", "position")
    said = groupby(steps.values_list("trajectory_id", "text", "observation").iterator(CHUNK), key=lambda row: row[0])
    ahead = next(said, None)
    for pk, answer in rows.iterator(CHUNK):
        own: list[str] = []
        while ahead is not None and ahead[0] <= pk:
            own = [text for row in ahead[1] for text in row[1:]] if ahead[0] == pk else []
            ahead = next(said, None)
        yield pk, answer or "", own


def _of_runs(benchmark: Any, phrase: Sequence[Word], own: Sequence[int]) -> Iterator[Ints]:
    kept = _model("WordPart").objects.filter(run=OuterRef("pk"))
    bare = _model("Run").objects.filter(~Exists(kept), benchmark=benchmark).values_list("pk", flat=True)
    for run in bare:
        there = [pk for pk, answer, said in texts_of([run]) if _says(phrase, own, answer, said)]
        yield np.array(there, np.int64)
    parts: dict[int, list[Block]] = {}
    for part, *rest in _blocks(benchmark, phrase):
        parts.setdefault(part, []).append(Block(*rest))
    numbers = _model("WordPart").objects.filter(pk__in=parts).values_list("pk", "trajectories", "starts")
    for part, trajectories, starts in numbers:
        meant = {word: [one for one in parts[part] if meets(one.first, one.last, word)] for word in phrase}
        fields = found(phrase, meant, unpacked(starts), len(TEXTS))
        yield unpacked(trajectories)[np.logical_or.reduce([fields[:, place] for place in own])]


def _says(phrase: Sequence[Word], own: Sequence[int], answer: str, said: Sequence[str]) -> bool:
    return any(holds(text, phrase) for place in own for text in ((answer,), said)[place])


def _blocks(benchmark: Any, phrase: Sequence[Word]) -> Iterator[tuple[Any, ...]]:
    """The blocks that may hold a word of the phrase."""
    each = [Q(first__lte=word.text + (LAST if word.begins else ""), last__gte=word.text) for word in set(phrase)]
    rows = _model("WordBlock").objects.filter(reduce(or_, each), part__run__benchmark=benchmark)
    yield from rows.values_list("part_id", "first", "last", "words", "places").iterator(CHUNK)


def _of_questions(benchmark: Any, phrase: Sequence[Word]) -> Ints:
    samples, packed = _questions(benchmark)
    return samples[packed.find(phrase)[:, 0]]


_QUESTIONS: Kept[tuple[Ints, Packed]] = Kept(4)
"""Of benchmarks, packed: those a process was asked for last."""


def _questions(benchmark: Any) -> tuple[Ints, Packed]:
    """The samples of a benchmark, and the words of their questions; of its change number when it was last asked."""
    number = _model("ContentChange", "annotation").objects.numbers([benchmark.pk])[benchmark.pk]

    def made() -> tuple[Ints, Packed]:
        rows = _model("Gold", "annotation").objects.filter(sample__benchmark=benchmark)
        packer, samples = Packer(1), []
        for sample, question in rows.values_list("sample_id", "revision__question").iterator(CHUNK):
            samples.append(sample)
            packer.add((question,))
        return np.array(samples, np.int64), packer.pack()

    return _QUESTIONS.get((benchmark.pk, benchmark.created_at, number), made)


def packed(numbers: Ints) -> bytes:
    """Rising numbers as few bytes."""
    return zlib.compress(np.diff(numbers, prepend=0).astype("<i8").tobytes(), 1)


def unpacked(data: bytes) -> Ints:
    return np.cumsum(np.frombuffer(zlib.decompress(data), "<i8"))


def _model(name: str, app: str = "evaluation") -> Any:
    return apps.get_model(app, name)
