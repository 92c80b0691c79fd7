"""People decide the meaning of answers that no rule decides: one group of equal answers at a time, or several at once.

A decision records the meaning of an answer, not whether it is correct: corrected gold scores it again without a new
decision. It is one judgment for each trajectory, and takes effect when the run is scored again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC

from django.db import transaction
from django.db.models.fields.json import KT
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.models import Benchmark
from annotation.workflow import Right
from evaluation.answers.read.groups import State, read_groups, read_open_groups
from evaluation.answers.read.rows import AnswerGroup
from evaluation.common.judging.known import judges_are_asked
from evaluation.metrics.answers import key_digest
from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.decided import text_digest
from evaluation.models import Judgement, Scoring, Trajectory
from evaluation.models.querysets.judging import JudgementQuerySet
from evaluation.schema import DecisionWord, JudgementKind
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

KEYS: Mapping[str, DecisionWord] = {
    "0": DecisionWord.NONE,
    "?": DecisionWord.LEAVE,
    "y": DecisionWord.SAME,
    "n": DecisionWord.DIFFERENT,
}
"""Keys for decisions other than the letter of an option."""
BATCH = 1000


def as_judged(group: AnswerGroup) -> str:
    """Return the key of the decision on which all judges of a group agree; "" if they don't agree."""
    said = next((key for key, word in KEYS.items() if word == group.agreed), group.agreed)
    return said if said and said != "?" and may_decide(group, said) else ""


@dataclass(frozen=True, slots=True)
class Decided:
    """The effect of a decision: the number of answers, of groups and of runs."""

    answers: int
    groups: int
    runs: int


def may_decide(group: AnswerGroup, said: str) -> bool:
    """Return whether a group can get this decision: a letter, or one of ``KEYS``."""
    if said == "?":
        return True
    return said in group.options or said == "0" if group.multiple_choice else said in ("y", "n")


def may_decide_unseen(multiple_choice: bool, said: str) -> bool:
    """Return whether groups can get this decision without looking at each. An option or "the same" needs a look."""
    return said == "?" or said == ("0" if multiple_choice else "n")


def decide_answers(
    *,
    actor: User | None,
    benchmark: Benchmark,
    said: Mapping[str, str],
    run: int | None = None,
) -> Decided:
    """Decide these groups: by key of the group, the letter of an option or one of ``KEYS``. ``run``: only their answers
    of this run.

    Raises ``InvalidInput`` for an impossible decision, ``Conflict`` if all groups are already decided, or while judges
    are asked: see ``judges_are_asked``.
    """
    require(actor, benchmark, Right.SCORE)
    with transaction.atomic():
        _one_at_a_time(benchmark)
        if set(said.values()) != {"?"} and judges_are_asked(benchmark):
            raise Conflict(
                gettext(
                    "A judging queue asks about these answers. You can decide answers when it is finished or deleted."
                ),
                code="judges_asked",
            )
        found = read_open_groups(benchmark, actor, said, run=run)
        if not found:
            raise Conflict(gettext("These answers were decided or scored in the meantime. Reload the open answers."))
        for group in found:
            if not may_decide(group, said[group.key]):
                choices = [*group.options, "0"] if group.multiple_choice else ["y", "n"]
                raise InvalidInput(
                    gettext("Use %(choices)s or ?, not %(said)s.")
                    % {"choices": ", ".join(choices), "said": repr(said[group.key][:20])},
                    field="said",
                )
        at = timezone.now().astimezone(UTC).isoformat(timespec="microseconds")
        answers = sum(_decide(actor, group, said[group.key], at) for group in found)
        runs = {one for group in found for one in group.by_run}
        if any(said[group.key] != "?" for group in found):
            Scoring.objects.filter(run__in=runs).mark_stale()
        _record(actor, benchmark, "judging.decide", answers, {said[group.key] for group in found})
    return Decided(answers, len(found), len(runs))


def _decide(actor: User | None, group: AnswerGroup, said: str, at: str) -> int:
    """Save one row for each answer of a group. Rows about an earlier text or key are replaced."""
    word = KEYS.get(said)
    key = AnswerKey(group.multiple_choice, group.options, group.accepted)
    shared = {
        "kind": JudgementKind.ANSWER.value,
        "judge": actor.email if actor else "",
        "person": actor,
        "decides": True,
        "verdict": word.value if word else None,
        "answer": None if word else said,
        "key_digest": key_digest(key),
        "extra": {"at": at},
    }
    pks, made = group.trajectories, 0
    for first in range(0, len(pks), BATCH):
        rows = Trajectory.objects.filter(pk__in=pks[first : first + BATCH]).values_list("pk", "run", "sample", "answer")
        wanted = [
            Judgement(trajectory_id=pk, run_id=run, sample_id=sample, text_digest=text_digest(text), **shared)
            for pk, run, sample, text in rows
        ]
        Judgement.objects.decisions().filter(trajectory__in=[one.trajectory_id for one in wanted]).delete()
        made += len(Judgement.objects.bulk_create(wanted))
    return made


def take_back_last(*, actor: User, benchmark: Benchmark) -> int:
    """Undo this person's last decision, on one group or several together. Return the number of answers; 0 if there is
    nothing to undo.
    """
    require(actor, benchmark, Right.SCORE)
    with transaction.atomic():
        _one_at_a_time(benchmark)
        mine = Judgement.objects.of(benchmark).decisions().filter(person=actor, source=None)
        last = mine.annotate(at=KT("extra__at")).order_by("-at", "-pk").values_list("at", flat=True).first()
        return _take_back(actor, benchmark, mine.filter(extra__at=last)) if last else 0


def take_back(*, actor: User, benchmark: Benchmark, keys: Collection[str], run: int | None = None) -> int:
    """Undo all decisions on these groups, whoever made them. Return the number of answers that are open again."""
    require(actor, benchmark, Right.SCORE)
    with transaction.atomic():
        _one_at_a_time(benchmark)
        found = (read_groups(benchmark, actor, state=state, run=run) for state in (State.DECIDED, State.LEFT))
        pks = [pk for groups in found for group in groups.named(keys) for pk in group.trajectories]
        if not pks:
            raise Conflict(gettext("These answers are no longer decided."))
        rows = Judgement.objects.of(benchmark).decisions().filter(trajectory__in=pks)
        return _take_back(actor, benchmark, rows if run is None else rows.filter(run=run))


def _take_back(actor: User, benchmark: Benchmark, rows: JudgementQuerySet) -> int:
    words = {answer or verdict for answer, verdict in rows.values_list("answer", "verdict").distinct()}
    settled = rows.exclude(verdict=DecisionWord.LEAVE) | rows.filter(verdict=None)
    runs = list(settled.values_list("run", flat=True).distinct())
    answers, _ = rows.delete()
    # After the judgments, as in an import that removes them.
    Scoring.objects.filter(run__in=runs).mark_stale()
    _record(actor, benchmark, "judging.take_back", answers, words)
    return answers


def _one_at_a_time(benchmark: Benchmark) -> None:
    """Serialize decisions: if two people decide the same group at once, the second one finds it decided."""
    Benchmark.objects.select_for_update(of=("self",), no_key=True).only("pk").get(pk=benchmark.pk)


def _record(actor: User | None, benchmark: Benchmark, action: str, answers: int, said: Collection[str]) -> None:
    """Write the audit entry. The page of the log does not show the decision, because judges may read it."""
    words = ", ".join(sorted(said)) if len(said) < 10 else f"{len(said)} different"
    audit.record(actor, action, benchmark, benchmark.slug, after=words[:40], data={"answers": answers})
