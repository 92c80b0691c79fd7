"""The one rule of the page and the API for people who may click on a sample for the shape of a model."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext

from annotation.models import Benchmark, Sample
from annotation.queue.editor import studio_json
from annotation.queue.handed import require_handed
from webapp.accounts.models import User
from webapp.common.errors import Conflict


def sample_to_click(person: User, benchmark: Benchmark, key: str) -> Sample:
    """The sample with this key, if this person may click on its image. Raises as ``require_click``, and ``Http404``."""
    sample: Sample = get_object_or_404(Sample.objects.select_related("image"), benchmark=benchmark, key=key)
    sample.benchmark = benchmark
    require_click(person, sample)
    return sample


def require_click(person: User, sample: Sample) -> None:
    """Raise ``Conflict`` where the editor of this person offers no clicks: without a model, in the control arm, where
    the question is fixed, where nothing can be drawn, and after a submission. Raise ``NotAllowed`` if the sample is not
    assigned to a person who gets gold checks."""
    require_handed(person, sample)
    if studio_json(person, sample, {})["click"] is None:
        message = gettext("No model proposes shapes on %(key)s. Draw them.")
        raise Conflict(message % {"key": sample.key}, code="no_model")
