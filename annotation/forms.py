"""Forms of the pages of benchmarks and the people who work on them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from annotation.models import Benchmark
from annotation.workflow import Role

REMOVE_METADATA = (
    "Store images without camera data, GPS position, author, comments and previews. Pixels and orientation stay exact."
)


class NewBenchmarkForm(forms.ModelForm):
    """What a new benchmark is called and who may read it; ``create_benchmark`` makes it."""

    class Meta:
        model = Benchmark
        fields = ("title", "slug", "description", "licence", "public", "remove_metadata")
        labels = {
            "slug": "Address",
            "licence": "License",
            "public": "Open to everyone",
            "remove_metadata": "Remove metadata",
        }
        help_texts = {
            "title": "As people read it: “Street signs 4K”.",
            "slug": "Small letters, digits and hyphens: /benchmarks/street-signs-4k/. It stays as it is.",
            "licence": "Of its pictures and questions, as an SPDX name: CC-BY-4.0.",
            "public": "Anyone may read the samples, the leaderboard and what lies behind it, without signing in.",
            "remove_metadata": REMOVE_METADATA,
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}


class DetailsForm(forms.ModelForm):
    """What a benchmark says of itself; ``change_details`` changes it."""

    class Meta:
        model = Benchmark
        fields = ("title", "description", "licence", "public", "marks_open", "remove_metadata")
        labels = {
            "licence": "License",
            "public": "Open to everyone",
            "marks_open": "Show notes and shared tags to visitors",
            "remove_metadata": "Remove metadata",
        }
        help_texts = {
            "licence": "Of its pictures and questions, as an SPDX name: CC-BY-4.0.",
            "public": "Anyone may read the samples, the leaderboard and what lies behind it, without signing in.",
            "marks_open": "With the names of their authors, while the benchmark is open to everyone. Members always see"
            " them.",
            "remove_metadata": f"{REMOVE_METADATA} Applies to images uploaded from now on.",
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 4})}


def _roles(*, required: bool) -> forms.TypedMultipleChoiceField:
    return forms.TypedMultipleChoiceField(
        label="Roles", coerce=Role, required=required, widget=forms.CheckboxSelectMultiple,
        choices=[(role.value, role.value) for role in Role],
        error_messages={"required": "Choose at least one role."},
    )  # fmt: skip


class RolesForm(forms.Form):
    """The roles of a person; none takes the person out."""

    roles = _roles(required=False)


class InviteForm(forms.Form):
    """Whom to invite, and to what."""

    email = forms.EmailField(label="Email of the person")
    roles = _roles(required=True)
    mailed = forms.BooleanField(
        label="Send the link by email", required=False, initial=True,
        help_text="Without this, you get the link to send it yourself, and the address counts as not verified.",
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.SENDS_EMAIL:
            del self.fields["mailed"]


class SuggestionsForm(forms.Form):
    """Whether annotators see boxes of models."""

    allowed = forms.BooleanField(
        label="Show annotators the boxes of models", required=False,
        help_text="Where the runs of this benchmark looked last, and predictions that came with the samples: dashed, "
        "each with its name. Never gold, and nothing of scripted baselines. An adopted box keeps whose it was.",
    )  # fmt: skip


class FreezeForm(forms.Form):
    """Freezing a version, which cannot be taken back: it is confirmed, and says what is new."""

    note = forms.CharField(
        label="What is new in it",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": "Say what is new. Scores and data cards show this note with the version."},
    )
    confirmed = forms.BooleanField(
        label="This version can't be changed or deleted",
        error_messages={"required": "Confirm that this version can't be changed or deleted."},
    )


class CheckRulesForm(forms.Form):
    """The rules of gold checks, shares in percent; ``set_check_rules`` keeps them."""

    check_first = forms.IntegerField(
        label="A person begins with", min_value=0, max_value=100, help_text="So many checks first; 0 for none."
    )
    check_share = forms.FloatField(
        label="Then, of what is handed out, %", min_value=0, max_value=50, help_text="0 hands out none, 5 is usual."
    )
    box_measure = forms.ChoiceField(
        label="Boxes are measured by",
        choices=[("iou", "IoU with the known boxes"), ("ioa", "share of the known boxes")],
    )
    box_least = forms.FloatField(label="… and pass from", min_value=0, max_value=1)
    any_question = forms.BooleanField(
        label="Compare whatever the question", required=False,
        help_text="Where each picture asks for one thing and people word it freely. Else you decide by hand.",
    )  # fmt: skip
    pause_below = forms.FloatField(
        label="Pause a person below, %", min_value=1, max_value=100, required=False,
        help_text="Paused when the upper end of the 95 % interval of their accuracy lies below. Empty: nobody.",
    )  # fmt: skip
    pause_after = forms.IntegerField(label="… from so many checks on", min_value=1, max_value=1000)

    def values(self) -> dict[str, Any]:
        """As the action takes them."""
        said = dict(self.cleaned_data)
        below = said["pause_below"]
        return said | {
            "check_share": said["check_share"] / 100, "pause_below": below / 100 if below is not None else None
        }  # fmt: skip


class AddChecksForm(forms.Form):
    """Which accepted samples become checks: named ones, or so many at random."""

    keys = forms.CharField(
        label="Ids of accepted samples, one a line", required=False, max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )  # fmt: skip
    n = forms.IntegerField(label="or so many at random", required=False, min_value=1, max_value=1000)

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        keys = [key.strip() for key in str(said.get("keys", "")).splitlines() if key.strip()]
        if not self.errors and bool(keys) == bool(said.get("n")):
            raise forms.ValidationError("Name samples, or say how many to draw; one of the two.")
        return {**said, "keys": keys}


class ExtraAnnotatorForm(forms.Form):
    """When one more person annotates a sample; agreement in percent."""

    extra_below = forms.FloatField(
        label="One more person below an agreement of, %", min_value=1, max_value=100, required=False,
        help_text="Of those asked, once all have submitted. Empty: never.",
    )  # fmt: skip
    extra_most = forms.IntegerField(label="… so many times at most", min_value=1, max_value=10)

    def values(self) -> dict[str, Any]:
        """As the action takes them."""
        below = self.cleaned_data["extra_below"]
        return {**self.cleaned_data, "extra_below": below / 100 if below is not None else None}


class DrawAuditForm(forms.Form):
    """How much of what is accepted is reviewed a second time."""

    share = forms.FloatField(
        label="Share of the accepted samples, %", min_value=0.01, max_value=100,
        help_text="Drawn at random, rounded up; samples that wait for an audit are left out.",
    )  # fmt: skip
