"""Clicks of annotators on an image, for which a model proposes a shape; and the image that an ML backend fetches."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.requests import answers_json, body_of, number_of, text_of
from annotation.common.sample import load_sample
from annotation.workflow import Right
from evaluation.experiments.present.clicks import shape_json
from evaluation.experiments.read.clicks import require_click
from evaluation.experiments.read.image_links import clicked_image
from evaluation.experiments.write.clicks import propose_shape
from webapp.common.errors import InvalidInput
from webapp.common.http import Request


@require_POST
@answers_json
def click_shape(request: Request, slug: str, key: str) -> HttpResponse:
    """{"x", "y", "image"?} in pixels of the original -> {"id", "box", "points" or null, "label", "score", "source"}:
    the shape at this point that a model proposes. 409 without one, or ``image_replaced`` as for a draft, 429 while
    others are asked for, 503 without an answer in time."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    data = body_of(request)
    x, y = number_of(data, "x"), number_of(data, "y")
    if x is None or y is None:
        raise InvalidInput(gettext("Send the point as x and y."), field="x" if x is None else "y")
    require_click(person, sample)
    image = text_of(data, "image", longest=64)
    made, shape = propose_shape(actor=person, sample=sample, point=(x, y), image=image)
    return JsonResponse(shape_json(made, shape))


@require_safe
def click_image(request: HttpRequest, token: str, name: str) -> HttpResponse:
    """The image of a click, by its signed address. ``name``: of the file, which is not checked."""
    data, media_type = clicked_image(token)
    answer = HttpResponse(data, content_type=media_type)
    answer["Cache-Control"] = "private, no-store"
    return answer
