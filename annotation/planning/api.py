"""The plan, and the time and pay of people over the API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.forecast import Forecast
from annotation.models import Benchmark
from annotation.models.sample import HIGHEST_PRIORITY
from annotation.planning.forms import MONTH, month_in
from annotation.planning.present.pay import month_asked, month_for
from annotation.planning.read.packages import PackageStatus, packages_of
from annotation.planning.read.pay import Line
from annotation.planning.write.packages import save_package
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, WholeNumberField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged_rows
from webapp.common.errors import InvalidInput


class ForecastSerializer(serializers.Serializer[Any]):
    early = serializers.DateField(allow_null=True)
    middle = serializers.DateField(allow_null=True)
    late = serializers.DateField(allow_null=True)
    hours = serializers.FloatField(allow_null=True, help_text="Active hours that are left, the median.")
    reason = serializers.CharField(help_text="Why there is none: few_samples, no_hours, too_long; else empty.")


class PackageSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    title = serializers.CharField()
    query = serializers.CharField(help_text="Terms of the list of samples, as an address has them.")
    people = serializers.ListField(child=serializers.EmailField(), help_text="Empty: all annotators.")
    due_at = serializers.DateTimeField()
    priority = serializers.IntegerField()
    samples = serializers.IntegerField()
    settled = serializers.IntegerField(help_text="Accepted or discarded samples.")
    left = serializers.IntegerField(help_text="Annotations that people must still submit.")
    overdue = serializers.BooleanField()
    forecast = ForecastSerializer()


class NewPackageSerializer(Form):
    title = TextField(max_length=120)
    query = TextField(max_length=2000, required=False, default="", allow_blank=True)
    people = serializers.ListField(child=serializers.EmailField(), required=False, default=list, max_length=200)
    due_at = serializers.DateTimeField()
    priority = WholeNumberField(min_value=0, max_value=HIGHEST_PRIORITY, required=False, default=0)


class TimeLineSerializer(serializers.Serializer[Any]):
    person = serializers.CharField()
    email = serializers.EmailField()
    role = serializers.CharField(help_text="annotate, review or adjudicate.")
    submitted = serializers.IntegerField()
    accepted = serializers.IntegerField(allow_null=True)
    reviewed = serializers.IntegerField()
    adjudicated = serializers.IntegerField()
    active_seconds = serializers.FloatField(allow_null=True, help_text="Null if none was recorded.")
    median_seconds = serializers.FloatField(allow_null=True, help_text="Of the samples with active time.")
    decided = serializers.IntegerField(allow_null=True)
    returned = serializers.IntegerField(allow_null=True)
    return_rate = serializers.FloatField(allow_null=True)
    return_rate_low = serializers.FloatField(allow_null=True, help_text="95% interval of Wilson.")
    return_rate_high = serializers.FloatField(allow_null=True)
    paid_per = serializers.CharField(help_text="hour, sample, or empty without a rate.")
    rate = serializers.DecimalField(10, 2, allow_null=True)
    amount = serializers.DecimalField(14, 2, allow_null=True)
    verified = serializers.BooleanField(help_text="The address of the account is verified now, also in a closed month.")


class MonthSerializer(serializers.Serializer[Any]):
    month = serializers.CharField()
    closed_at = serializers.DateTimeField(allow_null=True)
    currency = serializers.CharField()
    lines = TimeLineSerializer(many=True)


@needs(Scope.MANAGE)
@extend_schema(
    methods=["GET"], operation_id="packages", parameters=PAGING, responses=page_of("PackagePage", PackageSerializer)
)
@extend_schema(
    methods=["POST"], operation_id="package_create", request=NewPackageSerializer,
    responses={201: PackageSerializer},
)  # fmt: skip
@api_view(["GET", "POST"])
def packages(request: Request, slug: str) -> Response:
    """Work packages with what is left and the forecast, the one that is due first in front. POST makes one; people are
    named by their addresses."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    if request.method == "GET":
        return paged_rows(request, packages_of(benchmark), _package)
    values = read_form(NewPackageSerializer, request)
    values["people"] = _people(benchmark, values["people"])
    made = save_package(actor=person_of(request), benchmark=benchmark, **values)
    return Response(next(_package(one) for one in packages_of(benchmark) if one.package.pk == made.pk), status=201)


def _people(benchmark: Benchmark, addresses: list[str]) -> list[User]:
    """The members with these addresses; other accounts are treated like unknown addresses."""
    members = User.objects.filter(memberships__benchmark=benchmark, email__in=[one.lower() for one in addresses])
    found = {one.email.lower(): one for one in members}
    missing = [one for one in addresses if one.lower() not in found]
    if missing:
        raise InvalidInput(f"No member has the address {missing[0]}.", field="people")
    return list(found.values())


def _package(one: PackageStatus) -> dict[str, Any]:
    package, found = one.package, one.forecast
    known = isinstance(found, Forecast)
    days = {name: getattr(found, name) if known else None for name in ("early", "middle", "late", "hours")}
    shown = {name: getattr(package, name) for name in ("title", "query", "due_at", "priority")} | {
        "id": package.pk, "people": [person.email for person in one.people], "samples": one.samples,
        "settled": one.settled, "left": one.left, "overdue": one.is_overdue(datetime.now(UTC)),
        "forecast": {**days, "reason": "" if known else str(found)},
    }  # fmt: skip
    return dict(PackageSerializer(shown).data)


WHICH_MONTH = OpenApiParameter(
    "month", {"type": "string", "pattern": f"^{MONTH}$"}, description="As 2026-11; this month by default, in UTC."
)


@extend_schema(
    operation_id="work_time",
    parameters=[WHICH_MONTH],
    responses=MonthSerializer,
)
@api_view(["GET"])
def work_time(request: Request, slug: str) -> Response:
    """The work of a month by person and role, with what it is paid. Leads get everyone, other people themselves. What
    was accepted, decided and returned is null for annotators while gold checks run."""
    benchmark = benchmark_for(request, slug)
    asked = request.query_params.get("month")
    if asked is not None and month_in(asked) is None:
        raise InvalidInput("Months are written as 2026-11.", field="month")
    month = month_for(person_of(request), benchmark, month_asked(asked or ""))
    shown = {
        "month": f"{month.first:%Y-%m}", "currency": month.currency, "lines": [_line(line) for line in month.lines],
        "closed_at": month.period.closed_at if month.period else None,
    }  # fmt: skip
    return Response(MonthSerializer(shown).data)


def _line(line: Line) -> dict[str, Any]:
    interval = line.returned_interval
    names = ("submitted", "accepted", "reviewed", "adjudicated", "active_seconds", "median_seconds", "decided",
             "returned", "rate", "amount", "verified")  # fmt: skip
    return {name: getattr(line, name) for name in names} | {
        "person": str(line.person), "email": line.person.email, "role": line.role.value, "paid_per": line.per,
        "return_rate": line.returned_share, "return_rate_low": interval.low if interval else None,
        "return_rate_high": interval.high if interval else None,
    }  # fmt: skip
