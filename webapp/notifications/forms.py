"""The choice of channels."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import available_timezones

from django import forms
from django.utils.translation import gettext_lazy

from webapp.notifications.kinds import ABOUT, Channel, Kind

ZONES = sorted(name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))


class ChannelsForm(forms.Form):
    """A channel for each kind, and the time zone of the daily email."""

    zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        choices=[*((name, name) for name in ("UTC",)), *((name, name.replace("_", " ")) for name in ZONES)],
        help_text=gettext_lazy("The daily email is sent at 08:00 in this zone."),
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        for kind in Kind:
            self.fields[kind.value] = forms.ChoiceField(
                label=kind.label, choices=Channel.choices, help_text=ABOUT[kind]
            )

    def of_kinds(self) -> Iterator[forms.BoundField]:
        """The fields of the kinds, in their order."""
        return (self[kind.value] for kind in Kind)

    def channels(self) -> dict[str, str]:
        """The chosen channel of each kind. Call once the form is valid."""
        return {kind.value: self.cleaned_data[kind.value] for kind in Kind}
