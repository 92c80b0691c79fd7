"""Named queries for benchmarks, samples and annotations, as querysets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.db.models import Count, Exists, F, Max, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum, Value, Window
from django.db.models.functions import Coalesce, Now, RowNumber

from annotation.models.querysets.waiting import WAITING_STATES, WaitingQuerySet
from annotation.workflow import ExportStates, Right, SampleState, roles_with

if TYPE_CHECKING:
    from annotation.models.querysets.waiting import Person as Person


def cluster_image(prefix: str = "") -> Coalesce:
    """The image cluster of a sample: its own image or, for a variant, the image that it was made from.

    ``prefix``: the path to the sample."""
    return Coalesce(f"{prefix}variant__parent", f"{prefix}image")


class BenchmarkQuerySet(models.QuerySet[Any]):
    def visible_to(self, user: Person) -> Self:
        """Keep public benchmarks and those of the user; a site admin sees all.

        A token that is limited to a benchmark sees no other."""
        public = Q(public=True)
        if not user.is_authenticated:
            return self.filter(public)
        seen = self.filter(slug=user.limited_to) if user.limited_to else self
        if user.is_staff:
            return seen
        return seen.filter(public | Exists(_members_of(self.model).filter(benchmark=OuterRef("pk"), user=user)))

    def in_trash_of(self, user: Person) -> Self:
        """Keep deleted benchmarks that this person can restore, the last deleted first: those they lead, and all of
        them for a site admin. Of ``Benchmark.everything``."""
        if not user.is_authenticated:
            return self.none()
        found = self.filter(deleted_at__isnull=False, purging=False).order_by("-deleted_at", "-pk")
        found = found.filter(slug=user.limited_to) if user.limited_to else found
        led = _members_of(self.model).filter(benchmark=OuterRef("pk"), user=user, role="lead")
        return found if user.is_staff else found.filter(Exists(led))

    def with_counts(self) -> Self:
        """Add ``samples_n`` and a count for each state (``accepted_n``, ``in_review_n``, ...) in the same query."""
        return self.annotate(
            samples_n=Count("samples"),
            **{f"{state}_n": Count("samples", filter=Q(samples__state=state)) for state in SampleState},
        )

    def joined_by(self, user: Person) -> Self:
        """Keep benchmarks on which the user has a role."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(Exists(_members_of(self.model).filter(benchmark=OuterRef("pk"), user=user)))

    def joined_with(self, user: Person, right: Right) -> Self:
        """Keep benchmarks on which a role of the user includes this permission."""
        held = _members_of(self.model).filter(benchmark=OuterRef("pk"), user=user, role__in=roles_with(right))
        return self.filter(Exists(held))

    def queues_for(self, user: Person) -> list[Any]:
        """The queue settings of those benchmarks that assign new work to this person. One query.

        Benchmarks that are paused for everyone or for this person are left out."""
        pauses = self.model.pauses.rel.related_model.objects.filter(benchmark=OuterRef("pk")).standing()
        going_on = self.filter(~Exists(pauses.concerning(user))).select_related("queue", "quality")
        default = self.model.queue.related.related_model
        return [getattr(one, "queue", None) or default(benchmark=one) for one in going_on]

    def with_roles_of(self, user: Person) -> Self:
        """Add ``roles_held`` (the user's memberships, one more query), ``judging`` and ``studying``."""
        held = _members_of(self.model).filter(user=user if user.is_authenticated else None)
        found = self.annotate(judging=Exists(self._judged_by(user)), studying=Exists(self._studied_by(user)))
        return found.prefetch_related(Prefetch("memberships", queryset=held.order_by("role"), to_attr="roles_held"))

    def without_blind_work(self, user: Person) -> Self:
        """Keep benchmarks on which this person has no unfinished judging queue or human study."""
        return self.filter(~Exists(self._judged_by(user)), ~Exists(self._studied_by(user)))

    def asking_judges(self) -> Self:
        """Keep benchmarks with a question that fewer people have judged than requested."""
        return self.filter(Exists(self.questions().filter(queue__benchmark=OuterRef("pk")).unjudged()))

    def questions(self) -> Any:
        """The questions of the judging queues of all benchmarks."""
        return self.judging_queues().model.items.rel.related_model.objects.all()

    def judging_queues(self) -> Any:
        """The judging queues of all benchmarks."""
        return self.model.judging_queues.rel.related_model.objects.all()

    def with_open_study(self) -> Self:
        """Keep benchmarks with a human study that people can take, or that is paused."""
        return self.filter(experiments__kind="human", experiments__state__in=("running", "paused")).distinct()

    def participants(self) -> Any:
        """The participants of the human studies of all benchmarks."""
        return self.model.experiments.rel.related_model.participants.rel.related_model.objects.all()

    def _studied_by(self, user: Person) -> Any:
        mine = self.participants().filter(experiment__benchmark=OuterRef("pk"))
        return mine.filter(person=user.pk).in_the_middle() if user.is_authenticated else mine.none()

    def _judged_by(self, user: Person) -> Any:
        questions = self.questions().filter(queue__benchmark=OuterRef("pk"))
        return questions.left_to_judge(user.pk) if user.is_authenticated else questions.none()


def _members_of(benchmark: Any) -> QuerySet[Any]:
    return benchmark.memberships.rel.related_model.objects.all()


def _number(path: str) -> Callable[[str], Q]:
    """Parse a number filter: ``3`` is exactly three, ``8+`` eight or more."""

    def query(value: str) -> Q:
        digits = value.removesuffix("+")
        if not digits.isdecimal() or len(digits) > 9:
            return NOTHING
        return Q(**{f"{path}__gte" if value.endswith("+") else path: int(digits)})

    return query


def _area(value: str) -> Q:
    """Parse a filter of the evidence area.

    ``0.05-0.2``: at least 0.05% and less than 0.2% of the image; a range up to 100 includes 100%. ``unknown``: no
    share."""
    if value == "unknown":
        return Q(evidence_share__isnull=True)
    try:
        low, high = (float(end) for end in value.split("-"))
    except ValueError:
        return NOTHING
    below = Q() if high >= 100 else Q(evidence_share__lt=high / 100)
    return Q(evidence_share__gte=low / 100) & below


def _answer(value: str) -> Q:
    return Q(gold__revision__answer_type=value)


def _picture(value: str) -> Q:
    usable = Q(image__isnull=False) & ~Q(image__state__in=("failed", "removed", "allowed"))
    return {"problem": ~usable, "yes": usable}.get(value, NOTHING)


def _said(value: str) -> Q:
    return Q(key__icontains=value) | Q(gold__revision__question__icontains=value)


NOTHING = Q(pk__in=[])
SAMPLE_FILTERS: Mapping[str, Callable[[str], Q]] = {
    "state": lambda value: Q(state=value),
    "area": _area,
    "answer": _answer,
    "calls": _number("reference_n"),
    "picture": _picture,
    "q": _said,
}
"""Filters of a list of samples: name -> condition (``SampleQuerySet.narrowed``).

Facets are ``facet.NAME=VALUE``, samples without a trajectory of a run are ``missing_from=RUN``, chosen samples are
``id=KEY`` (several), and samples that wait for a person are ``waiting=KIND``."""

TOOL_FILTERS = ("target", "distractor")
"""Filters by the number of a bank tool that is a target or distractor of the gold plan: ``?target=3``."""
SAMPLE_TERMS = (*SAMPLE_FILTERS, *TOOL_FILTERS, "missing_from", "waiting", "id")
"""Every filter of a list of samples except facets."""


class SampleQuerySet(WaitingQuerySet):
    def with_gold(self) -> Self:
        """Load everything that a page or the scorer needs of the gold, in a fixed number of queries."""
        return self.select_related("image", "gold__revision").prefetch_related(
            "gold__revision__gold_boxes",
            "gold__revision__gold_shapes",
            "gold__revision__reference_calls",
            "gold__revision__plan_tools",
            "facets",
        )

    def with_reference_calls(self) -> Self:
        """Add ``reference_n``: the number of calls in the reference toolchain of the gold, null without one."""
        gold = self.model.gold.related.related_model
        calls = gold.objects.filter(sample=OuterRef("pk"), revision__reference_calls__isnull=False).order_by()
        return self.annotate(reference_n=Subquery(calls.values("sample").annotate(n=Count("pk")).values("n")))

    def in_export(self, states: ExportStates) -> Self:
        """Keep the samples that an export of these states contains."""
        return self if states is ExportStates.ALL else self.filter(state=SampleState.ACCEPTED)

    def with_share_place(self) -> Self:
        """Add ``share_place``: the evidence share, or a number above all shares if it is unknown."""
        return self.annotate(share_place=Coalesce("evidence_share", Value(2.0)))

    def narrowed(self, terms: Mapping[str, str], *, chosen: Sequence[str] = (), user: Person | None = None) -> Self:
        """Keep samples that meet every term. Unknown names are ignored. See ``SAMPLE_FILTERS``."""
        found = self.with_reference_calls() if "calls" in terms else self
        for name, value in terms.items():
            if name in SAMPLE_FILTERS:
                found = found.filter(SAMPLE_FILTERS[name](value))
            elif name.startswith("facet."):
                found = found.having(name.removeprefix("facet."), value)
            elif name == "missing_from":
                found = found.missing_from(value)
            elif name in TOOL_FILTERS:
                found = found.planning_with(value, target=name == "target")
            elif name == "waiting":
                found = found.waiting_for(user, value) if user else found.none()
        return found.filter(key__in=chosen) if chosen else found

    def planning_with(self, tool: str, *, target: bool) -> Self:
        """Keep samples whose gold plan has this bank tool (its number) as a target, or otherwise as a distractor."""
        if not tool.isdecimal() or len(tool) > 18:
            return self.none()
        names = self.model.benchmark.field.related_model.tool_names.rel.related_model.objects
        own = names.meaning(int(tool)).filter(benchmark=OuterRef(OuterRef("benchmark")))
        tools = {"plan_tools__step__isnull": not target, "plan_tools__key__in": own.values("key")}
        gold = self.model.gold.related.related_model.objects.filter(sample=OuterRef("pk"))
        return self.filter(Exists(gold.filter(**{f"revision__{name}": value for name, value in tools.items()})))

    def missing_from(self, run: str) -> Self:
        """Keep samples with gold for which this run (its number) has no evaluated trajectory."""
        if not run.isdecimal() or len(run) > 18:
            return self.none()
        trajectories = self.model.trajectories.rel.related_model.objects
        made = trajectories.filter(sample=OuterRef("pk"), run_id=int(run), condition="none")
        return self.filter(~Exists(made), gold__isnull=False)

    def by_benchmark(self) -> dict[int, int]:
        """The number of these samples per benchmark, by benchmark id."""
        return dict(self.order_by().values_list("benchmark").annotate(n=Count("pk")))

    def first_pictures(self, most: int) -> Self:
        """The first samples of each benchmark with an image to show, at most one of each image cluster."""
        shown = self.filter(image__state="ready")
        once = Window(RowNumber(), partition_by=[F("benchmark"), F("image")], order_by="key")
        shown = self.filter(pk__in=shown.annotate(nth=once).filter(nth=1).values("pk"))
        place = Window(RowNumber(), partition_by=F("benchmark"), order_by="key")
        return shown.annotate(place=place).filter(place__lte=most).select_related("image").order_by("benchmark", "key")

    def counted(self, names: Mapping[str, Q]) -> dict[str, int]:
        """The number of samples that meet each condition. One query."""
        return self.aggregate(**{name: Count("pk", filter=condition) for name, condition in names.items()})

    def by_gold(self) -> list[tuple[str, int | None, int]]:
        """Rows of answer type, number of reference calls (None without a toolchain) and number of samples.

        It uses one pass over the table: two passes take twice as long."""
        revision = self.model.gold.related.related_model.revision.field.related_model
        calls = revision.reference_calls.rel.related_model.objects.filter(revision=OuterRef("gold__revision"))
        counted = calls.order_by().values("revision").annotate(n=Count("pk")).values("n")
        rows = self.filter(gold__isnull=False).order_by().annotate(calls_n=Subquery(counted))
        return list(rows.values_list("gold__revision__answer_type", "calls_n").annotate(n=Count("pk")))

    def in_state(self, state: str) -> Self:
        return self.filter(state=state)

    def having(self, facet: str, value: str) -> Self:
        """Keep samples with this value of this facet."""
        values = self.model.facets.rel.related_model.objects.filter(sample=OuterRef("pk"), name=facet, value=value)
        return self.filter(Exists(values))

    def saying(self, text: str) -> Self:
        """Keep samples whose id or gold question contains the text, ignoring case."""
        return self.filter(_said(text))

    def by_state(self) -> dict[str, int]:
        """Number of samples by state; states without a sample are omitted."""
        return dict(self.order_by().values_list("state").annotate(n=Count("pk")))

    def on_one_picture_with(self, sample: Any) -> Self:
        """The other samples of the same image cluster."""
        if sample.image_group:
            same = Q(image_group=sample.image_group)
        else:
            variant = getattr(sample, "variant", None)
            image = variant.parent_id if variant else sample.image_id
            same = Q(image=image, image__isnull=False) | Q(variant__parent=image, variant__parent__isnull=False)
        return self.filter(same, benchmark=sample.benchmark).exclude(pk=sample.pk)

    def with_annotators(self) -> Self:
        """Add ``annotators_n``: people with an annotation that takes a place of the sample."""
        return self.annotate(annotators_n=Count("annotations", filter=Q(annotations__place__isnull=False)))

    def with_waiting(self) -> Self:
        """Add ``waiting_n``: annotations that wait for a decision."""
        return self.annotate(waiting_n=Count("annotations", filter=Q(annotations__state__in=WAITING_STATES)))

    def most_disagreement_first(self) -> Self:
        """Sort by the disagreement of the annotators of a sample. Samples without a comparison follow by id."""
        return self.order_by(F("disagreement").desc(nulls_last=True), "key")

    def priorities(self) -> list[int]:
        """The priorities above 0 that these samples have, the highest first. One query."""
        urgent = self.filter(priority__gt=0).order_by("-priority")
        return list(urgent.values_list("priority", flat=True).distinct())

    def for_lead(self, terms: Mapping[str, str]) -> Self:
        """Keep samples that meet what only a lead can ask: ``work`` (see ``worked_on``), ``priority`` ("5" or "1+"),
        and ``problem`` "open", which means a reported problem that no lead has resolved."""
        found = self.worked_on(terms)
        if "priority" in terms:
            found = found.filter(_number("priority")(terms["priority"]))
        if "problem" not in terms:
            return found
        reported = self._of("problems").open().filter(sample=OuterRef("pk"))
        return found.filter(Exists(reported)) if terms["problem"] == "open" else found.none()

    def without_facet(self, name: str) -> Self:
        values = self.model.facets.rel.related_model.objects.filter(sample=OuterRef("pk"), name=name)
        return self.filter(~Exists(values))


class AnnotationQuerySet(models.QuerySet[Any]):
    def not_skipped_by(self, user: Person) -> Self:
        """Keep annotations of samples that this person did not skip."""
        skips = self.model.sample.field.related_model.skips.rel.related_model.objects
        return self.filter(~Exists(skips.filter(sample=OuterRef("sample"), user=user, seat="annotate")))

    def again(self) -> Self:
        """Keep annotations that their author must continue before new work: returned, reopened or handed over to
        them."""
        sample = self.model.sample.field.related_model
        given = sample.assignment.related.related_model.objects.filter(
            sample=OuterRef("sample"), user=OuterRef("author")
        )
        revised = self.model.revisions.rel.related_model.objects.filter(annotation=OuterRef("pk"))
        return self.filter(Q(state="returned") | Q(Exists(given) | Exists(revised), state="draft")).order_by(
            "changed_at"
        )

    def to_review(self) -> Self:
        """Keep finally submitted, undecided annotations, with those under review first."""
        return self.filter(state__in=WAITING_STATES, held_until__isnull=True).order_by("state", "pk")

    def held(self) -> Self:
        """Keep submitted annotations that are not final yet: authors can take them back, or could until recently."""
        return self.filter(state="submitted", held_until__isnull=False)


class ContentChangeQuerySet(models.QuerySet[Any]):
    def numbers(self, benchmarks: Collection[int]) -> dict[int, int]:
        """The change number of each of these benchmarks. It grows with each change of samples, facets or gold."""
        rows = self.filter(benchmark__in=benchmarks).order_by().values_list("benchmark")
        return dict.fromkeys(benchmarks, 0) | dict(rows.annotate(number=Sum("changes")))

    def facets_changed_at(self) -> QuerySet[Any, Any]:
        """When facets last changed without gold, as one row ``at`` for each benchmark; None: never."""
        return self.order_by().values("benchmark").annotate(at=Max("facets_at")).values("at")

    def latest_first(self, benchmark: int) -> list[tuple[int, int | None]]:
        """The increment of each change of a benchmark, with the sample if the change affects only one."""
        return list(self.filter(benchmark=benchmark).order_by("-pk").values_list("changes", "sample"))


class FacetValueQuerySet(models.QuerySet[Any]):
    def names(self) -> QuerySet[Any, str]:
        """The distinct names of facets, sorted."""
        return self.order_by("name").values_list("name", flat=True).distinct()

    def counted(self) -> list[tuple[str, str, int]]:
        """Rows of name, value and number of samples, the most frequent first within each name.

        A sample with a repeated value counts once. Filtering out repetitions is a third faster than counting distinct
        samples.
        """
        earlier = {name: OuterRef(name) for name in ("sample", "name", "value")}
        again = self.model.objects.filter(**earlier, position__lt=OuterRef("position"))
        once = self.filter(Q(position=0) | ~Exists(again))
        counts = once.values_list("name", "value").annotate(n=Count("pk"))
        return list(counts.order_by("name", "-n", "value"))


class RevisionQuerySet(models.QuerySet[Any]):
    def with_content(self) -> Self:
        return self.prefetch_related("gold_boxes", "gold_shapes", "reference_calls", "plan_tools")

    def first_submitted(self) -> Self:
        """Keep what people first submitted, before any review: one revision of each annotation that was not imported.

        Its author is the author of the annotation. Others add revisions only after a submission.
        """
        submitted = self.model.objects.filter(submitted_at__isnull=False)
        earlier = submitted.filter(annotation=OuterRef("annotation"), number__lt=OuterRef("number"))
        return self.filter(
            ~Exists(earlier),
            submitted_at__isnull=False,
            annotation__kind="own",
            annotation__author__isnull=False,
        )

    def from_files(self) -> Self:
        """Keep gold and what files brought: the gold first, which a reviewer may have fixed, then the newest import."""
        found = self.filter(Q(gold_of__isnull=False) | Q(facets=None))
        return found.order_by(F("gold_of").desc(nulls_last=True), "-submitted_at", "-pk")

    def newest_waiting(self, sample: Any) -> Self:
        """The latest submission of each person whose annotation of this sample waits for a review."""
        newer = self.model.objects.filter(annotation=OuterRef("annotation"), number__gt=OuterRef("number"))
        waiting = self.filter(
            annotation__sample=sample, annotation__state__in=WAITING_STATES, annotation__held_until__isnull=True
        )
        return waiting.filter(~Exists(newer.filter(submitted_at__isnull=False)), submitted_at__isnull=False)

    def beside_others(self) -> Self:
        """Keep revisions of samples that another person or an import has also annotated."""
        submitted = self.model.objects.filter(submitted_at__isnull=False)
        others = submitted.filter(annotation__sample=OuterRef("annotation__sample"))
        return self.filter(Exists(others.exclude(annotation=OuterRef("annotation"))))


class PauseQuerySet(models.QuerySet[Any]):
    def standing(self) -> Self:
        """Keep pauses that no lead has lifted."""
        return self.filter(lifted_at__isnull=True)

    def by_itself(self) -> Self:
        """Keep pauses of one person that were made automatically."""
        return self.filter(user__isnull=False, paused_by__isnull=True)

    def concerning(self, user: Person | int) -> Self:
        """Keep pauses for everyone and those for this person."""
        return self.filter(Q(user__isnull=True) | Q(user=user))


class ProblemQuerySet(models.QuerySet[Any]):
    def open(self) -> Self:
        """Keep problems that no lead has resolved."""
        return self.filter(resolved_at__isnull=True)


class LeaseQuerySet(models.QuerySet[Any]):
    def live(self) -> Self:
        """Keep leases that have not expired, by the database's clock."""
        return self.filter(expires_at__gt=Now())
