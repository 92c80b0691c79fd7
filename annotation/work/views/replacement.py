"""The page on which a lead replaces the image of a sample."""

from __future__ import annotations

from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.common.sample import load_sample
from annotation.common.tabs import benchmark_context
from annotation.common.uploads import UPLOADS, require_room, upload_room
from annotation.images.store import store_picture
from annotation.imaging.problems import PictureProblem
from annotation.models import ImageReplacement, Sample
from annotation.work.forms import ReplaceImageForm
from annotation.work.write.replacement import Replaced, replace_image
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.bodies import takes_files
from webapp.common.errors import InvalidInput, errors_said_in
from webapp.common.limits import asking


@takes_files(upload_room(Right.MANAGE))
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def replace_sample_image(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """Template annotation/work/replace_image.html; context: sample, form, request_key, others_n (samples with the same
    image). Posted: image-file, image-scale, image-comment, image-to, key."""
    person, sample = load_sample(request, slug, key, Right.MANAGE)
    posted = request.method == "POST"
    form = ReplaceImageForm(sample.benchmark, request.POST if posted else None, request.FILES, prefix="image")
    if posted and form.is_valid():
        with errors_said_in(form):
            given = form.cleaned_data
            UPLOADS.take(asking(request))
            require_room(sample.benchmark, given["file"].size)
            try:
                image = store_picture(actor=person, benchmark=sample.benchmark, source=given["file"].read())
            except PictureProblem as problem:
                raise InvalidInput(problem.message, field="file") from problem
            replaced = replace_image(
                actor=person, sample=sample, image=image, scale=given["scale"], comment=given["comment"],
                to=given["to"], key=request.POST.get("key", "")[:40] or uuid4().hex,
            )  # fmt: skip
            messages.success(request, _words(sample, replaced))
            return redirect("evaluation:sample", slug, sample.key)
    others = Sample.objects.filter(benchmark=sample.benchmark, image=sample.image_id).exclude(pk=sample.pk)
    context = {
        **benchmark_context(request, sample.benchmark, "work"),
        "sample": sample,
        "form": form,
        "request_key": uuid4().hex,
        "others_n": others.count() if sample.image_id else 0,
    }
    return render(request, "annotation/work/replace_image.html", context, status=400 if form.errors else 200)


def _words(sample: Sample, replaced: Replaced) -> str:
    said = {
        ImageReplacement.Boxes.KEPT: gettext("The image of %(key)s is replaced. Boxes are unchanged."),
        ImageReplacement.Boxes.SCALED: gettext("The image of %(key)s is replaced. Boxes are scaled to its size."),
        ImageReplacement.Boxes.RETURNED: gettext("The image of %(key)s is replaced. Its boxes must be drawn again."),
    }
    return said[ImageReplacement.Boxes(replaced.boxes)] % {"key": sample.key}
