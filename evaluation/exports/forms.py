from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from annotation.portable.read.update import Choice
from annotation.workflow import ExportStates
from webapp.common.errors import InvalidInput


class ProjectFileForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy("A portable file (.sightline), as leads download it from the Export page."),
    )


class AddressForm(forms.Form):
    slug = forms.RegexField(
        r"^[a-z0-9][a-z0-9-]*$",
        label=gettext_lazy("Address"),
        max_length=60,
        help_text=gettext_lazy("Lowercase letters, digits and hyphens."),
    )


class UpdateForm(forms.Form):
    """The choices of conflicts: fields ``choice:KEY``."""

    PREFIX = "choice:"

    def clean(self) -> dict[str, Any]:
        given = {name: str(value) for name, value in self.data.items() if name.startswith(self.PREFIX)}
        if not set(given.values()) <= {choice.value for choice in Choice}:
            raise forms.ValidationError(gettext_lazy("Choose what becomes of each conflict."))
        return {"conflicts": {name.removeprefix(self.PREFIX): value for name, value in given.items()}}


class StatesForm(forms.Form):
    """The samples of a file of the benchmark: accepted ones, if nothing else is chosen."""

    states = forms.ChoiceField(choices=[(one.value, one.value) for one in ExportStates], required=False)

    def clean_states(self) -> ExportStates:
        return ExportStates(self.cleaned_data["states"] or ExportStates.ACCEPTED)


def states_in(query: QueryDict) -> ExportStates:
    """The chosen states. Raises ``InvalidInput``."""
    form = StatesForm(query)
    if not form.is_valid():
        raise InvalidInput(
            gettext("states is %(given)s. It must be accepted or all.") % {"given": repr(query["states"][:40])},
            field="states",
        )
    states: ExportStates = form.cleaned_data["states"]
    return states


class ExportForm(forms.Form):
    version = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    people = forms.RegexField(r"^named$", required=False)
    runs = forms.BooleanField(required=False)


class ComparisonForm(forms.Form):
    """A file to compare with a state of a benchmark."""

    version = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    file = forms.FileField(
        label=gettext_lazy("File"), help_text=gettext_lazy("A portable file (.sightline) of this benchmark or a copy.")
    )


class TwoFilesForm(forms.Form):
    """Two files to compare with each other."""

    first = forms.FileField(label=gettext_lazy("First file"), help_text=gettext_lazy("The earlier state."))
    second = forms.FileField(label=gettext_lazy("Second file"), help_text=gettext_lazy("The later state."))
