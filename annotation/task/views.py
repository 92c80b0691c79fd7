"""Settings > Task: the draft of the schema, a preview of its form, and putting it in force."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.reasons import reason_words
from annotation.common.sections import settings_context
from annotation.common.sentences import translated
from annotation.facet_values import ValueInUse
from annotation.models import Benchmark, BenchmarkSchema
from annotation.task.forms import SchemaForms
from annotation.task.present import blocks_of, broken_rows
from annotation.task.read import Broken, broken_rules, edited, schemas_of, values_to_decide
from annotation.task.write import InvalidSchema, activate, discard_draft, save_draft
from annotation.task_schema import TEMPLATES, InvalidSchemaError, TaskSchema
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import Conflict

SECONDS_KNOWN = 60
"""How long counts of samples that would break a rule are kept: they take seconds for 10,000 samples."""
TEMPLATE_NAMES = {
    "grounded_question": gettext_lazy("Grounded question"),
    "toolchain": gettext_lazy("Toolchain"),
    "tool_plan": gettext_lazy("Tool plan"),
    "blank": gettext_lazy("Blank"),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/task/settings.html; context: forms (SchemaForms), draft (BenchmarkSchema or None), values
    (ValueInUse) that the draft does not list, kept (those that the schema in force does not list), schemas
    (BenchmarkSchema), template_names. Address: ?template= begins with one of ``TEMPLATES``. Posted: the forms;
    ``add``: one more facet or reason."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    draft = BenchmarkSchema.objects.filter(benchmark=benchmark).draft()
    posted = request.POST if request.method == "POST" else None
    begun = TEMPLATES.get(request.GET.get("template", ""), edited(benchmark, draft))
    note, version = (draft.note, draft.version) if draft else ("", 0)
    forms = SchemaForms(begun, note=note, version=version, posted=posted)
    saved = posted is not None and "add" not in posted and _save(request, benchmark, forms)
    if saved:
        messages.success(request, gettext("The draft is saved. It isn't in force yet."))
        return redirect("annotation:task", slug)
    context = _context(request, benchmark, draft) | {"forms": forms}
    failed = posted is not None and "add" not in posted
    return render(request, "annotation/task/settings.html", context, status=400 if failed else 200)


def _context(request: SignedInRequest, benchmark: Benchmark, draft: BenchmarkSchema | None) -> dict[str, Any]:
    stored = TaskSchema.parse(draft.content) if draft else None
    return {
        **settings_context(request, benchmark, "task"),
        "draft": draft,
        "values": _choices(benchmark, stored) if stored else [],
        "kept": _choices(benchmark, benchmark.task),
        "schemas": schemas_of(benchmark),
        "template_names": TEMPLATE_NAMES.items(),
    }


def _choices(benchmark: Benchmark, task: TaskSchema) -> list[tuple[ValueInUse, list[str], str]]:
    """Each value in use that the task does not list, with the listed values of its facet, and the address of the
    samples that have it, where a lead can set another value."""
    listed = {facet.name: [option.value for option in facet.values] for facet in task.facets}
    samples = reverse("annotation:work-samples", args=[benchmark.slug])
    return [
        (one, listed[one.facet], f"{samples}?{urlencode({f'facet.{one.facet}': one.value})}")
        for one in values_to_decide(benchmark, task)
    ]


def _save(request: SignedInRequest, benchmark: Benchmark, forms: SchemaForms) -> bool:
    if not forms.is_valid():
        return False
    note, version = forms.blocks.cleaned_data["note"], forms.blocks.cleaned_data["version"]
    try:
        save_draft(actor=request.user, benchmark=benchmark, content=forms.content, note=note, version=version)
    except InvalidSchema as error:
        forms.show(error.problems)
        return False
    except Conflict as error:
        forms.blocks.add_error(None, error.message)
        return False
    return True


@login_required
@require_safe
def affected(request: SignedInRequest, slug: str) -> HttpResponse:
    """The samples that would break rules of the draft, counted once a minute. Template annotation/task/_affected.html;
    context: rules (BrokenRow)."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    draft = get_object_or_404(BenchmarkSchema, benchmark=benchmark, state=BenchmarkSchema.State.DRAFT)
    key = f"broken-rules:{draft.pk}:{draft.version}:{benchmark.schema_number}"
    found: list[Broken] | None = cache.get(key)
    if found is None:
        found = broken_rules(benchmark, TaskSchema.parse(draft.content))
        cache.set(key, found, SECONDS_KNOWN)
    context = {"benchmark": benchmark, "rules": broken_rows(benchmark, found)}
    return render(request, "annotation/task/_affected.html", context)


@login_required
@require_POST
def preview(request: SignedInRequest, slug: str) -> HttpResponse:
    """The posted forms as annotators and reviewers will meet them, before they are saved. Template
    annotation/task/_preview.html; context: task (TaskSchema or None), blocks (Block), reasons and problems (texts)."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    forms = SchemaForms(benchmark.task, posted=request.POST)
    context: dict[str, Any] = {"benchmark": benchmark, "task": None, "problems": []}
    if forms.is_valid():
        try:
            context["task"] = TaskSchema.parse(forms.content)
            context["blocks"] = blocks_of(context["task"])
            offered = [one.code for one in context["task"].reasons if not one.retired]
            context["reasons"] = [reason_words(context["task"], code) for code in offered]
        except InvalidSchemaError as error:
            context["problems"] = [translated(one.text) for one in error.problems]
    return render(request, "annotation/task/_preview.html", context)


@login_required
@require_POST
def put_in_force(request: SignedInRequest, slug: str) -> HttpResponse:
    """Posted: version; for each value to decide ``facet``, ``value`` and ``decision``: "keep", "drop" or "change:" with
    the listed value."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    facets, values, answers = (request.POST.getlist(name) for name in ("facet", "value", "decision"))
    decisions = {}
    for facet, value, answer in zip(facets, values, answers, strict=False):
        what, _, target = answer.partition(":")
        decisions[facet, value] = (what, target)
    made = activate(actor=request.user, benchmark=benchmark, version=_version(request), decisions=decisions)
    messages.success(request, gettext("Schema %(number)s is in force.") % {"number": made.number})
    return redirect("annotation:task", slug)


@login_required
@require_POST
def discard(request: SignedInRequest, slug: str) -> HttpResponse:
    """Posted: version."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    discard_draft(actor=request.user, benchmark=benchmark, version=_version(request))
    messages.success(request, gettext("The draft is discarded."))
    return redirect("annotation:task", slug)


def _version(request: SignedInRequest) -> int:
    given = request.POST.get("version", "")
    return int(given) if given.isdigit() and len(given) < 10 else 0
