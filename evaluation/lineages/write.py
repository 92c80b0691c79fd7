"""Describing and deleting lineages. Putting a run into one: ``evaluation.common.lineage.write``."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.workflow import Right
from evaluation.models import Lineage, Run
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict

DESCRIBED = ("name", "base_model", "data", "reward_scheme")


@transaction.atomic
def describe_lineage(*, actor: User | None, lineage: Lineage, values: Mapping[str, str]) -> Lineage:
    """Change the name of a lineage and the description of its training; ``values`` of ``DESCRIBED``. Raises
    ``Conflict`` if another lineage of the benchmark has the name.
    """
    require(actor, lineage.benchmark, Right.IMPORT_RUNS)
    changed = {name: value for name in DESCRIBED if (value := values.get(name)) is not None
               and value != getattr(lineage, name)}  # fmt: skip
    if not changed:
        return lineage
    name = changed.get("name", lineage.name)
    if lineage.benchmark.lineages.exclude(pk=lineage.pk).filter(name=name).exists():
        raise Conflict(gettext("There is already a lineage with this name."), code="name", field="name")
    before = {one: getattr(lineage, one) for one in changed}
    for one, value in changed.items():
        setattr(lineage, one, value)
    lineage.save(update_fields=list(changed))
    audit.record(
        actor=actor, action="lineage.describe", subject=lineage, benchmark=lineage.benchmark.slug,
        data={"before": before, "after": changed},
    )  # fmt: skip
    return lineage


@transaction.atomic
def delete_lineage(*, actor: User | None, lineage: Lineage) -> None:
    """Delete a lineage and take its runs out of it. The runs stay."""
    require(actor, lineage.benchmark, Right.IMPORT_RUNS)
    runs = {str(run): run.step for run in lineage.runs.select_related("model")}
    Run.everything.filter(lineage=lineage).update(lineage=None, step=None)
    audit.record(
        actor=actor, action="lineage.delete", subject=lineage, benchmark=lineage.benchmark.slug,
        data={"name": lineage.name, "runs": runs},
    )  # fmt: skip
    lineage.delete()
