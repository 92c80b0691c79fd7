from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy


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


class ExportForm(forms.Form):
    version = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    people = forms.ChoiceField(choices=[("", ""), ("named", "named")], required=False)
