"""Forms of the tool bank."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from annotation.models import BankTool, Benchmark, ToolName
from annotation.tool_bank import LONGEST_NAME, ToolState, distinct, key_of
from annotation.tool_bank.segments import SEGMENTS

MOST_ALIASES = 50
LARGEST_FILE = 5_000_000


class SegmentSelect(forms.Select):
    """Segments of UNSPSC, whose titles are published in English."""

    def create_option(self, name: str, value: Any, *args: Any, **more: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **more)
        if value:
            option["attrs"]["lang"] = "en"
        return option


class ToolForm(forms.Form):
    """The name and segment of a tool."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
    segment = forms.ChoiceField(
        label=gettext_lazy("Segment"), required=False, widget=SegmentSelect,
        help_text=gettext_lazy("UNSPSC; plan outcomes can be sliced by it."),
        choices=[("", gettext_lazy("none")), *((code, f"{code} {title}") for code, title in SEGMENTS.items())],
    )  # fmt: skip
    aliases = forms.CharField(
        label=gettext_lazy("Other names"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("One per line."),
    )

    def clean_aliases(self) -> list[str]:
        found = list(distinct(self.cleaned_data["aliases"].splitlines()).values())
        if len(found) > MOST_ALIASES:
            raise forms.ValidationError(
                gettext("There are %(count)s names (limit: %(limit)s).") % {"count": len(found), "limit": MOST_ALIASES}
            )
        return found


class MergeToolForm(forms.Form):
    """The tool that another one is merged into, by any of its names."""

    into = forms.CharField(
        label=gettext_lazy("Merge into"),
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"list": "tools", "autocomplete": "off"}),
    )

    def __init__(self, benchmark: Benchmark, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.benchmark = benchmark

    def clean_into(self) -> BankTool:
        names = ToolName.objects.filter(benchmark=self.benchmark, key=key_of(self.cleaned_data["into"]))
        found = names.select_related("tool__merged_into").first()
        tool: BankTool | None = (found.tool.merged_into or found.tool) if found else None
        if tool is None or tool.state != ToolState.ACCEPTED:
            raise forms.ValidationError(gettext("No accepted tool has this name. Choose one from the list."))
        return tool


class RefuseToolForm(forms.Form):
    """The reason why a tool is rejected."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Annotators who proposed it read this."),
    )


class BankFileForm(forms.Form):
    """A bank as CSV."""

    file = forms.FileField(error_messages={"required": gettext_lazy("Choose a CSV file first.")})

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_FILE:
            raise forms.ValidationError(
                gettext("The file has %(size)s bytes (limit: %(limit)s).")
                % {"size": f"{file.size:,}", "limit": f"{LARGEST_FILE:,}"}
            )
        return file
