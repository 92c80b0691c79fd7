"""Forms of the plan and of pay."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.models import Benchmark, PayRate, WorkPackage, WorkSession
from annotation.models.sample import HIGHEST_PRIORITY
from annotation.workflow import Right, Role, roles_with
from webapp.accounts.models import User

MONTH = "2[0-9]{3}-(0[1-9]|1[0-2])"
"""The format of months in addresses."""

if TYPE_CHECKING:
    UserField = forms.ModelChoiceField[User]
    UsersField = forms.ModelMultipleChoiceField[User]
else:
    UserField = forms.ModelChoiceField
    UsersField = forms.ModelMultipleChoiceField


def _members(benchmark: Benchmark, right: Right) -> Any:
    held = benchmark.memberships.filter(role__in=roles_with(right)).values("user")
    return User.objects.filter(pk__in=held).order_by("name", "email")


class PackageForm(forms.Form):
    """A work package. Its query is that of a list of samples."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=120)
    query = forms.CharField(
        label=gettext_lazy("Samples"), required=False, max_length=2000,
        widget=forms.TextInput(attrs={"placeholder": "facet.category=OCR"}),
        help_text=gettext_lazy(
            "A filter, as in the address of the list of samples. Empty: all samples. States are ignored."
        ),
    )  # fmt: skip
    people = UsersField(
        queryset=User.objects.none(), label=gettext_lazy("People"), required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Whose hours the forecast uses and who is reminded. None: all annotators. Samples are not reserved."
        ),
    )  # fmt: skip
    due_at = forms.DateTimeField(
        label=gettext_lazy("Due (UTC)"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"],
    )
    priority = forms.TypedChoiceField(
        label=gettext_lazy("Priority"), coerce=int, initial=0,
        choices=[(0, gettext_lazy("0: by the order of the queue")), *((n, str(n)) for n in range(1, HIGHEST_PRIORITY)),
                 (HIGHEST_PRIORITY, gettext_lazy("9: first"))],
        help_text=gettext_lazy("Set on the samples that match when you save."),
    )  # fmt: skip

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.fields["people"].queryset = _members(benchmark, Right.ANNOTATE)  # type: ignore[attr-defined]

    def clean_due_at(self) -> datetime:
        due_at: datetime = self.cleaned_data["due_at"]
        return due_at.replace(tzinfo=UTC)

    @staticmethod
    def values_of(package: WorkPackage) -> dict[str, Any]:
        return {
            "title": package.title, "query": package.query, "people": list(package.people.all()),
            "due_at": package.due_at.astimezone(UTC).replace(tzinfo=None), "priority": package.priority,
        }  # fmt: skip


class RateForm(forms.Form):
    """A rate, and the currency of all rates."""

    currency = forms.CharField(
        label=gettext_lazy("Currency"), max_length=3, help_text=gettext_lazy("Three letters, of all rates.")
    )
    role = forms.ChoiceField(label=gettext_lazy("Work"), choices=WorkSession.Role.choices)
    person = UserField(
        queryset=User.objects.none(), label=gettext_lazy("Person"), required=False,
        empty_label=gettext_lazy("everyone without their own rate"),
    )  # fmt: skip
    per = forms.ChoiceField(label=gettext_lazy("Paid per"), choices=PayRate.Per.choices)
    amount = forms.DecimalField(label=gettext_lazy("Amount"), min_value=0, max_digits=10, decimal_places=2)

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(data, **options)
        working = [role for role in Role if role != Role.RESEARCHER]
        held = benchmark.memberships.filter(role__in=working).values("user")
        people = User.objects.filter(pk__in=held).order_by("name", "email")
        self.fields["person"].queryset = people  # type: ignore[attr-defined]


def month_in(text: str) -> date | None:
    """The first day of a month given as 2026-11, or None."""
    return date.fromisoformat(f"{text}-01") if re.fullmatch(MONTH, text) else None
