"""Human studies with conditions: which part of the image a participant sees with a question.

A person sees one condition of a sample, so that nothing that they saw before makes it easier. It follows from the
number of the participant and from the sample, so it stays the same whoever answers meanwhile, and each person and each
sample gets all conditions in turn.
"""

from __future__ import annotations

from random import Random
from typing import Any

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy

from annotation.evidence import Condition
from annotation.models import Revision, Sample
from evaluation.models import Experiment, HumanAnswer

SEEN_WORDS = {
    Condition.IMAGE: gettext_lazy("The full image is shown."),
    Condition.SMALL: gettext_lazy("The full image is shown at a lower resolution."),
    Condition.MASKED: gettext_lazy("A part of the image is filled from its surroundings. Answer as well as you can."),
    Condition.CROP: gettext_lazy("Only a part of the image is shown."),
    Condition.QUESTION: gettext_lazy("No image is shown. Answer from the question alone, as well as you can."),
}
"""The sentence about the image that a participant reads."""


def conditions_of(study: Experiment) -> list[Condition]:
    """The conditions of a study; none of one that shows unchanged images."""
    return [Condition(one) for one in study.design.get("conditions", ())]


def condition_of(study: Experiment, number: int, sample: int) -> Condition | None:
    """The condition of a sample for the participant with this number; None in a study without conditions."""
    conditions = conditions_of(study)
    if not conditions:
        return None
    first = Random(f"{study.design['seed']} {sample}").randrange(len(conditions))
    return conditions[(first + number) % len(conditions)]


def condition_for(item: HumanAnswer) -> Condition | None:
    """The condition of an assigned answer. At most one query."""
    if not conditions_of(item.experiment):
        return None
    number = item.experiment.participants.values_list("number", flat=True).get(person=item.person_id)
    return condition_of(item.experiment, number, item.sample_id)


def not_shown_elsewhere(found: Any, person: Any, study: Experiment) -> Any:
    """Keep samples of which other studies showed this person nothing that matters here: nothing at all, if this study
    has conditions; else nothing under a condition."""
    others = HumanAnswer.objects.filter(sample=OuterRef("sample"), person=person).exclude(experiment=study)
    if not conditions_of(study):
        others = others.filter(experiment__design__has_key="conditions")
    return found.filter(~Exists(others))


def gold_of(sample: Sample) -> Revision | None:
    """The gold of a sample with its parts, None if it lost it."""
    return Revision.objects.with_content().filter(gold_of__sample=sample).first()
