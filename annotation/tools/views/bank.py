"""The lead's pages of the tool bank: proposals first, every tool with its use, and the bank as a file."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.sections import settings_context
from annotation.content.bank_file import bank_rows, import_bank
from annotation.content.drafted_tools import drafts_of, proposed_by_models
from annotation.models import BankTool, Benchmark
from annotation.tool_bank import ToolState
from annotation.tool_bank.segments import SEGMENTS
from annotation.tool_bank.table import BadTable, read, written
from annotation.tools.forms import BankFileForm, MergeToolForm, RefuseToolForm, ToolForm
from annotation.tools.read import tools_in_use
from annotation.tools.write import accept_tool, add_tool, merge_tool, refuse_tool
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import errors_said_in
from webapp.common.models import AuditEntry
from webapp.common.paging import page_after
from webapp.common.translation import in_english

PAGE_SIZE = 100
MOST_PROPOSALS = 200
MOST_ENTRIES = 30
STATES = {"accepted": gettext_lazy("Accepted"), "merged": gettext_lazy("Merged"), "refused": gettext_lazy("Rejected")}
HEADINGS = {
    "accepted": gettext_lazy("Accepted tools"),
    "merged": gettext_lazy("Merged tools"),
    "refused": gettext_lazy("Rejected tools"),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tools(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template and context: see ``tools_page``. Posted: name, segment, aliases of a new tool."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    if request.method != "POST":
        return tools_page(request, benchmark)
    form = ToolForm(request.POST)
    if form.is_valid():
        with errors_said_in(form):
            tool = add_tool(actor=request.user, benchmark=benchmark, **form.cleaned_data)
            messages.success(request, gettext("%(name)s is in the tool bank.") % {"name": tool.name})
            return redirect("annotation:tools", slug)
    return tools_page(request, benchmark, adding=form)


def tools_page(
    request: SignedInRequest,
    benchmark: Benchmark,
    *,
    adding: ToolForm | None = None,
    problems: list[str] | None = None,
) -> HttpResponse:
    """Template annotation/tools/tools.html; context: proposals and rows (ToolUse), drafted (ToolDrafts) and drafted_n,
    page (has_next, after), total, q, state, heading, states, segment, segments, adding (ToolForm), problems (of a
    rejected file).
    """
    q, state, segment = (request.GET.get(name, "").strip() for name in ("q", "state", "segment"))
    every = BankTool.objects.filter(benchmark=benchmark)
    proposed = every.proposed().select_related("proposed_by").order_by("created_at", "pk")
    found = every.filter(state=state if state in STATES else ToolState.ACCEPTED).select_related("merged_into")
    found = found.known_as(q) if q else found
    found = found.filter(segment="" if segment == "none" else segment) if segment else found
    drafted = proposed_by_models(request.user, benchmark)
    page = page_after(found, request.GET.get("after", ""), order=("name", "pk"), size=PAGE_SIZE)
    context = {
        **settings_context(request, benchmark, "tools"),
        "proposals": tools_in_use(benchmark, proposed[:MOST_PROPOSALS]),
        "drafted": drafted[:MOST_PROPOSALS],
        "drafted_n": len(drafted),
        "page": page,
        "rows": tools_in_use(benchmark, page.rows),
        "total": found.count(),
        "q": q,
        "state": state if state in STATES else "accepted",
        "heading": HEADINGS.get(state, HEADINGS["accepted"]),
        "states": STATES,
        "segment": segment,
        "segments": SEGMENTS,
        "adding": adding or ToolForm(),
        "problems": problems,
    }
    return render(request, "annotation/tools/tools.html", context, status=400 if adding or problems else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tool(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Template and context: see ``tool_page``. Posted: name, segment, aliases; accepts the tool."""
    found = _load(request, slug, pk)
    if request.method != "POST":
        return tool_page(request, found)
    form = ToolForm(request.POST)
    return _decided(request, found, form, "form", lambda data: accept_tool(actor=request.user, tool=found, **data))


@login_required
@require_POST
def merge(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Posted: into, a name of the tool that it is merged into."""
    found = _load(request, slug, pk)
    form = MergeToolForm(found.benchmark, request.POST)
    return _decided(request, found, form, "merging", lambda data: merge_tool(actor=request.user, tool=found, **data))


@login_required
@require_POST
def refuse(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Posted: reason."""
    found = _load(request, slug, pk)
    form = RefuseToolForm(request.POST)
    return _decided(request, found, form, "refusing", lambda data: refuse_tool(actor=request.user, tool=found, **data))


def tool_page(request: SignedInRequest, found: BankTool, **forms: Any) -> HttpResponse:
    """Template annotation/tools/tool.html; context: tool, use (ToolUse), drafts (ToolDrafts), form, merging, refusing,
    others (names of accepted tools), entries (AuditEntry, the newest first)."""
    benchmark = found.benchmark
    own = [one.name for one in found.names.all() if one.name != found.name]
    given = {"name": found.name, "segment": found.segment, "aliases": "\n".join(own)}
    accepted = BankTool.objects.filter(benchmark=benchmark, state=ToolState.ACCEPTED).exclude(pk=found.pk)
    entries = AuditEntry.objects.filter(subject_type="annotation.banktool", subject_id=str(found.pk))
    context = {
        **settings_context(request, benchmark, "tools"),
        "tool": found,
        "use": tools_in_use(benchmark, [found])[0],
        "drafts": drafts_of(request.user, benchmark, [found])[0],
        "form": ToolForm(initial=given),
        "merging": MergeToolForm(benchmark),
        "refusing": RefuseToolForm(),
        "others": accepted.order_by("name").values_list("name", flat=True),
        "entries": entries.select_related("actor").order_by("-pk")[:MOST_ENTRIES],
        **forms,
    }
    return render(request, "annotation/tools/tool.html", context, status=400 if forms else 200)


@login_required
@require_safe
@in_english
def bank_file(request: SignedInRequest, slug: str) -> HttpResponse:
    """The whole bank as CSV."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    response = HttpResponse(written(bank_rows(benchmark)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-tools.csv"'
    return response


@login_required
@require_POST
def bank_import(request: SignedInRequest, slug: str) -> HttpResponse:
    """Posted: file, a bank as CSV. It is imported completely or not at all; errors are listed by line."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = BankFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return tools_page(request, benchmark, problems=[str(error) for error in form.errors["file"]])
    try:
        counts = import_bank(actor=request.user, benchmark=benchmark, rows=read(form.cleaned_data["file"].read()))
    except BadTable as error:
        return tools_page(request, benchmark, problems=error.problems)
    message = gettext("File imported: %(new)s new, %(changed)s changed, %(unchanged)s unchanged.")
    messages.success(request, message % counts)
    return redirect("annotation:tools", slug)


def _load(request: SignedInRequest, slug: str, pk: int) -> BankTool:
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    found = get_object_or_404(BankTool.objects.select_related("merged_into", "proposed_by"), benchmark=benchmark, pk=pk)
    found.benchmark = benchmark
    if (
        found.drafted
        and found.state == ToolState.PROPOSED
        and not drafts_of(request.user, benchmark, [found])[0].samples
    ):
        # Each draft that names it is withheld from this person.
        raise Http404(gettext("Tool not found."))
    return found


def _decided(request: SignedInRequest, found: BankTool, form: Any, name: str, decide: Any) -> HttpResponse:
    """Decide and go back to the list. An error is shown next to its field."""
    if form.is_valid():
        with errors_said_in(form):
            after = decide(form.cleaned_data)
            message = (
                gettext("%(name)s is %(state)s into %(other)s.")
                if after.merged_into
                else gettext("%(name)s is %(state)s.")
            )
            other = after.merged_into.name if after.merged_into else ""
            messages.success(
                request, message % {"name": after.name, "state": str(STATES[after.state]).lower(), "other": other}
            )
            return redirect("annotation:tools", found.benchmark.slug)
    return tool_page(request, found, **{name: form})
