"""Taking a human study: a sample is assigned to a person, and answered or skipped."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.evidence import keep_answer
from annotation.content.revisions import content_of
from annotation.evidence import Condition, Purpose
from annotation.workflow import Right
from evaluation.common.evidence import judged
from evaluation.models import Experiment, HumanAnswer, Participant, StudySample
from evaluation.models.judging import new_key
from evaluation.scoring.settings import settings_of
from evaluation.studies.read.conditions import condition_for, conditions_of, gold_of
from evaluation.studies.read.task import asked_of, is_invited, lease_lost, open_to
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.clock import from_now
from webapp.common.errors import Conflict, InvalidInput, NotAllowed

LASTS = timedelta(minutes=20)
"""The time for which an assigned sample stays reserved without activity."""
LONGEST_ANSWER, MOST_TOOLS, LONGEST_TOOL = 2000, 50, 200
MOST_ZOOMS, LEAST_HELD = 100, 0.7
"""The maximum number of zooms of one answer, and the minimum seconds of a zoom."""
LONGEST = 24 * 3600
State = Experiment.State


def next_to_answer(*, actor: User, study: Experiment) -> HumanAnswer | None:
    """Reserve the next sample for this person for ``LASTS`` and return it; None if nothing is available now. With the
    first one they take part, and lose access to gold and runs.

    A sample that they already hold comes first. Else those with the fewest answers, in an order drawn for each person.
    Raises ``NotAllowed`` for a person who is not invited, ``Conflict`` unless the study is open.
    """
    require(actor, study.benchmark, Right.TAKE_STUDY)
    if not is_invited(actor, study):
        raise NotAllowed(gettext("You are not invited to this study. Ask its lead."))
    study.refresh_from_db(fields=["state"])
    if study.state != State.RUNNING:
        raise Conflict(gettext("This study is not open now."), code="state")
    held = study.human_answers.held_by(actor).order_by("taken_at", "pk").first()
    if held is not None and _renew(actor, held):
        return held
    if study.participants.filter(person=actor, finished_at__isnull=False).exists():
        return None
    number = study.participants.filter(person=actor).values_list("number", flat=True).first()
    places = study.design["people"]
    rows = list(open_to(actor, study).filter(taken_n__lt=places).order_by("pk"))
    random.Random(f"{study.design['seed']} {actor.pk}").shuffle(rows)
    for row in sorted(rows, key=lambda row: row.taken_n):
        with transaction.atomic():
            finished = study.participants.filter(person=actor, finished_at__isnull=False)
            if _locked(study) != State.RUNNING or finished.exists():
                return None
            taken = _take_place(actor, study, row, places)
            if taken is not None:
                if number is None:
                    _begin(actor, study)
                return taken
    _finish_if_done(actor, study)
    return None


def answer(*, actor: User, item: HumanAnswer, said: Mapping[str, Any]) -> HumanAnswer:
    """Save a person's answer: ``answer`` or ``cannot``, ``recognition`` and ``plan`` as lines, ``familiarity`` 1 to 5,
    ``unsure``, ``seconds``, ``zooms`` as JSON. An answer that is sent again changes nothing.

    Raises ``InvalidInput`` with the field, ``Conflict`` if the sample was assigned to another person, or if the study
    is closed.
    """
    study = item.experiment
    if item.done_at is not None:
        return item
    condition = condition_for(item)
    values = _checked(item, said, under_condition=condition is not None)
    with transaction.atomic():
        if _locked(study) not in (State.RUNNING, State.PAUSED):
            raise Conflict(gettext("This study was closed. Your answer was not saved."), code="state")
        mine = HumanAnswer.objects.filter(pk=item.pk, key=item.key, person=actor, place__isnull=False, done_at=None)
        if not mine.update(**values, done_at=Now(), expires_at=Now()):
            if HumanAnswer.objects.given().filter(pk=item.pk, key=item.key, person=actor).exists():
                return item
            raise lease_lost()
        if condition is not None:
            _keep_under(condition, actor, item, values["answer"])
        audit.record(actor=actor, action="study.answer", subject=study, benchmark=study.benchmark.slug)
        _finish_if_done(actor, study)
    return item


def _keep_under(condition: Condition, actor: User, item: HumanAnswer, answer: str) -> None:
    """Keep an answer with the gold that it was given to. "I can't tell" is incorrect."""
    revision = gold_of(item.sample)
    if revision is None:
        raise Conflict(gettext("This sample has no gold any more. Skip it."))
    text, right = judged(answer, content_of(revision), settings_of(item.experiment.benchmark))
    keep_answer(
        revision.pk, condition, Purpose.EVIDENCE, answer=text or answer, right=right if answer else False, person=actor
    )


def skip(*, actor: User, item: HumanAnswer) -> None:
    """Skip this sample for this person; its place is free for others."""
    study = item.experiment
    with transaction.atomic():
        _locked(study)
        mine = HumanAnswer.objects.filter(pk=item.pk, key=item.key, person=actor, done_at=None)
        if mine.update(place=None, expires_at=Now()):
            audit.record(actor=actor, action="study.skip", subject=study, benchmark=study.benchmark.slug)
            _finish_if_done(actor, study)


def renew(*, actor: User, item: HumanAnswer) -> None:
    """Reserve a sample for ``LASTS`` more, for a person who works on it. Raises ``Conflict`` if it was answered,
    skipped or assigned to another person.
    """
    if not _renew(actor, item):
        raise lease_lost()


def finish(*, actor: User, study: Experiment) -> None:
    """Finish this study for this person, who may then know its gold. It can't be undone."""
    with transaction.atomic():
        _locked(study)
        mine = study.participants.filter(person=actor, finished_at=None)
        if mine.update(finished_at=timezone.now()):
            study.human_answers.filter(person=actor, done_at=None, place__isnull=False).delete()
            audit.record(actor=actor, action="study.finish", subject=study, benchmark=study.benchmark.slug)


def _locked(study: Experiment) -> str:
    """Lock a study and return its state. Assigning, answering, skipping, finishing and closing are serialized here.
    Call inside a transaction.
    """
    states = Experiment.objects.select_for_update(of=("self",), no_key=True).values_list("state", flat=True)
    return str(states.get(pk=study.pk))


def _begin(actor: User, study: Experiment) -> None:
    """Call inside a transaction that has the study locked: numbers are given one after another."""
    if not study.participants.filter(person=actor).exists():
        number = study.participants.aggregate(n=Count("pk"))["n"]
        Participant.objects.create(experiment=study, person=actor, number=number)
        audit.record(actor=actor, action="study.begin", subject=study, benchmark=study.benchmark.slug)


def _finish_if_done(actor: User, study: Experiment) -> None:
    """Mark a participant without open tasks as finished, even if others return theirs."""
    if not open_to(actor, study).exists():
        finish(actor=actor, study=study)


def _renew(actor: User, item: HumanAnswer) -> bool:
    held = HumanAnswer.objects.filter(pk=item.pk, key=item.key, person=actor, place__isnull=False, done_at=None)
    return bool(held.update(expires_at=from_now(LASTS)))


def _take_place(actor: User, study: Experiment, row: StudySample, places: int) -> HumanAnswer | None:
    """Take a place of a sample that is free, has expired, or already belongs to this person. Call inside a
    transaction.
    """
    mine = {"person": actor, "taken_at": Now(), "expires_at": from_now(LASTS)}
    of = {"experiment": study, "sample_id": row.sample_id}
    for place in range(places):
        HumanAnswer.objects.bulk_create([HumanAnswer(**of, **mine, place=place)], ignore_conflicts=True)
        found = HumanAnswer.objects.filter(**of, person=actor, place__isnull=False, done_at=None).first()
        if found is not None and _renew(actor, found):
            return found
        try:
            with transaction.atomic():
                lapsed = HumanAnswer.objects.filter(**of, place=place, done_at=None, expires_at__lte=Now())
                before = lapsed.values_list("person", flat=True).first() if conditions_of(study) else None
                # A new name, so that the page of the previous person detects the loss.
                if lapsed.update(**mine, key=new_key()):
                    if before is not None:
                        # They saw the sample under a condition, so no other study may show it to them.
                        seen = {"person_id": before, "taken_at": Now(), "expires_at": Now(), "place": None}
                        HumanAnswer.objects.bulk_create([HumanAnswer(**of, **seen)], ignore_conflicts=True)
                    return HumanAnswer.objects.get(**of, place=place)
        except IntegrityError:
            # The same person took another place of it from a second page, or skipped it.
            return None
    return None


def _checked(item: HumanAnswer, said: Mapping[str, Any], *, under_condition: bool = False) -> dict[str, Any]:
    asked, image = asked_of(item.sample), item.sample.image
    tools, size = asked.tools and not under_condition, (image.width, image.height) if image else (0, 0)
    familiarity = str(said.get("familiarity") or "")
    if familiarity not in {"1", "2", "3", "4", "5"}:
        raise InvalidInput(gettext("Choose how familiar you are with the subject, from 1 to 5."), field="familiarity")
    return {
        "answer": _answer(said, asked.options) if asked.answer else None,
        "recognition": _tools(said, "recognition") if tools else None,
        "plan": _tools(said, "plan") if tools else None,
        "familiarity": int(familiarity),
        "unsure": bool(said.get("unsure")) or bool(said.get("cannot")),
        "seconds": _seconds(said.get("seconds"), "seconds"),
        # Under a condition, a zoom is on another image than the original.
        "steps": [] if under_condition else read_zooms(said.get("zooms"), *size),
    }


def _answer(said: Mapping[str, Any], options: Mapping[str, str]) -> str:
    """Return the text to store; "" for ``cannot``."""
    if said.get("cannot"):
        return ""
    text = str(said.get("answer") or "").strip()
    if not text:
        raise InvalidInput(gettext("Enter an answer, or choose “I can't tell”."), field="answer")
    if options and text not in options:
        raise InvalidInput(gettext("Choose one of the options."), field="answer")
    if len(text) > LONGEST_ANSWER:
        raise InvalidInput(
            gettext("An answer can have at most %(limit)s characters.") % {"limit": LONGEST_ANSWER}, field="answer"
        )
    return text


def _tools(said: Mapping[str, Any], field: str) -> list[str]:
    """Return names as written, one per line or separated by commas, in their order."""
    names = [name.strip() for name in re.split(r"[,\n]", str(said.get(field) or ""))]
    names = [name for name in names if name]
    if not names and not said.get("cannot"):
        raise InvalidInput(gettext("Enter at least one tool, or choose “I can't tell”."), field=field)
    if len(names) > MOST_TOOLS or any(len(name) > LONGEST_TOOL for name in names):
        raise InvalidInput(
            gettext("Enter at most %(most)s tools with at most %(longest)s characters each.")
            % {"most": MOST_TOOLS, "longest": LONGEST_TOOL},
            field=field,
        )
    return names


def _seconds(value: Any, field: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 <= number <= LONGEST:
        raise InvalidInput(gettext("%(field)s must be a number of seconds.") % {"field": field}, field=field)
    return round(number, 1)


def read_zooms(text: Any, width: int, height: int) -> list[dict[str, Any]]:
    """The zooms that the page recorded: ``[{"box": [x1, y1, x2, y2], "seconds": s}, …]`` in whole pixels of the
    original. Raises ``InvalidInput`` for a box that is empty or leaves the image, one that was held for less than
    ``LEAST_HELD`` seconds, and for more than ``MOST_ZOOMS``."""
    try:
        rows = json.loads(str(text or "[]"))
    except ValueError:
        rows = None
    if not isinstance(rows, list) or len(rows) > MOST_ZOOMS:
        raise InvalidInput(
            gettext("The zooms must be a list of at most %(most)s.") % {"most": MOST_ZOOMS}, field="zooms"
        )
    return [_zoom(row, width, height) for row in rows]


def _zoom(row: Any, width: int, height: int) -> dict[str, Any]:
    box = row.get("box") if isinstance(row, dict) else None
    if not isinstance(box, list) or len(box) != 4 or any(type(edge) is not int for edge in box):
        raise InvalidInput(gettext("A zoom must have a box of four whole numbers."), field="zooms")
    x1, y1, x2, y2 = box
    if not (0 <= x1 < x2 <= width and 0 <= y1 < y2 <= height):
        raise InvalidInput(
            gettext("The box %(box)s of a zoom is empty or outside the image.") % {"box": box}, field="zooms"
        )
    seconds = _seconds(row.get("seconds"), "zooms")
    if seconds < LEAST_HELD:
        raise InvalidInput(gettext("A zoom counts from %(least)s seconds on.") % {"least": LEAST_HELD}, field="zooms")
    return {"box": box, "seconds": seconds}
