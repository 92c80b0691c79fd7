"""Slowing down guesses of passwords. Kept in the database: it holds across processes and restarts."""

from datetime import timedelta

from django.utils import timezone

from webapp.accounts.models import SignInAttempt
from webapp.accounts.security_log import note_throttled
from webapp.common.errors import TooManyTries

WINDOW = timedelta(minutes=15)
# One person who mistypes is stopped by the first. The others stop many machines that guess at one account, and one
# machine that guesses at many; they are higher, because a whole office may share an address.
MOST = {"pair": 5, "account": 30, "address": 50}


def begin_attempt(*, email: str, address: str | None) -> SignInAttempt:
    """Count this try before the password is looked at, so that tries at the same moment count too.

    Raises TooManyTries once a limit is passed; refused tries are not counted, so the wait ends.
    """
    now = timezone.now()
    SignInAttempt.objects.filter(at__lte=now - WINDOW).delete()
    attempt = SignInAttempt.objects.create(email=email[:254], address=address, at=now)
    counts = SignInAttempt.objects.counted(email=attempt.email, address=address)
    passed = [name for name, most in MOST.items() if counts[name] > most]
    if passed:
        attempt.delete()
        note_throttled(email=attempt.email, address=address, limit=passed[0])
        raise _refusal(passed[0], email=attempt.email, address=address)
    return attempt


def end_attempt(*, email: str, address: str | None) -> None:
    """Forget the failed tries of a person who has now signed in from there."""
    SignInAttempt.objects.filter(email=email[:254], address=address).delete()


def _refusal(limit: str, *, email: str, address: str | None) -> TooManyTries:
    same: dict[str, dict[str, str | None]] = {
        "pair": {"email": email, "address": address},
        "account": {"email": email},
        "address": {"address": address},
    }
    first = SignInAttempt.objects.filter(**same[limit]).earliest_moment()
    left = (first + WINDOW - timezone.now()).total_seconds() if first else WINDOW.total_seconds()
    where = "from this computer's address" if limit == "address" else f"for {email}"
    return TooManyTries(f"These were too many failed tries {where}.", wait=left)
