"""A new benchmark out of a portable file."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.benchmarks.write.benchmark import may_create
from evaluation.exports.forms import ProjectFileForm
from evaluation.exports.write import import_project
from webapp.accounts.http import SignedInRequest
from webapp.common.bodies import ENVELOPE, Room, takes_files
from webapp.common.errors import NotAllowed, errors_said_in


def _room(user: Any) -> Room | None:
    advice = gettext("Import a larger file on the server with manage.py benchmark import.")
    return Room(int(settings.MAX_UPLOAD_BYTES) + ENVELOPE, advice) if may_create(user) else None


@takes_files(_room)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_from_file(request: SignedInRequest) -> HttpResponse:
    """Template evaluation/exports/new_from_file.html; context: form. The sender of the file leads the new benchmark."""
    if not may_create(request.user):
        raise NotAllowed(gettext("You can't create benchmarks on this site. Ask a site admin to create yours."))
    form = ProjectFileForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form), tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "project"
            with path.open("wb") as out:
                shutil.copyfileobj(form.cleaned_data["file"], out)
            slug = form.cleaned_data["slug"]
            made = import_project(actor=request.user, path=path, slug=slug, lead=request.user)
            messages.success(request, gettext("%(title)s was made out of the file.") % {"title": made.title})
            return redirect("annotation:benchmark", made.slug)
    status = 400 if form.errors else 200
    return render(request, "evaluation/exports/new_from_file.html", {"form": form}, status=status)
