"""People judge crops: drawing a queue from a list, handing out its questions, and keeping what is said."""

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
"""How long a question is kept for who was handed it."""
LONGEST_ANSWER = 2000


def fit_to_judge(snapshot: Snapshot, terms: Mapping[str, str], *, answers: bool = False) -> list[int]:
    """The trajectories of a list in its order, as the person of the snapshot sees it, whose crops can be shown to
    judges: scored, with a usable crop and its image. Of ``answers`` those that say something where an answer is asked
    for, without texts of which a person has decided what they say: whoever judges could have read that. One query, two
    of answers.

    What was done under a condition is not among them: its crops are not what the image shows there.
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
    """The trajectories whose answers are texts of which a person has decided what they say."""
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
    """Draw so many trajectories of a list, all alike likely, and ask both questions of each; ``about`` ``ANSWERS``: ask
    what each answer says. The seed is secret: the list is known, so a seed that can be guessed would tell what was
    drawn.

    Raises ``InvalidInput`` on a size outside 1..MOST or on people outside 1..5, ``Conflict`` with nothing to draw from,
    or on a public benchmark.
    """
    require(actor, benchmark, Right.SCORE)
    if not 1 <= size <= MOST:
        raise InvalidInput(gettext("Draw 1 to %(limit)s trajectories.") % {"limit": MOST}, field="size")
    if not 1 <= people <= 5:
        raise InvalidInput(gettext("Each question must have one to five judges."), field="people")
    with transaction.atomic():
        # Here it waits for who decides answers at this moment.
        refuse_open_blind_work(benchmark, judging=True)
        # The list's order and the seed make the draw one that can be made again.
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
        # The queue keeps its terms and its seed; people who judge may read the audit log.
        audit.record(
            actor=actor, action="judging.draw", subject=queue, benchmark=benchmark.slug,
            data={"n": len(drawn), "people": people},
        )  # fmt: skip
    return queue


def _questions(drawn: Sequence[int], about: str) -> list[tuple[int, JudgingItem.Kind]]:
    """The questions about drawn trajectories, in turn."""
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
    Raises ``Conflict`` on a public benchmark, which an earlier release let have queues.
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
    """Keep what this person says: ``verdict`` (of reliability) or ``answer`` ("" is "the crops do not say"), with
    ``reasons``, ``sure`` (1 to 5 or None) and ``seconds``. What an answer says is the ``answer`` that names an option,
    or as ``verdict`` none, same, different or undecided. Saying it again changes it.

    Raises ``InvalidInput`` for what is none, ``Conflict`` when the question is a person else's meanwhile, or once the
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
    of = item.trajectory
    now = {
        "run_id": of.run_id, "sample_id": of.sample_id, "person": actor, "source": None, "verdict": verdict,
        "answer": answer, "extra": extra, "text_digest": judged_digests(item.kind, [of.pk])[of.pk],
        "key_digest": key_digest(key) if key else "",
    }  # fmt: skip
    with transaction.atomic():
        # The seat is ours when the row that says so has changed: one that ran out may be taken at this moment.
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
    """This person does not judge this question; its place is free for others."""
    require(actor, item.queue.benchmark, Right.JUDGE)
    with transaction.atomic():
        open_ones = JudgingSeat.objects.filter(item=item, user=actor, done_at__isnull=True)
        if open_ones.update(place=None, expires_at=Now()):
            audit.record(actor=actor, action="judging.skip", subject=item, benchmark=item.queue.benchmark.slug)


def skip_the_rest(*, actor: User, queue: JudgingQueue) -> int:
    """This person judges nothing more of this queue; how many questions they skip. Their places are free for others."""
    require(actor, queue.benchmark, Right.JUDGE)
    with transaction.atomic():
        open_ones = list(queue.items.unsettled_by(actor).order_by().values_list("pk", flat=True))
        left = list(
            queue.items.filter(pk__in=open_ones)
            .order_by("pk")
            .select_for_update(of=("self",))
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
    """Take this person's last judgment back, so that they judge it again; the question, None without one. Raises
    ``Conflict`` once they have finished the queue."""
    require(actor, queue.benchmark, Right.JUDGE)
    _require_unfinished(actor, queue)
    with transaction.atomic():
        item: JudgingItem | None = queue.items.done_by(actor).order_by("-seats__done_at", "-pk").first()
        if item is None:
            return None
        done = JudgingSeat.objects.filter(item=item, user=actor, done_at__isnull=False)
        if not done.update(done_at=None, expires_at=from_now(LASTS)):
            # A second page took it back at this moment.
            return item
        Judgement.objects.said_to(item).filter(person=actor).delete()
        audit.record(actor=actor, action="judging.undo", subject=item, benchmark=queue.benchmark.slug)
    return item


def _require_unfinished(actor: User, queue: JudgingQueue) -> None:
    """Raise ``Conflict`` once this person has seen where the questions come from: they no longer judge blind."""
    if queue_known_to(actor, queue).source:
        raise Conflict(
            gettext("You have no questions left in this queue, and its models are shown. Verdicts can't be changed.")
        )


def _what_was_said(kind: str, said: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Verdict and answer as stored."""
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
    """Note that this person has judged, in the place that is theirs; whether one is."""
    mine = JudgingSeat.objects.filter(item=item, user=user, place__isnull=False)
    return bool(mine.update(done_at=Now(), expires_at=Now()))


def key_of(item: JudgingItem) -> AnswerKey:
    """What the answer of a question is read by, now. Raises ``Conflict`` where its sample lost its gold. One query."""
    of = Revision.objects.filter(gold_of__sample=item.trajectory.sample_id)
    row = of.values_list("answer_type", "options", "answers").first()
    if row is None:
        raise Conflict(gettext("The sample of this question has no gold any more. Skip it."))
    return AnswerKey(row[0] == AnswerType.MULTIPLE_CHOICE, row[1] or {}, tuple(row[2] or ()))


def _what_it_says(key: AnswerKey, said: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Verdict and answer on the meaning of an answer, as stored."""
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
    """Take a place of a question: from now on this person has begun its queue, even if their place goes to others."""
    with transaction.atomic():
        taken = _there(item) and _take_place(user, item, places)
        if taken:
            item.queue.begun.add(user)
    return taken


def _there(item: JudgingItem) -> bool:
    """Whether a question is in its queue, and stays there until the transaction ends: see ``remove_questions``."""
    there = JudgingItem.objects.select_for_update(of=("self",)).filter(pk=item.pk)
    return bool(there.order_by().values_list("pk"))


def _take_place(user: User, item: JudgingItem, places: int) -> bool:
    """Take a place that is free, has run out, or is this person's already. Call inside a transaction."""
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
            # The same person took another place of it from a second page, or had passed it by.
            return _renew(user, item)
    return False
