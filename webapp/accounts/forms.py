from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils import timezone

from webapp.accounts.models import User

_PASSWORD = forms.PasswordInput(attrs={"autocomplete": "current-password"})
_NEW_PASSWORD = forms.PasswordInput(attrs={"autocomplete": "new-password"})


class SignInForm(forms.Form):
    email = forms.EmailField(
        label="E-mail", widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True})
    )
    password = forms.CharField(label="Password", strip=False, widget=_PASSWORD)
    stay = forms.BooleanField(label="Stay signed in on this computer for 30 days", required=False)

    def clean_email(self) -> str:
        return self.cleaned_data["email"].lower()


class AcceptForm(forms.Form):
    name = forms.CharField(label="Your name, as others see it", max_length=120)
    password = forms.CharField(label="New password", strip=False, widget=_NEW_PASSWORD)


class NameForm(forms.Form):
    name = forms.CharField(label="Your name, as others see it", max_length=120)


class PasswordForm(forms.Form):
    old = forms.CharField(label="Present password", strip=False, widget=_PASSWORD)
    new = forms.CharField(label="New password", strip=False, widget=_NEW_PASSWORD)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_old(self) -> str:
        old = self.cleaned_data["old"]
        if not self.user.check_password(old):
            raise forms.ValidationError("This is not your present password.")
        return old

    def clean_new(self) -> str:
        new = self.cleaned_data["new"]
        validate_password(new, self.user)
        return new


class TokenForm(forms.Form):
    name = forms.CharField(label="What it is for", max_length=80)
    days = forms.TypedChoiceField(
        label="Good for",
        coerce=int,
        choices=[(30, "30 days"), (90, "90 days"), (365, "a year"), (0, "until revoked")],
        initial=90,
    )

    def expires(self) -> Any:
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=days) if days else None
