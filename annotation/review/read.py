"""The samples that wait for an adjudicator, and the letters of their annotations."""

from __future__ import annotations

from string import ascii_uppercase

from django.db.models import Prefetch

from annotation.models import Adjudication, Benchmark, Sample
from annotation.models.querysets.samples import SampleQuerySet
from annotation.queue.rounds import Submissions
from annotation.work_rules import chance
from webapp.accounts.models import User


def to_adjudicate(user: User, benchmark: Benchmark) -> SampleQuerySet:
    """The samples whose several annotations wait for this person's decision, with ``waiting_n`` and ``open_rounds``:
    their round of adjudication, if one was begun. One query, and two for the rows."""
    queues = Benchmark.objects.filter(pk=benchmark.pk).queues_for(user)
    rounds = Prefetch("adjudications", queryset=Adjudication.objects.filter(decision=""), to_attr="open_rounds")
    waiting: SampleQuerySet = Sample.objects.to_review_by(user, queues)
    return waiting.with_waiting().filter(waiting_n__gt=1).prefetch_related(rounds)


def letters_of(sample: Sample, submissions: Submissions) -> list[str]:
    """The letter of each submission, in order. Letters are drawn per sample, so that they reveal neither
    the person nor who submitted first; they stay the same while the same annotations wait."""
    numbers = [revision.annotation_id for revision in submissions.revisions]
    drawn = sorted(numbers, key=lambda number: chance(f"adjudicate {sample.pk} {number}"))
    return [ascii_uppercase[drawn.index(number)] for number in numbers]
