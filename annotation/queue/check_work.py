"""A gold check as its annotator works on it: assigned, saved, submitted and skipped like any sample.

Their work is stored separately from annotations, but looks the same to them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.rules import rules_of
from annotation.content.drafts import StaleDraft
from annotation.content.json import blank_content, content_from_json
from annotation.content.revisions import content_of, facets_of
from annotation.evidence import FACET
from annotation.models import (
    Annotation,
    Benchmark,
    CheckAnswer,
    FacetValue,
    GoldCheck,
    Pause,
    QualityRules,
    Revision,
    Sample,
)
from annotation.models.querysets.quality import CheckAnswerQuerySet
from annotation.models.querysets.samples import SampleQuerySet
from annotation.queue.leases import ANNOTATE, queue_of, release, renew, take
from annotation.queue.pauses import pause_automatically
from annotation.work_rules import Standing, compared, is_check_turn
from annotation.workflow import SampleState, State
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.clock import from_now
from webapp.common.errors import Conflict

FIRST_PLACE = 1000
"""First place of leases of checks. Places of annotators are below 20."""
PAUSED = "The lead reviews the submissions so far and decides when work continues."
"""The reason that a paused person reads. It doesn't reveal gold checks."""
LOOKED_AT = 200
"""Number of candidate checks from which one is drawn."""


def next_check(actor: User, benchmark: Benchmark, rules: QualityRules, beside: Sample | None) -> Sample | None:
    """Reserve and return a gold check, if it is this person's turn and one is available. ``beside``: the sample they
    currently work on.
    """
    turn = _turn(actor, benchmark, beside)
    if not is_check_turn(rules.seed, actor.pk, turn, first=rules.check_first, share=rules.check_share):
        return None
    left = CheckAnswer.objects.on(benchmark).untouched_by(actor).filter(check_of__active=True)
    if beside is not None:
        left = left.exclude(check_of__sample=beside)
    answer = left.select_related("check_of__sample__benchmark").first() or _new_answer(actor, benchmark, rules)
    return handed(actor, answer) if answer is not None else None


def begun_check(actor: User, samples: SampleQuerySet) -> Sample | None:
    """The check among these samples that this person began and left longest ago, theirs again."""
    begun = CheckAnswer.objects.begun_by(actor).filter(check_of__sample__in=samples).order_by("changed_at")
    answer = begun.select_related("check_of__sample__benchmark").first()
    return handed(actor, answer) if answer is not None else None


def handed(actor: User, answer: CheckAnswer) -> Sample | None:
    """The sample of this answer, theirs under a lease from now on; None if its seat is taken."""
    sample = answer.check_of.sample
    with transaction.atomic():
        taken = take(actor, sample.pk, ANNOTATE, queue_of(sample.benchmark).lasts, answer.place)
    return sample if taken else None


def _turn(actor: User, benchmark: Benchmark, beside: Sample | None) -> int:
    """Return the number of samples of the benchmark that this person has begun, including checks and the
    current one.
    """
    begun = Annotation.objects.filter(sample__benchmark=benchmark, author=actor, kind=Annotation.Kind.OWN)
    checks = CheckAnswer.objects.on(benchmark).filter(user=actor).exclude(state=CheckAnswer.State.DRAFT, version=0)
    if beside is None:
        return begun.count() + checks.count()
    return begun.exclude(sample=beside).count() + checks.exclude(check_of__sample=beside).count() + 1


def _new_answer(actor: User, benchmark: Benchmark, rules: QualityRules) -> CheckAnswer | None:
    fitting = GoldCheck.objects.filter(sample__benchmark=benchmark).for_person(actor)
    fitting = fitting.select_related("sample__benchmark")
    found = list(fitting.exclude(sample__skips__user=actor).order_by("pk")[:LOOKED_AT])
    if not found:
        return None
    check = random.Random(f"{rules.seed} {actor.pk} {len(found)}").choice(found)
    places = CheckAnswer.objects.filter(check_of=check).aggregate(last=Max("place"))
    try:
        with transaction.atomic():
            answer = CheckAnswer.objects.create(check_of=check, user=actor, place=(places["last"] or FIRST_PLACE) + 1)
            audit.record(actor, "gold_check.hand_out", answer, benchmark.slug, data={"sample": check.sample.key})
    except IntegrityError:
        # A person else was given this check in the same moment; the next turn finds another place.
        return None
    return answer


def check_of(actor: User, sample: Sample) -> CheckAnswer | None:
    """Return this person's answer to the sample as a gold check; None if it is not a check of theirs. No query for
    samples that are not accepted, because these cannot be checks.
    """
    if sample.state != SampleState.ACCEPTED:
        return None
    return CheckAnswer.objects.filter(check_of__sample=sample, user=actor).select_related("check_of").first()


def shown_content(answer: CheckAnswer, sample: Sample) -> dict[str, Any]:
    """The person's work so far, or the initial content of a sample to do of this benchmark."""
    if answer.content:
        return dict(answer.content)
    given = set(
        FacetValue.objects.filter(sample__benchmark=sample.benchmark_id, sample__state=SampleState.TO_DO).names()
    )
    # Only gold has this facet, so it would name a check.
    facets = {name: values for name, values in facets_of(sample).items() if name in given - {FACET}}
    return blank_content(sample.benchmark.task, facets)


def store(actor: User, answer: CheckAnswer, sample: Sample, save: Mapping[str, Any]) -> int:
    """Keep ``save`` (version, content, key) as a draft is kept: the version that is stored now. Call inside a
    transaction."""
    _sit_down(actor, answer, sample)
    if answer.version and save["key"] and answer.key == save["key"]:
        return answer.version
    changed = CheckAnswer.objects.filter(pk=answer.pk, version=save["version"]).update(
        state=CheckAnswer.State.DRAFT, version=F("version") + 1, content=save["content"], key=save["key"],
        changed_at=timezone.now(),
    )  # fmt: skip
    if not changed:
        raise StaleDraft(sample.key, answer.version, answer.content)
    if not answer.version:
        _note_begin(actor, answer, sample)
    return int(save["version"]) + 1


def _note_begin(actor: User, answer: CheckAnswer, sample: Sample) -> None:
    """It begins with its first save, as an annotation does."""
    CheckAnswer.objects.filter(pk=answer.pk).update(began_at=timezone.now())
    _note(actor, answer, sample, "begin", after=State.DRAFT.value)


def require_version(actor: User, answer: CheckAnswer, sample: Sample, version: int) -> None:
    """Raises as a submission does that is behind what is stored, or whose seat is another's."""
    _sit_down(actor, answer, sample)
    if answer.version != version:
        raise StaleDraft(sample.key, answer.version, answer.content)


def _sit_down(actor: User, answer: CheckAnswer, sample: Sample) -> None:
    if answer.state == CheckAnswer.State.HANDED_IN:
        raise Conflict(
            gettext("Your annotation of %(key)s is submitted and read-only.") % {"key": sample.key}, code="wrong_state"
        )
    if renew(actor, sample.pk, ANNOTATE):
        return
    # A person who left a sample before starting must get it again.
    if not answer.is_begun or not take(actor, sample.pk, ANNOTATE, queue_of(sample.benchmark).lasts, answer.place):
        raise Conflict(
            gettext(
                "Your reservation of %(key)s expired, and another person has it now. Your text is still on this page."
            )
            % {"key": sample.key},
            code="lease_lost",
        )


def hand_in(actor: User, answer: CheckAnswer, sample: Sample, content: Mapping[str, Any]) -> None:
    """Keep the answer, and compare it with gold once its author can no longer take it back: in a qualification test, at
    once. Call inside a transaction."""
    minutes = 0 if answer.attempt_id else queue_of(sample.benchmark).take_back_minutes
    now = timezone.now()
    waiting = CheckAnswer.objects.filter(pk=answer.pk).exclude(state=CheckAnswer.State.HANDED_IN)
    # A withdrawn submission is a draft with at least one save, as for any sample.
    version = F("version") + int(answer.content != content) if minutes else 0
    if not waiting.update(
        state=CheckAnswer.State.HANDED_IN, content=dict(content), version=version, key="", handed_in_at=now,
        changed_at=now, held_until=from_now(timedelta(minutes=minutes)) if minutes else None,
    ):  # fmt: skip
        raise Conflict(
            gettext("Your annotation of %(key)s is submitted and read-only.") % {"key": sample.key}, code="wrong_state"
        )
    release(actor, sample.pk, ANNOTATE)
    if not answer.version:
        _note_begin(actor, answer, sample)
    _note(actor, answer, sample, "answer", before=State.DRAFT.value, after=State.SUBMITTED.value)
    if not minutes:
        _score(answer.pk)


def take_check_back(actor: User, answer: CheckAnswer, sample: Sample) -> bool:
    """Make an answer a draft again while that is possible, as an annotation; whether it was. Call inside a
    transaction, which is to be undone if it was not."""
    # First the place, as a save and a submission do.
    take(actor, sample.pk, ANNOTATE, queue_of(sample.benchmark).lasts, answer.place)
    held = CheckAnswer.objects.held().filter(pk=answer.pk, held_until__gt=Now())
    if not held.update(state=CheckAnswer.State.DRAFT, held_until=None, handed_in_at=None, changed_at=timezone.now()):
        return False
    _note(actor, answer, sample, "take_back", before=State.SUBMITTED.value, after=State.DRAFT.value)
    return True


def score_held(answers: CheckAnswerQuerySet) -> bool:
    """Compare a held answer with gold; whether it was still held. Call inside a transaction."""
    found = answers.held().values_list("pk", flat=True).first()
    if found is None or not answers.held().update(held_until=None, version=0):
        return False
    _score(found)
    return True


def _score(number: int) -> None:
    """Compare an answer with the current gold, and pause the person if too few pass. Without gold, because the sample
    was reopened meanwhile, nothing is compared and the lead decides."""
    answer = CheckAnswer.objects.select_related("check_of__sample__benchmark", "user").get(pk=number)
    sample = answer.check_of.sample
    rules = rules_of(sample.benchmark)
    gold = Revision.objects.filter(gold_of__sample=sample).with_content().first()
    if gold is None:
        return
    said, _, _ = content_from_json(answer.content)
    found = compared(said, content_of(gold), rules.check_rule)
    CheckAnswer.objects.filter(pk=number).update(gold=gold, **asdict(found))
    _note(None, answer, sample, "compare", data=asdict(found))
    if answer.attempt_id is None:
        pause_if_needed(answer.user, sample.benchmark, rules)


def _note(
    actor: User | None, answer: CheckAnswer, sample: Sample, verb: str, *, before: str = "", after: str = "",
    data: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    audit.record(
        actor, f"gold_check.{verb}", answer, sample.benchmark.slug, before=before, after=after,
        data={"sample": sample.key, **(data or {})},
    )  # fmt: skip


def standing(user: User, benchmark: Benchmark) -> Standing:
    """Count the gold checks submitted since the last pause for them was lifted: how many were passed, of those
    decided."""
    lifted = Pause.objects.by_itself().filter(benchmark=benchmark, user=user).aggregate(last=Max("lifted_at"))["last"]
    counted = CheckAnswer.objects.on(benchmark).handed_in().filter(user=user)
    since = Q(handed_in_at__gt=lifted) if lifted else Q()
    return Standing(*counted.filter(since).by_person().get(user.pk, (0, 0)))


def pause_if_needed(user: User, benchmark: Benchmark, rules: QualityRules) -> None:
    """Pause a person whose accuracy on checks fell below what the lead asks for. Call inside a transaction."""
    if rules.pause_below is None:
        return
    now = standing(user, benchmark)
    interval = now.interval
    if interval is None or not now.falls_below(rules.pause_rule):
        return
    found = {"right": now.right, "n": now.n, "upper": interval.high, "below": rules.pause_below}
    pause_automatically(user=user, benchmark=benchmark, reason=PAUSED, data=found)


def skip_check(actor: User, sample: Sample) -> dict[str, Any]:
    """It is not assigned to them again; returns what they had written. Call inside a transaction."""
    answer = check_of(actor, sample)
    if answer is None or answer.state == CheckAnswer.State.HANDED_IN:
        return {}
    CheckAnswer.objects.filter(pk=answer.pk).update(
        state=CheckAnswer.State.SKIPPED, version=0, key="", content={}, changed_at=timezone.now()
    )
    return dict(answer.content)
