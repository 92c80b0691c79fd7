"""Further questions about the image of a sample. Each is a separate sample that refers to the first one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from annotation.models import Benchmark, Sample
from annotation.work_rules import chance
from webapp.accounts.models import User

MOST_QUESTIONS = 5
"""The default maximum number of questions about one image, without a schema."""
HIDDEN_NUMBERS = 10_000
LONGEST_BEGIN = 192
"""Characters of an ID before its number."""


def most_questions(benchmark: Benchmark) -> int | None:
    """Return the maximum number of questions about one image; None: no limit."""
    return MOST_QUESTIONS if benchmark.schema_number is None else benchmark.task.question.per_image


def first_of(sample: Sample) -> Sample:
    """The sample that further questions about this one's image are asked from: itself, unless it is such a question."""
    return sample.asked_from or sample


def next_key(first: Sample) -> str:
    """The ID with the next free number: ``desk-17`` -> ``desk-17-2``."""
    return _free(first, lambda place: place + 2)


def hidden_key(first: Sample, person: User) -> str:
    """The same with a random number, which does not reveal how many questions were added to this sample, nor when.

    Annotators who get gold checks must learn nothing from the id."""
    return _free(first, lambda place: 2 + int(HIDDEN_NUMBERS * chance(f"ask {first.pk} {person.pk} {place}")))


def _free(first: Sample, number: Callable[[int], int]) -> str:
    """The ID with the first of these numbers that no sample has."""
    begin = first.key[:LONGEST_BEGIN]
    same = Sample.objects.filter(benchmark=first.benchmark_id, key__startswith=f"{begin}-")
    taken = set(same.values_list("key", flat=True))
    place = 0
    while (key := f"{begin}-{number(place)}") in taken:
        place += 1
    return key


def add_question(first: Sample, key: str, **more: Any) -> Sample:
    """A sample to do about the image of another, under this ID. Call inside a transaction."""
    copied = ("benchmark", "image", "image_name", "image_problem", "image_group", "width", "height")
    same = {name: getattr(first, name) for name in copied}
    return Sample.objects.create(**same, key=key, asked_from=first, **more)
