"""Handles the judgments of an anonymized person."""

from __future__ import annotations

from django.db.models import Q

from annotation.models import Benchmark
from evaluation.models import Judgement
from webapp.accounts.anonymize import Leaving, when_anonymized


@when_anonymized
def rename_judge(leaving: Leaving) -> None:
    """Judgments keep their judge under the new name, including those in files that named this person. A name belongs to
    this person only on benchmarks where they have a role or judged; elsewhere it may be another person's.
    """
    Judgement.objects.filter(judge__iexact=leaving.email).update(judge=leaving.new_email)
    if leaving.name.strip():
        theirs = Q(memberships__user=leaving.user) | Q(runs__judgements__person=leaving.user)
        benchmarks = Benchmark.objects.filter(theirs).values("pk")
        named = Judgement.objects.filter(judge__iexact=leaving.name.strip(), run__benchmark__in=benchmarks)
        named.update(judge=leaving.new_name)
