"""Writing the draft of a schema, discarding it, and putting it in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.sentences import translated
from annotation.content.changes import facets_changed
from annotation.facet_values import ValueInUse
from annotation.models import Benchmark, BenchmarkSchema, FacetAlias, FacetValue
from annotation.task.read import values_to_decide
from annotation.task_schema import InvalidSchemaError, TaskSchema, with_retired
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

KEEP, DROP, CHANGE = "keep", "drop", "change"
"""The decisions of a lead on a value that a closed facet does not list: the samples keep it until they are edited, lose
it, or get a listed value instead.
"""
Decisions = Mapping[tuple[str, str], tuple[str, str]]
"""By facet and value: the decision, and with ``CHANGE`` the listed value."""


class InvalidSchema(InvalidInput):
    """The schema has invalid entries; ``extra`` has all of them with their paths."""

    code = "schema"

    def __init__(self, error: InvalidSchemaError) -> None:
        self.problems = error.problems
        first = error.problems[0]
        super().__init__(f"{first.where}: {translated(first.text)}", field="content")
        self.extra = {"problems": [{"where": one.where, "text": translated(one.text)} for one in error.problems]}


def save_draft(
    *, actor: User, benchmark: Benchmark, content: object, note: str = "", version: int = 0
) -> BenchmarkSchema:
    """Store ``content`` as the draft, over its ``version`` (0: there is none yet). Nothing changes for anyone else.
    Raises ``Conflict`` if another lead saved meanwhile, and ``InvalidSchema``."""
    require(actor, benchmark, Right.MANAGE)
    try:
        task = TaskSchema.parse(content)
    except InvalidSchemaError as error:
        raise InvalidSchema(error) from error
    with transaction.atomic():
        draft = _lock_draft(benchmark, version)
        if draft is None:
            newest = BenchmarkSchema.objects.filter(benchmark=benchmark).order_by("-number").first()
            draft = BenchmarkSchema(benchmark=benchmark, number=newest.number + 1 if newest else 1, version=0)
        draft.content = with_retired(task, benchmark.task).as_json()
        draft.note, draft.changed_by = note, actor
        draft.version += 1
        draft.save()
        data = {"number": draft.number, "version": draft.version}
        audit.record(actor=actor, action="task.draft", subject=draft, benchmark=benchmark.slug, data=data)
    return draft


def discard_draft(*, actor: User, benchmark: Benchmark, version: int) -> None:
    """Forget the draft. Raises ``Conflict`` if another lead changed it meanwhile."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        draft = _lock_draft(benchmark, version)
        if draft is not None:
            data = {"number": draft.number}
            audit.record(actor=actor, action="task.discard", subject=draft, benchmark=benchmark.slug, data=data)
            draft.delete()


def activate(*, actor: User, benchmark: Benchmark, version: int, decisions: Decisions | None = None) -> BenchmarkSchema:
    """Put the draft in force for everyone, and change the facet values in use as decided. Submitted revisions keep
    their words. Raises ``Conflict`` with the code ``draft_changed`` or ``no_draft``, and with ``undecided`` while a
    value in use that the schema does not list has no decision."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        draft = _lock_draft(benchmark, version)
        if draft is None:
            raise Conflict(gettext("There is no draft to put in force."), code="no_draft")
        task = TaskSchema.parse(draft.content)
        changes = _changes(task, values_to_decide(benchmark, task), decisions or {})
        in_force = BenchmarkSchema.objects.filter(benchmark=benchmark, state=BenchmarkSchema.State.ACTIVE)
        in_force.update(state=BenchmarkSchema.State.RETIRED)
        draft.state, draft.activated_at, draft.changed_by = BenchmarkSchema.State.ACTIVE, timezone.now(), actor
        draft.save()
        benchmark.forget_schema()
        _list_again(benchmark, task)
        for one, new in changes:
            _change(benchmark, one, new)
        if changes:
            facets_changed(benchmark.pk)
        data: dict[str, Any] = {"number": draft.number, "note": draft.note}
        data["values"] = [[one.facet, one.value, new, one.count] for one, new in changes]
        audit.record(actor=actor, action="task.activate", subject=draft, benchmark=benchmark.slug, data=data)
    return draft


def _lock_draft(benchmark: Benchmark, version: int) -> BenchmarkSchema | None:
    """The draft of this version, None for 0; no other lead changes it before the transaction ends."""
    Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
    draft = BenchmarkSchema.objects.filter(benchmark=benchmark, state=BenchmarkSchema.State.DRAFT).first()
    if (draft.version if draft else 0) != version:
        message = gettext("Another lead changed the draft meanwhile. Reload the page.")
        raise Conflict(message, code="draft_changed", field="version")
    return draft


def _changes(task: TaskSchema, found: list[ValueInUse], decisions: Decisions) -> list[tuple[ValueInUse, str]]:
    """The values to change and what each becomes, "" for nothing."""
    listed = {facet.name: {option.value for option in facet.values} for facet in task.facets}
    changes = []
    for one in found:
        what, target = decisions.get((one.facet, one.value), ("", ""))
        if what == CHANGE and target in listed[one.facet]:
            changes.append((one, target))
        elif what == DROP:
            changes.append((one, ""))
        elif what != KEEP:
            message = gettext("Decide what becomes of the value “%(value)s” of %(facet)s. %(count)s samples have it.")
            values = {"value": one.value, "facet": one.facet, "count": one.count}
            raise Conflict(message % values, code="undecided", field="decisions")
    return changes


def _list_again(benchmark: Benchmark, task: TaskSchema) -> None:
    """A listed value means itself, regardless of its former meaning."""
    for facet in task.facets:
        values = [option.value for option in facet.values]
        FacetAlias.objects.filter(benchmark=benchmark, name=facet.name, old__in=values).delete()


def _change(benchmark: Benchmark, one: ValueInUse, new: str) -> None:
    """Every sample with the value has ``new`` in its place, once; words that meant the value mean ``new``."""
    aliases = FacetAlias.objects.filter(benchmark=benchmark, name=one.facet)
    aliases.filter(new=one.value).update(new=new)
    aliases.update_or_create(benchmark=benchmark, name=one.facet, old=one.value, defaults={"new": new})
    rows = FacetValue.objects.filter(benchmark=benchmark, name=one.facet)
    replaced = rows.filter(value=one.value).exclude(kind=FacetValue.Kind.BANK)
    if new:
        having = rows.filter(value=new).order_by().values("sample")
        replaced.exclude(sample__in=having).update(value=new, kind=FacetValue.Kind.TEXT)
    replaced.delete()
