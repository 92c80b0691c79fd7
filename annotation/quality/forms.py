"""Forms of quality control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from webapp.accounts.models import User


class CheckRulesForm(forms.Form):
    """The rules of gold checks, shares in percent; ``set_check_rules`` keeps them."""

    terms = {
        "check_first": "gold-check",
        "check_share": "gold-check",
        "box_measure": "iou",
        "pause_below": "check-accuracy",
    }

    check_first = forms.IntegerField(
        label=gettext_lazy("Warm-up checks per person"),
        min_value=0,
        max_value=100,
        help_text=gettext_lazy("0 for none."),
    )
    check_share = forms.FloatField(
        label=gettext_lazy("Share of later samples, %"),
        min_value=0,
        max_value=50,
        help_text=gettext_lazy("0 for none; 5 is usual."),
    )
    box_measure = forms.ChoiceField(
        label=gettext_lazy("Boxes are measured by"),
        choices=[("iou", gettext_lazy("IoU with gold boxes")), ("ioa", gettext_lazy("coverage of gold boxes"))],
    )
    box_least = forms.FloatField(label=gettext_lazy("… and pass from"), min_value=0, max_value=1)
    any_question = forms.BooleanField(
        label=gettext_lazy("Ignore question wording"), required=False,
        help_text=gettext_lazy("For images with one question that people word differently. Otherwise you decide."),
    )  # fmt: skip
    pause_below = forms.FloatField(
        label=gettext_lazy("Pause below accuracy, %"), min_value=1, max_value=100, required=False,
        help_text=gettext_lazy("Compared with the upper end of the 95% interval. Leave empty to turn pausing off."),
    )  # fmt: skip
    pause_after = forms.IntegerField(label=gettext_lazy("… after at least (checks)"), min_value=1, max_value=1000)

    def values(self) -> dict[str, Any]:
        """Return the values as the action takes them."""
        said = dict(self.cleaned_data)
        below = said["pause_below"]
        return said | {
            "check_share": said["check_share"] / 100, "pause_below": below / 100 if below is not None else None
        }  # fmt: skip


class AddChecksForm(forms.Form):
    """The accepted samples that become checks: named ones, or a number of random samples."""

    keys = forms.CharField(
        label=gettext_lazy("Sample IDs, one per line"), required=False, max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )  # fmt: skip
    n = forms.IntegerField(
        label=gettext_lazy("or number of random samples"), required=False, min_value=1, max_value=1000
    )

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        keys = [key.strip() for key in str(said.get("keys", "")).splitlines() if key.strip()]
        if not self.errors and bool(keys) == bool(said.get("n")):
            raise forms.ValidationError(gettext("Enter sample IDs or a number, not both."))
        return {**said, "keys": keys}


class ExtraAnnotatorForm(forms.Form):
    """When one more person annotates a sample; agreement in percent."""

    terms = {"extra_below": "agreement"}

    extra_below = forms.FloatField(
        label=gettext_lazy("Add an annotator below agreement, %"), min_value=1, max_value=100, required=False,
        help_text=gettext_lazy("Computed when all annotators have submitted. Leave empty to turn this off."),
    )  # fmt: skip
    extra_most = forms.IntegerField(label=gettext_lazy("… at most per sample"), min_value=1, max_value=10)

    def values(self) -> dict[str, Any]:
        """Return the values as the action takes them."""
        below = self.cleaned_data["extra_below"]
        return {**self.cleaned_data, "extra_below": below / 100 if below is not None else None}


class DrawAuditForm(forms.Form):
    """The share of accepted samples that are reviewed a second time."""

    share = forms.FloatField(
        label=gettext_lazy("Share of the accepted samples, %"), min_value=0.01, max_value=100,
        help_text=gettext_lazy("Random selection, rounded up. Samples waiting for an audit are excluded."),
    )  # fmt: skip


class QualificationForm(forms.Form):
    """The rules of the qualification test, the share in percent; ``set_qualification`` keeps them."""

    terms = {"quiz_size": "qualification-test"}

    quiz_size = forms.IntegerField(
        label=gettext_lazy("Samples of the test"), min_value=0, max_value=50,
        help_text=gettext_lazy("0: annotators need no test. Drawn from accepted samples that are not gold checks."),
    )  # fmt: skip
    quiz_pass = forms.FloatField(label=gettext_lazy("Share to pass, %"), min_value=1, max_value=100)
    quiz_attempts = forms.IntegerField(label=gettext_lazy("Attempts per person"), min_value=1, max_value=10)

    def values(self) -> dict[str, Any]:
        """Return the values as the action takes them."""
        return {**self.cleaned_data, "quiz_pass": self.cleaned_data["quiz_pass"] / 100}


class WaiveForm(forms.Form):
    """A person who needs no qualification test, and why. ``people``: those who can be chosen."""

    user = forms.ModelChoiceField(User.objects.none(), label=gettext_lazy("Annotator"), empty_label=None)
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=300)

    def __init__(self, people: Sequence[User], data: Any = None) -> None:
        super().__init__(data)
        chosen = self.fields["user"]
        assert isinstance(chosen, forms.ModelChoiceField)
        chosen.queryset = User.objects.filter(pk__in=[one.pk for one in people]).order_by("name")
