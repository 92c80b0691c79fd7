"""Putting a run at a step of a lineage: from its page, from an import, and from an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.models import Benchmark
from annotation.workflow import Right
from evaluation.models import Lineage, Run
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

NAME = 200
LENGTHS = {"base_model": NAME, "data": 2000, "reward_scheme": 2000}
"""The description of the training of a lineage, with the most characters of each."""
TRAINING = "training"
"""The key of it in the records of files."""
MOST_STEP = 2**53 - 1
"""The largest number that JSON keeps exactly."""


@dataclass(frozen=True)
class Place:
    """A step of a lineage, by name; the lineage is created with its first run."""

    lineage: str
    step: int

    def __str__(self) -> str:
        return f"{self.lineage}@{self.step}"

    @classmethod
    def read(cls, text: str) -> Place | None:
        """The inverse of ``str``; None of ""."""
        name, _, step = text.rpartition("@")
        return cls(name, int(step)) if text else None


def place_of(lineage: object, step: object) -> Place | None:
    """The place that a person or a file names; None for neither. Raises ``InvalidInput`` naming the field."""
    name = str(lineage or "").strip()
    if not name and step in (None, ""):
        return None
    if not name or len(name) > NAME:
        raise InvalidInput(gettext("Name the lineage, with at most %(most)s characters.") % {"most": NAME},
                           field="lineage")  # fmt: skip
    text = str(step)
    if isinstance(step, bool) or not (text.isascii() and text.isdigit()) or int(text) > MOST_STEP:
        raise InvalidInput(gettext("The step must be a whole number from 0."), field="step")
    return Place(name, int(text))


def recorded_place(extra: Any) -> Place | None:
    """The place that a record of a file names in ``lineage`` and ``step``; None unless it has both."""
    if not extra or "lineage" not in extra or "step" not in extra:
        return None
    try:
        return place_of(extra["lineage"], extra["step"])
    except InvalidInput:
        return None


def recorded_training(extra: Any) -> dict[str, str]:
    """Return the training of a lineage in a record with a place; {} if it has another form."""
    said = extra.get(TRAINING) if recorded_place(extra) is not None else None
    if not isinstance(said, Mapping) or set(said) - set(LENGTHS):
        return {}
    known = {name: text for name, text in said.items() if isinstance(text, str) and text.strip()}
    return known if all(len(text) <= LENGTHS[name] for name, text in known.items()) else {}


def training_of(lineage: Lineage) -> dict[str, str]:
    """The description of its training; the inverse of ``recorded_training``."""
    return {name: text for name in LENGTHS if (text := getattr(lineage, name))}


@transaction.atomic
def note_training(*, actor: User | None, lineage: Lineage, said: Mapping[str, str]) -> None:
    """Fill in the empty fields of a lineage; what people wrote stays. Raises ``NotAllowed``."""
    require(actor, lineage.benchmark, Right.IMPORT_RUNS)
    new = {name: text for name, text in said.items() if not getattr(lineage, name)}
    if not new:
        return
    for name, text in new.items():
        setattr(lineage, name, text)
    lineage.save(update_fields=list(new))
    audit.record(
        actor=actor, action="lineage.describe", subject=lineage, benchmark=lineage.benchmark.slug,
        data={"before": dict.fromkeys(new, ""), "after": new},
    )  # fmt: skip


@transaction.atomic
def place_run(*, actor: User | None, run: Run, place: Place | None, move: bool = False) -> Run:
    """Put a run at a step of a lineage, or take it out with None. A run at another place stays there without ``move``.

    Raises ``NotAllowed``; ``Conflict`` if the run has another place, or if another run of the same setting is there.
    """
    require(actor, run.benchmark, Right.IMPORT_RUNS)
    there = place_in(run)
    if there == place:
        return run
    if there is not None and not move:
        raise Conflict(
            gettext("%(run)s is step %(step)s of %(lineage)s. Choose another setting name for another step.")
            % {"run": run, "step": there.step, "lineage": there.lineage},
            code="step", field="step",
        )  # fmt: skip
    if place is not None and run.staged_for_id is None:
        refuse_taken(run.benchmark, place, run.model.name, run.setting)
    run.lineage = _named(actor, run.benchmark, place.lineage) if place else None
    run.step = place.step if place else None
    run.save(update_fields=["lineage", "step"])
    audit.record(
        actor=actor, action="run.place", subject=run, benchmark=run.benchmark.slug, before=str(there or ""),
        after=str(place or ""), data={"run": str(run)},
    )  # fmt: skip
    return run


def refuse_taken(benchmark: Benchmark, place: Place, model: str, setting: str) -> None:
    """Raise ``Conflict`` where a run of another model has this place with the same setting."""
    there = Run.objects.filter(benchmark=benchmark, lineage__name=place.lineage, step=place.step, setting=setting)
    if (other := there.exclude(model__name=model).select_related("model").first()) is not None:
        raise Conflict(
            gettext("%(run)s is already step %(step)s of %(lineage)s with this setting.")
            % {"run": other, "step": place.step, "lineage": place.lineage},
            code="step", field="step",
        )  # fmt: skip


def place_in(run: Run) -> Place | None:
    """The place that a run has."""
    return Place(run.lineage.name, run.step) if run.lineage is not None and run.step is not None else None


def _named(actor: User | None, benchmark: Benchmark, name: str) -> Lineage:
    found, made = Lineage.objects.get_or_create(benchmark=benchmark, name=name, defaults={"created_by": actor})
    if made:
        audit.record(actor=actor, action="lineage.create", subject=found, benchmark=benchmark.slug, data={"name": name})
    return found
