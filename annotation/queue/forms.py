"""The form of how a benchmark assigns its samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from annotation.consensus import Combine, Support
from annotation.models import AdjudicationRule, Benchmark, BenchmarkQueue, FacetValue
from annotation.queue.rounds import rule_of
from annotation.queue.settings import LONGEST_LEASE, LONGEST_TAKE_BACK, MOST_PEOPLE


def _range(low: int, high: int) -> dict[str, Any]:
    said = format_lazy(gettext_lazy("A number from {low} to {high}."), low=low, high=high)
    return {
        "min_value": low,
        "max_value": high,
        "error_messages": dict.fromkeys(("min_value", "max_value", "invalid"), said),
    }


class Percent(forms.FloatField):
    """A share, as a person writes it: 15 is 0.15."""

    def __init__(self, *, high: int = 100, **options: Any) -> None:
        super().__init__(**_range(0, high), **options)

    def prepare_value(self, value: Any) -> Any:
        return f"{value * 100:.6g}" if isinstance(value, float) else value

    def clean(self, value: Any) -> float | None:
        found = super().clean(value)
        return None if found is None else found / 100


class QueueForm(forms.Form):
    """The assignment rules of a benchmark; ``set_queue`` stores them. ``orders`` and ``blinds``: a value and its label;
    ``terms``: a field and its explanation.
    """

    orders = {
        "sequential": gettext_lazy("by id"),
        "random": gettext_lazy("random"),
        "facet": gettext_lazy("by facet"),
        "disputed": gettext_lazy("most disputed first"),
    }
    blinds = {
        "picture": gettext_lazy("from the image"),
        "crop": gettext_lazy("from the gold crops, then the image"),
        "alternating": gettext_lazy("crops or image first, at random"),
        "off": gettext_lazy("off"),
    }
    terms = {
        "order": "disputed",
        "facet": "facet",
        "overlap": "overlap",
        "overlap_mode": "overlap",
        "review_share": "review",
        "blind": "blind-answer",
        "blind_margin": "gold-box",
        "lease_minutes": "reservation",
        "take_back_minutes": "review",
    }

    order = forms.ChoiceField(
        label=gettext_lazy("Order"), choices=list(orders.items()),
        help_text=gettext_lazy("Returned samples always come first, then assigned samples."),
    )  # fmt: skip
    facet = forms.ChoiceField(
        label=gettext_lazy("Facet"),
        required=False,
        help_text=gettext_lazy("Sorts the samples when the order is by facet."),
    )
    overlap = forms.IntegerField(
        label=gettext_lazy("Annotators per sample"), **_range(1, MOST_PEOPLE),
        help_text=gettext_lazy("Annotators can't see each other's work. Review starts when all have submitted."),
    )  # fmt: skip
    overlap_mode = forms.ChoiceField(
        label=gettext_lazy("Question with several annotators"), choices=BenchmarkQueue.OverlapMode.choices,
        help_text=gettext_lazy("The first submission fixes the question for the others, or each writes a question."),
    )  # fmt: skip
    overlap_share = Percent(
        label=gettext_lazy("Share with several annotators, %"),
        help_text=gettext_lazy("Other samples have one annotator."),
    )
    review_share = Percent(
        label=gettext_lazy("Share to review, %"),
        help_text=gettext_lazy(
            "Samples not selected are accepted on submission, except those with several annotators."
        ),
    )
    blind = forms.ChoiceField(
        label=gettext_lazy("Blind answer"), choices=list(blinds.items()),
        help_text=gettext_lazy("What the reviewer sees to answer before the gold is shown."),
    )  # fmt: skip
    blind_margin = Percent(
        label=gettext_lazy("Margin around gold boxes, %"), high=200,
        help_text=gettext_lazy("Relative to the longer side, for answers from the crops."),
    )  # fmt: skip
    lease_minutes = forms.IntegerField(
        label=gettext_lazy("Reservation, minutes"), **_range(1, LONGEST_LEASE),
        help_text=gettext_lazy("Released after this time without activity."),
    )  # fmt: skip
    take_back_minutes = forms.IntegerField(
        label=gettext_lazy("Take back, minutes"), **_range(0, LONGEST_TAKE_BACK),
        help_text=gettext_lazy(
            "How long authors can take a submission back. Review, acceptance without review and gold checks wait for "
            "it. 0 turns it off."
        ),
    )  # fmt: skip

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None) -> None:
        queue = BenchmarkQueue.objects.filter(benchmark=benchmark).first() or BenchmarkQueue(benchmark=benchmark)
        super().__init__(data, initial={name: getattr(queue, name) for name in self.base_fields})
        names = list(FacetValue.objects.filter(benchmark=benchmark).names())
        stored = [queue.facet] if queue.facet and queue.facet not in names else []
        choices = [("", gettext("none")), *((name, name) for name in (*names, *stored))]
        self.fields["facet"] = forms.ChoiceField(
            label=gettext("Facet"), required=False, choices=choices, help_text=self.fields["facet"].help_text
        )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("order") == BenchmarkQueue.Order.FACET and not values.get("facet"):
            self.add_error("facet", gettext("Choose the facet that sorts the samples, or another order."))
        return values


class AdjudicationForm(forms.Form):
    """The rules for combining several annotations to one gold; ``set_adjudication`` stores them."""

    terms = {
        "scope": "adjudication",
        "when_agreed": "disputed",
        "box_iou": "iou",
        "support": "agreement",
        "combine": "gold-box",
        "hide_names": "adjudication",
    }

    scope = forms.ChoiceField(
        label=gettext_lazy("What people decide"), choices=AdjudicationRule.Scope.choices,
        help_text=gettext_lazy("Annotations differ if a field differs: then the sample is disputed."),
    )  # fmt: skip
    when_agreed = forms.ChoiceField(
        label=gettext_lazy("Samples without a dispute"), choices=AdjudicationRule.WhenAgreed.choices,
        help_text=gettext_lazy("Applies where people decide only disputes."),
    )  # fmt: skip
    box_iou = forms.FloatField(
        label=gettext_lazy("Lowest IoU of evidence"), min_value=0.01, max_value=1,
        help_text=gettext_lazy("From 0.01 to 1. Below it, evidence boxes differ."),
    )  # fmt: skip
    support = forms.ChoiceField(
        label=gettext_lazy("Boxes needed from"),
        choices=[(Support.ALL.value, gettext_lazy("all annotators")), (Support.MAJORITY.value, gettext_lazy("most"))],
    )
    combine = forms.ChoiceField(
        label=gettext_lazy("Proposed box"),
        choices=[
            (Combine.MEDIAN.value, gettext_lazy("median of each side")),
            (Combine.MAJORITY.value, gettext_lazy("area of more than half of the annotators")),
            (Combine.UNION.value, gettext_lazy("union")),
            (Combine.INTERSECTION.value, gettext_lazy("intersection")),
        ],
        help_text=gettext_lazy("A union makes grounding harder, an intersection easier."),
    )
    hide_names = forms.BooleanField(
        label=gettext_lazy("Hide names from adjudicators"), required=False,
        help_text=gettext_lazy("Annotations are shown as A, B, C in an order drawn for each sample."),
    )  # fmt: skip

    def __init__(self, benchmark: Benchmark, data: Mapping[str, Any] | None = None) -> None:
        rule = rule_of(benchmark)
        super().__init__(data, initial={name: getattr(rule, name) for name in self.base_fields})
