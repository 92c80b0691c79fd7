from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext, gettext_lazy

from webapp.accounts.models import User
from webapp.accounts.scopes import WORDS, Scope, benchmarks_of

_PASSWORD = forms.PasswordInput(attrs={"autocomplete": "current-password"})
_NEW_PASSWORD = forms.PasswordInput(attrs={"autocomplete": "new-password"})


def _own_password(user: User, password: str) -> str:
    if not user.check_password(password):
        raise forms.ValidationError(gettext("This is not your current password."))
    return password


class SignInForm(forms.Form):
    email = forms.EmailField(
        label=gettext_lazy("Email"), widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True})
    )
    password = forms.CharField(label=gettext_lazy("Password"), strip=False, widget=_PASSWORD)
    stay = forms.BooleanField(label=gettext_lazy("Stay signed in on this computer for 30 days"), required=False)

    def clean_email(self) -> str:
        return self.cleaned_data["email"].lower()


class ResetRequestForm(forms.Form):
    email = forms.EmailField(
        label=gettext_lazy("Email"), widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True})
    )

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


class NewPasswordForm(forms.Form):
    password = forms.CharField(label=gettext_lazy("New password"), strip=False, widget=_NEW_PASSWORD)


class AcceptForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name shown to others"), max_length=120)
    password = forms.CharField(label=gettext_lazy("New password"), strip=False, widget=_NEW_PASSWORD)


class SetUpForm(AcceptForm):
    email = forms.EmailField(label=gettext_lazy("Email"))

    field_order = ("email", "name", "password")


class NameForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name shown to others"), max_length=120)


class PasswordForm(forms.Form):
    old = forms.CharField(label=gettext_lazy("Current password"), strip=False, widget=_PASSWORD)
    new = forms.CharField(label=gettext_lazy("New password"), strip=False, widget=_NEW_PASSWORD)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_old(self) -> str:
        return _own_password(self.user, self.cleaned_data["old"])

    def clean_new(self) -> str:
        new = self.cleaned_data["new"]
        validate_password(new, self.user)
        return new


class TokenForm(forms.Form):
    """A token, and the password of the person: a browser that was left open creates none."""

    name = forms.CharField(label=gettext_lazy("Purpose"), max_length=80)
    scopes = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Scopes"), coerce=Scope, initial=[Scope.READ], widget=forms.CheckboxSelectMultiple,
        choices=[(scope.value, gettext_lazy(words)) for scope, words in WORDS.items()],
        error_messages={"required": gettext_lazy("Choose at least one scope.")},
    )  # fmt: skip
    benchmark = forms.ChoiceField(label=gettext_lazy("Benchmark"), required=False)
    lasts = forms.TypedChoiceField(
        label=gettext_lazy("Expires after"), coerce=lambda days: timedelta(days=int(days)), initial=90,
        choices=[
            (7, gettext_lazy("7 days")),
            (30, gettext_lazy("30 days")),
            (90, gettext_lazy("90 days")),
            (365, gettext_lazy("1 year")),
        ],
    )  # fmt: skip
    password = forms.CharField(label=gettext_lazy("Your password"), strip=False, widget=_PASSWORD)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        benchmark: Any = self.fields["benchmark"]
        benchmark.choices = [("", gettext("All benchmarks")), *benchmarks_of(user)]

    def clean_password(self) -> str:
        return _own_password(self.user, self.cleaned_data["password"])
