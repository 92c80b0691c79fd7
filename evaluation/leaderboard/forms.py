"""Forms of leaderboard."""

from __future__ import annotations

from typing import Any

from django import forms

from evaluation.metrics.settings import CHOICES, RANGES
from evaluation.metrics.settings_help import SETTINGS_HELP


class MetricSettingsForm(forms.Form):
    """The settings of docs/metrics.md#settings, one field each; ``change_settings`` changes them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in SETTINGS_HELP:
            self.fields[name] = _setting(name)
            self.fields[name].widget.attrs["aria-label"] = name


def _setting(name: str) -> forms.Field:
    if name in RANGES:
        low, high = RANGES[name]
        number = forms.NumberInput(attrs={"class": "input--sm", "step": "any"})
        return forms.FloatField(min_value=low, max_value=high, widget=number)
    choice = forms.Select(attrs={"class": "select--sm"})
    return forms.ChoiceField(choices=[(value, value) for value in CHOICES[name]], widget=choice)
