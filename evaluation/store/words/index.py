"""The index of the words of a run: made beside its scores, taken away by what changes its trajectories."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Count, Max

from evaluation.models import Run, Trajectory, WordBlock, WordPart
from evaluation.query.postings import Packed, Packer
from evaluation.store.words.search import TEXTS, packed, texts_of
from webapp.common.bulk import insert_rows

MOST_WORDS, MOST_TRAJECTORIES = 4_000_000, 50_000
"""Of one part: what is packed at once, and held in memory for that."""


def keep_words(run: Run) -> bool:
    """Pack the words of a run that has no index yet. False when its trajectories changed meanwhile: whoever changed
    them has the run scored again.

    The rows are read before the transaction begins: nothing waits for that.
    """
    if WordPart.objects.filter(run=run).exists():
        return True
    before, made = _state(run), list(_parts(run))
    with transaction.atomic():
        Run.objects.select_for_update(no_key=True).get(pk=run.pk)
        if _state(run) != before or WordPart.objects.filter(run=run).exists():
            return False
        for trajectories, words in made:
            _insert(run, trajectories, words)
    return True


def forget_words(runs: Collection[int]) -> None:
    """The trajectories of these runs change. Call in the transaction that changes them."""
    # Whoever packs the words of such a run sees either all of this transaction or nothing of it.
    list(Run.objects.select_for_update(no_key=True).filter(pk__in=runs).order_by("pk").values_list("pk"))
    parts = WordPart.objects.filter(run__in=runs)
    WordBlock.objects.filter(part__in=parts)._raw_delete("default")
    parts._raw_delete("default")


def _state(run: Run) -> tuple[Any, ...]:
    """Another one after any change: a record that changed is written anew, under a new number."""
    return tuple(Trajectory.objects.filter(run=run).aggregate(n=Count("pk"), last=Max("pk")).values())


def _parts(run: Run) -> Iterator[tuple[list[int], Packed]]:
    trajectories: list[int] = []
    packer = Packer(len(TEXTS))
    for pk, answer, said in texts_of([run.pk]):
        trajectories.append(pk)
        packer.add((answer,), said)
        if len(packer) >= MOST_WORDS or len(trajectories) >= MOST_TRAJECTORIES:
            yield trajectories, packer.pack()
            trajectories, packer = [], Packer(len(TEXTS))
    yield trajectories, packer.pack()


def _insert(run: Run, trajectories: list[int], words: Packed) -> None:
    part = WordPart.objects.create(
        run=run, trajectories=packed(np.array(trajectories, np.int64)), starts=packed(words.starts)
    )
    rows = [(part.pk, block.first, block.last, block.words, block.places) for block in words.blocks]
    insert_rows(WordBlock, ["part", "first", "last", "words", "places"], rows)
