"""The page on which a lead removes an image at once, and a site admin allows it again."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.content.takedown import allow_again, images_of, take_down
from annotation.images.store import WITHOUT_FILE
from annotation.models import Benchmark, Image, Sample
from annotation.work.forms import TakeDownForm
from annotation.work.read import with_removed_ones
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import NotFound, errors_said_in


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def take_down_image(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """Template annotation/work/take_down.html; context: sample, form, others_n (samples of the benchmark with the same
    image), images (its own first), removed (of them), may_allow (for site admins). Posted: image (sha256), reason. Also
    for deleted and withdrawn samples."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    sample = _sample(benchmark, key)
    images = images_of(sample)
    form = TakeDownForm([one for one in images if one.state not in WITHOUT_FILE], request.POST or None)
    if request.method == "POST" and form.is_valid():
        with errors_said_in(form):
            take_down(actor=request.user, benchmark=benchmark, sample=sample, **form.cleaned_data)
            messages.success(request, gettext("The image of %(key)s is removed.") % {"key": sample.key})
            return _back(benchmark, sample)
    others = Sample.objects.filter(benchmark=benchmark, image=sample.image_id).exclude(pk=sample.pk)
    removed = [one for one in images if one.state == Image.State.REMOVED]
    context = {
        **benchmark_context(request, benchmark, "work"),
        "sample": sample,
        "form": form,
        "others_n": others.count() if sample.image_id else 0,
        "images": images,
        "removed": removed,
        "may_allow": bool(removed) and request.user.is_staff,
    }
    return render(request, "annotation/work/take_down.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def allow_image(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """Let the file of a removed image be uploaded again. For site admins. Posted: image (sha256)."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    sample = _sample(benchmark, key)
    wanted = request.POST.get("image", "")
    image = next((one for one in images_of(sample) if wanted in ("", one.sha256)), None)
    if image is None:
        raise NotFound(gettext("%(key)s has no such image.") % {"key": sample.key})
    allow_again(actor=request.user, image=image)
    messages.success(request, gettext("The image of %(key)s can be uploaded again.") % {"key": sample.key})
    return _back(benchmark, sample)


def _sample(benchmark: Benchmark, key: str) -> Sample:
    found = with_removed_ones(benchmark).filter(key=key).first()
    if found is None:
        raise NotFound(gettext("There is no sample %(key)s.") % {"key": key})
    sample: Sample = found
    return sample


def _back(benchmark: Benchmark, sample: Sample) -> HttpResponse:
    """To the page of the sample, which a deleted one does not have."""
    if sample.removed_from_id:
        return redirect("evaluation:trash", benchmark.slug)
    return redirect("evaluation:sample", benchmark.slug, sample.key)
