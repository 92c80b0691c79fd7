"""Judging of crops by people: draws a queue from a list, assigns its questions, and saves the verdicts."""

from __future__ import annotations

import random
import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext

from annotation.blindness import JUDGING_AND_PUBLIC
from annotation.common.access import require
from annotation.common.rules import refuse_open_blind_work
from annotation.models import Benchmark, Image, Revision, Sample
from annotation.queue.pauses import require_not_paused
from annotation.schema import AnswerType
from annotation.workflow import Right
from evaluation.common.judging.digests import judged_digests
from evaluation.common.judging.known import queue_known_to
from evaluation.common.judging.words import (
    ANSWER,
    ANSWERS,
    CROPS,
    REASONS,
    RELIABILITY,
    SUFFICIENCY,
    UNDECIDED,
    VERDICTS,
)
from evaluation.judging.forms import MOST
from evaluation.metrics.answers import key_digest
from evaluation.metrics.columns import AnswerKey
from evaluation.models import Judgement, JudgingItem, JudgingQueue, JudgingSeat, Run, Trajectory
from evaluation.schema import DecisionWord
from evaluation.store.schema import ORDER
from evaluation.store.selection import Selection
from evaluation.store.snapshot import Snapshot
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.clock import from_now
from webapp.common.errors import Conflict, InvalidInput

LASTS = timedelta(minutes=15)
"""The time for which a question is reserved for the person who got it."""
LONGEST_ANSWER = 2000


def fit_to_judge(snapshot: Snapshot, terms: Mapping[str, str], *, answers: bool = False) -> list[int]:
    """Return the trajectories of a list in its order, as the person of the snapshot sees it, whose crops can be shown
    to judges: scored, with a usable crop and its image.

    With ``answers``, those with an answer to a question that has one, without texts that a person has decided, because
    judges could have read the decision. One query, two with answers. Trajectories under a condition are excluded,
    because their crops differ from the image.
    """
    plain = {name: value for name, value in terms.items() if name not in ("condition", "flip")}
    samples = Sample.objects.filter(benchmark=snapshot.benchmark).order_by()
    if answers:
        fit, says = samples.filter(gold__isnull=False).exclude(gold__revision__answers=[]), "NOT unanswered"
    else:
        fit, says = samples.filter(image__state=Image.State.READY), "evidence AND crops > 0"
    found = Selection(snapshot, plain)
    where = f"{says} AND NOT failed AND {found.on(fit.values_list('pk', flat=True))}"
    decided = _decided(snapshot.benchmark) if answers else set()
    rows = found.rows(["pk"], where=where, order=", ".join(ORDER))
    return [pk for [pk] in rows if pk not in decided]


def _decided(benchmark: Benchmark) -> set[int]:
    """Return the trajectories whose answers are texts that a person has decided."""
    said = Judgement.objects.of(benchmark).settling().exclude(trajectory__answer=None).values("trajectory__answer")
    return set(Trajectory.objects.of(benchmark).filter(answer__in=said).values_list("pk", flat=True))


def draw_judging(
    *,
    actor: User,
    benchmark: Benchmark,
    terms: Mapping[str, str],
    size: int,
    people: int,
    about: str = CROPS,
    seed: str = "",
) -> JudgingQueue:
    """Draw ``size`` trajectories of a list with equal probabilities, and ask both questions about each; ``about``
    ``ANSWERS``: ask for the meaning of each answer. The seed is secret: the list is known, so a guessed seed would
    reveal the draw.

    Raises ``InvalidInput`` on a size outside 1..MOST or on people outside 1..5, ``Conflict`` with nothing to draw from,
    or on a public benchmark.
    """
    require(actor, benchmark, Right.SCORE)
    if not 1 <= size <= MOST:
        raise InvalidInput(gettext("Draw 1 to %(limit)s trajectories.") % {"limit": MOST}, field="size")
    if not 1 <= people <= 5:
        raise InvalidInput(gettext("Each question must have one to five judges."), field="people")
    with transaction.atomic():
        # This waits for people who are deciding answers.
        refuse_open_blind_work(benchmark, judging=True)
        # The list's order and the seed make the draw reproducible.
        snapshot = Snapshot(benchmark, list(Run.objects.of(benchmark)), actor)
        fit = fit_to_judge(snapshot, terms, answers=about == ANSWERS)
        if not fit:
            undecided = gettext(
                "No trajectory of this list has an answer that is still to be decided. Choose another list."
            )
            shown = gettext("No trajectory of this list has a crop that can be shown. Choose another list.")
            raise Conflict(undecided if about == ANSWERS else shown, field="size")
        seed = seed or secrets.token_hex(16)
        queue = JudgingQueue.objects.create(
            benchmark=benchmark, terms=dict(terms), people=people, seed=seed, drawn_from=len(fit), created_by=actor
        )
        drawn = random.Random(seed).sample(fit, min(size, len(fit)))
        JudgingItem.objects.bulk_create(
            JudgingItem(queue=queue, trajectory_id=pk, kind=kind) for pk, kind in _questions(drawn, about)
        )
        # The queue stores its terms and its seed; people who judge may read the audit log.
        audit.record(
            actor=actor, action="judging.draw", subject=queue, benchmark=benchmark.slug,
            data={"n": len(drawn), "people": people},
        )  # fmt: skip
    return queue


def _questions(drawn: Sequence[int], about: str) -> list[tuple[int, JudgingItem.Kind]]:
    """Return the questions about drawn trajectories, in turn."""
    if about == ANSWERS:
        return [(pk, ANSWER) for pk in drawn]
    of = Trajectory.objects.filter(pk__in=drawn).exclude(sample__gold__revision__answers=[])
    return in_order(drawn, set(of.values_list("pk", flat=True)))


def order_for(user: User, queue: JudgingQueue) -> dict[int, int]:
    """Return the position of each question, by its number, in the order drawn for this judge. Positions reveal neither
    the order of the source list nor the positions of another judge. One query.
    """
    rows = list(queue.items.order_by("pk").values_list("pk", "trajectory", "kind", "key"))
    drawn = sorted({trajectory for _, trajectory, _, _ in rows})
    # The random keys are secret; seeds of older queues can be guessed.
    random.Random(f"{user.pk} {' '.join(key for *_, key in rows)}").shuffle(drawn)
    answered = {trajectory for _, trajectory, kind, _ in rows if kind == SUFFICIENCY}
    order = [(pk, ANSWER) for pk in drawn] if rows and rows[0][2] == ANSWER else in_order(drawn, answered)
    places = {question: place for place, question in enumerate(order)}
    return {pk: places[trajectory, JudgingItem.Kind(kind)] for pk, trajectory, kind, _ in rows}


def in_order(drawn: Sequence[int], answered: set[int]) -> list[tuple[int, JudgingItem.Kind]]:
    """Return the questions of a queue in turn: for each trajectory sufficiency first, because reliability reveals an
    answer, with half of the queue between the two. Without an answer in the gold (a tool plan), sufficiency is not
    asked.

    Example: of a, b and c: a, b sufficient; a reliable; c sufficient; b, c reliable.
    """
    lag = max(1, len(drawn) // 2)
    turns = [(2 * place, pk, SUFFICIENCY) for place, pk in enumerate(drawn) if pk in answered]
    turns += [(2 * (place + lag) + 1, pk, RELIABILITY) for place, pk in enumerate(drawn)]
    return [(pk, kind) for _, pk, kind in sorted(turns)]


def next_to_judge(*, actor: User, queue: JudgingQueue) -> JudgingItem | None:
    """Reserve the next question for this person for ``LASTS`` and return it; None if none is left for them.

    A question that they already hold comes first. Two questions on one sample do not follow each other while there are
    others. Raises ``Conflict`` on a public benchmark; an earlier release allowed queues there.
    """
    require(actor, queue.benchmark, Right.JUDGE)
    if queue.benchmark.public:
        remedy = gettext("%(title)s must be made private under Settings first.") % {"title": queue.benchmark.title}
        raise Conflict(f"{gettext(JUDGING_AND_PUBLIC)} {remedy}")
    held: JudgingItem | None = queue.items.held_by(actor).order_by("seats__taken_at", "pk").first()
    if held is not None and _renew(actor, held):
        return held
    require_not_paused(actor, queue.benchmark)
    last = queue.items.done_by(actor).order_by("-seats__done_at").values_list("trajectory__sample", flat=True).first()
    places = order_for(actor, queue)
    rows = queue.items.open_to(actor).order_by().values_list("pk", "trajectory__sample")
    for pk, _ in sorted(rows, key=lambda row: (row[1] == last, places[row[0]])):
        item: JudgingItem = queue.items.get(pk=pk)
        if _take(actor, item, queue.people):
            return item
    return None


def judge_item(*, actor: User, item: JudgingItem, said: Mapping[str, Any]) -> Judgement:
    """Save this person's judgment: ``verdict`` (of reliability) or ``answer`` ("" is "the crops do not say"), with
    ``reasons``, ``sure`` (1 to 5 or None) and ``seconds``. The meaning of an answer is an option as ``answer``, or
    none, same, different or undecided as ``verdict``. A repeated judgment replaces the first.

    Raises ``InvalidInput`` for an invalid judgment, ``Conflict`` if the question now belongs to another person, or once
    the person has finished the queue.
    """
    queue = item.queue
    require(actor, queue.benchmark, Right.JUDGE)
    _require_unfinished(actor, queue)
    key = key_of(item) if item.kind == ANSWER else None
    verdict, answer = _what_it_says(key, said) if key else _what_was_said(item.kind, said)
    extra = {
        "reasons": [reason for reason in said.get("reasons", ()) if reason in REASONS],
        "sure": said.get("sure") if said.get("sure") in range(1, 6) else None,
        "seconds": round(max(0.0, float(said.get("seconds") or 0)), 1),
        "queue": queue.pk,
    }
    of = item.trajectory
    now = {
        "run_id": of.run_id, "sample_id": of.sample_id, "person": actor, "source": None, "verdict": verdict,
        "answer": answer, "extra": extra, "text_digest": judged_digests(item.kind, [of.pk])[of.pk],
        "key_digest": key_digest(key) if key else "",
    }  # fmt: skip
    with transaction.atomic():
        # The reservation is ours if its row has changed: an expired one may be taken by another person at this moment.
        if not _settle(actor, item) and not (_take(actor, item, queue.people) and _settle(actor, item)):
            raise Conflict(
                gettext("Your reservation of this question expired, or it left the queue. Open the next one.")
            )
        judgement, _ = Judgement.objects.update_or_create(
            trajectory=of, kind=item.kind, judge=actor.email, decides=False, defaults=now
        )
        audit.record(
            actor=actor, action="judging.judge", subject=item, benchmark=queue.benchmark.slug, after=verdict or "answer"
        )
    return judgement


def pass_by(*, actor: User, item: JudgingItem) -> None:
    """Skip this question for this person; its place is free for others."""
    require(actor, item.queue.benchmark, Right.JUDGE)
    with transaction.atomic():
        open_ones = JudgingSeat.objects.filter(item=item, user=actor, done_at__isnull=True)
        if open_ones.update(place=None, expires_at=Now()):
            audit.record(actor=actor, action="judging.skip", subject=item, benchmark=item.queue.benchmark.slug)


def skip_the_rest(*, actor: User, queue: JudgingQueue) -> int:
    """Skip the rest of this queue for this person; return the number of questions. Their places are free for others."""
    require(actor, queue.benchmark, Right.JUDGE)
    with transaction.atomic():
        open_ones = list(queue.items.unsettled_by(actor).order_by().values_list("pk", flat=True))
        left = list(
            queue.items.filter(pk__in=open_ones)
            .order_by("pk")
            .select_for_update(of=("self",), no_key=True)
            .values_list("pk", flat=True)
        )
        skipped = {"place": None, "expires_at": Now()}
        JudgingSeat.objects.filter(item__in=left, user=actor, done_at__isnull=True).update(**skipped)
        JudgingSeat.objects.bulk_create(
            [JudgingSeat(item_id=pk, user=actor, taken_at=Now(), **skipped) for pk in left], ignore_conflicts=True
        )
        if left:
            audit.record(
                actor=actor, action="judging.skip", subject=queue, benchmark=queue.benchmark.slug, data={"n": len(left)}
            )
    return len(left)


def take_back_last(*, actor: User, queue: JudgingQueue) -> JudgingItem | None:
    """Undo this person's last judgment, so that they judge it again; return the question, None without one. Raises
    ``Conflict`` once they have finished the queue.
    """
    require(actor, queue.benchmark, Right.JUDGE)
    _require_unfinished(actor, queue)
    with transaction.atomic():
        item: JudgingItem | None = queue.items.done_by(actor).order_by("-seats__done_at", "-pk").first()
        if item is None:
            return None
        done = JudgingSeat.objects.filter(item=item, user=actor, done_at__isnull=False)
        if not done.update(done_at=None, expires_at=from_now(LASTS)):
            # A second page undid it at the same time.
            return item
        Judgement.objects.said_to(item).filter(person=actor).delete()
        audit.record(actor=actor, action="judging.undo", subject=item, benchmark=queue.benchmark.slug)
    return item


def _require_unfinished(actor: User, queue: JudgingQueue) -> None:
    """Raise ``Conflict`` once this person has seen the source of the questions, because they no longer judge blind."""
    if queue_known_to(actor, queue).source:
        raise Conflict(
            gettext("You have no questions left in this queue, and its models are shown. Verdicts can't be changed.")
        )


def _what_was_said(kind: str, said: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return verdict and answer as stored."""
    if kind == RELIABILITY:
        if said.get("verdict") not in VERDICTS:
            raise InvalidInput(gettext("Choose yes, no or “Can't tell”."), field="verdict")
        return str(said["verdict"]), None
    answer = str(said.get("answer") or "").strip()
    if len(answer) > LONGEST_ANSWER:
        raise InvalidInput(
            gettext("An answer can have at most %(limit)s characters.") % {"limit": LONGEST_ANSWER}, field="answer"
        )
    if not answer and not said.get("nothing"):
        raise InvalidInput(gettext("Choose an answer, or “Can't answer from the crops”."), field="answer")
    return (None, answer) if answer else ("no", None)


def _settle(user: User, item: JudgingItem) -> bool:
    """Record in this person's place that they have judged; return whether they have a place."""
    mine = JudgingSeat.objects.filter(item=item, user=user, place__isnull=False)
    return bool(mine.update(done_at=Now(), expires_at=Now()))


def key_of(item: JudgingItem) -> AnswerKey:
    """Return the current answer key of a question. Raises ``Conflict`` if its sample has no gold any more.
    One query.
    """
    of = Revision.objects.filter(gold_of__sample=item.trajectory.sample_id)
    row = of.values_list("answer_type", "options", "answers").first()
    if row is None:
        raise Conflict(gettext("The sample of this question has no gold any more. Skip it."))
    return AnswerKey(row[0] == AnswerType.MULTIPLE_CHOICE, row[1] or {}, tuple(row[2] or ()))


def _what_it_says(key: AnswerKey, said: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return verdict and answer on the meaning of an answer, as stored."""
    letter, verdict = str(said.get("answer") or ""), str(said.get("verdict") or "")
    words = (DecisionWord.NONE,) if key.multiple_choice else (DecisionWord.SAME, DecisionWord.DIFFERENT)
    if key.multiple_choice and letter in key.options:
        return None, letter
    if verdict in (*words, UNDECIDED):
        return verdict, None
    raise InvalidInput(gettext("Choose what the answer means, or “Can't tell”."), field="answer")


def _renew(user: User, item: JudgingItem) -> bool:
    held = JudgingSeat.objects.filter(item=item, user=user, place__isnull=False, done_at__isnull=True)
    return bool(held.update(expires_at=from_now(LASTS)))


def _take(user: User, item: JudgingItem, places: int) -> bool:
    """Take a place of a question. From now on this person has begun its queue, even if their place goes to others."""
    with transaction.atomic():
        taken = _there(item) and _take_place(user, item, places)
        if taken:
            item.queue.begun.add(user)
    return taken


def _there(item: JudgingItem) -> bool:
    """Return whether a question is in its queue, and lock it until the transaction ends: see ``remove_questions``."""
    there = JudgingItem.objects.select_for_update(of=("self",), no_key=True).filter(pk=item.pk)
    return bool(there.order_by().values_list("pk"))


def _take_place(user: User, item: JudgingItem, places: int) -> bool:
    """Take a place that is free, has expired, or already belongs to this person. Call inside a transaction."""
    mine = {"user": user, "taken_at": Now(), "expires_at": from_now(LASTS)}
    for place in range(places):
        JudgingSeat.objects.bulk_create([JudgingSeat(item=item, place=place, **mine)], ignore_conflicts=True)
        if _renew(user, item):
            return True
        try:
            with transaction.atomic():
                lapsed = JudgingSeat.objects.filter(item=item, place=place, done_at__isnull=True, expires_at__lte=Now())
                if lapsed.update(**mine):
                    return True
        except IntegrityError:
            # The same person took another place of it from a second page, or had skipped it.
            return _renew(user, item)
    return False
