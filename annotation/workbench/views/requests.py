"""Requests of the workbench's script: run a toolchain, mark one as verified, accept an alternative."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from annotation.common.chain_marks import mark_json
from annotation.common.loading import load_benchmark
from annotation.common.requests import answers_json, body_of, text_of, whole_of
from annotation.common.sample import load_sample
from annotation.content.chains.read import known_chains
from annotation.content.json import calls_from_json, content_from_json
from annotation.content.revisions import content_of
from annotation.images.chain_runs import EDITORS, RunDeferred, ShownChain, show_preview, show_whole
from annotation.models import AcceptedChain, Gold, Revision, Sample
from annotation.schema import LONGEST_NOTE, SampleContent, ToolCall
from annotation.toolbox.names import UnknownToolError
from annotation.toolbox.python_code import python_code
from annotation.toolbox.results import ToolError
from annotation.workbench.present import known_json, run_json
from annotation.workbench.write import accept_chain, remove_chain, verify_chain
from annotation.workflow import Right
from webapp.common.errors import InvalidInput

SIDES = range(64, 4097)


@require_POST
@answers_json
def run(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"calls", "focus", "side", "full", "known", "editor", and as in a content "answer_type", "options", "answer"} ->
    the steps, their thumbnails, and the images of the selected one; or 202 {"later"}, busy or superseded, if the
    request did not run.

    ``full`` false: at the resolution of the screen, ``side`` pixels at most. ``known`` are keys of results whose
    thumbnails the page has. ``editor`` identifies the requesting page: a new request drops its previous one. Nothing is
    written.
    """
    person, sample = load_sample(request, slug, key, Right.VIEW)
    data = body_of(request)
    content = _content(data)
    calls = content.reference_toolchain
    side, focus = whole_of(data, "side"), whole_of(data, "focus")
    if side not in SIDES:
        raise InvalidInput(
            gettext("side must be %(start)s to %(value)s pixels.") % {"start": SIDES.start, "value": SIDES.stop - 1},
            field="side",
        )
    known = data.get("known", [])
    if not isinstance(known, list) or len(known) > 500:
        raise InvalidInput(gettext("known must be a list of at most 500 keys."), field="known")
    editor = text_of(data, "editor", longest=80)
    show = show_whole if data.get("full") is True else show_preview
    try:
        with EDITORS.asking(f"{person.pk} {editor}" if editor else "") as asked:
            shown = show(sample, calls, side, asked)
    except RunDeferred as later:
        return JsonResponse({"later": later.code}, status=202)
    answer = run_json(shown, focus, side, {str(one) for one in known}, content)
    return JsonResponse(answer | {"python": _python(sample, calls, shown)})


@require_POST
@answers_json
def verify(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"calls", "answer_type", "options", "answer", "reason"?, "image"?} -> the mark; 400 if the toolchain does not run
    to its end, and with the code ``measured_otherwise`` if its last step measures another answer and no reason is
    given; 409 ``image_replaced`` as for a draft.
    """
    person, sample = load_sample(request, slug, key, Right.VIEW)
    data = body_of(request)
    content = _content(data)
    reason = text_of(data, "reason", longest=LONGEST_NOTE)
    image = text_of(data, "image", longest=64)
    mark = verify_chain(actor=person, sample=sample, content=content, reason=reason, image=image)
    return JsonResponse(mark_json(mark, content))


def _content(data: Mapping[str, Any]) -> SampleContent:
    """Return the toolchain with the answer and the options on the page. Raises ``InvalidInput``."""
    names = {"calls": "reference_toolchain", "answer_type": "answer_type", "options": "options", "answer": "answer"}
    content, _, _ = content_from_json(
        {"answer_type": "open"} | {names[name]: data[name] for name in names if name in data}
    )
    return content


@require_POST
@answers_json
def accept(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"calls", "note", "image"?} -> {"chains"}: all alternatives; 409 ``image_replaced`` as for a draft."""
    person, sample = load_sample(request, slug, key, Right.REVIEW)
    data = body_of(request)
    accept_chain(
        actor=person, sample=sample, calls=calls_from_json(data.get("calls", [])), note=text_of(data, "note"),
        image=text_of(data, "image", longest=64),
    )  # fmt: skip
    return JsonResponse({"chains": _further(sample, slug)})


@require_POST
@answers_json
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """-> {"chains"}: the remaining ones."""
    benchmark = load_benchmark(request, slug, Right.REVIEW)
    chain = get_object_or_404(AcceptedChain.objects.select_related("sample__image"), sample__benchmark=benchmark, pk=pk)
    sample: Sample = chain.sample
    sample.benchmark = benchmark
    remove_chain(actor=request.user, chain=chain)  # type: ignore[arg-type]  # who reviews is signed in
    return JsonResponse({"chains": _further(sample, slug)})


def _further(sample: Sample, slug: str) -> list[dict[str, Any]]:
    """Return the accepted toolchains except that of the gold."""
    gold = Gold.objects.filter(sample=sample).values("revision")[:1]
    revision = Revision.objects.filter(pk__in=gold).with_content().first()
    content = content_of(revision) if revision else SampleContent()
    return [known_json(chain, content, slug) for chain in known_chains(sample, content) if chain.number]


def _python(sample: Sample, calls: tuple[ToolCall, ...], shown: ShownChain) -> dict[str, Any]:
    """Return the toolchain as a program, up to the first step that fails."""
    runs = calls[: shown.error.number - 1] if shown.error else calls
    image = sample.image
    try:
        code = python_code(runs, image.width, image.height, _file_of(sample)) if image else ""
    except (ToolError, UnknownToolError, KeyError):
        code = ""
    return {"code": code, "whole": shown.error is None}


def _file_of(sample: Sample) -> str:
    return sample.image_name.replace("\\", "/").rsplit("/", 1)[-1] or f"{sample.key}.png"
