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
            "public": "Public",
            "remove_metadata": "Remove metadata",
        }
        help_texts = {
            "title": "For example, “Street signs 4K”.",
            "slug": "Lowercase letters, digits and hyphens. Used in the URL; can't be changed later.",
            "licence": "License of images and questions, as an SPDX identifier, for example CC-BY-4.0.",
            "public": "Anyone can view samples, leaderboard and trajectories without signing in.",
            "remove_metadata": REMOVE_METADATA,
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}


class DetailsForm(forms.ModelForm):
    """What a benchmark says of itself; ``change_details`` changes it."""

    class Meta:
        model = Benchmark
        fields = ("title", "description", "licence", "public", "marks_open", "remove_metadata", "remote_allowed")
        labels = {
            "licence": "License",
            "public": "Public",
            "marks_open": "Show notes and shared tags to visitors",
            "remove_metadata": "Remove metadata",
            "remote_allowed": "Send images to remote endpoints",
        }
        help_texts = {
            "licence": "License of images and questions, as an SPDX identifier, for example CC-BY-4.0.",
            "public": "Anyone can view samples, leaderboard and trajectories without signing in.",
            "marks_open": "Visitors also see the names of the authors while the benchmark is public. Members always"
            " see them.",
            "remove_metadata": f"{REMOVE_METADATA} Applies to images uploaded from now on.",
            "remote_allowed": "Experiments may send images and questions to model endpoints on other servers. Endpoints"
            " on this server are always allowed.",
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
