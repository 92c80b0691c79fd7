"""The form that freezes a version."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy


class FreezeForm(forms.Form):
    """Freezing a version, which cannot be taken back: it is confirmed, and says what is new."""

    note = forms.CharField(
        label=gettext_lazy("Release notes"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={
            "required": gettext_lazy("Enter release notes. Scores and data cards show them with the version.")
        },
    )
    confirmed = forms.BooleanField(
        label=gettext_lazy("This version can't be changed or deleted"),
        error_messages={"required": gettext_lazy("Confirm that this version can't be changed or deleted.")},
    )
