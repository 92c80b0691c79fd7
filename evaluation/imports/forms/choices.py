"""Forms of the pages of this half."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from annotation.importers import IMPORTERS as SAMPLE_FORMATS
from annotation.importers.column_mapping import BoxForm
from annotation.importers.mapping import MAX_COLUMN, MAX_NAME, TableFields
from annotation.importers.sample_columns import SAMPLE_FIELDS
from evaluation.importers import IMPORTERS as RUN_FORMATS
from evaluation.importers.mapping import RUN_FIELDS

SPACES = (
    ("", gettext_lazy("As the file says")),
    ("pixel", gettext_lazy("Pixels of the image")),
    ("norm1", gettext_lazy("0 to 1 of the image")),
    ("norm1000", gettext_lazy("0 to 1000 of the image")),
)


BOX_FORMS = (
    (BoxForm.XYXY.value, "x1, y1, x2, y2"),
    (BoxForm.XYWH.value, gettext_lazy("x, y, width, height")),
    (BoxForm.CXCYWH.value, gettext_lazy("center x, center y, width, height")),
    (BoxForm.YXYX.value, "y1, x1, y2, x2"),
)


class UploadForm(forms.Form):
    """A file to import and, for samples, a zip with its images."""

    file = forms.FileField(label=gettext_lazy("File"), allow_empty_file=True)
    images = forms.FileField(
        label=gettext_lazy("Images"),
        required=False,
        help_text=gettext_lazy("For samples: a zip file with their images."),
    )


class ImportChoices(forms.Form):
    """A person's choices for an uploaded file. Which fields count depends on the kind; see ``choices``."""

    kind = forms.ChoiceField(
        choices=[("samples", gettext_lazy("samples")), ("runs", gettext_lazy("runs"))], required=False
    )
    format = forms.ChoiceField(
        choices=[(name, name) for name in sorted({*SAMPLE_FORMATS, *RUN_FORMATS})], required=False
    )
    coordinates = forms.ChoiceField(
        label=gettext_lazy("Coordinates of the boxes"),
        choices=[*SPACES, ("size", gettext_lazy("Pixels of …"))],
        required=False,
    )
    sent_size = forms.CharField(
        label=gettext_lazy("Size of the image sent to the model"), required=False, max_length=20
    )
    model = forms.CharField(label=gettext_lazy("Model"), required=False, max_length=200)
    setting = forms.CharField(label=gettext_lazy("Setting"), required=False, max_length=200)
    lineage = forms.CharField(label=gettext_lazy("Lineage"), required=False, max_length=200)
    step = forms.CharField(label=gettext_lazy("Step"), required=False, max_length=16)
    recorded_on = forms.CharField(label=gettext_lazy("Recorded on"), required=False, max_length=10)
    threshold = forms.CharField(label=gettext_lazy("Score threshold"), required=False, max_length=20)
    boxes = forms.ChoiceField(label=gettext_lazy("Box format"), choices=BOX_FORMS, required=False)
    mapping = forms.JSONField(label=gettext_lazy("Mapping of keys"), required=False)
    replace = forms.BooleanField(label=gettext_lazy("Replace the earlier import"), required=False)
    replaces = forms.IntegerField(label=gettext_lazy("Replace"), required=False, min_value=0)
    score = forms.BooleanField(label=gettext_lazy("Score after import"), required=False)

    def clean(self) -> dict[str, Any]:
        """Columns of a table come as pairs: each ``column`` with what it is ``read_as``."""
        data = self.data
        pairs = zip(data.getlist("column"), data.getlist("read_as"), strict=False) if "column" in data else ()  # type: ignore[attr-defined]
        self.columns: dict[str, str] = {}
        for column, name in pairs:
            if name and name == SAMPLE_FIELDS.free:
                self.columns[name + column[:MAX_NAME]] = column
            elif name in self.columns:
                title = next((of.fields[name].title for of in FIELDS.values() if name in of.fields), name)
                self.add_error(
                    None,
                    gettext("%(title)s: %(columns)s and %(column)s are both mapped to it. Choose one.")
                    % {"title": title, "columns": self.columns[name], "column": column},
                )
            elif name:
                self.columns[name] = column
        return self.cleaned_data

    def choices(self) -> dict[str, Any]:
        """Return the choices as ``evaluation.imports.write.upload.update_choices`` takes them: only those that the form
        sent."""
        given: dict[str, Any] = {name: self.cleaned_data[name] for name in ("kind", "format") if name in self.data}
        if "coordinates" in self.data:
            space = self.cleaned_data["coordinates"]
            given["coordinates"] = self.cleaned_data["sent_size"] if space == "size" else space
        texts = ("model", "setting", "threshold", "lineage", "step", "recorded_on")
        given |= {name: self.cleaned_data[name] for name in texts if name in self.data}
        if "column" in self.data:
            given["mapping"] = {"columns": self.columns, "boxes": self.cleaned_data["boxes"] or BoxForm.XYXY.value}
            if one := str(self.data.get("list", ""))[:MAX_COLUMN]:
                given["mapping"]["list"] = one
        elif self.cleaned_data["mapping"]:
            given["mapping"] = self.cleaned_data["mapping"]
        if "both" in self.data:
            given["both"] = self.data["both"] == "on"
        if "again" in self.data:
            given["replace"] = self.cleaned_data["replace"]
        if "replaces" in self.data:
            given["replaces"] = self.cleaned_data["replaces"] or 0
        if "gold_asked" in self.data:
            given[NOT_GOLD] = "not_gold" in self.data
        return given | {"score": self.cleaned_data["score"]}


NOT_GOLD = "answer_is_not_gold"
"""The choice that an answer is the model's, though it mostly equals the correct one."""


FIELDS: Mapping[str, TableFields] = {
    "samples": SAMPLE_FIELDS,
    "runs": RUN_FIELDS,
}
"""The possible fields of columns, in a table of samples and in one of runs."""
