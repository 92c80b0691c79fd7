"""The form of suggestions in the studio."""

from __future__ import annotations

from django import forms


class SuggestionsForm(forms.Form):
    """Whether annotators see boxes of models."""

    allowed = forms.BooleanField(
        label="Show annotators the boxes of models", required=False,
        help_text="The last crops of the runs, and predictions imported with the samples, dashed and with their "
        "source. Gold and crops of scripted baselines are never shown. An adopted box keeps its source.",
    )  # fmt: skip
