"""Forms of a lead's pages: what becomes of chosen samples, pauses, and the rule of the queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import QuerySet

from annotation.actions.queue_settings import LONGEST_LEASE, MOST_PEOPLE
from annotation.models import Benchmark, BenchmarkQueue, FacetValue, Membership, Review
from annotation.workflow import Right, roles_with
from webapp.accounts.models import User

if TYPE_CHECKING:
    UserField = forms.ModelChoiceField[User]
else:
    UserField = forms.ModelChoiceField

LONGEST = 5000
WHY = [("", "Choose a reason"), *((code, code.replace("_", " ")) for code in Review.Reason.values)]


def _text(label: str, *, required: bool, error: str = "") -> forms.CharField:
    return forms.CharField(
        label=label, required=required, max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": error} if error else None,
    )  # fmt: skip


def _person(label: str, *, empty: str, required: bool = False, error: str = "") -> UserField:
    """A choice among people; the form says which, by ``_choose_among``."""
    return UserField(
        queryset=User.objects.none(), label=label, required=required, empty_label=empty,
        error_messages={"required": error} if error else None,
    )  # fmt: skip


def _choose_among(form: forms.Form, memberships: QuerySet[Membership]) -> None:
    people = User.objects.filter(pk__in=memberships.values("user")).order_by("name", "email")
    for field in form.fields.values():
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = people


class WorkForm(forms.Form):
    """One thing to do to chosen samples. Its prefix is the name of the act, so that all stand in one form of a page,
    where a browser must not ask for the fields of another act."""

    use_required_attribute = False

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None, *, prefix: str) -> None:
        super().__init__(data, prefix=prefix)
        _choose_among(self, benchmark.memberships.filter(role__in=roles_with(Right.ANNOTATE)))


class AssignForm(WorkForm):
    to = _person("To", empty="Choose a person", required=True, error="Choose who gets the samples.")


class WhyForm(WorkForm):
    """Why samples are returned or discarded: a reason, or words."""

    reasons = forms.ChoiceField(label="Reason", choices=WHY, required=False)
    comment = _text("Comment", required=False)

    def clean_reasons(self) -> list[str]:
        return [self.cleaned_data["reasons"]] if self.cleaned_data["reasons"] else []


class ReopenForm(WorkForm):
    reason = _text("Why", required=True, error="Say why: the author reads it.")
    to = _person("For", empty="whose it was")


class PauseForm(forms.Form):
    """Whom to pause, and why."""

    user = _person("Whom", empty="everybody")
    reason = forms.CharField(
        label="Why", max_length=500, error_messages={"required": "Say why: who waits reads it."},
        help_text="Nothing new is handed out; what was begun can be finished. Who waits reads your words.",
    )  # fmt: skip

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(data, **options)
        _choose_among(self, benchmark.memberships.all())


def _range(low: int, high: int) -> dict[str, Any]:
    said = f"A number from {low} to {high}."
    return {
        "min_value": low,
        "max_value": high,
        "error_messages": dict.fromkeys(("min_value", "max_value", "invalid"), said),
    }


class Percent(forms.FloatField):
    """A share, as a person writes it: 15 is 0.15."""

    def __init__(self, *, high: int = 100, **options: Any) -> None:
        super().__init__(**_range(0, high), **options)

    def prepare_value(self, value: Any) -> Any:
        return f"{value * 100:.6g}" if isinstance(value, float) else value

    def clean(self, value: Any) -> float | None:
        found = super().clean(value)
        return None if found is None else found / 100


class QueueForm(forms.Form):
    """How a benchmark hands out its samples; ``set_queue`` stores it. ``orders`` and ``blinds``: a value, its words."""

    orders = {
        "sequential": "by id",
        "random": "random",
        "facet": "by facet",
        "disputed": "by disagreement, the most first",
    }
    blinds = {
        "picture": "from the picture",
        "crop": "from the gold crops alone, then the picture",
        "alternating": "from either first, half and half by chance",
        "off": "no blind check",
    }

    order = forms.ChoiceField(
        label="Order", choices=list(orders.items()),
        help_text="What came back to a person is always first, then what you gave them.",
    )  # fmt: skip
    facet = forms.ChoiceField(label="Facet", required=False, help_text="Sorts the samples when the order is by facet.")
    overlap = forms.IntegerField(
        label="People to a sample", **_range(1, MOST_PEOPLE),
        help_text="None of them sees another's work before all have submitted; review begins after that.",
    )  # fmt: skip
    overlap_share = Percent(label="Share annotated by so many, %", help_text="The others are annotated by one person.")
    review_share = Percent(
        label="Share that is reviewed, %",
        help_text="What is not drawn is accepted as it is submitted, but for samples of several people.",
    )
    blind = forms.ChoiceField(
        label="Blind check", choices=list(blinds.items()),
        help_text="What a reviewer answers the question from before the gold is shown.",
    )  # fmt: skip
    blind_margin = Percent(
        label="Shown around each gold box, %", high=200,
        help_text="Of its longer side, where a reviewer answers from the crops.",
    )  # fmt: skip
    lease_minutes = forms.IntegerField(
        label="A sample is kept for, minutes", **_range(1, LONGEST_LEASE),
        help_text="Without a sign of who took it. It is renewed while they work.",
    )  # fmt: skip

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None) -> None:
        queue = BenchmarkQueue.objects.filter(benchmark=benchmark).first() or BenchmarkQueue(benchmark=benchmark)
        super().__init__(data, initial={name: getattr(queue, name) for name in self.base_fields})
        names = list(FacetValue.objects.filter(benchmark=benchmark).names())
        stored = [queue.facet] if queue.facet and queue.facet not in names else []
        choices = [("", "none"), *((name, name) for name in (*names, *stored))]
        self.fields["facet"] = forms.ChoiceField(
            label="Facet", required=False, choices=choices, help_text=self.fields["facet"].help_text
        )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("order") == BenchmarkQueue.Order.FACET and not values.get("facet"):
            self.add_error("facet", "Choose the facet that sorts the samples, or another order.")
        return values
