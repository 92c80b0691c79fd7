"""Publishing guidelines, and confirming that one read them."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.notices import notify_guideline
from annotation.guideline_text import Outline, outline
from annotation.models import Benchmark, GoldCheck, Guideline, GuidelineReading, Sample
from annotation.workflow import Right, SampleState
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput


def publish(
    *, actor: User, benchmark: Benchmark, body: str, note: str = "", must_read: bool = True, based_on: int
) -> Guideline:
    """The next version of the guidelines, in force from now on. ``based_on``: the number of the version that the actor
    changed. Raises ``Conflict`` if another was published meanwhile, and ``InvalidInput`` with the problems."""
    require(actor, benchmark, Right.MANAGE)
    found = outline(body)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        last = Guideline.objects.in_force(benchmark)
        number = last.number if last else 0
        if number != based_on:
            raise Conflict(
                gettext("%(person)s published version %(number)s meanwhile. Compare it with your text, then publish.")
                % {"person": last.published_by if last else "", "number": number},
                code="guidelines_changed",
                field="body",
            )
        if last is not None and last.body == body:
            raise InvalidInput(gettext("The text is the same as in version %(n)s.") % {"n": number}, field="body")
        if problems := [*map(str, found.problems), *_unfit(benchmark, found)]:
            raise InvalidInput(" ".join(problems), field="body")
        made: Guideline = Guideline.objects.create(
            benchmark=benchmark, number=number + 1, body=body, note=note, must_read=must_read, published_by=actor
        )
        GuidelineReading.objects.create(guideline=made, user=actor)
        data = {"number": made.number, "note": note, "required": must_read}
        audit.record(actor=actor, action="guidelines.publish", subject=made, benchmark=benchmark.slug, data=data)
        notify_guideline(actor, made)
    return made


def _unfit(benchmark: Benchmark, found: Outline) -> Iterator[str]:
    """Yield why images and examples can't be shown. A gold check would be revealed to every reader."""
    keys = {*found.images, *(example.sample for example in found.examples)}
    states = dict(Sample.objects.filter(benchmark=benchmark, key__in=keys).values_list("key", "state"))
    active = GoldCheck.objects.filter(sample__benchmark=benchmark, sample__key__in=keys, active=True)
    checks = set(active.values_list("sample__key", flat=True))
    for key in sorted(keys - states.keys()):
        yield gettext("%(key)s is no sample of this benchmark.") % {"key": key}
    for key in dict.fromkeys(example.sample for example in found.examples):
        if key in states and states[key] != SampleState.ACCEPTED:
            yield gettext("%(key)s is not accepted. Examples show accepted samples.") % {"key": key}
        elif key in checks:
            yield gettext("%(key)s is a gold check. Retire the check, or choose another example.") % {"key": key}


def confirm_read(*, actor: User, guideline: Guideline) -> None:
    """The person read these guidelines; saying it again changes nothing."""
    require(actor, guideline.benchmark, Right.VIEW)
    with transaction.atomic():
        _, new = GuidelineReading.objects.get_or_create(guideline=guideline, user=actor)
        if new:
            slug = guideline.benchmark.slug
            audit.record(actor, "guidelines.read", guideline, slug, data={"number": guideline.number})
