"""Forms of the building board: one for each stage. Each carries the version of the item that it was opened with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from annotation.building import Distractor, Stage
from annotation.building.rules import DISTRACTORS, Finding
from annotation.common.words import LIKENESS
from annotation.models import BuildItem
from annotation.schema import Likeness
from annotation.task_schema import Facet, Kind
from annotation.tool_bank import LONGEST_NAME

LARGEST_IMAGE = 50_000_000
YES_NO = (("yes", pgettext_lazy("answer", "Yes")), ("no", pgettext_lazy("answer", "No")))


class DrawForm(forms.Form):
    """How many combinations of targets to draw."""

    count = forms.IntegerField(label=gettext_lazy("Combinations"), min_value=1, max_value=100, initial=10)
    scenarios = forms.TypedChoiceField(
        label=gettext_lazy("Scenarios of each"), coerce=int, initial=2,
        choices=[(1, "1"), (2, "2")], help_text=gettext_lazy("Each scenario is an item with its own instruction."),
    )  # fmt: skip


class StageForm(forms.Form):
    """A form about an item in its current version."""

    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, item: BuildItem, *args: Any, **kwargs: Any) -> None:
        self.item = item
        super().__init__(*args, **kwargs)
        self.fields["version"].initial = item.version


class TargetsForm(StageForm):
    """The targets as they were drawn."""


class StepsForm(StageForm):
    """A step for each target."""

    def __init__(self, item: BuildItem, *args: Any, **kwargs: Any) -> None:
        super().__init__(item, *args, **kwargs)
        choices = [(step, str(step)) for step in range(1, len(item.targets) + 1)]
        for at, tool in enumerate(item.targets):
            first = item.steps[at] if at < len(item.steps) else at + 1
            self.fields[f"step_{at}"] = forms.TypedChoiceField(label=tool, choices=choices, coerce=int, initial=first)
        self.fields["either"] = forms.MultipleChoiceField(
            label=gettext("Interchangeable: one of them is enough"), required=False, initial=item.either,
            choices=[(tool, tool) for tool in item.targets], widget=forms.CheckboxSelectMultiple,
        )  # fmt: skip

    @property
    def rows(self) -> list[Any]:
        return [self[f"step_{at}"] for at in range(len(self.item.targets))]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        said["steps"] = [said.pop(f"step_{at}", 0) for at in range(len(self.item.targets))]
        return said


class InstructionForm(StageForm):
    """The task as a text."""

    instruction = forms.CharField(
        label=gettext_lazy("Instruction"), max_length=2000, widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Describe the goal. Do not name a tool, and use no word of a target's name."),
    )  # fmt: skip

    def __init__(self, item: BuildItem, *args: Any, **kwargs: Any) -> None:
        super().__init__(item, *args, **kwargs)
        self.fields["instruction"].initial = item.instruction


class DistractorsForm(StageForm):
    """Up to ten tools, each with a kind of likeness."""

    def __init__(self, item: BuildItem, *args: Any, **kwargs: Any) -> None:
        super().__init__(item, *args, **kwargs)
        kinds = [("", gettext("Likeness")), *LIKENESS.items()]
        for at in range(DISTRACTORS.most):
            given = item.distractors[at] if at < len(item.distractors) else {"tool": "", "likeness": ""}
            self.fields[f"tool_{at}"] = forms.CharField(
                label=gettext("Distractor %(number)s") % {"number": at + 1}, required=False, max_length=LONGEST_NAME,
                initial=given["tool"], widget=forms.TextInput(attrs={"list": "bank-tools", "autocomplete": "off"}),
            )  # fmt: skip
            self.fields[f"likeness_{at}"] = forms.ChoiceField(
                label=gettext("Likeness of distractor %(number)s") % {"number": at + 1}, required=False,
                choices=kinds, initial=given["likeness"],
            )  # fmt: skip

    @property
    def rows(self) -> list[tuple[Any, Any]]:
        return [(self[f"tool_{at}"], self[f"likeness_{at}"]) for at in range(DISTRACTORS.most)]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        found = []
        for at in range(DISTRACTORS.most):
            tool, likeness = said.pop(f"tool_{at}", ""), said.pop(f"likeness_{at}", "")
            if tool and not likeness:
                self.add_error(f"likeness_{at}", gettext("Choose how it resembles a target."))
            elif tool:
                found.append(Distractor(tool, Likeness(likeness)))
        said["distractors"] = found
        return said


class DescriptionForm(StageForm):
    """The scene of the image."""

    description = forms.CharField(
        label=gettext_lazy("Description of the scene"), max_length=5000, widget=forms.Textarea(attrs={"rows": 8}),
        help_text=gettext_lazy("Name every tool. Describe all tools alike, so that no target catches the eye."),
    )  # fmt: skip

    def __init__(self, item: BuildItem, *args: Any, **kwargs: Any) -> None:
        super().__init__(item, *args, **kwargs)
        self.fields["description"].initial = item.description

    def use(self, draft: str) -> None:
        """Fill in the draft of a model, to be changed or saved unchanged."""
        self.fields["description"].initial = draft


class TextCheckForm(StageForm):
    """Two questions about each candidate, and one about the steps. ``candidates``: in the order shown."""

    def __init__(self, item: BuildItem, candidates: Sequence[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(item, *args, **kwargs)
        self.candidates = list(candidates)
        for at, tool in enumerate(self.candidates):
            words = {"essential": gettext("Does the task need %(tool)s?"), "consistent": gettext("Does %(tool)s fit?")}
            for name, label in words.items():
                self.fields[f"{name}_{at}"] = _yes_no(label % {"tool": tool})
        self.fields["valid_sequence"] = _yes_no(gettext("Is the order of the steps valid?"))
        self.fields["note"] = _note()

    @property
    def rows(self) -> list[tuple[str, Any, Any]]:
        return [(tool, self[f"essential_{at}"], self[f"consistent_{at}"]) for at, tool in enumerate(self.candidates)]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        said["findings"] = [
            Finding(tool, said.pop(f"essential_{at}", "") == "yes", said.pop(f"consistent_{at}", "") == "yes")
            for at, tool in enumerate(self.candidates)
        ]
        said["valid_sequence"] = said.get("valid_sequence") == "yes"
        return said


class MoveForm(StageForm):
    """What a candidate becomes: a target of a step, or a distractor of a likeness."""

    def __init__(self, item: BuildItem, *args: Any, **kwargs: Any) -> None:
        super().__init__(item, *args, **kwargs)
        tools = [("", gettext("Choose a tool")), *((tool, tool) for tool in item.candidates)]
        steps = [(f"step {step}", gettext("target of step %(step)s") % {"step": step}) for step in (1, 2, 3)]
        kinds = [(kind, gettext("distractor: %(likeness)s") % {"likeness": label}) for kind, label in LIKENESS.items()]
        self.fields["tool"] = forms.ChoiceField(label=gettext("Tool"), choices=tools)
        self.fields["becomes"] = forms.ChoiceField(label=gettext("Becomes"), choices=[*steps, *kinds])

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        becomes = said.pop("becomes", "")
        step = becomes.removeprefix("step ")
        said["step"] = int(step) if step != becomes else None
        said["likeness"] = Likeness(becomes) if becomes in list(Likeness) else None
        return said


class ImageForm(StageForm):
    """The image of the scene."""

    image = forms.FileField(
        label=gettext_lazy("Image"), error_messages={"required": gettext_lazy("Choose an image first.")},
        widget=forms.ClearableFileInput(attrs={"accept": "image/jpeg,image/png,image/webp,image/tiff"}),
        help_text=gettext_lazy("JPEG, PNG, WebP or TIFF, made of the description."),
    )  # fmt: skip
    real = forms.BooleanField(label=gettext_lazy("It is a photograph of a real scene"), required=False)

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if file := said.pop("image", None):
            said["data"] = file.read()
        return said


class ImageCheckForm(StageForm):
    """Whether the image has each of the faults, the facets that gold needs, and what follows. ``faults``: (code,
    label). ``facets``: those to fill in."""

    def __init__(
        self, item: BuildItem, faults: Sequence[tuple[str, str]], facets: Sequence[Facet], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(item, *args, **kwargs)
        self.facets = list(facets)
        for at, facet in enumerate(self.facets):
            self.fields[f"facet_{at}"] = _facet(facet)
        self.codes = [code for code, _ in faults]
        for code, label in faults:
            self.fields[code] = forms.ChoiceField(
                label=label, choices=[("no", gettext("no")), ("yes", gettext("yes"))], widget=forms.RadioSelect
            )
        self.fields["note"] = _note()

    @property
    def rows(self) -> list[Any]:
        return [self[code] for code in self.codes]

    @property
    def facet_rows(self) -> list[Any]:
        return [self[f"facet_{at}"] for at in range(len(self.facets))]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        given = [(facet.name, said.pop(f"facet_{at}", "")) for at, facet in enumerate(self.facets)]
        said["facets"] = {name: _values(value) for name, value in given}
        said["reasons"] = [code for code in self.codes if said.pop(code, "") == "yes"]
        return said


class RejectForm(StageForm):
    """Back to an earlier stage, or discarded. ``stages``, ``reasons``: (code, label)."""

    def __init__(
        self, item: BuildItem, stages: Sequence[tuple[str, Any]], reasons: Sequence[tuple[str, str]],
        *args: Any, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(item, *args, **kwargs)
        self.fields["to"] = forms.ChoiceField(label=gettext("Send to"), choices=stages)
        offered = [("", gettext("Choose a reason")), *reasons]
        self.fields["reason"] = forms.ChoiceField(label=gettext("Reason"), choices=offered)
        self.fields["note"] = _note()

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if not self.errors:
            said["to"], said["reasons"] = Stage(said["to"]), [said.pop("reason")]
        return said


def _facet(facet: Facet) -> forms.Field:
    """The field of a facet. It is only needed to accept the item, so an empty one is no fault of the form."""
    listed = [(one.value, one.value) for one in facet.values]
    if facet.closed and facet.kind is Kind.SINGLE:
        return forms.ChoiceField(label=facet.name, required=False, choices=[("", gettext("Choose a value")), *listed])
    if facet.closed:
        return forms.MultipleChoiceField(
            label=facet.name, required=False, choices=listed, widget=forms.CheckboxSelectMultiple
        )
    hint = "" if facet.kind is Kind.SINGLE else gettext("Several values are separated by semicolons.")
    return forms.CharField(label=facet.name, required=False, max_length=500, help_text=hint)


def _values(given: str | list[str]) -> list[str]:
    parts = given.split(";") if isinstance(given, str) else given
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _yes_no(label: str) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=YES_NO, widget=forms.RadioSelect)


def _note() -> forms.CharField:
    return forms.CharField(
        label=gettext("Note"), required=False, max_length=1000, widget=forms.Textarea(attrs={"rows": 2})
    )
