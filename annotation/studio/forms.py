"""The form of suggestions in the studio."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy


class SuggestionsForm(forms.Form):
    """Whether annotators see boxes of models."""

    allowed = forms.BooleanField(
        label=gettext_lazy("Show model boxes to annotators"), required=False,
        help_text=gettext_lazy(
            "The last crops of the runs, and predictions imported with the samples, dashed and with their source. "
            "Gold and crops of scripted baselines are never shown. An adopted box keeps its source."
        ),
    )  # fmt: skip
