"""Forms of the pages of benchmarks and the people who work on them."""

from __future__ import annotations

from django import forms

from annotation.models import Benchmark
from annotation.workflow import Role


class NewBenchmarkForm(forms.ModelForm):
    """What a new benchmark is called and who may read it; ``create_benchmark`` makes it."""

    class Meta:
        model = Benchmark
        fields = ("title", "slug", "description", "licence", "public")
        labels = {"slug": "Address", "public": "Open to everyone"}
        help_texts = {
            "title": "As people read it: “Street signs 4K”.",
            "slug": "Small letters, digits and hyphens: /benchmarks/street-signs-4k/. It stays as it is.",
            "licence": "Of its pictures and questions, as an SPDX name: CC-BY-4.0.",
            "public": "Anyone may read the samples, the leaderboard and what lies behind it, without signing in.",
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}


class DetailsForm(forms.ModelForm):
    """What a benchmark says of itself; ``change_details`` changes it."""

    class Meta:
        model = Benchmark
        fields = ("title", "description", "licence", "public")
        labels = {"public": "Open to everyone"}
        help_texts = {
            "licence": "Of its pictures and questions, as an SPDX name: CC-BY-4.0.",
            "public": "Anyone may read the samples, the leaderboard and what lies behind it, without signing in.",
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

    email = forms.EmailField(label="E-mail of the person")
    roles = _roles(required=True)


class SuggestionsForm(forms.Form):
    """Whether annotators see boxes of models."""

    allowed = forms.BooleanField(
        label="Show annotators the boxes of models", required=False,
        help_text="Where the runs of this benchmark looked last, and predictions that came with the samples: dashed, "
        "each with its name. Never gold, and nothing of scripted baselines. An adopted box keeps whose it was.",
    )  # fmt: skip


class FreezeForm(forms.Form):
    """Freezing a version."""

    note = forms.CharField(
        label="What is new in it", required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 2})
    )
