"""The work of each person, as rows of a table whose counts link to their samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.common.words import Count, count_of
from annotation.content.people import verified_addresses
from annotation.models import Benchmark
from annotation.quality.read.people import PersonWork


@dataclass(frozen=True)
class PersonRow:
    """A person's numbers: ``work`` has the rates and medians, the counts link to their samples. ``unverified``: the
    address of the account is not verified.
    """

    work: PersonWork
    unverified: bool
    submitted: Count
    reviewed: Count
    accepted: Count
    returned: Count
    discarded: Count
    boxes: Count
    answers: Count


def person_rows(benchmark: Benchmark, people: Sequence[PersonWork]) -> list[PersonRow]:
    verified = verified_addresses(benchmark, [one.person for one in people])
    return [
        PersonRow(
            work=one,
            unverified=not verified[one.person],
            submitted=count_of(benchmark, one.submitted),
            reviewed=count_of(benchmark, one.reviewed),
            accepted=count_of(benchmark, one.accepted_at_first),
            returned=count_of(benchmark, one.returned),
            discarded=count_of(benchmark, one.discarded),
            boxes=count_of(benchmark, one.boxes_against_gold),
            answers=count_of(benchmark, one.answers_against_gold),
        )
        for one in people
    ]
