"""Active time and pay by person and month."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.common.work_pages import work_context
from annotation.models import Benchmark, PayRate
from annotation.planning.forms import RateForm
from annotation.planning.present.files import WORKBOOK, csv_of, workbook_of
from annotation.planning.present.pay import month_asked, month_for, sees_all
from annotation.planning.read.pay import Role, currency_of, months_with_work, rates_of
from annotation.planning.write.pay import close_month, remove_rate, set_currency, set_rate
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import ApplicationError, errors_said_in


@login_required
@require_safe
def work_time(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/planning/time.html; context: see ``_page``. Address: ?month=2026-11."""
    return _page(request, load_benchmark(request, slug))


def _page(request: SignedInRequest, benchmark: Benchmark, wrong: RateForm | None = None) -> HttpResponse:
    """Context: month (Month), its code and name, months (words, address, current), leads (they see everyone), blind
    (what was accepted is hidden), rates (PayRate), rate_form, and the head of the benchmark's pages."""
    first = month_asked(request.GET.get("month", ""))
    month = month_for(request.user, benchmark, first)
    leads = sees_all(request.user, benchmark)
    here = reverse("annotation:work-time", args=[benchmark.slug])
    known = months_with_work(benchmark)
    context = work_context(request, benchmark, "time") if leads else benchmark_context(request, benchmark, "annotate")
    context |= {
        "month": month,
        "code": f"{first:%Y-%m}",
        "name": date_format(first, "F Y"),
        "months": [
            (date_format(one, "M Y"), f"{here}?month={one:%Y-%m}", one == first)
            for one in sorted({first, *known}, reverse=True)
        ],
        "leads": leads,
        "blind": any(line.accepted is None for line in month.lines),
        "rates": list(rates_of(benchmark).values()) if leads else [],
        "currency": currency_of(benchmark),
        "rate_form": wrong or RateForm(benchmark, initial={"currency": currency_of(benchmark)}),
    }
    return render(request, "annotation/planning/time.html", context, status=400 if wrong else 200)


@login_required
@require_safe
def work_time_file(request: SignedInRequest, slug: str, month: str, kind: str) -> HttpResponse:
    """The table of a month as "csv" or "xlsx"."""
    benchmark = load_benchmark(request, slug)
    found = month_for(request.user, benchmark, month_asked(month))
    if kind not in ("csv", "xlsx"):
        raise Http404(gettext("Unknown kind of file."))
    body, content_type = (csv_of(found), "text/csv; charset=utf-8") if kind == "csv" else (workbook_of(found), WORKBOOK)
    name = f"{benchmark.slug}-time-{found.first:%Y-%m}.{kind}"
    return HttpResponse(
        body, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@login_required
@require_POST
def work_time_close(request: SignedInRequest, slug: str) -> HttpResponse:
    """Posted: month, as 2026-11."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    month = month_asked(request.POST.get("month", ""))
    try:
        close_month(actor=request.user, benchmark=benchmark, month=month)
        messages.success(request, gettext("%(month)s is closed.") % {"month": f"{month:%Y-%m}"})
    except ApplicationError as error:
        messages.error(request, error.message)
    return redirect(f"{reverse('annotation:work-time', args=[slug])}?month={month:%Y-%m}")


@login_required
@require_POST
def work_time_rate(request: SignedInRequest, slug: str) -> HttpResponse:
    """Posted: a rate and the currency, see ``RateForm``."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = RateForm(benchmark, request.POST)
    if form.is_valid():
        said = form.cleaned_data
        with errors_said_in(form):
            set_currency(actor=request.user, benchmark=benchmark, currency=said["currency"])
            set_rate(
                actor=request.user, benchmark=benchmark, role=Role(said["role"]), per=PayRate.Per(said["per"]),
                amount=said["amount"], person=said["person"],
            )  # fmt: skip
            messages.success(request, gettext("The rate is saved. It applies to all months that are not closed."))
            return redirect("annotation:work-time", slug)
    return _page(request, benchmark, form)


@login_required
@require_POST
def work_time_rate_remove(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    rate = get_object_or_404(benchmark.pay_rates.select_related("benchmark", "person"), pk=pk)
    remove_rate(actor=request.user, rate=rate)
    messages.success(request, gettext("The rate is removed. Closed months keep what was paid."))
    return redirect("annotation:work-time", slug)
