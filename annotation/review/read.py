"""Which letter names which annotation while a sample is adjudicated."""

from __future__ import annotations

from string import ascii_uppercase

from annotation.models import Sample
from annotation.queue.rounds import Submissions
from annotation.work_rules import chance


def letters_of(sample: Sample, submissions: Submissions) -> list[str]:
    """The letter of each submission, in order. Letters are drawn per sample, so that they reveal neither
    the person nor who submitted first; they stay the same while the same annotations wait."""
    numbers = [revision.annotation_id for revision in submissions.revisions]
    drawn = sorted(numbers, key=lambda number: chance(f"adjudicate {sample.pk} {number}"))
    return [ascii_uppercase[drawn.index(number)] for number in numbers]
