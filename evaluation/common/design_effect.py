"""The effect of clusters on an interval, as text for every page with an interval."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_lazy

from webapp.common.formatting import decimal

ALONE = 1e-9
"""If the effective number differs from n by less than this share, they are equal: every sample has its own image."""


def design_words(n: int, n_eff: float | None) -> str:
    """Return ``design effect 1.36, as 46 independent samples``, from DEFF = n / n_eff (docs/metrics.md#one-run); "" if
    it is undefined, and if samples share no images.
    """
    if not n_eff or abs(n_eff - n) < ALONE * n:
        return ""
    message = gettext("design effect %(effect)s, equivalent to %(count)s independent samples")
    return message % {"effect": decimal(n / n_eff, 2), "count": decimal(n_eff)}


METHODS = {
    "wilson": gettext_lazy("Wilson interval"),
    "wilson-n-eff": gettext_lazy("Wilson interval with the effective number of samples"),
    "cluster-t": gettext_lazy("interval clustered by image"),
    "cluster-bootstrap": gettext_lazy("bootstrap interval clustered by image"),
    "stratified-wilson": gettext_lazy("Wilson interval of the stratified sample, over samples only"),
    "stratified-t": gettext_lazy("interval of the stratified sample, over samples only"),
    "samples-bootstrap": gettext_lazy("bootstrap interval over samples only"),
    "people-bootstrap": gettext_lazy("bootstrap interval over people and samples"),
    "newcombe": gettext_lazy("Newcombe's paired interval"),
}
