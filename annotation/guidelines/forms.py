from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from annotation.common.uploads import upload_room
from annotation.guideline_text import LONGEST
from annotation.workflow import Right

image_room = upload_room(Right.MANAGE)
"""The limit for the body of an upload of an image."""


class GuidelineImageForm(forms.Form):
    image = forms.FileField()


class GuidelinesForm(forms.Form):
    """``based_on``: the number of the version that was changed; 0 for the first."""

    body = forms.CharField(
        label=gettext_lazy("Guidelines"),
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea({"rows": 28, "class": "input mono", "spellcheck": "true"}),
        help_text=gettext_lazy("Markdown, with headings, lists, tables, images and examples of this benchmark."),
    )
    note = forms.CharField(
        label=gettext_lazy("What changed"),
        max_length=300,
        required=False,
        help_text=gettext_lazy("Readers see this above the changes."),
    )
    must_read = forms.BooleanField(
        label=gettext_lazy("People confirm that they read it before they get the next sample"),
        required=False,
        initial=True,
    )
    based_on = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def clean_body(self) -> str:
        """Browsers send lines that end with CR LF."""
        return str(self.cleaned_data["body"]).replace("\r\n", "\n")
