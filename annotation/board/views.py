"""The building board, and the page of each item with the form of its stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.board.forms import (
    DescriptionForm,
    DistractorsForm,
    DrawForm,
    ImageCheckForm,
    ImageForm,
    InstructionForm,
    MoveForm,
    RejectForm,
    StageForm,
    StepsForm,
    TargetsForm,
    TextCheckForm,
)
from annotation.board.present import (
    STAGES,
    batch_rows,
    columns_of,
    history_of,
    image_faults,
    likeness_rows,
    plan_rows,
    proposal_lines,
    reject_choices,
    reject_rows,
    use_rows,
)
from annotation.board.read.audits import batches_of, is_blind, proposals_for
from annotation.board.read.items import (
    board_of,
    candidates_shuffled,
    has_worked_on,
    may_check_images,
    missing_mentions,
    required_facets,
)
from annotation.board.write.audits import check_text
from annotation.board.write.decisions import require_image_checker, stale
from annotation.board.write.items import (
    accept_item,
    confirm_targets,
    draw_items,
    move_tool,
    reject_item,
    set_description,
    set_distractors,
    set_image,
    set_instruction,
    set_steps,
)
from annotation.board.write.pairs import pair_item, pair_sample
from annotation.building import Stage
from annotation.common.access import allowed
from annotation.common.bank import bank_of
from annotation.common.loading import load_benchmark
from annotation.common.requests import text_of
from annotation.common.tabs import benchmark_context
from annotation.common.uploads import upload_room
from annotation.content.drafted_tools import proposed_by_models
from annotation.models import Benchmark, BuildItem, Sample
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.bodies import takes_files
from webapp.common.errors import errors_said_in, go_on_at
from webapp.common.paging import page_after

PAGE_SIZE = 50
Command = Callable[..., BuildItem]
COMMANDS: dict[str, Command] = {
    Stage.TARGETS: confirm_targets,
    Stage.STEPS: set_steps,
    Stage.INSTRUCTION: set_instruction,
    Stage.DISTRACTORS: set_distractors,
    Stage.DESCRIPTION: set_description,
    Stage.TEXT_CHECK: check_text,
}
"""What a lead does at a stage. ``board_image`` takes images, QC-II decides by itself, and ``board_check`` is QC-III."""
FORMS: dict[str, type[StageForm]] = {
    Stage.TARGETS: TargetsForm,
    Stage.STEPS: StepsForm,
    Stage.INSTRUCTION: InstructionForm,
    Stage.DISTRACTORS: DistractorsForm,
    Stage.DESCRIPTION: DescriptionForm,
    Stage.IMAGE: ImageForm,
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def board(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/board/board.html; context: columns (label, Column), board (Board), use, likeness, rejects,
    draw (DrawForm), batches (BatchRow), manages, drafted_n (tools that models proposed). With ?stage=:
    annotation/board/stage.html; context: stage, label, page. Posted by a lead: count and scenarios, which draws
    items."""
    posts = request.method == "POST"
    benchmark = load_benchmark(request, slug, Right.MANAGE if posts else Right.COMPARE_WORK)
    form = DrawForm(request.POST if posts else None)
    if form.is_valid():
        with errors_said_in(form):
            made = draw_items(actor=request.user, benchmark=benchmark, **form.cleaned_data)
            message = ngettext("%(n)s item is drawn.", "%(n)s items are drawn.", len(made))
            messages.success(request, message % {"n": len(made)})
            return redirect("annotation:board", slug)
    stage = request.GET.get("stage", "")
    context = {**benchmark_context(request, benchmark, "board"), "manages": _manages(request, benchmark)}
    if stage in list(Stage) and not posts:
        items = BuildItem.objects.filter(benchmark=benchmark, stage=stage)
        page = page_after(items, request.GET.get("after", ""), order=("entered_at", "pk"), size=PAGE_SIZE)
        context |= {"label": STAGES[stage], "page": page, "total": items.count()}
        return render(request, "annotation/board/stage.html", context)
    found = board_of(benchmark)
    context |= {
        "board": found,
        "drafted_n": len(proposed_by_models(request.user, benchmark)) if context["manages"] else 0,
        "columns": columns_of(found),
        "use": use_rows(found),
        "likeness": likeness_rows(found),
        "rejects": reject_rows(found, benchmark.task),
        "draw": form if form.is_bound else DrawForm(),
        "batches": batch_rows(batches_of(benchmark)),
    }
    return render(request, "annotation/board/board.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def board_item(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Template and context: see ``_page``. Posted by a lead: the form of the stage, but not an image."""
    posts = request.method == "POST"
    item = _load(request, slug, number, Right.MANAGE if posts else Right.COMPARE_WORK)
    if not posts:
        return _page(request, item)
    if item.stage not in COMMANDS:
        raise stale(item)
    return _decided(request, item, "form", _stage_form(item, request.POST), COMMANDS[item.stage])


@login_required
@require_POST
@takes_files(upload_room(Right.MANAGE))
def board_image(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Posted by a lead: image, the file, and version."""
    item = _load(request, slug, number, Right.MANAGE)
    return _decided(request, item, "form", ImageForm(item, request.POST, request.FILES), set_image)


@login_required
@require_POST
def board_check(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Posted by a person who did not work on the item: for each fault whether the image has it, the required
    facets, note, and verdict: accept, image (send it back) or discarded."""
    item = _load(request, slug, number)
    require_image_checker(request.user, item)
    form = ImageCheckForm(item, image_faults(item.benchmark.task), required_facets(item), request.POST)
    verdict = request.POST.get("verdict", "")

    def decide(*, reasons: list[str], facets: dict[str, list[str]], **about: Any) -> BuildItem:
        if verdict == "accept":
            return accept_item(**about, faults=reasons, facets=facets)
        return reject_item(**about, to=Stage.DISCARDED if verdict == "discarded" else Stage.IMAGE, reasons=reasons)

    return _decided(request, item, "check", form, decide)


@login_required
@require_POST
def board_pair(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Posted by a lead: an item that repeats the plan of this accepted one with another image."""
    item = _load(request, slug, number, Right.MANAGE)
    go_on_at(request, reverse("annotation:board-item", args=[slug, number]), gettext("Open the item"))
    made = pair_item(actor=request.user, item=item)
    messages.success(request, gettext("Item %(number)s waits for the other image.") % {"number": made.number})
    return redirect("annotation:board-item", slug, made.number)


@login_required
@require_POST
def board_pair_sample(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """Posted by a lead: an item that repeats the plan of a sample with another image. ``origin``: of its own image;
    ``description``: of the scene. Both are optional."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    sample = get_object_or_404(Sample, benchmark=benchmark, key=key)
    sample.benchmark = benchmark
    go_on_at(request, reverse("evaluation:sample", args=[slug, key]), gettext("Open the sample"))
    given = {name: text_of(request.POST, name) for name in ("origin", "description")}
    made = pair_sample(actor=request.user, sample=sample, **given)
    messages.success(request, gettext("Item %(number)s waits for the other image.") % {"number": made.number})
    return redirect("annotation:board-item", slug, made.number)


@login_required
@require_POST
def board_reject(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Posted by a lead: to, an earlier stage or discarded; reason; note."""
    item = _load(request, slug, number, Right.MANAGE)
    form = RejectForm(item, **reject_choices(item, item.benchmark), data=request.POST)
    return _decided(request, item, "rejecting", form, reject_item)


@login_required
@require_POST
def board_move(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Posted by a lead: tool, and becomes: the step of a target or the likeness of a distractor."""
    item = _load(request, slug, number, Right.MANAGE)
    return _decided(request, item, "moving", MoveForm(item, request.POST), move_tool)


def _page(request: SignedInRequest, item: BuildItem, **forms: StageForm) -> HttpResponse:
    """Template annotation/board/item.html; context: item, label, rows (PlanRow), history (HistoryLine), form (of the
    stage, for leads), missing (names without a mention), check (ImageCheckForm, for people who can decide), own (they
    worked on the item), rejecting, moving, tools (names for the distractors), audit (ItemAudit, once the person has
    checked the text), proposals (ProposalLine, what it contradicts)."""
    benchmark = item.benchmark
    manages = _manages(request, benchmark)
    at_check = item.stage == Stage.IMAGE_CHECK and may_check_images(request.user, benchmark)
    own = at_check and has_worked_on(request.user, item)
    context: dict[str, Any] = {
        **benchmark_context(request, benchmark, "board"),
        "item": item,
        "label": STAGES[item.stage],
        "rows": plan_rows(item),
        "history": history_of(item, benchmark.task, blind=is_blind(request.user, item)),
        "manages": manages,
        "own": own,
        "pair": item.paired,
        "whole": f"0,0,{item.image.width},{item.image.height}" if item.image else "",
    }
    if manages and item.is_open:
        context |= {
            "form": _stage_form(item, uses_draft="draft" in request.GET),
            "rejecting": RejectForm(item, **reject_choices(item, benchmark)),
            "moving": MoveForm(item, initial=_proposed(request)) if item.stage == Stage.TEXT_CHECK else None,
            "missing": missing_mentions(item) if item.stage == Stage.MENTION_CHECK else [],
            "tools": [tool.name for tool in bank_of(benchmark).tools] if item.stage == Stage.DISTRACTORS else [],
        }
    if manages and (found := proposals_for(request.user, item)):
        context |= {"audit": found.audit, "proposals": proposal_lines(item, found)}
    if at_check and not own:
        context["check"] = ImageCheckForm(item, image_faults(benchmark.task), required_facets(item))
    return render(request, "annotation/board/item.html", {**context, **forms}, status=400 if forms else 200)


def _proposed(request: SignedInRequest) -> dict[str, str]:
    """?tool= and ?becomes= of the address, which a proposal of a model names."""
    return {name: request.GET[name] for name in ("tool", "becomes") if name in request.GET}


def _stage_form(item: BuildItem, data: Any = None, *, uses_draft: bool = False) -> StageForm | None:
    """The form of the stage for leads; None at the checks that they do not decide. ``uses_draft``: the description is
    filled in with the draft of a model, if there is one."""
    if uses_draft and item.drafted:
        form = DescriptionForm(item)
        form.use(item.drafted["text"])
        return form
    if item.stage == Stage.TEXT_CHECK:
        return TextCheckForm(item, candidates_shuffled(item), data)
    return FORMS[item.stage](item, data) if item.stage in FORMS else None


def _load(request: SignedInRequest, slug: str, number: int, right: Right = Right.COMPARE_WORK) -> BuildItem:
    benchmark = load_benchmark(request, slug, right)
    item: BuildItem = get_object_or_404(
        BuildItem.objects.select_related("image", "sample", "pair_of"), benchmark=benchmark, number=number
    )
    item.benchmark = benchmark
    return item


def _manages(request: SignedInRequest, benchmark: Benchmark) -> bool:
    return allowed(request.user, benchmark, Right.MANAGE)


def _decided(
    request: SignedInRequest, item: BuildItem, name: str, form: StageForm | None, command: Command
) -> HttpResponse:
    """Decide and show the item at its next stage. An error is shown next to its field; a form of an earlier version
    raises ``Conflict``."""
    address = reverse("annotation:board-item", args=[item.benchmark.slug, item.number])
    go_on_at(request, address, gettext("Open the item"))
    if request.POST.get("version") != str(item.version):
        raise stale(item)
    assert form is not None
    if form.is_valid():
        with errors_said_in(form):
            after = command(actor=request.user, item=item, **form.cleaned_data)
            message = gettext("Item %(number)s is now at: %(stage)s.")
            messages.success(request, message % {"number": after.number, "stage": STAGES[after.stage]})
            return redirect(address)
    return _page(request, item, **{name: form})
