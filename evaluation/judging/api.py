"""Judgments of people and judge models over the API: agreement tables, judges against people, judging queues."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.agreement import Coefficient
from annotation.blindness import Known
from annotation.common.api import benchmark_for
from annotation.quality.read.agreement import audience_of, facet_names
from annotation.workflow import Right
from evaluation.common.api import Fields, coefficients, intervals
from evaluation.common.judging.known import listed_known_to, with_remaining
from evaluation.common.judging.words import REASONS
from evaluation.judging.forms import MOST
from evaluation.judging.present import label_row, question_row
from evaluation.judging.read.judges import Judged, Pair, by_value, kinds_of, load_judged, verified_judges
from evaluation.judging.read.labels import is_labeled, labels_of
from evaluation.judging.read.queues import load_queue, queues_of, read_question
from evaluation.judging.read.tables import AGREEMENT_TABLES
from evaluation.judging.write.labels import draw_labels
from evaluation.judging.write.queues import LONGEST_ANSWER, judge_item, next_to_judge
from evaluation.models import JudgingQueue
from evaluation.schema import JudgementKind
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import NumberField, TextField, TruthField, WholeNumberField, WordField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged, paged_rows
from webapp.common.api_query import one_of, said
from webapp.common.errors import InvalidInput, NotFound
from webapp.common.records import plain

KINDS = [kind.value for kind in JudgementKind]

PAIR: Fields = {
    "a": serializers.CharField(),
    "b": serializers.CharField(),
    "n": serializers.IntegerField(help_text="Verdicts of both on the same."),
    "same": serializers.IntegerField(),
    "raw": serializers.FloatField(allow_null=True),
    **intervals("interval"),
}
CHOSEN: Fields = {
    **PAIR,
    "words": serializers.ListField(child=serializers.CharField()),
    "table": serializers.ListField(help_text="Verdicts of a down, those of b across, as words says."),
    **coefficients("kappa", "alpha", "ac1", "sensitivity", "specificity", "corrected", "powered"),
    "by": serializers.ListField(child=serializers.DictField(), help_text="The same two at each value of the facet."),
}
ROW = serializers.DictField(help_text="A row of the table, as the page of agreement exports it.")


@extend_schema(
    operation_id="agreement",
    parameters=[OpenApiParameter("table", str, OpenApiParameter.PATH, enum=list(AGREEMENT_TABLES)), *PAGING],
    responses=page_of("AgreementPage", ROW),
)
@api_view(["GET"])
def agreement(request: Request, slug: str, table: str) -> Response:
    """Return one table of agreement (pairs, people, blind, judges, checks, audits), limited to what you may see."""
    benchmark = benchmark_for(request, slug, Right.COMPARE_WORK)
    found = AGREEMENT_TABLES.get(table)
    if found is None:
        raise NotFound(f"Unknown table {table[:40]}. Choose from {', '.join(AGREEMENT_TABLES)}.")
    person = person_of(request)
    return paged_rows(request, found.rows(benchmark, person, audience_of(person, benchmark)), plain)


@extend_schema(
    operation_id="judges",
    parameters=[
        OpenApiParameter("kind", str, enum=KINDS, description="Kind of judgments; default: the first that exists."),
        OpenApiParameter("a", str, description="One of two judges to compare. Requires b."),
        OpenApiParameter("b", str, description="The other judge. Default: the pair with most in common."),
        OpenApiParameter("by", str, description="A facet to slice the comparison by."),
    ],
    responses=inline_serializer(
        "Judges",
        {
            "kinds": serializers.ListField(child=serializers.CharField()),
            "kind": serializers.CharField(allow_blank=True),
            "judges": inline_serializer(
                "Judge",
                {
                    "name": serializers.CharField(),
                    "person": serializers.BooleanField(),
                    "yes": serializers.IntegerField(),
                    "n": serializers.IntegerField(),
                    "undecided": serializers.IntegerField(),
                    "verified": serializers.BooleanField(
                        allow_null=True,
                        help_text="The address of the account is verified. Null for models, and without names.",
                    ),
                },
                many=True,
            ),
            "pairs": inline_serializer("JudgePair", dict(PAIR), many=True),
            "chosen": inline_serializer("ChosenJudges", dict(CHOSEN), allow_null=True),
        },
    ),
)
@api_view(["GET"])
def judges(request: Request, slug: str) -> Response:
    """Return judges and people on the same cases: raw agreement of each pair, coefficients and the table of
    one pair.
    """
    benchmark = benchmark_for(request, slug, Right.COMPARE_WORK)
    person = person_of(request)
    kinds = kinds_of(benchmark, person)
    kind = one_of(request, "kind", KINDS, next(iter(kinds), ""))
    if kinds and kind not in kinds:
        raise NotFound(f"There are judgments of {', '.join(kinds)}, none of {kind}.", field="kind")
    by = said(request, "by")
    if by and by not in facet_names(benchmark):
        raise NotFound(f"Unknown facet {by[:60]!r}.", field="by")
    asked = said(request, "a"), said(request, "b")
    if any(asked) and not all(asked):
        raise InvalidInput("a and b are two judges. Use both or neither.", field="a")
    audience = audience_of(person, benchmark)
    judged = load_judged(benchmark, kind, audience, person, by) if kind else Judged((), frozenset(), ())
    verified = verified_judges(benchmark, judged)
    chosen = judged.chosen(*asked)
    if any(asked) and (chosen is None or (chosen.first, chosen.second) != asked):
        raise NotFound("a and b are not two of the judges of this kind.", field="a")
    return Response(
        {
            "kinds": kinds,
            "kind": kind,
            "judges": [_judge(judged, name, verified.get(name)) for name in judged.judges],
            "pairs": [_pair(pair) for pair in judged.pairs()],
            "chosen": _chosen(judged, chosen, by) if chosen else None,
        }
    )


class QueueSerializer(serializers.ModelSerializer):
    questions = serializers.IntegerField(source="items_n", read_only=True)
    judgements = serializers.IntegerField(source="done_n", read_only=True)
    judges = serializers.IntegerField(source="people_n", read_only=True, help_text="People who judged.")
    terms = serializers.SerializerMethodField(
        help_text="Query of the list it was selected from. Null until you have finished the queue."
    )
    drawn_from = serializers.SerializerMethodField(
        help_text="Number of trajectories in that list. Null until you have finished the queue."
    )
    seed = serializers.SerializerMethodField(help_text="Of the draw; null until all questions are judged.")

    class Meta:
        model = JudgingQueue
        fields = (
            "id", "terms", "people", "questions", "judgements", "judges", "drawn_from", "seed", "created_at",
        )  # fmt: skip
        read_only_fields = fields
        extra_kwargs = {"people": {"help_text": "Number of people who judge each question."}}

    def get_terms(self, row: JudgingQueue) -> dict[str, str] | None:
        return row.terms if self._known(row).source else None

    def get_drawn_from(self, row: JudgingQueue) -> int | None:
        return row.drawn_from if self._known(row).source else None

    def get_seed(self, row: JudgingQueue) -> str | None:
        return row.seed if self._known(row).seed else None

    def _known(self, row: JudgingQueue) -> Known:
        row.benchmark = self.context["benchmark"]
        return listed_known_to(self.context["person"], row)


@extend_schema(operation_id="judging", parameters=PAGING, responses=page_of("JudgingQueuePage", QueueSerializer))
@api_view(["GET"])
def judging(request: Request, slug: str) -> Response:
    """Return the queues of questions to people, the newest first. Only people who have finished a queue see
    its source.
    """
    benchmark, person = benchmark_for(request, slug, Right.JUDGE), person_of(request)
    context = {"benchmark": benchmark, "person": person}
    rows = with_remaining(queues_of(benchmark), person)
    return paged(request, rows, "-pk", lambda row: QueueSerializer(row, context=context).data)


SHARE: Any = {"allow_null": True}
LABELS = inline_serializer(
    "JudgeLabels",
    {
        "waiting": serializers.BooleanField(help_text="Questions still wait for people: nothing else is shown."),
        "rate": serializers.FloatField(**SHARE, help_text="Of yes among the decided verdicts of the judge."),
        "n": serializers.IntegerField(),
        "undecided": serializers.IntegerField(),
        "labeled": serializers.IntegerField(),
        "unsure": serializers.IntegerField(help_text="Labels of people who were not sure."),
        "left": serializers.IntegerField(help_text="Items that were not drawn yet."),
        "corrected": serializers.FloatField(**SHARE),
        "ci_low": serializers.FloatField(**SHARE),
        "ci_high": serializers.FloatField(**SHARE),
        "halfwidth_with_ten_more": serializers.FloatField(**SHARE),
        "weight": serializers.FloatField(help_text="Of the judge in the next batch."),
    },
)


class Draw(Form):
    size = WholeNumberField(min_value=1, max_value=MOST, help_text="Items.")
    people = WholeNumberField(required=False, default=1, min_value=1, max_value=5, help_text="People for each item.")


@needs(Scope.IMPORT)
@extend_schema(methods=["GET"], operation_id="judge_labels", responses=LABELS)
@extend_schema(
    methods=["POST"], operation_id="judge_labels_draw", request=Draw,
    responses={201: inline_serializer("DrawnLabels", {"queue": serializers.IntegerField()})},
)  # fmt: skip
@api_view(["GET", "POST"])
def labels(request: Request, slug: str, pk: int) -> Response:
    """A judge in an experiment, compared with labels of people on drawn items (docs/metrics.md#drawn-labels).
    POST draws the next items: a queue that people label on pages, over the API or with ``manage.py labels``."""
    benchmark = benchmark_for(request, slug, Right.SCORE)
    experiment = get_object_or_404(benchmark.experiments.select_related("benchmark"), pk=pk)
    if not is_labeled(experiment):
        raise NotFound("This experiment is no finished judge of a question that people answer.")
    if request.method == "POST":
        queue = draw_labels(actor=person_of(request), experiment=experiment, **read_form(Draw, request))
        return Response({"queue": queue.pk}, status=201)
    return Response(label_row(labels_of(experiment, person_of(request))))


QUESTION = inline_serializer(
    "JudgingQuestion",
    {
        "item": serializers.CharField(allow_null=True, help_text="Null: nothing is left for you now."),
        "kind": serializers.ChoiceField(KINDS, required=False),
        "question": serializers.CharField(required=False),
        "options": serializers.DictField(required=False),
        "answer": serializers.CharField(required=False, help_text="Of the trajectory, where the question is about it."),
        "accepted": serializers.ListField(required=False, help_text="Accepted answers, where the answer is compared."),
        "crops": serializers.ListField(
            child=serializers.CharField(), required=False, help_text="JPEG files in base64, in their order."
        ),
    },
)


class Label(Form):
    verdict = TextField(required=False, default="", allow_blank=True, help_text="yes, no, …, or undecided.")
    answer = TextField(required=False, default="", allow_blank=True, max_length=LONGEST_ANSWER)
    nothing = TruthField(required=False, default=False, help_text="The crops do not show the answer.")
    reasons = serializers.ListField(child=WordField(REASONS), required=False, default=list, max_length=20)
    sure = WholeNumberField(required=False, default=None, allow_null=True, min_value=1, max_value=5)
    seconds = NumberField(required=False, default=0, min_value=0, max_value=86_400)


@needs(Scope.ANNOTATE)
@extend_schema(operation_id="judging_next", request=None, responses=QUESTION)
@api_view(["POST"])
def next_question(request: Request, slug: str, pk: int) -> Response:
    """Reserve the next question of a queue for you and return it, blind: neither the model nor the image is named."""
    person = person_of(request)
    queue = load_queue(benchmark_for(request, slug, Right.JUDGE), pk)
    item = next_to_judge(actor=person, queue=queue)
    if item is None:
        return Response({"item": None})
    item.queue = queue
    return Response(question_row(read_question(person, item)))


@needs(Scope.ANNOTATE)
@extend_schema(
    operation_id="judging_label", request=Label,
    responses=inline_serializer("GivenLabel", {"item": serializers.CharField()}),
)  # fmt: skip
@api_view(["POST"])
def label(request: Request, slug: str, pk: int, item: str) -> Response:
    """Answer a question of a queue. Answering again changes it, until you have finished the queue."""
    person = person_of(request)
    queue = load_queue(benchmark_for(request, slug, Right.JUDGE), pk)
    found = get_object_or_404(queue.items.select_related("trajectory__run", "trajectory__sample"), key=item)
    found.queue = queue
    judge_item(actor=person, item=found, said=read_form(Label, request))
    return Response({"item": found.key})


def _judge(judged: Judged, name: str, verified: bool | None) -> dict[str, Any]:
    yes, n = judged.rate(name)
    undecided = judged.undecided.get(name, 0)
    given = {"name": name, "person": name in judged.people, "verified": verified}
    return {**given, "yes": yes, "n": n, "undecided": undecided}


def _pair(pair: Pair) -> dict[str, Any]:
    said = {"a": pair.first, "b": pair.second, "n": len(pair.verdicts), "same": len(pair.same)}
    return {**said, "raw": pair.raw, "interval": plain(pair.interval)}


def _chosen(judged: Judged, pair: Pair, by: str) -> dict[str, Any]:
    found, quality, powered = pair.agreement(), pair.quality(), judged.powered(pair)
    return {
        **_pair(pair),
        "words": pair.words,
        "table": [[len(cell) for cell in cells] for _, cells in pair.table()],
        **{name: plain(getattr(found, name)) if found else None for name in ("kappa", "alpha", "ac1")},
        **{name: plain(getattr(quality, name)) if quality else None for name in ("sensitivity", "specificity")},
        "corrected": plain(judged.corrected(pair)),
        "powered": plain(Coefficient(powered.value, powered.n, powered.interval)) if powered else None,
        "by": [{"value": value, **_pair(one)} for value, one in by_value(pair)] if by else [],
    }
