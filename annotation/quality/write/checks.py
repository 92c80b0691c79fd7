"""Actions of a lead on gold checks: rules, gold check samples, and answers that need a decision."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.rules import change_rules, refuse_open_blind_work, rules_of, stored_rules
from annotation.content.guidelines import shown_in_guidelines
from annotation.models import Benchmark, CheckAnswer, GoldCheck, ImageVariant, QualityRules, Sample
from annotation.queue.check_work import pause_if_needed
from annotation.work_rules import BoxMeasure
from annotation.workflow import Right, SampleState
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

MOST = 1000
"""The maximum number of gold check samples added at once."""


def set_check_rules(
    *, actor: User, benchmark: Benchmark, check_first: int, check_share: float, box_measure: str, box_least: float,
    any_question: bool, pause_after: int, pause_below: float | None,
) -> QualityRules:  # fmt: skip
    """Set the share of checks in future assignments, and the rules for passing and pausing. Existing comparisons stay
    unchanged.

    Raises ``Conflict`` on a public benchmark: see ``refuse_open_blind_work``.
    """
    require(actor, benchmark, Right.MANAGE)
    if not 0 <= check_first <= 100:
        raise InvalidInput(gettext("The number of warm-up checks must be from 0 to 100."), field="check_first")
    if not 0 <= check_share <= 0.5:
        raise InvalidInput(gettext("Checks can be at most half of the assigned samples."), field="check_share")
    if box_measure not in list(BoxMeasure) or not 0 <= box_least <= 1:
        raise InvalidInput(
            gettext("Boxes must be measured by iou or ioa, with a threshold from 0 to 1."), field="box_least"
        )
    if pause_after < 1 or (pause_below is not None and not 0 < pause_below <= 1):
        raise InvalidInput(
            gettext("A pause needs at least one check and an accuracy above 0, up to 1."), field="pause_below"
        )
    values: dict[str, Any] = {
        "check_first": check_first, "check_share": check_share, "box_measure": box_measure, "box_least": box_least,
        "any_question": any_question,
        "pause_after": pause_after, "pause_below": pause_below,
    }  # fmt: skip
    with transaction.atomic():
        refuse_open_blind_work(benchmark, checks=bool(check_first or check_share or rules_of(benchmark).quiz_size))
        rules = change_rules(benchmark, values)
        audit.record(actor=actor, action="gold_check.rules", subject=benchmark, benchmark=benchmark.slug, data=values)
    return rules


def add_checks(*, actor: User, benchmark: Benchmark, keys: Sequence[str]) -> int:
    """Use the gold of these accepted samples for checks, all or none; return the number of new ones. Raises
    ``Conflict`` with the first that is not accepted.
    """
    require(actor, benchmark, Right.MANAGE)
    wanted = list(dict.fromkeys(keys))
    if len(wanted) > MOST:
        raise InvalidInput(gettext("At most %(limit)s samples at once.") % {"limit": MOST}, field="keys")
    with transaction.atomic():
        fit = Sample.objects.filter(benchmark=benchmark, key__in=wanted, state=SampleState.ACCEPTED, gold__isnull=False)
        found = {sample.key: sample for sample in fit}
        for key in wanted:
            if key not in found:
                raise Conflict(
                    gettext("%(key)s is not an accepted sample of %(title)s. Nothing was added.")
                    % {"key": key, "title": benchmark.title},
                    field="keys",
                )
        if asked := sorted(key for key, sample in found.items() if sample.asked_from_id):
            raise Conflict(
                gettext("%(keys)s: the ID of a further question shows who asked it before. Nothing was added.")
                % {"keys": ", ".join(asked)},
                field="keys",
            )
        if made := sorted(ImageVariant.objects.filter(sample__in=fit).values_list("sample__key", flat=True)):
            raise Conflict(
                gettext("%(keys)s: the ID of a variant shows that another sample has gold. Nothing was added.")
                % {"keys": ", ".join(made)},
                field="keys",
            )
        if shown := shown_in_guidelines(benchmark) & set(wanted):
            raise Conflict(
                gettext("The guidelines show the gold of %(keys)s to everyone. Nothing was added.")
                % {"keys": ", ".join(sorted(shown))},
                field="keys",
            )
        return _add(actor, benchmark, [found[key] for key in wanted])


def draw_checks(*, actor: User, benchmark: Benchmark, n: int) -> int:
    """Draw this many accepted samples at random that are no checks yet; return how many were available."""
    require(actor, benchmark, Right.MANAGE)
    if not 1 <= n <= MOST:
        raise InvalidInput(gettext("Select from 1 to %(limit)s samples.") % {"limit": MOST}, field="n")
    with transaction.atomic():
        fit = Sample.objects.filter(benchmark=benchmark, state=SampleState.ACCEPTED, gold__isnull=False)
        fit = fit.filter(gold_check__isnull=True, asked_from__isnull=True, variant__isnull=True)
        left = list(fit.exclude(key__in=shown_in_guidelines(benchmark)).order_by("pk"))
        seed = f"{stored_rules(benchmark).seed} checks {GoldCheck.objects.filter(sample__benchmark=benchmark).count()}"
        return _add(actor, benchmark, random.Random(seed).sample(left, min(n, len(left))), seed=seed)


def _add(actor: User, benchmark: Benchmark, samples: Sequence[Sample], seed: str = "") -> int:
    """Add checks with four queries for any number of samples."""
    stored_rules(benchmark)
    retired = GoldCheck.objects.filter(sample__in=samples, active=False).update(active=True)
    before = GoldCheck.objects.filter(sample__benchmark=benchmark).count()
    GoldCheck.objects.bulk_create(
        [GoldCheck(sample=sample, added_by=actor) for sample in samples], ignore_conflicts=True
    )
    new = GoldCheck.objects.filter(sample__benchmark=benchmark).count() - before + retired
    data: dict[str, Any] = {"samples": [sample.key for sample in samples], "new": new, "seed": seed}
    audit.record(actor=actor, action="gold_check.add", subject=benchmark, benchmark=benchmark.slug, data=data)
    return new


def retire_check(*, actor: User, check: GoldCheck) -> None:
    """Stop assigning a check; its answers stay and count."""
    benchmark = check.sample.benchmark
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        GoldCheck.objects.filter(pk=check.pk).update(active=False)
        audit.record(actor, "gold_check.retire", check, benchmark.slug, data={"sample": check.sample.key})


def decide_check(*, actor: User, answer: CheckAnswer, passed: bool) -> None:
    """Decide manually whether an answer passes, if it was undecided or decided incorrectly."""
    benchmark = answer.check_of.sample.benchmark
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        changed = CheckAnswer.objects.filter(pk=answer.pk).handed_in().update(passed=passed, decided_by=actor)
        if not changed:
            raise Conflict(gettext("%(key)s is not submitted yet.") % {"key": answer.check_of.sample.key})
        audit.record(
            actor=actor, action="gold_check.decide", subject=answer, benchmark=benchmark.slug,
            before=str(answer.passed), after=str(passed), data={"sample": answer.check_of.sample.key},
        )  # fmt: skip
        pause_if_needed(answer.user, benchmark, rules_of(benchmark))
