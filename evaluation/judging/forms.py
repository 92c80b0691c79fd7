"""Forms of judging."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from evaluation.common.judging.words import ANSWERS, CROPS

MOST = 500


class JudgingForm(forms.Form):
    """The number of trajectories of a list to judge, and of judges per question."""

    terms = {"size": "trajectory", "about": "judgment"}

    size = forms.IntegerField(label=gettext_lazy("Trajectories"), min_value=1, max_value=MOST, initial=40)
    people = forms.IntegerField(label=gettext_lazy("People for each"), min_value=1, max_value=5, initial=1)
    about = forms.ChoiceField(
        label=gettext_lazy("Question"),
        choices=[
            (CROPS, gettext_lazy("Do the crops support the answer?")),
            (ANSWERS, gettext_lazy("Which option does the answer name?")),
        ],
        initial=CROPS,
        required=False,
    )

    def clean_about(self) -> str:
        return self.cleaned_data["about"] or CROPS


class LabelForm(forms.Form):
    """The number of items of a judge to label next, and of people per item."""

    size = forms.IntegerField(label=gettext_lazy("Items"), min_value=1, max_value=MOST, initial=20)
    people = forms.IntegerField(label=gettext_lazy("People for each"), min_value=1, max_value=5, initial=1)
