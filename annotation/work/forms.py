"""Forms of a lead's pages: what becomes of chosen samples, pauses, and the rule of the queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import QuerySet

from annotation.models import Benchmark, Membership, Review
from annotation.workflow import Right, roles_with
from webapp.accounts.models import User

if TYPE_CHECKING:
    UserField = forms.ModelChoiceField[User]
else:
    UserField = forms.ModelChoiceField

LONGEST = 5000
WHY = [("", "Choose a reason"), *Review.Reason.choices]


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
    to = _person("To", empty="Choose a person", required=True, error="Choose a person.")


class WhyForm(WorkForm):
    """Why samples are returned or discarded: a reason, or words."""

    reasons = forms.ChoiceField(label="Reason", choices=WHY, required=False)
    comment = _text("Comment", required=False)

    def clean_reasons(self) -> list[str]:
        return [self.cleaned_data["reasons"]] if self.cleaned_data["reasons"] else []


class ReopenForm(WorkForm):
    reason = _text("Reason", required=True, error="Enter a reason. The author reads it.")
    to = _person("For", empty="previous annotator")


class PauseForm(forms.Form):
    """Whom to pause, and why."""

    user = _person("Person", empty="all people")
    reason = forms.CharField(
        label="Reason", max_length=500, error_messages={"required": "Enter a reason. Paused people can read it."},
        help_text="No new samples are assigned. Started samples can be finished. Paused people can read the reason.",
    )  # fmt: skip

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(data, **options)
        _choose_among(self, benchmark.memberships.all())
