"""What people and judges said, over the API: agreement tables, judges against people, queues of judging."""

from __future__ import annotations

from itertools import islice
from typing import Any, TypeAlias

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.actions.read_agreement import audience_of, facet_names
from annotation.api.loading import PAGING, benchmark_for, page_of
from annotation.workflow import Right
from evaluation.actions.agreement_rows import AGREEMENT_TABLES
from evaluation.actions.read_judges import Judged, Pair, by_value, kinds_of, load_judged
from evaluation.actions.read_judging import queues_of
from webapp.accounts.http import person_of
from webapp.common.api import KeysetPagination
from webapp.common.errors import InvalidInput
from webapp.common.records import plain

COEFFICIENT = serializers.DictField(allow_null=True, help_text="value (null: undefined), n, interval.")
Fields: TypeAlias = "dict[str, serializers.Field[Any, Any, Any, Any]]"

PAIR: Fields = {
    "a": serializers.CharField(),
    "b": serializers.CharField(),
    "n": serializers.IntegerField(help_text="Verdicts of both on the same."),
    "same": serializers.IntegerField(),
    "raw": serializers.FloatField(allow_null=True),
    "interval": serializers.DictField(allow_null=True),
}
CHOSEN: Fields = {
    **PAIR,
    "words": serializers.ListField(child=serializers.CharField()),
    "table": serializers.ListField(help_text="Verdicts of a down, those of b across, as words says."),
    **dict.fromkeys(("kappa", "alpha", "ac1", "sensitivity", "specificity", "corrected"), COEFFICIENT),
    "by": serializers.ListField(child=serializers.DictField(), help_text="The same two at each value of the facet."),
}
ROW = serializers.DictField(help_text="A row of the table, as the page of agreement exports it.")


@extend_schema(operation_id="agreement", parameters=PAGING, responses=page_of("AgreementPage", ROW))
@api_view(["GET"])
def agreement(request: Request, slug: str, table: str) -> Response:
    """One table of agreement (pairs, people, blind, judges, checks, audits), as much of it as you may see."""
    benchmark = benchmark_for(request, slug, Right.COMPARE_WORK)
    found = AGREEMENT_TABLES.get(table)
    if found is None:
        raise Http404("There is no such table.")
    person = person_of(request)
    start = request.query_params.get("cursor", "0")
    if not (start.isascii() and start.isdigit() and len(start) < 10):
        raise InvalidInput("cursor is what an answer named as its next page.", field="cursor")
    size, first = KeysetPagination().get_page_size(request) or KeysetPagination.page_size, int(start)
    rows = list(islice(found.rows(benchmark, person, audience_of(person, benchmark)), first, first + size + 1))
    terms = request.query_params.copy()
    terms["cursor"] = str(first + size)
    following = request.build_absolute_uri(f"?{terms.urlencode()}") if len(rows) > size else None
    return Response({"next": following, "previous": None, "results": [plain(row) for row in rows[:size]]})


@extend_schema(
    operation_id="judges",
    parameters=[
        OpenApiParameter("kind", str, description="Which judgements: reliability, sufficiency, answer."),
        OpenApiParameter("a", str, description="One of two judges to hold together."),
        OpenApiParameter("b", str, description="The other; without both: a person and a judge with most in common."),
        OpenApiParameter("by", str, description="A facet to slice the two by."),
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
    """Judges and people on the same cases: raw agreement of each two, coefficients and the table of two of them."""
    benchmark = benchmark_for(request, slug, Right.COMPARE_WORK)
    person, terms, kinds = person_of(request), request.query_params, kinds_of(benchmark)
    kind = terms.get("kind", "") or next(iter(kinds), "")
    if kinds and kind not in kinds:
        raise InvalidInput(f"There are judgements of {', '.join(kinds)}, none of {kind[:40]!r}.", field="kind")
    by = terms.get("by", "")
    if by and by not in facet_names(benchmark):
        raise InvalidInput(f"There is no facet {by[:60]!r}.", field="by")
    audience = audience_of(person, benchmark)
    judged = load_judged(benchmark, kind, audience, person.email, by) if kind else Judged((), frozenset(), ())
    chosen = judged.chosen(terms.get("a", ""), terms.get("b", ""))
    return Response(
        {
            "kinds": kinds,
            "kind": kind,
            "judges": [_judge(judged, name) for name in judged.judges],
            "pairs": [_pair(pair) for pair in judged.pairs()],
            "chosen": _chosen(judged, chosen, by) if chosen else None,
        }
    )


@extend_schema(
    operation_id="judging",
    responses=inline_serializer(
        "JudgingQueue",
        {
            "id": serializers.IntegerField(),
            "terms": serializers.DictField(help_text="Of the list of trajectories that it was drawn from."),
            "people": serializers.IntegerField(help_text="Who judge each question."),
            "questions": serializers.IntegerField(),
            "judgements": serializers.IntegerField(),
            "judges": serializers.IntegerField(help_text="People who judged."),
            "drawn_from": serializers.IntegerField(),
            "seed": serializers.CharField(),
            "created_at": serializers.DateTimeField(),
        },
        many=True,
    ),
)
@api_view(["GET"])
def judging(request: Request, slug: str) -> Response:
    """The queues of questions to people, the newest first."""
    benchmark = benchmark_for(request, slug, Right.COMPARE_WORK)
    return Response(
        [
            {"id": one.pk, "terms": one.terms, "people": one.people, "drawn_from": one.drawn_from, "seed": one.seed}
            | {"questions": one.items_n, "judgements": one.done_n, "judges": one.people_n}  # type: ignore[attr-defined]
            | {"created_at": one.created_at}
            for one in queues_of(benchmark)
        ]
    )


def _judge(judged: Judged, name: str) -> dict[str, Any]:
    yes, n = judged.rate(name)
    undecided = judged.undecided.get(name, 0)
    return {"name": name, "person": name in judged.people, "yes": yes, "n": n, "undecided": undecided}


def _pair(pair: Pair) -> dict[str, Any]:
    said = {"a": pair.first, "b": pair.second, "n": len(pair.verdicts), "same": len(pair.same)}
    return {**said, "raw": pair.raw, "interval": plain(pair.interval)}


def _chosen(judged: Judged, pair: Pair, by: str) -> dict[str, Any]:
    found, quality = pair.agreement(), pair.quality()
    return {
        **_pair(pair),
        "words": pair.words,
        "table": [[len(cell) for cell in cells] for _, cells in pair.table()],
        **{name: plain(getattr(found, name)) if found else None for name in ("kappa", "alpha", "ac1")},
        **{name: plain(getattr(quality, name)) if quality else None for name in ("sensitivity", "specificity")},
        "corrected": plain(judged.corrected(pair)),
        "by": [{"value": value, **_pair(one)} for value, one in by_value(pair)] if by else [],
    }
