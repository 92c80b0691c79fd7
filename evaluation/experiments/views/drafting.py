"""The page of the settings on which a lead has samples drafted, and sees what the drafts do to people; and the images
that ML backends fetch."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.sections import settings_context
from annotation.content.drafted_tools import proposed_by_models
from annotation.content.planted import withdraw_error
from annotation.workflow import Right
from evaluation.common.checking import checking_of
from evaluation.experiments.forms import ClickForm, ControlShareForm, DraftForm
from evaluation.experiments.present.anchoring import field_rows, measure_rows
from evaluation.experiments.present.clicks import click_row
from evaluation.experiments.present.exchanges import image_answer
from evaluation.experiments.present.experiment import state_words
from evaluation.experiments.present.flags import flag_row
from evaluation.experiments.present.planted import planted_row
from evaluation.experiments.read.anchoring import anchoring_of
from evaluation.experiments.read.drafting import clicks_of, drafting_of, share_of, undrafted_checks
from evaluation.experiments.read.image_links import linked_image
from evaluation.experiments.read.planted import planted_of
from evaluation.experiments.write.clicks import derived_click, set_click
from evaluation.experiments.write.control_share import set_control_share
from evaluation.experiments.write.drafts import create_drafts, show_drafts, shown_config
from evaluation.experiments.write.states import start_all
from evaluation.models import Experiment
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import ApplicationError, conflict_as_message, errors_said_in
from webapp.common.htmx import render_page

MOST = 20


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def drafting(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/experiments/drafting.html; htmx, once another endpoint is chosen: _draft_fields.html, and no
    content while its kind stays; with ``config`` (draft or click), _derived_config.html for the names and fields of
    the form. Query: endpoint, kind (of the fields on the page). Context: form, endpoints (whether there is one),
    drafting (None before the first use of the control share), share (a ControlShareForm), shown (the newest experiments
    with their words), fields (FieldRow), measures (MeasureRow), planted (PlantedRow), checks (active gold checks
    without a draft), new_tools (tools that models proposed), flags (FlagRow), click (a ClickForm),
    clicks (ClickRow). Posted: the fields of ``DraftForm``, which create a drafting."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    now = drafting_of(benchmark)
    if request.htmx and "config" in request.GET:
        derived = {"derived": _derived(request, benchmark)}
        return render(request, "evaluation/experiments/_derived_config.html", derived)
    chosen = {"endpoint": request.GET.get("endpoint")}
    form = DraftForm(request.POST or None, benchmark=benchmark, initial=chosen)
    if request.htmx and form.kind == request.GET.get("kind"):
        return HttpResponse(status=204)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                endpoint = form.cleaned_data["endpoint"]
                made = create_drafts(actor=request.user, benchmark=benchmark, endpoint=endpoint, choices=form.choices())
                if "start" in request.POST:
                    start_all(actor=request.user, experiment=made)
        except ApplicationError as error:
            if error.status == 403:
                raise
            form.add_error(error.field if error.field in form.fields else None, error.message)
        else:
            return redirect("evaluation:experiment", slug, made.pk)
    return _page(request, benchmark, now, form, ClickForm(benchmark=benchmark, drafting=now))


def _derived(request: SignedInRequest, benchmark: Any) -> str:
    """The labeling configuration without one of the lead, for what the form has now."""
    if request.GET["config"] == "click":
        return shown_config(lambda: derived_click(benchmark, request.GET.get("click-names", "")))
    given = {name: request.GET.get(name) for name in ("endpoint", "names")}
    given["fields_drafted"] = request.GET.getlist("fields_drafted")  # type: ignore[assignment]
    return DraftForm(benchmark=benchmark, initial=given).derived()


@login_required
@require_POST
def drafting_click(request: SignedInRequest, slug: str) -> HttpResponse:
    """Choose the model of shapes from a click. Posted: the fields of ``ClickForm``. With errors, the page of drafts."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    now = drafting_of(benchmark)
    form = ClickForm(request.POST, benchmark=benchmark, drafting=now)
    if form.is_valid():
        endpoint = form.cleaned_data["endpoint"]
        with errors_said_in(form):
            set_click(actor=request.user, benchmark=benchmark, endpoint=endpoint, choices=form.choices())
            on = gettext("Annotators can ask %(endpoint)s for shapes.") % {"endpoint": endpoint}
            messages.success(request, on if endpoint else gettext("Annotators can ask no model for shapes."))
            return redirect("evaluation:drafting", slug)
    return _page(request, benchmark, now, DraftForm(benchmark=benchmark), form)


@login_required
@require_POST
def drafting_share(request: SignedInRequest, slug: str) -> HttpResponse:
    """Set the control share before its first use. Posted: control_share. With errors, the page of drafts."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = ControlShareForm(request.POST)
    if form.is_valid():
        with errors_said_in(form):
            set_control_share(actor=request.user, benchmark=benchmark, share=form.cleaned_data["control_share"])
            messages.success(request, gettext("The control share is set."))
            return redirect("evaluation:drafting", slug)
    now = drafting_of(benchmark)
    click = ClickForm(benchmark=benchmark, drafting=now)
    return _page(request, benchmark, now, DraftForm(benchmark=benchmark), click, form)


def _page(
    request: SignedInRequest, benchmark: Any, now: Any, form: DraftForm, click: ClickForm,
    share: ControlShareForm | None = None,
) -> HttpResponse:  # fmt: skip
    """The page of drafts with these forms. ``now``: the display of drafts, None before it was set up."""
    found = anchoring_of(benchmark)
    rows = Experiment.objects.filter(benchmark=benchmark, kind="draft").with_counts()[:MOST]
    context = {
        **settings_context(request, benchmark, "drafting"),
        "form": form,
        "endpoints": form.fields["endpoint"].queryset.exists(),  # type: ignore[attr-defined]  # of a ModelChoiceField
        "drafting": now if now and now.fixed_at else None,
        "share": share or ControlShareForm(initial={"control_share": share_of(now)}),
        "shown": [(one, state_words(one)) for one in rows],
        "fields": field_rows(found),
        "measures": measure_rows(found),
        "planted": planted_row(planted_of(benchmark)),
        "checks": undrafted_checks(benchmark) if found.drafts else 0,
        "new_tools": len(proposed_by_models(request.user, benchmark)),
        "flags": flag_row(checking_of(benchmark)),
        "click": click,
        "clicks": click_row(clicks_of(benchmark)),
    }
    failed = form.errors or click.errors or (share and share.errors)
    piece, status = "evaluation/experiments/_draft_fields.html", 400 if failed else 200
    return render_page(request, "evaluation/experiments/drafting.html", piece, context, status=status)


@login_required
@require_POST
def drafting_shows(request: SignedInRequest, slug: str) -> HttpResponse:
    """Let annotators see drafts, or no longer. Posted: shows (yes or no)."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    shows = request.POST.get("shows") == "yes"
    if show_drafts(actor=request.user, benchmark=benchmark, shows=shows):
        on, off = gettext("Annotators see drafts."), gettext("Annotators see no drafts.")
        messages.success(request, on if shows else off)
    return redirect("evaluation:drafting", slug)


@require_safe
def drafting_image(request: HttpRequest, token: str, name: str) -> HttpResponse:
    """An image that was sent to an ML backend, by its signed address. ``name``: of the file, which is not checked."""
    answer = image_answer(linked_image(token))
    answer["Cache-Control"] = "private, no-store"
    return answer


@login_required
@require_POST
def planted_withdraw(request: SignedInRequest, slug: str) -> HttpResponse:
    """Withdraw a planted error whose content is correct. Posted: sample, field."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    key, field = request.POST.get("sample", ""), request.POST.get("field", "")
    with conflict_as_message(request):
        withdraw_error(actor=request.user, benchmark=benchmark, key=key, field=field)
        messages.success(request, gettext("The error is withdrawn. The annotator can submit the content."))
    return redirect("evaluation:drafting", slug)
