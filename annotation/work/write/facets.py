"""A lead sets or removes a value of a facet of the task on many samples, as one batch that can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.idempotency import answer_once
from annotation.common.words import state_words
from annotation.content.facet_batches import Values, make_batch, values_of
from annotation.models import Benchmark, Receipt, Sample
from annotation.models.querysets.samples import SampleQuerySet
from annotation.queue.batch import MOST, SETTLED, load_batch
from annotation.task_schema import LONGEST_VALUE, Facet, Kind, Required
from annotation.workflow import Right, SampleState
from webapp.accounts.models import User
from webapp.common.bulk import as_json
from webapp.common.errors import Conflict, InvalidInput

MOST_LISTED = 20
"""Values of a closed facet that a message lists."""


@dataclass(frozen=True, slots=True)
class FacetChoice:
    """A value to set on samples, or with ``remove`` to remove. On a facet with one value it replaces that value; on
    another facet it is added."""

    facet: Facet
    value: str
    remove: bool


@dataclass
class FacetPlan:
    """The values before and after by sample, and the samples that would not change, with the reasons."""

    changes: dict[int, tuple[Values, Values]] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def totals(self) -> list[tuple[str, str, int]]:
        """Each pair of values before and after, as text ("" for none), with its number of samples, most first."""
        pairs = ((as_text(before), as_text(after)) for before, after in self.changes.values())
        return [(*pair, n) for pair, n in sorted(Counter(pairs).items(), key=lambda one: (-one[1], one[0]))]


def as_text(values: Values) -> str:
    return ", ".join(map(_text, values))


def read_choice(benchmark: Benchmark, facet: str, value: str, remove: bool) -> FacetChoice:
    """Raises ``InvalidInput`` for a facet or a value that the task does not have. Any value can be removed."""
    found = next((one for one in benchmark.task.facets if one.name == facet), None)
    if found is None:
        raise InvalidInput(gettext("The task has no facet “%(name)s”.") % {"name": facet}, field="facet")
    value = value.strip()
    if not value or len(value) > LONGEST_VALUE:
        message = gettext("Enter a value of at most %(most)s characters.") % {"most": LONGEST_VALUE}
        raise InvalidInput(message, field="value")
    listed = [option.value for option in found.values]
    if found.closed and not remove and value not in listed:
        message = gettext("%(facet)s does not take “%(value)s”. Use one of: %(listed)s.")
        named = ", ".join(listed[:MOST_LISTED]) + (" …" if len(listed) > MOST_LISTED else "")
        raise InvalidInput(message % {"facet": facet, "value": value, "listed": named}, field="value")
    return FacetChoice(found, value, remove)


def plan_facet(benchmark: Benchmark, samples: SampleQuerySet, choice: FacetChoice) -> FacetPlan:
    """What setting it would change now, for at most ``MOST`` samples. Two queries, and more for thousands."""
    found = list(samples.filter(benchmark=benchmark).order_by("key")[: MOST + 1])
    if not found:
        raise InvalidInput(gettext("Choose at least one sample."), field="id")
    if len(found) > MOST:
        raise InvalidInput(gettext("At most %(limit)s samples at once. Narrow the list.") % {"limit": MOST}, field="id")
    return _plan(found, choice)


def set_facet(
    *,
    actor: User,
    benchmark: Benchmark,
    samples: SampleQuerySet,
    facet: str,
    value: str,
    remove: bool,
    key: str,
    expected: int | None = None,
) -> Receipt:
    """Set or remove a value of a facet. Samples that are annotated or reviewed are rejected: their facets come with the
    annotation. Revisions and frozen versions keep their words, and scores become stale. ``expected``: the number of
    changes that the lead saw; raises ``Conflict`` with the code ``changed`` if there are others by now. Repeating the
    same ``key`` changes nothing.
    """
    require(actor, benchmark, Right.MANAGE)
    choice = read_choice(benchmark, facet, value, remove)

    def work() -> dict[str, object]:
        Benchmark.objects.select_for_update(no_key=True).only("pk").get(pk=benchmark.pk)
        plan = _plan(load_batch(benchmark, samples).samples, choice)
        if expected is not None and expected != len(plan.done):
            message = gettext("%(n)s samples would change by now. Preview it again.") % {"n": len(plan.done)}
            raise Conflict(message, code="changed")
        number = None
        if plan.changes:
            about = {"value": choice.value, "remove": remove}
            number = make_batch(actor=actor, benchmark=benchmark, name=facet, changes=plan.changes, **about).pk
        answer = {"done": plan.done, "refused": list(plan.refused.items()), "batch": number}
        return answer | {"facet": facet, "value": choice.value, "remove": remove}

    return answer_once(actor, key, f"facet:{benchmark.pk}", work)


def _plan(samples: Iterable[Sample], choice: FacetChoice) -> FacetPlan:
    plan, found = FacetPlan(), list(samples)
    now = values_of(choice.facet.name, (sample.pk for sample in found))
    for sample in found:
        before = now.get(sample.pk, ())
        after = _after(before, choice)
        if why := _refusal(sample, before, after, choice):
            plan.refused[sample.key] = why
        else:
            plan.changes[sample.pk] = before, after
            plan.done.append(sample.key)
    return plan


def _after(before: Values, choice: FacetChoice) -> Values:
    """A value that is there already keeps its JSON type."""
    there = [one for one in before if _text(one) == choice.value]
    if choice.remove:
        return tuple(one for one in before if one not in there)
    if choice.facet.kind is Kind.SINGLE:
        return tuple(there[:1]) or (choice.value,)
    return before if there else (*before, choice.value)


def _text(value: object) -> str:
    """As pages and filters show it."""
    return value if isinstance(value, str) else as_json(value) or ""


def _refusal(sample: Sample, before: Values, after: Values, choice: FacetChoice) -> str:
    if sample.state not in (*SETTLED, SampleState.TO_DO):
        message = gettext("Its facets come with its annotation (%(state)s). Set the facet after it is accepted.")
        return message % {"state": state_words(sample.state)}
    if before == after:
        return gettext("It does not have this value.") if choice.remove else gettext("It has this value already.")
    needed = choice.facet.required is not Required.NO and sample.state == SampleState.ACCEPTED
    if needed and not after:
        return gettext("It would lack %(facet)s, which is required. Set another value.") % {"facet": choice.facet.name}
    return ""
