"""The fields of a webhook."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from annotation.common.reports import KINDS
from annotation.models import Webhook
from webapp.notifications.kinds import Kind


class ChangeForm(forms.Form):
    url = forms.CharField(
        label=gettext_lazy("Address"), max_length=2000,
        help_text=gettext_lazy("A public https address, such as https://hooks.example.org/a."),
        widget=forms.URLInput,
    )  # fmt: skip
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=[(kind, Kind(kind).label) for kind in KINDS],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one kind of event.")},
    )


class WebhookForm(ChangeForm):
    format = forms.ChoiceField(label=gettext_lazy("Format"), choices=Webhook.Format.choices)
    field_order = ("url", "format", "kinds")
