"""Signing in and out, one's own account, and accepting an invitation."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.password_validation import password_validators_help_texts
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_noop, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.accounts import actions
from webapp.accounts.devices import remember_device
from webapp.accounts.forms import AcceptForm, NameForm, PasswordForm, SetUpForm, SignInForm, TokenForm
from webapp.accounts.http import SignedInRequest
from webapp.accounts.links import opens_set_up
from webapp.accounts.models import User
from webapp.accounts.sessions import kept_as, sessions_of
from webapp.accounts.throttle import begin_attempt, end_attempt
from webapp.common.errors import ApplicationError, NotAllowed, NotFound, asked_by_script, errors_said_in, with_headers
from webapp.common.http import Request, has_undeclared_proxy
from webapp.common.once import forget_once, keep_once, kept_once

PROXY = gettext_noop(
    "A proxy seems to be in front of this site, but SIGHTLINE_PROXIES is 0. All visitors count as one address, so a "
    "few incorrect passwords lock out everyone. Set SIGHTLINE_PROXIES to the number of proxies."
)
TOKEN = "token"
"""The session key of a value that the account page shows once."""


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: Request) -> HttpResponse:
    """Template accounts/sign_in.html; context: form (SignInForm: email, password, stay), next, problem (a sentence)."""
    target = _safe_target(request)
    if request.method != "POST" and request.user.is_authenticated:
        return redirect(target)
    form = SignInForm(request.POST or None)
    problem, status, headers = "", 200, dict[str, str]()
    if form.is_valid():
        try:
            user = _authenticated(request, form.cleaned_data["email"], form.cleaned_data["password"])
        except ApplicationError as error:
            problem, status, headers = error.message, error.status, error.headers
        else:
            login(request, user)
            request.session.set_expiry(settings.SESSION_COOKIE_AGE if form.cleaned_data["stay"] else 0)
            if user.is_staff and has_undeclared_proxy(request):
                messages.warning(request, gettext(PROXY))
            return _from_known_device(request, redirect(target), user)
    context = {"form": form, "next": request.POST.get("next") or request.GET.get("next", ""), "problem": problem}
    return with_headers(render(request, "accounts/sign_in.html", context, status=status), headers)


@never_cache
@require_safe
def session(request: Request) -> HttpResponse:
    """Return the person who is signed in. For scripts as JSON: ``person`` (number or null), ``name``, the ``token`` of
    their requests. As a page, after a person signed in again in a separate tab. Template accounts/session.html.
    """
    if not asked_by_script(request):
        return render(request, "accounts/session.html")
    if not isinstance(request.user, User):
        return JsonResponse({"person": None, "name": "", "token": ""})
    return JsonResponse({"person": request.user.pk, "name": str(request.user), "token": get_token(request)})


def _authenticated(request: HttpRequest, email: str, password: str) -> User:
    """Return the person of this address and password. It is not revealed whether the address or the password was
    incorrect.
    """
    begin_attempt(request, email)
    user = authenticate(request, username=email, password=password)
    if not isinstance(user, User):
        raise ApplicationError(gettext("Email or password is incorrect."))
    end_attempt(request, email)
    return user


def _from_known_device(request: HttpRequest, answer: HttpResponse, user: User) -> HttpResponse:
    """Return the response to signing in. From now on, failed attempts elsewhere do not lock this person out of this
    browser.
    """
    remember_device(request, answer, user.email)
    return answer


def _safe_target(request: HttpRequest) -> str:
    """Return the URL to open after signing in: a page of this site, or home."""
    target = request.POST.get("next") or request.GET.get("next", "")
    if url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()}, require_https=request.is_secure()):
        return target
    return resolve_url(settings.LOGIN_REDIRECT_URL)


@never_cache
@require_safe
def admin_door(request: Request) -> HttpResponse:
    """Redirect to the sign-in page. The admin site has no separate one, where passwords could be guessed
    without limit.
    """
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if not admin.site.has_permission(request):
        raise NotAllowed(
            gettext("Only site admins can open the administration. Ask one of them, or sign in as a site admin.")
        )
    return redirect(_safe_target(request) if "next" in request.GET else "admin:index")


@require_POST
def sign_out(request: Request) -> HttpResponse:
    logout(request)
    return redirect(settings.LOGOUT_REDIRECT_URL)


@login_required
@require_safe
def account(request: SignedInRequest) -> HttpResponse:
    """Template and context: see _account_page."""
    return _account_page(request)


def _account_page(
    request: SignedInRequest,
    *,
    name_form: NameForm | None = None,
    password_form: PasswordForm | None = None,
    token_form: TokenForm | None = None,
) -> HttpResponse:
    """Template accounts/account.html; context: name_form (name), password_form (old, new), token_form (name, scopes,
    benchmark, lasts, password), rules (of passwords), sessions (signed_in_at, last_used, address, browser),
    this_session (its id), tokens (name, scopes, benchmark, last_used, expires), secret (a token just created, shown
    once; else ""), sends_email.
    """
    secret = kept_once(request, TOKEN)
    forms = (name_form, password_form, token_form)
    context = {
        "name_form": name_form or NameForm(initial={"name": request.user.name}),
        "password_form": password_form or PasswordForm(user=request.user),
        "token_form": token_form or TokenForm(user=request.user),
        "rules": password_validators_help_texts(),
        "sessions": sessions_of(request.user),
        "this_session": kept_as(request.session.session_key),
        "tokens": request.user.api_tokens.all(),
        "secret": secret,
        "sends_email": settings.SENDS_EMAIL,
    }
    status = 400 if any(form and form.errors for form in forms) else 200
    answer = render(request, "accounts/account.html", context, status=status)
    return forget_once(answer) if secret else answer


@login_required
@require_POST
def rename(request: SignedInRequest) -> HttpResponse:
    form = NameForm(request.POST)
    if not form.is_valid():
        return _account_page(request, name_form=form)
    actions.change_name(name=form.cleaned_data["name"], actor=request.user)
    messages.success(request, gettext("Name changed."))
    return redirect("accounts:account")


@sensitive_post_parameters()
@login_required
@require_POST
def change_password(request: SignedInRequest) -> HttpResponse:
    form = PasswordForm(request.POST, user=request.user)
    if not _valid_with_password(request, form, "old"):
        return _account_page(request, password_form=form)
    actions.change_password(password=form.cleaned_data["new"], actor=request.user)
    update_session_auth_hash(request, request.user)
    messages.success(
        request, gettext("Password changed. All your other sessions have ended and all your tokens are revoked.")
    )
    return redirect("accounts:account")


@login_required
@require_POST
def sign_out_others(request: SignedInRequest) -> HttpResponse:
    """End the sessions of this person in other browsers."""
    ended = actions.sign_out_others(actor=request.user, keep=request.session.session_key)
    message = ngettext("%(count)s other session ended.", "%(count)s other sessions ended.", ended) % {"count": ended}
    messages.success(request, message if ended else gettext("No other sessions."))
    return redirect("accounts:account")


@login_required
@require_POST
def end_session(request: SignedInRequest, session_id: str) -> HttpResponse:
    """End one session of this person; for the current one, sign out."""
    if session_id == kept_as(request.session.session_key):
        return sign_out(request)
    actions.end_session(actor=request.user, session_id=session_id)
    messages.success(request, gettext("The session has ended."))
    return redirect("accounts:account")


@sensitive_post_parameters("password")
@login_required
@require_POST
def create_token(request: SignedInRequest) -> HttpResponse:
    """Create a token; the account page shows it once."""
    form = TokenForm(request.POST, user=request.user)
    if not _valid_with_password(request, form, "password"):
        return _account_page(request, token_form=form)
    given = {name: value for name, value in form.cleaned_data.items() if name != "password"}
    _, secret = actions.create_token(actor=request.user, **given)
    return keep_once(request, redirect(f"{resolve_url('accounts:account')}#tokens"), TOKEN, secret)


def _valid_with_password(request: SignedInRequest, form: PasswordForm | TokenForm, field: str) -> bool:
    """Return whether the form is valid. Incorrect passwords in ``field`` count like those at the sign-in page, so that
    a person at an unattended browser has no additional attempts.
    """
    begin_attempt(request, request.user.email)
    valid = form.is_valid()
    if field not in form.errors:
        end_attempt(request, request.user.email)
    return valid


@login_required
@require_POST
def revoke_token(request: SignedInRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(request.user.api_tokens, pk=token_id)
    actions.revoke_token(token, actor=request.user)
    messages.success(request, gettext("Token “%(name)s” revoked.") % {"name": token.name})
    return redirect("accounts:account")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def set_up(request: Request, signed: str) -> HttpResponse:
    """Template accounts/set_up.html; context: form (SetUpForm: email, name, password), rules. 404 if an
    account exists.
    """
    if not opens_set_up(signed):
        raise NotFound(gettext(actions.NO_SET_UP))
    form = SetUpForm(request.POST or None)
    if form.is_valid():
        with errors_said_in(form):
            user = actions.set_up(signed, **form.cleaned_data)
            answer = redirect(settings.LOGIN_REDIRECT_URL)
            login(request, user)
            _from_known_device(request, answer, user)
            return answer
    context = {"form": form, "rules": password_validators_help_texts()}
    return render(request, "accounts/set_up.html", context, status=400 if form.errors else 200)


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def accept_invitation(request: Request, secret: str) -> HttpResponse:
    """Template accounts/invitation.html; context: invitation (email, invited_by, expires), offers (title, text, roles),
    form (AcceptForm: name, password), has_account, signed_in_as_invited (then one button is enough), refused (why the
    person who is signed in cannot accept it; else ""), next (this page, to return to after sign-in), rules.
    """
    invitation = actions.invitation_of(secret)
    actor = request.user if isinstance(request.user, User) else None
    invited = actor is not None and actor.email == invitation.email
    refused = actions.for_another(invitation, actor) if actor and not invited else ""
    known = User.objects.filter(email=invitation.email).exists()
    if known and invitation.takes_over is not None:
        refused = refused or gettext(actions.KNOWN_ADDRESS) % {"email": invitation.email}
    form = AcceptForm(request.POST or None)
    if request.method == "POST" and (actor or form.is_valid()):
        try:
            user = actions.accept_invitation(secret, actor=actor, **({} if actor else form.cleaned_data))
        except ApplicationError as error:
            if actor is not None:
                raise
            form.add_error(error.field if error.field in form.fields else None, error.message)
        else:
            answer = redirect(settings.LOGIN_REDIRECT_URL)
            if actor is None:
                login(request, user)
                _from_known_device(request, answer, user)
            return answer
    context = {
        "invitation": invitation,
        "offers": actions.offers_of(invitation),
        "form": form,
        "has_account": known,
        "signed_in_as_invited": invited,
        "refused": refused,
        "next": request.path,
        "rules": password_validators_help_texts(),
    }
    status = 409 if refused else 400 if form.errors and not invited else 200
    return render(request, "accounts/invitation.html", context, status=status)
