"""The tasks of a participant, and their progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q
from django.utils.translation import gettext

from annotation.common.access import known_to, roles_of
from annotation.common.words import count_of
from annotation.models import Revision, Sample
from evaluation.models import Experiment, HumanAnswer, Participant
from evaluation.studies.read.conditions import not_shown_elsewhere
from webapp.accounts.models import User
from webapp.common.errors import Conflict

State = Experiment.State


@dataclass(frozen=True, slots=True)
class Asked:
    """The task of a sample for people: the same as for a model, and nothing of its gold. ``options``: by letter, of a
    question with options; ``answer``: an answer is asked for; ``tools``: the tools in the image, and those that the
    task needs.
    """

    question: str
    options: dict[str, str]
    answer: bool
    tools: bool


@dataclass(frozen=True, slots=True)
class Mine:
    """The progress of one person in a study. ``left``: samples still available to them, without those that others hold
    or have filled; ``held_by_others``: those that become available if the others do not answer.
    """

    participant: Participant | None
    done: int
    left: int
    held_by_others: int

    @property
    def finished(self) -> bool:
        return self.participant is not None and self.participant.finished_at is not None

    @property
    def all(self) -> int:
        return self.done + self.left


def asked_of(sample: Sample) -> Asked:
    """Raises ``Conflict`` where the sample lost its gold. Two queries."""
    revision = Revision.objects.filter(gold_of__sample=sample).first()
    if revision is None:
        raise Conflict(gettext("This sample has no gold any more. Skip it."))
    tools = revision.plan_tools.filter(step__isnull=False).exists()
    return Asked(revision.question, revision.choices, bool(revision.answers), tools)


def is_invited(user: User, study: Experiment) -> bool:
    """Whether this person may take part now: they hold an invited role, are no lead, and nothing keeps them away."""
    roles = {role.value for role in roles_of(user, study.benchmark)}
    return known_to(user, study.benchmark).takes_studies and bool(roles & set(study.design["roles"]))


def open_to(user: User, study: Experiment) -> Any:
    """The samples of a study that are left for this person, with ``done_n`` and ``taken_n``."""
    found: Any = not_shown_elsewhere(study.study_samples.unsettled_by(user).with_places(), user, study)
    return found.filter(done_n__lt=study.design["people"])


def mine_of(user: User, study: Experiment) -> Mine:
    """Three queries."""
    participant = study.participants.filter(person=user).first()
    held = study.human_answers.held_by(user).values("sample")
    people = study.design["people"]
    free = Count("pk", filter=Q(taken_n__lt=people) | Q(sample__in=held))
    counted = open_to(user, study).order_by().aggregate(all=Count("pk"), free=free)
    done = study.human_answers.given().filter(person=user).count()
    return Mine(participant, done, counted["free"], counted["all"] - counted["free"])


def progress_by_stratum(study: Experiment) -> list[dict[str, Any]]:
    """Of each stratum: name, size, answers, and as counts of samples drawn, answered (by anyone) and full (by all who
    are asked). One query."""
    strata, people = study.design["strata"], study.design["people"]
    keys: list[dict[str, list[str]]] = [{"drawn": [], "answered": [], "full": []} for _ in strata]
    answers = [0] * len(strata)
    rows: Any = study.study_samples.with_places().order_by()
    for stratum, key, done in rows.values_list("stratum", "sample__key", "done_n"):
        answers[stratum] += done
        for name, counts in (("drawn", True), ("answered", done > 0), ("full", done >= people)):
            if counts:
                keys[stratum][name].append(key)
    return [
        {"name": " | ".join(one["groups"]), "size": one["size"], "answers": answers[at]}
        | {name: count_of(study.benchmark, found) for name, found in keys[at].items()}
        for at, one in enumerate(strata)
    ]


def progress_by_person(study: Experiment) -> list[Participant]:
    """The participants, each with ``answers_n``, ``skipped_n`` and ``seconds_n``. One query."""
    rows = study.participants.select_related("person").order_by("number")
    mine = Q(person__human_answers__experiment=F("experiment"))
    return list(
        rows.annotate(
            answers_n=Count("person__human_answers", filter=mine & Q(person__human_answers__done_at__isnull=False)),
            skipped_n=Count("person__human_answers", filter=mine & Q(person__human_answers__place=None)),
        )
    )


def answer_at(user: User, study: Experiment, key: str) -> HumanAnswer:
    """The answer of this person with this name. Raises ``Conflict`` where its sample was assigned to another person."""
    found = study.human_answers.select_related("sample__image").filter(person=user, key=key).first()
    if found is None:
        raise lease_lost()
    found.experiment, found.sample.benchmark = study, study.benchmark
    return found


def lease_lost() -> Conflict:
    return Conflict(gettext("This sample is no longer assigned to you. Continue with the next one."), code="lease_lost")
