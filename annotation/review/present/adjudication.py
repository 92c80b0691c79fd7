"""The data of the adjudication page for its script: the comparison of the annotations, and the editor."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy

from annotation.common.keys import ADJUDICATE, editor_keys, keys_json
from annotation.common.sample import bank_json, known_facets, picture_json
from annotation.common.task import task_json
from annotation.consensus import Combine
from annotation.models import Sample
from annotation.review.present.comparison import comparison_json
from annotation.task_schema import FacetAuthor
from webapp.accounts.models import User

WAYS = {
    Combine.MEDIAN: gettext_lazy("median"),
    Combine.MAJORITY: gettext_lazy("majority"),
    Combine.UNION: gettext_lazy("union"),
    Combine.INTERSECTION: gettext_lazy("intersection"),
}
ROUTES = {
    "decide": "annotation:adjudicate",
    "skip": "annotation:review-skip",
    "report": "annotation:report-problem",
    "release": "annotation:review-release",
    "renew": "annotation:review-renew",
    "time": "annotation:adjudication-time",
}


def adjudication_json(user: User, sample: Sample) -> dict[str, Any]:
    """Return the data for the script of the page."""
    slug = sample.benchmark.slug
    urls = {name: reverse(route, args=[slug, sample.key]) for name, route in ROUTES.items()}
    return comparison_json(user, sample) | {
        "open": True,
        "image": picture_json(sample),
        "facets": known_facets(sample.benchmark),
        "task": task_json(sample.benchmark.task, FacetAuthor.ANNOTATOR, FacetAuthor.REVIEWER),
        "bank": bank_json(sample.benchmark),
        "keys": keys_json(user, ADJUDICATE),
        "editor_keys": editor_keys(user, sample.benchmark.task),
        "urls": urls | {"queue": reverse("annotation:review", args=[slug])},
    }
