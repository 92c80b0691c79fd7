"""Forms of a lead's pages: what becomes of chosen samples, pauses, and the rule of the queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import QuerySet
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_lazy

from annotation.common.reasons import offered_reasons, reason_words
from annotation.models import Benchmark, Image, Membership
from annotation.models.sample import HIGHEST_PRIORITY
from annotation.task_schema import LONGEST_VALUE
from annotation.workflow import Right, roles_with
from webapp.accounts.models import User
from webapp.common.translation import Text

if TYPE_CHECKING:
    UserField = forms.ModelChoiceField[User]
else:
    UserField = forms.ModelChoiceField

LONGEST = 5000


def _text(label: Text, *, required: bool, error: Text = "") -> forms.CharField:
    return forms.CharField(
        label=label, required=required, max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": error} if error else None,
    )  # fmt: skip


def _person(label: Text, *, empty: Text, required: bool = False, error: Text = "") -> UserField:
    """A choice among people; the form says which, by ``_choose_among``."""
    return UserField(
        queryset=User.objects.none(), label=label, required=required, empty_label=empty,
        error_messages={"required": error} if error else None,
    )  # fmt: skip


def _choose_among(form: forms.Form, memberships: QuerySet[Membership]) -> None:
    people = User.objects.filter(pk__in=memberships.values("user")).order_by("name", "email")
    for field in form.fields.values():
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = people


class WorkForm(forms.Form):
    """One thing to do to chosen samples. Its prefix is the name of the act, so that one page has all of them in a form,
    where a browser must not ask for the fields of another act."""

    use_required_attribute = False

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None, *, prefix: str) -> None:
        super().__init__(data, prefix=prefix)
        _choose_among(self, benchmark.memberships.filter(role__in=roles_with(Right.ANNOTATE)))


class ReplaceImageForm(WorkForm):
    file = forms.FileField(
        label=gettext_lazy("New image"), error_messages={"required": gettext_lazy("Choose an image.")}
    )
    scale = forms.BooleanField(
        required=False,
        initial=True,
        label=gettext_lazy("If only the size differs, scale boxes and toolchains to the new size"),
    )
    comment = forms.CharField(
        label=gettext_lazy("Comment"), required=False, max_length=2000, strip=True,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Annotators read it if the sample returns to them."),
    )  # fmt: skip
    to = _person(gettext_lazy("Return to"), empty=gettext_lazy("Its annotator"))

    def __init__(self, benchmark: Benchmark, data: Any = None, files: Any = None, *, prefix: str) -> None:
        super().__init__(benchmark, data, prefix=prefix)
        self.files = files or MultiValueDict()


class TakeDownForm(forms.Form):
    """``images``: those of the sample that are not removed, the current one first."""

    image: Any = forms.ChoiceField(label=gettext_lazy("Image"))
    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=500, strip=True, widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": gettext_lazy("Enter a reason.")},
        help_text=gettext_lazy("Pages and exports show it instead of the image."),
    )  # fmt: skip

    def __init__(self, images: Sequence[Image], data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.images = {one.sha256: one for one in images}
        choices = [(one.sha256, str(one)) for one in images]
        self.fields["image"] = forms.ChoiceField(label=gettext_lazy("Image"), choices=choices)
        if len(choices) == 1:
            self.fields["image"].widget = forms.HiddenInput()
            self.fields["image"].initial = choices[0][0]

    def clean_image(self) -> Image:
        return self.images[self.cleaned_data["image"]]


class AssignForm(WorkForm):
    to = _person(
        gettext_lazy("To"), empty=gettext_lazy("Choose a person"), required=True, error=gettext_lazy("Choose a person.")
    )


class PriorityForm(WorkForm):
    """The priority of samples in the queue of annotators."""

    priority = forms.TypedChoiceField(
        label=gettext_lazy("Priority"), coerce=int, initial=5,
        choices=[(0, gettext_lazy("0: by the order of the queue")), *((n, str(n)) for n in range(1, HIGHEST_PRIORITY)),
                 (HIGHEST_PRIORITY, gettext_lazy("9: first"))],
    )  # fmt: skip


class FacetForm(WorkForm):
    """A value of a facet of the task, to set or to remove. ``expected``: the number of changes that a preview showed;
    without it, the form asks for the preview."""

    facet = forms.ChoiceField(label=gettext_lazy("Facet"), error_messages={"required": gettext_lazy("Choose a facet.")})
    remove = forms.TypedChoiceField(
        label=gettext_lazy("Action"), coerce=lambda given: given == "remove",
        choices=[("set", gettext_lazy("set the value")), ("remove", gettext_lazy("remove the value"))],
    )  # fmt: skip
    value = forms.CharField(
        label=gettext_lazy("Value"), max_length=LONGEST_VALUE, strip=True,
        widget=forms.TextInput(attrs={"list": "facet-values", "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Enter a value.")},
    )  # fmt: skip
    expected = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None, *, prefix: str) -> None:
        super().__init__(benchmark, data, prefix=prefix)
        names = [facet.name for facet in benchmark.task.facets]
        self.fields["facet"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]
        self.listed = dict.fromkeys(option.value for facet in benchmark.task.facets for option in facet.values)


class WhyForm(WorkForm):
    """The reason for returning or discarding samples: a reason code, or a comment."""

    reasons = forms.ChoiceField(label=gettext_lazy("Reason"), required=False)
    comment = _text(gettext_lazy("Comment"), required=False)

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None, *, prefix: str) -> None:
        super().__init__(benchmark, data, prefix=prefix)
        offered = offered_reasons(benchmark, toolchain=True, tool_plan=True)
        choices = [(code, reason_words(benchmark.task, code)) for code in offered]
        self.fields["reasons"].choices = [("", gettext_lazy("Choose a reason")), *choices]  # type: ignore[attr-defined]

    def clean_reasons(self) -> list[str]:
        return [self.cleaned_data["reasons"]] if self.cleaned_data["reasons"] else []


class ReopenForm(WorkForm):
    reason = _text(gettext_lazy("Reason"), required=True, error=gettext_lazy("Enter a reason. The author reads it."))
    to = _person(gettext_lazy("For"), empty=gettext_lazy("previous annotator"))


class PauseForm(forms.Form):
    """The person to pause, and the reason."""

    user = _person(gettext_lazy("Person"), empty=gettext_lazy("all people"))
    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=500,
        error_messages={"required": gettext_lazy("Enter a reason. Paused people can read it.")},
        help_text=gettext_lazy(
            "No new samples are assigned. Started samples can be finished. Paused people can read the reason."
        ),
    )  # fmt: skip

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(data, **options)
        _choose_among(self, benchmark.memberships.all())
