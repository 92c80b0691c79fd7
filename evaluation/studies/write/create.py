"""Creates human studies: draws the samples and opens the study."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.rules import refuse_open_blind_work
from annotation.evidence import Condition
from annotation.models import Benchmark
from annotation.workflow import Right
from evaluation.metrics.strata import draw_strata
from evaluation.models import Experiment, Run, StudySample
from evaluation.models.run import PEOPLE_NAME
from evaluation.runner.canonical import digest_of
from evaluation.studies.forms import INVITED, LONGEST_NAME, MOST_PEOPLE
from evaluation.studies.read.draw import strata_of
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput


@dataclass(frozen=True)
class StudyChoices:
    """``facets``: for stratification of the sample; ``n``: samples; ``people``: maximum number of answers per sample;
    ``roles``: invited roles; ``seed``: of the draw, "" for a random one. ``conditions``: the parts of the
    image that are shown, one of them to a person and a sample; none: the unchanged image.
    """

    name: str
    n: int
    facets: Sequence[str] = ()
    people: int = 3
    roles: Sequence[str] = tuple(role.value for role in INVITED)
    seed: str = ""
    conditions: Sequence[str] = ()


def create_study(*, actor: User | None, benchmark: Benchmark, choices: StudyChoices) -> Experiment:
    """Draw the samples of a study, and open it. Raises ``InvalidInput`` with the field, ``Conflict`` on a public
    benchmark and for a name that another study or run of people has.
    """
    require(actor, benchmark, Right.MANAGE)
    name = _checked(choices)
    with transaction.atomic():
        refuse_open_blind_work(benchmark, study=True)
        taken = Experiment.objects.filter(benchmark=benchmark, kind=Experiment.Kind.HUMAN, setting=name).exists()
        if taken or Run.everything.filter(benchmark=benchmark, model__name=PEOPLE_NAME, setting=name).exists():
            raise Conflict(gettext("There is a study “%(name)s”. Choose another name.") % {"name": name}, field="name")
        strata, groups = strata_of(benchmark, choices.facets, choices.n, choices.conditions)
        design = {
            "facets": list(dict.fromkeys(choices.facets)), "n": choices.n, "people": choices.people,
            "roles": sorted(set(choices.roles)), "seed": choices.seed or secrets.token_hex(16),
            "strata": [{**asdict(one), "groups": list(one.groups)} for one in strata],
        }  # fmt: skip
        if choices.conditions:
            design["conditions"] = [one.value for one in Condition if one in choices.conditions]
        study: Experiment = Experiment.objects.create(
            benchmark=benchmark, kind=Experiment.Kind.HUMAN, design=design, model=PEOPLE_NAME, setting=name,
            endpoint_name="", rollouts=choices.people, recipe={}, recipe_digest=digest_of(design),
            state=Experiment.State.RUNNING, started_at=timezone.now(), created_by=actor,
            version=benchmark.versions.order_by("-number").first(),
        )  # fmt: skip
        drawn = draw_strata(groups, strata, str(design["seed"]))
        StudySample.objects.bulk_create(
            StudySample(experiment=study, sample_id=pk, stratum=place)
            for place, found in enumerate(drawn)
            for pk in found
        )
        # Participants may read the log, so it names no sample and no seed.
        audit.record(
            actor=actor, action="study.create", subject=study, benchmark=benchmark.slug,
            data={"name": name, "n": choices.n, "people": choices.people},
        )  # fmt: skip
    return study


def _checked(choices: StudyChoices) -> str:
    """Return the name. Raises ``InvalidInput`` for impossible choices."""
    name = choices.name.strip()
    if not 1 <= len(name) <= LONGEST_NAME:
        raise InvalidInput(gettext("A name has 1 to %(longest)s characters.") % {"longest": LONGEST_NAME}, field="name")
    if not 1 <= choices.people <= MOST_PEOPLE:
        raise InvalidInput(
            gettext("Each sample is answered by 1 to %(most)s people.") % {"most": MOST_PEOPLE}, field="people"
        )
    if not choices.roles or not set(choices.roles) <= {role.value for role in INVITED}:
        raise InvalidInput(
            gettext("Invite one or more of these roles: %(roles)s.") % {"roles": ", ".join(INVITED)}, field="roles"
        )
    if unknown := set(choices.conditions) - set(Condition):
        message = gettext("There is no condition %(unknown)s. Choose of: %(conditions)s.")
        words = {"unknown": sorted(unknown)[0], "conditions": ", ".join(Condition)}
        raise InvalidInput(message % words, field="conditions")
    return name
