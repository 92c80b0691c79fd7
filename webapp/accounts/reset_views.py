"""Getting back in without the password, and confirming an address: links that are handed over or come by email."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.password_validation import password_validators_help_texts
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from webapp.accounts import actions
from webapp.accounts.forms import NewPasswordForm, ResetRequestForm
from webapp.accounts.http import SignedInRequest
from webapp.accounts.links import opens_reset
from webapp.accounts.models import SignInAttempt, User
from webapp.accounts.throttle import begin_attempt
from webapp.common.errors import ApplicationError, Conflict, NotFound, errors_said_in, with_headers
from webapp.common.http import Request

NO_EMAIL = gettext_noop("This site sends no email. Ask a site admin for a link.")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def request_reset(request: Request) -> HttpResponse:
    """Template accounts/reset_request.html; context: form (ResetRequestForm: email), sends_email, problem (a sentence).

    The answer is the same whether the address has an account or not.
    """
    form = ResetRequestForm(request.POST or None)
    problem, status, headers = "", 200, dict[str, str]()
    if form.is_valid():
        try:
            _send_link(request, form.cleaned_data["email"])
        except ApplicationError as error:
            problem, status, headers = error.message, error.status, error.headers
        else:
            messages.success(
                request,
                gettext("If this email has an account, a link was sent to it. The link expires after 24 hours."),
            )
            return redirect("accounts:sign-in")
    context = {"form": form, "sends_email": settings.SENDS_EMAIL, "problem": problem}
    answer = render(request, "accounts/reset_request.html", context, status=400 if form.errors else status)
    return with_headers(answer, headers)


def _send_link(request: Request, email: str) -> None:
    if not settings.SENDS_EMAIL:
        raise Conflict(gettext(NO_EMAIL))
    begin_attempt(request, email, purpose=SignInAttempt.RESET)
    actions.request_reset(email=email)


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def reset_password(request: Request, user_id: int, token: str) -> HttpResponse:
    """Template accounts/reset_password.html; context: form (NewPasswordForm: password), person, rules."""
    person = User.objects.filter(pk=user_id).first()
    if person is None or not opens_reset(person, token):
        raise NotFound(gettext(actions.DEAD_LINK))
    form = NewPasswordForm(request.POST or None)
    if form.is_valid():
        with errors_said_in(form):
            actions.reset_password(user_id=user_id, token=token, password=form.cleaned_data["password"])
            messages.success(request, gettext("Password changed. All sessions have ended and all tokens are revoked."))
            return redirect("accounts:sign-in")
    context = {"form": form, "person": person, "rules": password_validators_help_texts()}
    return render(request, "accounts/reset_password.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def send_verification(request: SignedInRequest) -> HttpResponse:
    """Send the person a link that confirms their address."""
    if not settings.SENDS_EMAIL:
        raise Conflict(gettext(NO_EMAIL))
    begin_attempt(request, request.user.email, purpose=SignInAttempt.RESET)
    actions.send_verification(actor=request.user)
    messages.success(
        request, gettext("A link was sent to %(email)s. It expires after 7 days.") % {"email": request.user.email}
    )
    return redirect("accounts:account")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def verify(request: Request, signed: str) -> HttpResponse:
    """Template accounts/verify.html; context: person. A button confirms: looking at the page changes nothing."""
    if request.method != "POST":
        return render(request, "accounts/verify.html", {"person": actions.to_verify(signed)})
    person = actions.verify_address(signed)
    messages.success(request, gettext("%(email)s is confirmed.") % {"email": person.email})
    return redirect(settings.LOGIN_REDIRECT_URL)
