"""The schemas of a benchmark, and what a schema would no longer allow: facet values in use, and samples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, islice

from django.db.models import Count, OuterRef, Subquery, TextField, Value
from django.db.models.functions import Coalesce

from annotation.common.bank import bank_of
from annotation.common.task import meanings_of
from annotation.content.checks import Facets, errors_under
from annotation.content.json import content_from_json
from annotation.content.records import sample_records
from annotation.content.revisions import content_of, facets_in
from annotation.facet_values import ValueInUse, unlisted
from annotation.marking import Sentence
from annotation.models import Annotation, Benchmark, BenchmarkSchema, FacetValue, Revision, Sample
from annotation.schema import SampleContent
from annotation.task_schema import QuestionAuthor, TaskSchema, renamed
from annotation.validation import NO_QUESTION, UNLISTED, Check
from annotation.workflow import SampleState, State
from webapp.common.errors import ApplicationError

AT_ONCE = 500
"""Samples whose content is in memory at the same time."""
MOST_NAMED = 10_000
"""Samples that are named for one rule."""
IN_WORK = (State.DRAFT, State.RETURNED, State.SUBMITTED, State.IN_REVIEW)
WITHOUT_QUESTION = "question", NO_QUESTION
INDEX = re.compile(r"\[\d+\].*|\.[A-Z]$")


def schemas_of(benchmark: Benchmark) -> list[BenchmarkSchema]:
    """The schema in force and the earlier ones, newest first. One query."""
    found = BenchmarkSchema.objects.filter(benchmark=benchmark).exclude(state=BenchmarkSchema.State.DRAFT)
    return list(found.select_related("changed_by").order_by("-number"))


def edited(benchmark: Benchmark, draft: BenchmarkSchema | None) -> TaskSchema:
    """Return the schema that a lead edits: the draft, or else the schema in force."""
    return TaskSchema.parse(draft.content) if draft is not None else benchmark.task


def values_to_decide(benchmark: Benchmark, task: TaskSchema) -> list[ValueInUse]:
    """The values in use that closed facets of this schema do not list. One query, none without closed facets."""
    names = [facet.name for facet in task.facets if facet.closed]
    if not names:
        return []
    rows = FacetValue.objects.filter(benchmark=benchmark, name__in=names).exclude(kind=FacetValue.Kind.BANK)
    counted = rows.order_by().values_list("name", "value").annotate(n=Count("sample", distinct=True))
    in_use: dict[str, list[tuple[str, int]]] = {}
    for name, value, count in counted.order_by("name", "-n", "value"):
        in_use.setdefault(name, []).append((value, count))
    return unlisted(task.facets, in_use)


@dataclass
class Broken:
    """A rule of a draft that samples would break: the field, an example of the message, and the samples by key:
    accepted ones, and others. ``accepted_n``, ``working_n``: all of them."""

    where: str
    text: str
    accepted_n: int = 0
    working_n: int = 0
    accepted: list[str] = field(default_factory=list)
    working: list[str] = field(default_factory=list)

    def add(self, key: str, *, accepted: bool) -> None:
        named = self.accepted if accepted else self.working
        if accepted:
            self.accepted_n += 1
        else:
            self.working_n += 1
        if len(named) < MOST_NAMED:
            named.append(key)


@dataclass(frozen=True, slots=True)
class _Written:
    """A content of a sample, which is its gold or in work."""

    sample: Sample
    content: SampleContent
    facets: Facets
    accepted: bool


def broken_rules(benchmark: Benchmark, task: TaskSchema) -> list[Broken]:
    """The rules that existing samples would break under this task, but do not break under the one in force; most
    samples first. Of accepted samples the gold is validated, of samples in work the newest draft or submission. Where
    questions come from files, every sample that is not accepted needs one, also samples to do. Values of closed facets
    are left out: ``values_to_decide`` has them. Some queries for each ``AT_ONCE`` samples, and for each toolchain that
    has to be verified."""
    found: dict[tuple[str, str], Broken] = {}
    bank, meanings = bank_of(benchmark), meanings_of(benchmark)
    for key in _without_question(benchmark, task):
        found.setdefault(WITHOUT_QUESTION, Broken(*WITHOUT_QUESTION)).add(key, accepted=False)
    for key, group in groupby(_written(benchmark, task), key=lambda one: one.sample.key):
        rules: dict[tuple[str, str], Check] = {}
        accepted = False
        for one in group:
            accepted = one.accepted
            facets = renamed(one.facets, meanings)
            then = _by_rule(errors_under(task, one.sample, one.content, facets, bank, accepting=accepted))
            if then:
                now = _by_rule(errors_under(benchmark.task, one.sample, one.content, facets, bank, accepting=accepted))
                rules |= {rule: error for rule, error in then.items() if rule not in now}
        # Counted above, whatever its annotators wrote.
        rules.pop(WITHOUT_QUESTION, None)
        for rule, error in rules.items():
            found.setdefault(rule, Broken(rule[0], error.text)).add(key, accepted=accepted)
    return sorted(found.values(), key=lambda one: (-one.accepted_n - one.working_n, one.where, one.text))


def _without_question(benchmark: Benchmark, task: TaskSchema) -> list[str]:
    """The samples that can't be submitted, because no file has a question for them; none if people write questions, or
    if files are the rule already."""
    if task.question.who is not QuestionAuthor.IMPORT or benchmark.task.question.who is QuestionAuthor.IMPORT:
        return []
    asked = Revision.objects.filter(annotation__sample=OuterRef("pk")).from_files().values("question")[:1]
    there = benchmark.samples.exclude(state__in=(SampleState.ACCEPTED, SampleState.DISCARDED))
    found = there.annotate(given=Coalesce(Subquery(asked), Value(""), output_field=TextField())).filter(given="")
    return list(found.order_by("key").values_list("key", flat=True))


def _by_rule(errors: Iterable[Check]) -> dict[tuple[str, str], Check]:
    """Errors by field, without its place in a list, and template."""
    found: dict[tuple[str, str], Check] = {}
    for error in errors:
        template = error.text.template if isinstance(error.text, Sentence) else error.text
        if template != UNLISTED:
            found.setdefault((INDEX.sub("", error.field), template), error)
    return found


def _written(benchmark: Benchmark, task: TaskSchema) -> Iterator[_Written]:
    """The gold of accepted samples, then the work on others, the annotations of a sample one after another."""
    accepted = dict(benchmark.samples.filter(state=SampleState.ACCEPTED).order_by().values_list("key", "pk"))
    for record in sample_records(benchmark):
        if (pk := accepted.get(record.id)) is not None:
            if task.toolchain.end_verified and record.content.reference_toolchain:
                sample = Sample.objects.select_related("image").get(pk=pk)
            else:
                sample = Sample(pk=pk, key=record.id, width=record.width, height=record.height)
            yield _Written(sample, record.content, record.facets, accepted=True)
    work = Annotation.objects.filter(sample__benchmark=benchmark, state__in=IN_WORK)
    work = work.exclude(sample__state__in=(SampleState.ACCEPTED, SampleState.DISCARDED)).select_related("draft")
    rows = work.select_related("sample").order_by("sample", "pk").iterator(chunk_size=AT_ONCE)
    while chunk := list(islice(rows, AT_ONCE)):
        yield from _in_work(chunk)


def _in_work(chunk: list[Annotation]) -> Iterator[_Written]:
    submitted = [one.pk for one in chunk if not hasattr(one, "draft")]
    revisions = Revision.objects.filter(annotation__in=submitted).with_content()
    revisions = revisions.select_related("annotation__sample").prefetch_related("annotation__sample__facets")
    newest = {one.annotation_id: one for one in revisions.order_by("annotation", "number")}
    for one in chunk:
        if one.pk in newest:
            revision = newest[one.pk]
            yield _Written(one.sample, content_of(revision), facets_in(revision), accepted=False)
        elif hasattr(one, "draft"):
            try:
                content, _, facets = content_from_json(one.draft.content)
            except ApplicationError:
                # No task makes it valid.
                continue
            yield _Written(one.sample, content, facets, accepted=False)
