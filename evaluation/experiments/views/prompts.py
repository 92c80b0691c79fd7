"""The prompts of a benchmark: all of them, one with its versions, a new one, and a new version."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation.common.access import allowed, require
from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.experiments.forms import ROLE_WORDS, PromptForm
from evaluation.experiments.present.prompts import Preview, preview_of, prompt_row, prompt_rows, sides
from evaluation.experiments.read.prompts import Owner, PromptHistory, history_of
from evaluation.experiments.write.managers import require_manager
from evaluation.experiments.write.prompts import change_prompt, create_prompt, template_from
from evaluation.runner.templates import FIELDS, Role
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import ApplicationError, InvalidInput

COPY = "prompt"
"""The name of a prompt while it is written."""


@login_required
@require_safe
def prompts(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/prompts.html; context: rows (PromptRow), can_write."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    context = {
        **benchmark_context(request, benchmark, "experiments"),
        "rows": prompt_rows(benchmark),
        "can_write": allowed(request.user, benchmark, Right.MANAGE),
    }
    return render(request, "evaluation/experiments/prompts.html", context)


@login_required
@require_safe
def prompt(request: SignedInRequest, slug: str, prompt: str) -> HttpResponse:
    """Template evaluation/experiments/prompt.html; context: row (PromptRow), role, fields, shown and against
    (PromptVersion; ?version=, ?against=, None for one version), older and newer (pieces), can_write, can_change."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    history = _history(benchmark, prompt)
    shown = history.version(request.GET.get("version", ""))
    before = _before(history, shown.template.version) if shown else ""
    against = history.version(wanted) if (wanted := request.GET.get("against", before)) else None
    if shown is None or (wanted and against is None):
        raise Http404(gettext("This prompt has no such version."))
    older, newer = sides(against.template.text, shown.template.text) if against else ([], [])
    context = {
        **benchmark_context(request, benchmark, "experiments"),
        "row": prompt_row(benchmark, history, benchmark.experiments.prompts()),
        "role": ROLE_WORDS[history.role.value],
        "fields": _fields(history.role),
        "shown": shown,
        "against": against,
        "older": older,
        "newer": newer,
        "can_write": allowed(request.user, benchmark, Right.MANAGE),
        "can_change": _can_change(request, benchmark, history),
    }
    return render(request, "evaluation/experiments/prompt.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_prompt(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/prompt_form.html; context: form, preview (Preview or None), roles (with their
    fields), copied (the version that ?copy= names). Posted: the fields of ``PromptForm``, which creates a prompt;
    ``preview`` only shows it."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    require(request.user, benchmark, Right.MANAGE)
    name, _, number = request.GET.get("copy", "").partition("@")
    copied = _history(benchmark, name).version(number) if name else None
    initial = {"role": copied.template.role.value, "text": copied.template.text} if copied else {}
    form = PromptForm(request.POST or None, initial=initial, may_serve_site=request.user.is_staff)
    if _is_to_be_saved(request) and form.is_valid():
        given = form.cleaned_data
        try:
            made = create_prompt(
                actor=request.user, benchmark=None if given.get("of_site") else benchmark, slug=given["slug"],
                role=given["role"], text=given["text"], note=given["note"],
            )  # fmt: skip
        except ApplicationError as error:
            _add_error(form, error)
        else:
            messages.success(request, gettext("Created %(name)s.") % {"name": made})
            return redirect("evaluation:prompt", slug, made.slug)
    return _form_page(request, benchmark, form, None, {"copied": copied})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: SignedInRequest, slug: str, prompt: str) -> HttpResponse:
    """Template evaluation/experiments/prompt_form.html; context: form, preview, history. It begins with the version
    that ?version= names. Posted: the fields of ``PromptForm`` without name and role."""
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    require(request.user, benchmark, Right.MANAGE)
    history = _history(benchmark, prompt)
    newest, begun = history.newest, history.version(request.GET.get("version", ""))
    if newest.row is None or begun is None:
        raise Http404(gettext("There is no such version of a prompt that people wrote."))
    require_manager(request.user, newest.row.benchmark)
    initial = {"text": begun.template.text, "based_on": newest.template.digest}
    if not newest.frozen:
        initial["note"] = newest.note
    form = PromptForm(request.POST or None, initial=initial, role=history.role.value)
    if _is_to_be_saved(request) and form.is_valid():
        given = form.cleaned_data
        try:
            made = change_prompt(
                actor=request.user,
                prompt=newest.row,
                based_on=given["based_on"],
                text=given["text"],
                note=given["note"],
            )
        except ApplicationError as error:
            _add_error(form, error)
            if error.code == "stale":
                # The form shows the error and can be saved again: the other text stays as a version or in the log.
                history = _history(benchmark, prompt)
                form.data = {**request.POST.dict(), "based_on": history.newest.template.digest}
        else:
            messages.success(request, gettext("Saved %(name)s.") % {"name": made})
            return redirect("evaluation:prompt", slug, made.slug)
    return _form_page(request, benchmark, form, history, {})


def _form_page(
    request: SignedInRequest, benchmark: Any, form: PromptForm, history: PromptHistory | None, more: Any
) -> HttpResponse:
    preview = _preview(benchmark, form, history)
    context = {
        **benchmark_context(request, benchmark, "experiments"),
        "form": form,
        "history": history,
        "preview": preview,
        "roles": [(role.value, _fields(role)) for role in Role if history is None or role is history.role],
        **more,
    }
    return render(request, "evaluation/experiments/prompt_form.html", context, status=400 if form.errors else 200)


def _preview(benchmark: Any, form: PromptForm, history: PromptHistory | None) -> Preview | None:
    """Return the messages that a model receives with the text of the form, None without a text. An invalid template is
    an error of the form.
    """
    values = form.data if form.is_bound else form.initial
    text, role = str(values.get("text", "")), history.role.value if history else str(values.get("role", ""))
    if not text.strip() or role not in list(Role):
        return None
    slug, number = (history.slug, history.newest.template.version) if history else (COPY, "1")
    try:
        template = template_from(slug, number, role, text)
    except InvalidInput as error:
        if form.is_bound and "text" not in form.errors:
            form.add_error("text", error.message)
        return None
    chosen = form.cleaned_data if form.is_bound and form.is_valid() else {}
    return preview_of(benchmark, template, sample=chosen.get("sample", ""), protocol=chosen.get("protocol", ""))


def _fields(role: Role) -> list[tuple[str, bool]]:
    """The fields of a role, and whether a text needs them; those come first."""
    fields = FIELDS[role]
    return [*((name, True) for name in sorted(fields.required)), *((name, False) for name in sorted(fields.optional))]


def _is_to_be_saved(request: SignedInRequest) -> bool:
    return request.method == "POST" and "preview" not in request.POST


def _add_error(form: PromptForm, error: ApplicationError) -> None:
    if error.status == 403:
        raise error
    form.add_error(error.field if error.field in form.fields else None, error.message)


def _history(benchmark: Any, slug: str) -> PromptHistory:
    found = history_of(benchmark, slug)
    if found is None:
        raise Http404(gettext("There is no such prompt."))
    return found


def _before(history: PromptHistory, number: str) -> str:
    """The number of the version before this one, "" for the first."""
    numbers = [one.template.version for one in history.versions]
    place = numbers.index(number)
    return numbers[place - 1] if place else ""


def _can_change(request: SignedInRequest, benchmark: Any, history: PromptHistory) -> bool:
    if history.owner is Owner.SITE:
        return bool(request.user.is_staff)
    return history.owner is Owner.BENCHMARK and allowed(request.user, benchmark, Right.MANAGE)
