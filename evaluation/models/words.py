from __future__ import annotations

from django.db import models

from evaluation.models.run import Run


class WordPart(models.Model):
    """Some of the trajectories of a run, as the index of words numbers them. See ``evaluation.query.postings``.

    Derived from rows: made when the run is scored, taken away by whatever changes its trajectories. ``trajectories``
    and ``starts`` are packed numbers: whose texts, and the number of the first word of each answer and transcript.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="word_parts")
    trajectories = models.BinaryField()
    starts = models.BinaryField()

    def __str__(self) -> str:
        return f"words of {self.run_id}"


class WordBlock(models.Model):
    """Where the words from ``first`` to ``last``, by code point, stand in a part."""

    # Found by the index below, which begins with it.
    part = models.ForeignKey(WordPart, on_delete=models.CASCADE, related_name="blocks", db_index=False)
    first = models.CharField(max_length=64)
    last = models.CharField(max_length=64)
    words = models.BinaryField()
    places = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["part", "first", "last"], name="word_block_by_words")]

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"
