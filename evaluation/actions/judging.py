"""People judge crops: drawing a queue from a list, handing out its questions, and keeping what is said."""

from __future__ import annotations

import random
import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from annotation.actions.access import require
from annotation.actions.pause import require_going_on
from annotation.models import Benchmark, Image, Revision
from annotation.schema import AnswerType
from annotation.workflow import Right
from evaluation.actions.judging_known import queue_known_to
from evaluation.metrics.answers import key_digest
from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.decided import text_digest
from evaluation.models import Judgement, JudgingItem, JudgingQueue, JudgingSeat, Trajectory
from evaluation.querysets import TrajectoryQuerySet
from evaluation.schema import DecisionWord
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.clock import from_now
from webapp.common.errors import Conflict, InvalidInput

RELIABILITY, SUFFICIENCY, ANSWER = JudgingItem.Kind
CROPS, ANSWERS = "crops", "answers"
"""What a queue can be about."""
MOST = 500
LASTS = timedelta(minutes=15)
"""How long a question is kept for who was handed it."""
UNDECIDED = "undecided"
REASONS = ("too small to read", "wrong place", "says otherwise", "only part of it")
VERDICTS = ("yes", "no", UNDECIDED)
LONGEST_ANSWER = 2000


def fit_to_judge(benchmark: Benchmark, terms: Mapping[str, str], *, answers: bool = False) -> TrajectoryQuerySet:
    """The trajectories of a list whose crops can be shown to a person: scored, with a usable crop and its picture. Of
    ``answers`` those that say something where an answer is asked for.

    What was done under a condition is not among them: its crops are not what the picture shows there.
    """
    plain = {name: value for name, value in terms.items() if name not in ("condition", "flip")}
    found: TrajectoryQuerySet = Trajectory.objects.of(benchmark).listed(plain)
    if answers:
        said = found.filter(score__missing_answer=False, sample__gold__isnull=False, error="")
        return said.exclude(sample__gold__revision__answers=[]).exclude(answer=None).exclude(answer="")
    return found.filter(
        score__visual_evidence=True, score__usable_crops__gt=0, sample__image__state=Image.State.READY, error=""
    )


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
    """Draw so many trajectories of a list, all alike likely, and ask both questions of each; ``about`` ``ANSWERS``: ask
    what each answer says. The seed is secret: the list is known, so a seed that can be guessed would tell what was
    drawn.

    Raises ``InvalidInput`` on a size outside 1..MOST or on people outside 1..5, ``Conflict`` with nothing to draw from.
    """
    require(actor, benchmark, Right.SCORE)
    if not 1 <= size <= MOST:
        raise InvalidInput(f"Draw 1 to {MOST} trajectories.", field="size")
    if not 1 <= people <= 5:
        raise InvalidInput("One to five people judge each question.", field="people")
    # The list's order and the seed make the draw one that can be made again.
    found = fit_to_judge(benchmark, terms, answers=about == ANSWERS)
    fit = list(found.order_by("sample__key", "run_id", "rollout").values_list("pk", "sample__gold"))
    if not fit:
        what = "an answer" if about == ANSWERS else "a crop that can be shown"
        raise Conflict(f"No trajectory of this list has {what}. Choose another list.", field="size")
    with transaction.atomic():
        seed = seed or secrets.token_hex(16)
        queue = JudgingQueue.objects.create(
            benchmark=benchmark, terms=dict(terms), people=people, seed=seed, drawn_from=len(fit), created_by=actor
        )
        drawn = [pk for pk, _ in random.Random(seed).sample(fit, min(size, len(fit)))]
        JudgingItem.objects.bulk_create(
            JudgingItem(queue=queue, trajectory_id=pk, kind=kind) for pk, kind in _questions(drawn, about)
        )
        # The queue keeps its terms and its seed; people who judge may read the audit log.
        audit.record(
            actor=actor, action="judging.draw", subject=queue, benchmark=benchmark.slug,
            data={"n": len(drawn), "people": people},
        )  # fmt: skip
    return queue


def _questions(drawn: Sequence[int], about: str) -> list[tuple[int, JudgingItem.Kind]]:
    """What is asked of the trajectories that were drawn, in turn."""
    if about == ANSWERS:
        return [(pk, ANSWER) for pk in drawn]
    of = Trajectory.objects.filter(pk__in=drawn).exclude(sample__gold__revision__answers=[])
    return in_order(drawn, set(of.values_list("pk", flat=True)))


def order_for(user: User, queue: JudgingQueue) -> dict[int, int]:
    """The place of each question, by its number, in the order drawn for this judge. Places tell nothing of the list
    that the queue was drawn from, nor of what another judge has at the same place. One query."""
    rows = list(queue.items.order_by("pk").values_list("pk", "trajectory", "kind", "key"))
    drawn = sorted({trajectory for _, trajectory, _, _ in rows})
    # The random names are the secret: seeds of older queues can be guessed.
    random.Random(f"{user.pk} {' '.join(key for *_, key in rows)}").shuffle(drawn)
    answered = {trajectory for _, trajectory, kind, _ in rows if kind == SUFFICIENCY}
    order = [(pk, ANSWER) for pk in drawn] if rows and rows[0][2] == ANSWER else in_order(drawn, answered)
    places = {question: place for place, question in enumerate(order)}
    return {pk: places[trajectory, JudgingItem.Kind(kind)] for pk, trajectory, kind, _ in rows}


def in_order(drawn: Sequence[int], answered: set[int]) -> list[tuple[int, JudgingItem.Kind]]:
    """The questions of a queue in turn: of each trajectory sufficiency first, since reliability tells an answer, with
    half of the queue between the two. Without an answer in the gold (a tool plan) sufficiency is not asked.

    Example: of a, b and c: a, b sufficient; a reliable; c sufficient; b, c reliable.
    """
    lag = max(1, len(drawn) // 2)
    turns = [(2 * place, pk, SUFFICIENCY) for place, pk in enumerate(drawn) if pk in answered]
    turns += [(2 * (place + lag) + 1, pk, RELIABILITY) for place, pk in enumerate(drawn)]
    return [(pk, kind) for _, pk, kind in sorted(turns)]


def next_to_judge(*, actor: User, queue: JudgingQueue) -> JudgingItem | None:
    """The next question for this person, theirs for ``LASTS``; None when nothing is left for them.

    What they hold already comes first. Two questions on one sample do not follow each other while there are others.
    """
    require(actor, queue.benchmark, Right.JUDGE)
    held: JudgingItem | None = queue.items.held_by(actor).order_by("seats__taken_at", "pk").first()
    if held is not None and _renew(actor, held):
        return held
    require_going_on(actor, queue.benchmark)
    last = queue.items.done_by(actor).order_by("-seats__done_at").values_list("trajectory__sample", flat=True).first()
    places = order_for(actor, queue)
    rows = queue.items.open_to(actor).order_by().values_list("pk", "trajectory__sample")
    for pk, _ in sorted(rows, key=lambda row: (row[1] == last, places[row[0]])):
        item: JudgingItem = queue.items.get(pk=pk)
        if _take(actor, item, queue.people):
            return item
    return None


def judge_item(*, actor: User, item: JudgingItem, said: Mapping[str, Any]) -> Judgement:
    """Keep what this person says: ``verdict`` (of reliability) or ``answer`` ("" is "the crops do not say"), with
    ``reasons``, ``sure`` (1 to 5 or None) and ``seconds``. What an answer says is the ``answer`` that names an option,
    or as ``verdict`` none, same, different or undecided. Saying it again changes it.

    Raises ``InvalidInput`` for what is none, ``Conflict`` when the question is somebody else's meanwhile, or once the
    person has finished the queue.
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
    of: dict[str, Any] = {
        "run": item.trajectory.run,
        "sample": item.trajectory.sample,
        "kind": item.kind,
        "judge": actor.email,
        "trajectory": item.trajectory if key else None,
        "decides": False,
    }
    now = {"person": actor, "source": None, "verdict": verdict, "answer": answer, "extra": extra}
    if key:
        now |= {"text_digest": text_digest(item.trajectory.answer), "key_digest": key_digest(key)}
    with transaction.atomic():
        # The seat is ours when the row that says so has changed: one that ran out may be taken at this moment.
        if not _settle(actor, item) and not (_take(actor, item, queue.people) and _settle(actor, item)):
            raise Conflict("Your time on this question ran out and others have judged it. Go on with the next one.")
        judgement, _ = Judgement.objects.update_or_create(**of, defaults=now)
        audit.record(
            actor=actor, action="judging.judge", subject=item, benchmark=queue.benchmark.slug, after=verdict or "answer"
        )
    return judgement


def pass_by(*, actor: User, item: JudgingItem) -> None:
    """This person does not judge this question; its place is free for others."""
    require(actor, item.queue.benchmark, Right.JUDGE)
    with transaction.atomic():
        open_ones = JudgingSeat.objects.filter(item=item, user=actor, done_at__isnull=True)
        if open_ones.update(place=None, expires_at=Now()):
            audit.record(actor=actor, action="judging.skip", subject=item, benchmark=item.queue.benchmark.slug)


def take_back_last(*, actor: User, queue: JudgingQueue) -> JudgingItem | None:
    """Take this person's last judgement back, so that they judge it again; the question, None without one. Raises
    ``Conflict`` once they have finished the queue."""
    require(actor, queue.benchmark, Right.JUDGE)
    _require_unfinished(actor, queue)
    with transaction.atomic():
        item: JudgingItem | None = queue.items.done_by(actor).order_by("-seats__done_at", "-pk").first()
        if item is None:
            return None
        JudgingSeat.objects.filter(item=item, user=actor).update(done_at=None, expires_at=from_now(LASTS))
        Judgement.objects.said_to(item).filter(person=actor).delete()
        audit.record(actor=actor, action="judging.undo", subject=item, benchmark=queue.benchmark.slug)
    return item


def _require_unfinished(actor: User, queue: JudgingQueue) -> None:
    """Raises ``Conflict`` once this person has been told where the questions come from: they no longer judge blind."""
    if queue_known_to(actor, queue).source:
        raise Conflict("Nothing in this queue is left for you, and you may see its models. Verdicts stay as they are.")


def _what_was_said(kind: str, said: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Verdict and answer as they are kept."""
    if kind == RELIABILITY:
        if said.get("verdict") not in VERDICTS:
            raise InvalidInput("Say yes, no, or that you cannot tell.", field="verdict")
        return str(said["verdict"]), None
    answer = str(said.get("answer") or "").strip()
    if len(answer) > LONGEST_ANSWER:
        raise InvalidInput(f"An answer has at most {LONGEST_ANSWER} characters.", field="answer")
    if not answer and not said.get("nothing"):
        raise InvalidInput("Choose an answer, or say that the crops do not tell.", field="answer")
    return (None, answer) if answer else ("no", None)


def _settle(user: User, item: JudgingItem) -> bool:
    """Note that this person has judged, in the place that is theirs; whether one is."""
    mine = JudgingSeat.objects.filter(item=item, user=user, place__isnull=False)
    return bool(mine.update(done_at=Now(), expires_at=Now()))


def key_of(item: JudgingItem) -> AnswerKey:
    """What the answer of a question is read by, now. Raises ``Conflict`` where its sample lost its gold. One query."""
    of = Revision.objects.filter(gold_of__sample=item.trajectory.sample_id)
    row = of.values_list("answer_type", "options", "answers").first()
    if row is None:
        raise Conflict("The sample of this question has no gold any more. Skip it.")
    return AnswerKey(row[0] == AnswerType.MULTIPLE_CHOICE, row[1] or {}, tuple(row[2] or ()))


def _what_it_says(key: AnswerKey, said: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Verdict and answer of what an answer says, as they are kept."""
    letter, verdict = str(said.get("answer") or ""), str(said.get("verdict") or "")
    words = (DecisionWord.NONE,) if key.multiple_choice else (DecisionWord.SAME, DecisionWord.DIFFERENT)
    if key.multiple_choice and letter in key.options:
        return None, letter
    if verdict in (*words, UNDECIDED):
        return verdict, None
    raise InvalidInput("Choose what the answer says, or say that you cannot tell.", field="answer")


def _renew(user: User, item: JudgingItem) -> bool:
    held = JudgingSeat.objects.filter(item=item, user=user, place__isnull=False, done_at__isnull=True)
    return bool(held.update(expires_at=from_now(LASTS)))


def _take(user: User, item: JudgingItem, places: int) -> bool:
    """Take a place that is free, has run out, or is this person's already."""
    mine = {"user": user, "taken_at": Now(), "expires_at": from_now(LASTS)}
    for place in range(places):
        with transaction.atomic():
            JudgingSeat.objects.bulk_create([JudgingSeat(item=item, place=place, **mine)], ignore_conflicts=True)
        if _renew(user, item):
            return True
        try:
            with transaction.atomic():
                lapsed = JudgingSeat.objects.filter(item=item, place=place, done_at__isnull=True, expires_at__lte=Now())
                if lapsed.update(**mine):
                    return True
        except IntegrityError:
            # The same person took another place of it from a second page, or had passed it by.
            return _renew(user, item)
    return False
