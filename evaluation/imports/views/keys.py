"""Mapping the keys of a log that no format fits: a tree of them, the fields, and a preview at every change."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_http_methods, require_safe

from annotation.common.loading import load_benchmark
from annotation.workflow import Right
from evaluation.importers.interface import ImportProblem
from evaluation.imports.forms.choices import BOX_FORMS, SPACES
from evaluation.imports.forms.keys import KeyForm, sent
from evaluation.imports.present.keys import fields_shown, preview_shown, roles_shown, texts_shown, tree_shown
from evaluation.imports.read.mappings import KEYS
from evaluation.imports.write import upload
from evaluation.imports.write.preview.keys import KeyPreview, begun, ids_of, outline_for, preview
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import NotFound
from webapp.common.htmx import render_page

WRONG = gettext_noop("Correct the marked field first.")
PAGE, PIECE = "evaluation/imports/keys/keys.html", "evaluation/imports/keys/_keys.html"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: SignedInRequest, slug: str, record: int) -> HttpResponse:
    """Template evaluation/imports/keys/keys.html and its piece evaluation/imports/keys/_keys.html. Context: record,
    form, tree, fields (by group), texts, roles, spaces, box_forms, begun (the source of the mapping), preview, mapping
    (as JSON, to be read).

    Posting changes nothing that is stored: the piece comes back with the change made and its preview.
    """
    found = _load(request, slug, record)
    if found.state not in upload.CHANGEABLE or found.kind != upload.Kind.RUNS:
        return redirect("evaluation:import-record", slug, record)
    upload.require_kind(request.user, found)
    try:
        outline = outline_for(found)
    except ImportProblem as problem:
        return render_page(request, PAGE, PIECE, {**_context(found), "problem": str(problem)})
    start = begun(found, outline)
    posted = request.method == "POST"
    form = sent(request.POST, outline, ids_of(found)) if posted else KeyForm.of(start.mapping)
    mapping = form.mapping
    lenient = mapping or form.lenient
    tree = outline.tree(lenient.rows, lenient.texts)
    space = form.values.get("coordinates", "pixel")
    context = {
        **_context(found),
        "form": form,
        "begun": start if request.method != "POST" else None,
        "tree": tree_shown(tree, lenient, form.chosen),
        "fields": fields_shown(form, tree, lenient),
        "texts": texts_shown(lenient),
        "roles": roles_shown(lenient, tree),
        "wrong": form.errors.get(""),
        "spaces": [*SPACES[1:], ("size", gettext("Pixels of the image as sent, …"))],
        "space": space if space in dict(SPACES) else "size",
        "sent_size": "" if space in dict(SPACES) else space,
        "box_forms": BOX_FORMS,
        "preview": preview_shown(found, preview(found, mapping) if mapping else KeyPreview(gettext(WRONG))),
        "mapping": json.dumps(mapping.as_dict(), indent=1, ensure_ascii=False) if mapping else "",
    }
    return render_page(request, PAGE, PIECE, context)


@login_required
@require_safe
def mapping(request: SignedInRequest, slug: str, record: int) -> HttpResponse:
    """The mapping that a file is read by, as a file for ``import_runs --mapping``."""
    found = _load(request, slug, record)
    if not found.options.get("mapping"):
        raise NotFound(gettext("This import has no mapping yet. Map the keys or columns of the file first."))
    response = JsonResponse(found.options["mapping"], json_dumps_params={"indent": 1, "ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="{slug}-import-{record}-mapping.json"'
    return response


def _load(request: SignedInRequest, slug: str, record: int) -> Any:
    benchmark = load_benchmark(request, slug, Right.IMPORT_RUNS)
    return get_object_or_404(benchmark.imports.select_related("created_by", "benchmark"), pk=record)


def _context(found: Any) -> dict[str, Any]:
    return {"benchmark": found.benchmark, "record": found, "format": KEYS}
