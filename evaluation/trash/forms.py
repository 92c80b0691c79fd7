"""What people enter before samples are removed."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy


class RemoveSamplesForm(forms.Form):
    reason = forms.CharField(
        max_length=500,
        required=False,
        strip=True,
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("The audit log and the pages of versions show it."),
    )
