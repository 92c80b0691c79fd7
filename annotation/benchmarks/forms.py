"""Forms of the pages of benchmarks and the people who work on them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.text import format_lazy, slugify
from django.utils.translation import gettext, gettext_lazy

from annotation.models import Benchmark
from annotation.workflow import Role

REMOVE_METADATA = gettext_lazy(
    "Store images without camera data, GPS position, author, comments and previews. Pixels and orientation stay exact."
)


class NewBenchmarkForm(forms.ModelForm):
    """The name and visibility of a new benchmark; ``create_benchmark`` creates it."""

    class Meta:
        model = Benchmark
        fields = ("title", "slug", "description", "licence", "public", "remove_metadata")
        labels = {
            "title": gettext_lazy("Title"),
            "description": gettext_lazy("Description"),
            "slug": gettext_lazy("Address"),
            "licence": gettext_lazy("License"),
            "public": gettext_lazy("Public"),
            "remove_metadata": gettext_lazy("Remove metadata"),
        }
        help_texts = {
            "title": gettext_lazy("For example, “Street signs 4K”."),
            "slug": gettext_lazy(
                "Lowercase letters, digits and hyphens. Used in the URL; can't be changed later. Empty: from the title."
            ),
            "licence": gettext_lazy("License of images and questions, as an SPDX identifier, for example CC-BY-4.0."),
            "public": gettext_lazy("Anyone can view samples, leaderboard and trajectories without signing in."),
            "remove_metadata": REMOVE_METADATA,
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["slug"].required = False

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if not said.get("slug") and "slug" not in self.errors:
            longest = Benchmark._meta.get_field("slug").max_length
            said["slug"] = slugify(said.get("title", ""))[:longest].strip("-_").replace("_", "-")
            if not said["slug"]:
                self.add_error("slug", gettext("The title has no letters for an address. Enter one."))
        return said


class DeleteBenchmarkForm(forms.Form):
    """The title of a benchmark, entered to delete it."""

    title = forms.CharField(
        label=gettext_lazy("Title of the benchmark"), widget=forms.TextInput(attrs={"autocomplete": "off"})
    )


class DetailsForm(forms.ModelForm):
    """The description of a benchmark; ``change_details`` changes it."""

    class Meta:
        model = Benchmark
        fields = ("title", "description", "licence", "public", "marks_open", "remove_metadata", "remote_allowed")
        labels = {
            "title": gettext_lazy("Title"),
            "description": gettext_lazy("Description"),
            "licence": gettext_lazy("License"),
            "public": gettext_lazy("Public"),
            "marks_open": gettext_lazy("Show notes and shared tags to visitors"),
            "remove_metadata": gettext_lazy("Remove metadata"),
            "remote_allowed": gettext_lazy("Send images to remote endpoints"),
        }
        help_texts = {
            "licence": gettext_lazy("License of images and questions, as an SPDX identifier, for example CC-BY-4.0."),
            "public": gettext_lazy("Anyone can view samples, leaderboard and trajectories without signing in."),
            "marks_open": gettext_lazy(
                "Visitors also see the names of the authors while the benchmark is public. Members always see them."
            ),
            "remove_metadata": format_lazy(
                gettext_lazy("{setting} Applies to images uploaded from now on."), setting=REMOVE_METADATA
            ),
            "remote_allowed": gettext_lazy(
                "Experiments may send images and questions to model endpoints on other servers. Endpoints on this "
                "server are always allowed."
            ),
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 4})}


def _roles(*, required: bool) -> forms.TypedMultipleChoiceField:
    return forms.TypedMultipleChoiceField(
        label=gettext("Roles"), coerce=Role, required=required, widget=forms.CheckboxSelectMultiple,
        choices=[(role.value, role.value) for role in Role],
        error_messages={"required": gettext("Choose at least one role.")},
    )  # fmt: skip


class RolesForm(forms.Form):
    """The roles of a person; none takes the person out."""

    roles = _roles(required=False)


class TakeOverForm(forms.Form):
    """The address of the person behind a placeholder, and the roles."""

    email = forms.EmailField(label=gettext_lazy("Email of the person"))
    roles = _roles(required=True)


class InviteForm(forms.Form):
    """The person to invite, and the roles."""

    email = forms.EmailField(label=gettext_lazy("Email of the person"))
    roles = _roles(required=True)
    mailed = forms.BooleanField(
        label=gettext_lazy("Send the link by email"), required=False, initial=True,
        help_text=gettext_lazy(
            "Without this, you get the link to send it yourself, and the address counts as not verified."
        ),
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.SENDS_EMAIL:
            del self.fields["mailed"]
