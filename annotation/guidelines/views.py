"""Reading the guidelines, alone or next to a sample; writing and publishing them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.guidelines import to_next
from annotation.common.loading import load_benchmark
from annotation.common.sections import settings_context
from annotation.common.tabs import benchmark_context
from annotation.common.uploads import UPLOADS
from annotation.guidelines.forms import GuidelineImageForm, GuidelinesForm, image_room
from annotation.guidelines.present import changes, text_for, upload_rows
from annotation.guidelines.read import last_read, readers_of, uploaded_by_name, versions_of
from annotation.guidelines.write import LARGEST_IMAGE, add_image, confirm_read, image_too_large, publish, remove_image
from annotation.models import Benchmark, Guideline
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.accounts.models import User
from webapp.common.bodies import takes_files
from webapp.common.errors import ApplicationError, InvalidInput, errors_said_in
from webapp.common.limits import asking


@require_safe
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """Template annotation/guidelines/guidelines.html; context: shown (Guideline or None), text (Text), newest (the
    number of the newest), versions (for leads), changed (ChangedLine) since ``since``, to_read (the reader has to
    confirm it), queue (where to continue), and the benchmark's head. Address: ?version=N an older version; ?since=N
    what changed since then (0: all of it is new), without it since the version that the reader confirmed."""
    benchmark = load_benchmark(request, slug)
    newest = Guideline.objects.in_force(benchmark)
    shown = _version(benchmark, request.GET.get("version", ""), newest)
    context = benchmark_context(request, benchmark, "guidelines")
    context |= {"shown": shown, "newest": newest.number if newest else 0}
    if shown is not None:
        person = request.user if isinstance(request.user, User) else None
        read = last_read(person, benchmark) if person else 0
        since = _version(benchmark, request.GET.get("since", str(read)), None)
        compared = since is not None and since.number < shown.number
        to_read = person is not None and shown == newest and read < shown.number
        context |= {
            "text": text_for(request.user, benchmark, shown.body),
            "since": since,
            "changed": changes(benchmark, since, shown) if compared else [],
            "to_read": to_read,
            "queue": request.GET.get("queue", ""),
            "versions": versions_of(benchmark) if context["rights"][Right.MANAGE.value] else [],
        }
    return render(request, "annotation/guidelines/guidelines.html", context)


@login_required
@require_POST
def guidelines_read(request: SignedInRequest, slug: str) -> HttpResponse:
    """The reader confirms. POST version: the number that they read; queue: "annotate" or "review", to continue there
    with the next sample."""
    benchmark = load_benchmark(request, slug)
    number = request.POST.get("version", "")
    read = get_object_or_404(
        Guideline.objects.select_related("benchmark"), benchmark=benchmark, number=number if number.isdigit() else 0
    )
    confirm_read(actor=request.user, guideline=read)
    return to_next(slug, request.POST.get("queue", "")) or redirect("annotation:guidelines", slug)


@require_safe
def guidelines_panel(request: HttpRequest, slug: str) -> HttpResponse:
    """The guidelines in force, next to a sample. Template annotation/guidelines/_panel.html; context: benchmark, shown
    (Guideline or None), text (Text)."""
    benchmark = load_benchmark(request, slug)
    shown = Guideline.objects.in_force(benchmark)
    context: dict[str, Any] = {"benchmark": benchmark, "shown": shown}
    if shown is not None:
        context["text"] = text_for(request.user, benchmark, shown.body)
    return render(request, "annotation/guidelines/_panel.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def guidelines_settings(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/guidelines/settings.html; context: form (GuidelinesForm), newest (Guideline or None), readers
    (Readers), versions (Guideline with ``readers``), uploads (UploadRow), most (bytes of an image), too_large (words),
    and the settings' sections. Posted: the fields of the form."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    newest = Guideline.objects.in_force(benchmark)
    initial = {"body": newest.body if newest else "", "based_on": newest.number if newest else 0, "must_read": True}
    form = GuidelinesForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        with errors_said_in(form):
            made = publish(actor=request.user, benchmark=benchmark, **form.cleaned_data)
            messages.success(request, gettext("Version %(number)s is published.") % {"number": made.number})
            return redirect("annotation:guidelines-settings", slug)
    if form.errors and newest is not None:
        # Who was overtaken compares, and then publishes on top of what they saw.
        form.data = {**request.POST.dict(), "based_on": str(newest.number)}
    context = {
        **settings_context(request, benchmark, "guidelines"),
        "form": form,
        "newest": newest,
        "readers": readers_of(newest) if newest else None,
        "versions": versions_of(benchmark),
        "uploads": upload_rows(benchmark),
        "most": LARGEST_IMAGE,
        "too_large": image_too_large(),
    }
    return render(request, "annotation/guidelines/settings.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def guidelines_preview(request: SignedInRequest, slug: str) -> HttpResponse:
    """The posted ``body`` as people will read it, before it is published. Template annotation/guidelines/_text.html;
    context: text."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    body = request.POST.get("body", "").replace("\r\n", "\n")
    return render(request, "annotation/guidelines/_text.html", {"text": text_for(request.user, benchmark, body)})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@takes_files(image_room)
def guidelines_images(request: SignedInRequest, slug: str) -> HttpResponse:
    """The uploaded images. Template annotation/guidelines/_uploads.html; context: benchmark, uploads (UploadRow).
    Posted: ``image``, a file to upload. Scripts get JSON with its ``reference`` in a text."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    if request.method == "POST":
        form = GuidelineImageForm(request.POST, request.FILES)
        if not form.is_valid():
            raise InvalidInput(gettext("Choose an image: JPEG, PNG, WebP or TIFF."), field="image")
        UPLOADS.take(asking(request))
        made = add_image(actor=request.user, benchmark=benchmark, data=form.cleaned_data["image"].read())
        if request.headers.get("Accept") == "application/json":
            return JsonResponse({"reference": made.reference}, status=201)
        messages.success(request, gettext("The image is uploaded as %(name)s.") % {"name": made.reference})
        return redirect("annotation:guidelines-settings", slug)
    context = {"benchmark": benchmark, "uploads": upload_rows(benchmark)}
    return render(request, "annotation/guidelines/_uploads.html", context)


@login_required
@require_POST
def guidelines_image_delete(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    """Delete an uploaded image that no version shows."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    image = uploaded_by_name(benchmark).get(name)
    if image is None:
        raise Http404(gettext("There is no such image."))
    try:
        remove_image(actor=request.user, benchmark=benchmark, image=image)
        messages.success(request, gettext("The image is deleted."))
    except ApplicationError as error:
        messages.error(request, error.message)
    return redirect("annotation:guidelines-settings", slug)


def _version(benchmark: Benchmark, number: str, otherwise: Guideline | None) -> Guideline | None:
    """The version of this number; ``otherwise`` where none is named, None for 0."""
    if not number:
        return otherwise
    if number == "0":
        return None
    if not number.isdigit() or len(number) > 9:
        raise Http404(gettext("There is no such version of the guidelines."))
    found: Guideline = get_object_or_404(Guideline.objects, benchmark=benchmark, number=int(number))
    return found
