"""Forms of human studies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.workflow import Role
from evaluation.common.evidence import CONDITION_WORDS

MOST_PEOPLE, MOST_SAMPLES, LONGEST_NAME = 50, 5000, 100
INVITED = (Role.ANNOTATOR, Role.REVIEWER, Role.RESEARCHER)
"""The roles that can be invited. Leads draw the sample."""
ROLE_WORDS = {
    Role.ANNOTATOR: gettext_lazy("Annotators"),
    Role.REVIEWER: gettext_lazy("Reviewers"),
    Role.RESEARCHER: gettext_lazy("Researchers"),
}


class StudyForm(forms.Form):
    """The choices of a lead for a study."""

    terms = {"facets": "facet", "name": "human-study", "people": "human-study"}

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME, initial="study 1")
    facets = forms.MultipleChoiceField(
        label=gettext_lazy("Strata by facet"), required=False, widget=forms.CheckboxSelectMultiple
    )
    conditions = forms.MultipleChoiceField(
        label=gettext_lazy("Conditions"), required=False, widget=forms.CheckboxSelectMultiple,
        choices=[(one.value, words) for one, words in CONDITION_WORDS.items()],
    )  # fmt: skip
    n = forms.IntegerField(label=gettext_lazy("Samples"), min_value=2, max_value=MOST_SAMPLES, initial=50)
    people = forms.IntegerField(label=gettext_lazy("People per sample"), min_value=1, max_value=MOST_PEOPLE, initial=3)
    roles = forms.MultipleChoiceField(
        label=gettext_lazy("Invited"),
        choices=[(role.value, words) for role, words in ROLE_WORDS.items()],
        initial=[role.value for role in INVITED],
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, facets: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["facets"].choices = [(name, name) for name in facets]  # type: ignore[attr-defined]  # of a choice
