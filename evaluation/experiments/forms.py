"""Forms of the pages of endpoints and experiments; the actions check what they send."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.endpoints.presets import PRESETS
from evaluation.experiments.write.create import DEFAULT_SAMPLING, MOST_ROLLOUTS, Choices
from evaluation.experiments.write.endpoints import DIALECTS
from evaluation.models import Endpoint
from evaluation.runner.dialects.zoom import Frame
from evaluation.runner.protocols import PROTOCOLS
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.templates import SLUGS, Role
from evaluation.runner.tokens import FAMILIES

_PROTOCOL_WORDS = {
    "base": _("base: answer from the image alone"),
    "zoom": _("zoom: one tool that zooms into regions"),
    "interface": _("interface: all tools of the toolbox"),
    "code": _("code: Python in a sandbox"),
    "recognition": _("recognition: name every tool in the image (Task I)"),
    "plan": _("plan: name the tools of a task in order (Task II)"),
}


class EndpointForm(forms.Form):
    """An endpoint of a benchmark."""

    name = forms.CharField(label=_("Name"), max_length=60, help_text=_("Lowercase letters, digits and hyphens."))
    preset = forms.ChoiceField(label=_("Server"), choices=[(one.name, one.title) for one in PRESETS.values()])
    base_url = forms.CharField(
        label=_("Address"), max_length=500, required=False,
        help_text=_("Usually ends with /v1. Empty: the usual address of the server."),
    )  # fmt: skip
    model = forms.CharField(label=_("Model"), max_length=200, help_text=_("Its name in requests."))
    label = forms.CharField(
        label=_("Name on pages"), max_length=200, required=False, help_text=_("Empty: the name in requests.")
    )
    family = forms.ChoiceField(
        label=_("Image tokens"), required=False, choices=[("", _("unknown")), *((one, one) for one in FAMILIES)],
        help_text=_("The family whose rule predicts the tokens of an image."),
    )  # fmt: skip
    dialect = forms.ChoiceField(
        label=_("Dialect"), choices=[(one, one) for one in DIALECTS], initial="tools",
        help_text=_("How the model writes calls. tools: calls of the API."),
    )  # fmt: skip
    frame = forms.ChoiceField(
        label=_("Boxes"), choices=[(one.value, one.value) for one in Frame], initial="pixels",
        help_text=_("What the numbers of boxes count, in the dialects tools and json."),
    )  # fmt: skip
    key_name = forms.CharField(
        label=_("Key on the server"), max_length=64, required=False,
        help_text=_("NAME of the variable SIGHTLINE_KEY_NAME."),
    )  # fmt: skip
    key = forms.CharField(
        label=_("Key"), required=False, strip=True,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
        help_text=_("Stored encrypted for this address; never shown again."),
    )  # fmt: skip

    def values(self) -> dict[str, Any]:
        """What ``add_endpoint`` takes as values."""
        given = {name: value for name, value in self.cleaned_data.items() if name not in ("name", "key")}
        return given | {"base_url": given["base_url"] or PRESETS[given["preset"]].base_url}


class ExperimentForm(forms.Form):
    """A new experiment. Empty fields take the default of the protocol or the endpoint."""

    endpoint = forms.ModelChoiceField(label=_("Endpoint"), queryset=Endpoint.objects.none(), empty_label=None)
    protocol = forms.ChoiceField(
        label=_("Protocol"),
        choices=[(name, _PROTOCOL_WORDS[name]) for name in PROTOCOLS],
    )
    rollouts = forms.IntegerField(label=_("Rollouts"), min_value=1, max_value=MOST_ROLLOUTS, initial=1)
    samples = forms.CharField(
        label=_("Samples"), required=False, max_length=2000,
        help_text=_("Terms as in the address of the list of samples, such as facet.scene=street. Empty: all."),
    )  # fmt: skip
    budget_usd = forms.FloatField(label=_("Budget in USD"), min_value=0, initial=5)
    budget_calls = forms.IntegerField(label=_("Most requests"), min_value=1, initial=1000)
    dialect = forms.ChoiceField(
        label=_("Dialect"), required=False, choices=[("", _("of the endpoint")), *((one, one) for one in DIALECTS)]
    )
    prompt = forms.ChoiceField(
        label=_("Prompt"), required=False,
        choices=[("", _("of the protocol")), *((slug, slug) for slug, role in SLUGS.items() if role is Role.SYSTEM)],
    )  # fmt: skip
    sampling = forms.ChoiceField(
        label=_("Sampling"), choices=[(name, name) for name in SAMPLING], initial=DEFAULT_SAMPLING
    )
    images = forms.CharField(
        label=_("Image size"), required=False, max_length=20,
        help_text=_("original, fit:N or pixels:N. Empty: that of the server."),
    )  # fmt: skip
    setting = forms.CharField(
        label=_("Setting name"), required=False, max_length=200, help_text=_("Empty: that of the protocol.")
    )

    def __init__(self, *args: Any, benchmark: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = Endpoint.objects.offered_to(benchmark)

    def choices(self) -> Choices:
        return Choices(**{name: value for name, value in self.cleaned_data.items() if name != "endpoint"})


class BudgetForm(forms.Form):
    budget_usd = forms.FloatField(label=_("Budget in USD"), min_value=0)
    budget_calls = forms.IntegerField(label=_("Most requests"), min_value=1)
