"""The form that freezes a version."""

from __future__ import annotations

from django import forms


class FreezeForm(forms.Form):
    """Freezing a version, which cannot be taken back: it is confirmed, and says what is new."""

    note = forms.CharField(
        label="Release notes",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": "Enter release notes. Scores and data cards show them with the version."},
    )
    confirmed = forms.BooleanField(
        label="This version can't be changed or deleted",
        error_messages={"required": "Confirm that this version can't be changed or deleted."},
    )
