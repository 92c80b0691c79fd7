"""The rules for monitoring work on a benchmark, as set by its lead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.blindness import CHECKS_AND_PUBLIC, JUDGING_AND_PUBLIC, STUDY_AND_PUBLIC
from annotation.models import Benchmark, QualityRules
from annotation.work_rules import new_seed
from webapp.common.errors import Conflict


def rules_of(benchmark: Benchmark) -> QualityRules:
    """The benchmark's rules, or the default ones, not stored. Asked for once for each benchmark that was loaded."""
    return getattr(benchmark, "quality", None) or QualityRules(benchmark=benchmark)


def stored_rules(benchmark: Benchmark) -> QualityRules:
    """The benchmark's rules, stored now if they were not, with a seed that cannot be guessed. Call inside a
    transaction."""
    benchmark.quality, _ = QualityRules.objects.get_or_create(benchmark=benchmark, defaults={"seed": new_seed()})
    return benchmark.quality


def refuse_open_blind_work(
    benchmark: Benchmark,
    *,
    public: bool | None = None,
    checks: bool | None = None,
    judging: bool | None = None,
    study: bool = False,
) -> None:
    """Raise ``Conflict`` if the benchmark would be public while gold checks run or a judging queue or human study is
    open.

    ``public``, ``checks``, ``judging`` and ``study`` are the new values; None: unchanged. Call inside a transaction:
    concurrent changes of these wait for each other."""
    stored = Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
    if not (stored.public if public is None else public):
        return
    if judging or (judging is None and Benchmark.objects.asking_judges().filter(pk=stored.pk).exists()):
        if judging:
            remedy = gettext("Close %(title)s under Settings first.")
        else:
            remedy = gettext("Finish or delete the queues of %(title)s under Judging first.")
        raise Conflict(
            f"{gettext(JUDGING_AND_PUBLIC)} {remedy % {'title': benchmark.title}}",
            code="judging_and_public", field="size" if judging else "public",
        )  # fmt: skip
    if study or Benchmark.objects.with_open_study().filter(pk=stored.pk).exists():
        if study:
            remedy = gettext("Close %(title)s under Settings first.")
        else:
            remedy = gettext("Close the human study of %(title)s first.")
        raise Conflict(
            f"{gettext(STUDY_AND_PUBLIC)} {remedy % {'title': benchmark.title}}",
            code="study_and_public", field="n" if study else "public",
        )  # fmt: skip
    if not (rules_of(stored).checks_run if checks is None else checks):
        return
    if checks:
        remedy = gettext("Close %(title)s under Settings first, or turn off gold checks.")
    else:
        remedy = gettext("Stop the gold checks of %(title)s under Quality first.")
    raise Conflict(
        f"{gettext(CHECKS_AND_PUBLIC)} {remedy % {'title': benchmark.title}}",
        code="checks_and_public", field="check_share" if checks else "public",
    )  # fmt: skip


def change_rules(benchmark: Benchmark, values: Mapping[str, Any]) -> QualityRules:
    """The rules with these values. Call inside a transaction."""
    rules = stored_rules(benchmark)
    for name, value in values.items():
        setattr(rules, name, value)
    rules.save(update_fields=list(values))
    return rules
