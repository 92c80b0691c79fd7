"""Slowing down guesses of passwords. Kept in the database: it holds across processes and restarts."""

from __future__ import annotations

from datetime import timedelta

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext

from webapp.accounts.devices import known_device
from webapp.accounts.models import SignInAttempt
from webapp.accounts.security_log import note_throttled
from webapp.common.errors import TooManyTries
from webapp.common.http import client_address, network_of

WINDOW = timedelta(minutes=15)
# One person who mistypes is stopped by the first. The others stop many machines that guess at one account, and one
# machine that guesses at many; they are higher, because a whole office may share an address.
MOST = {"pair": 5, "account": 30, "address": 50}
MOST_LINKS = {"pair": 3, "account": 5, "address": 20}
"""Requests for a link to a new password: each may send an email."""
MOST_OF_DEVICE = 5
"""A browser in which the person signed in before is counted alone, so that others cannot lock the person out."""


def begin_attempt(request: HttpRequest, email: str, *, purpose: str = SignInAttempt.SIGN_IN) -> SignInAttempt:
    """Count this attempt before the password is checked, so that simultaneous attempts also count.

    Raises TooManyTries beyond a limit; rejected attempts are not counted, so the wait ends.
    """
    now = timezone.now()
    SignInAttempt.objects.filter(at__lte=now - WINDOW).delete()
    address, device = network_of(client_address(request)), known_device(request, email)
    attempt = SignInAttempt.objects.create(purpose=purpose, email=email[:254], address=address, device=device, at=now)
    passed = _passed(attempt)
    if passed:
        attempt.delete()
        note_throttled(email=attempt.email, address=address, limit=passed)
        raise _refusal(passed, attempt)
    return attempt


def end_attempt(request: HttpRequest, email: str) -> None:
    """Delete the failed attempts of a person who has now signed in from there."""
    address, device = network_of(client_address(request)), known_device(request, email)
    SignInAttempt.objects.sign_ins().filter(email=email[:254], address=address, device=device).delete()


def _passed(attempt: SignInAttempt) -> str:
    """The name of the limit that this try passes; "" if none."""
    of_purpose = SignInAttempt.objects.filter(purpose=attempt.purpose)
    if attempt.device:
        count = of_purpose.filter(email=attempt.email, device=attempt.device).count()
        return "device" if count > MOST_OF_DEVICE else ""
    most = MOST_LINKS if attempt.purpose == SignInAttempt.RESET else MOST
    counts = of_purpose.filter(device="").counted(email=attempt.email, address=attempt.address)
    return next((name for name, limit in most.items() if counts[name] > limit), "")


def _refusal(limit: str, attempt: SignInAttempt) -> TooManyTries:
    same: dict[str, dict[str, str | None]] = {
        "device": {"email": attempt.email, "device": attempt.device},
        "pair": {"email": attempt.email, "address": attempt.address, "device": ""},
        "account": {"email": attempt.email, "device": ""},
        "address": {"address": attempt.address, "device": ""},
    }
    first = SignInAttempt.objects.filter(purpose=attempt.purpose, **same[limit]).earliest_moment()
    left = (first + WINDOW - timezone.now()).total_seconds() if first else WINDOW.total_seconds()
    resets, anywhere = attempt.purpose == SignInAttempt.RESET, limit == "address"
    if resets and anywhere:
        message = gettext("Too many requests from this computer's address.")
    elif resets:
        message = gettext("Too many requests for %(email)s.")
    elif anywhere:
        message = gettext("Too many failed sign-in attempts from this computer's address.")
    else:
        message = gettext("Too many failed sign-in attempts for %(email)s.")
    return TooManyTries(message % {"email": attempt.email}, wait=left)
