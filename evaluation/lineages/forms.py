"""Forms about lineages; the actions check what they send."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.models import Lineage, Run


class PlaceForm(forms.Form):
    """The lineage and the step of a run; both empty take it out."""

    lineage = forms.CharField(label=_("Lineage"), required=False, max_length=200)
    step = forms.CharField(label=_("Step"), required=False, max_length=16)

    terms = {"lineage": "lineage"}

    @classmethod
    def of(cls, run: Run) -> PlaceForm:
        there = {"lineage": run.lineage.name, "step": run.step} if run.lineage is not None else {}
        return cls(initial=there)


class DescriptionForm(forms.Form):
    """The description of a training."""

    name = forms.CharField(label=_("Name"), max_length=200)
    base_model = forms.CharField(label=_("Base model"), required=False, max_length=200)
    training_data = forms.CharField(
        label=_("Training data"), required=False, max_length=2000, widget=forms.Textarea({"rows": 2})
    )
    reward_scheme = forms.CharField(
        label=_("Reward scheme"), required=False, max_length=2000, widget=forms.Textarea({"rows": 2})
    )

    @classmethod
    def of(cls, lineage: Lineage) -> DescriptionForm:
        kept = ("name", "base_model", "reward_scheme")
        return cls(initial={name: getattr(lineage, name) for name in kept} | {"training_data": lineage.data})

    def values(self) -> dict[str, str]:
        """Return the values for ``describe_lineage``: only the fields that were sent."""
        sent = {name: value for name, value in self.cleaned_data.items() if name in self.data}
        return {"data" if name == "training_data" else name: value for name, value in sent.items()}
