"""What the commands of the board share: the current item, locked, and the record of a decision about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from annotation.board.read.items import has_worked_on, may_check_images
from annotation.building import Problem, Stage, Verdict
from annotation.common.access import require, withheld
from annotation.common.sentences import translated
from annotation.models import BuildDecision, BuildItem
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, NotAllowed

LONGEST_NOTE = 1000


def require_image_checker(actor: User, item: BuildItem) -> None:
    """Raises ``NotAllowed`` unless this person annotates or reviews, and did not work on the item."""
    if not may_check_images(actor, item.benchmark):
        message = gettext("Only people who annotate or review can check images. Ask a lead for a role.")
        raise NotAllowed(withheld(actor, item.benchmark, Right.COMPARE_WORK) or message)
    if has_worked_on(actor, item):
        raise NotAllowed(gettext("You worked on this item. Another person must check its image."))


def stale(item: BuildItem) -> Conflict:
    """The item is not as the person saw it."""
    message = gettext("Item %(number)s changed after you opened it. Reload its page.")
    return Conflict(message % {"number": item.number}, code="stale")


def locked(actor: User, item: BuildItem, version: int, *stages: Stage) -> BuildItem:
    """The current item, locked. Raises ``Conflict`` unless it is in one of these stages and unchanged."""
    require(actor, item.benchmark, Right.MANAGE)
    return current(item, version, stages)


def locked_check(actor: User, item: BuildItem, version: int) -> BuildItem:
    """The same for the check of an image."""
    require_image_checker(actor, item)
    return current(item, version, (Stage.IMAGE_CHECK,))


def current(item: BuildItem, version: int, stages: Sequence[Stage]) -> BuildItem:
    stored: BuildItem = BuildItem.objects.select_for_update(no_key=True).get(pk=item.pk)
    stored.benchmark = item.benchmark
    if stored.version != version or stored.stage not in stages:
        raise stale(stored)
    return stored


def passed(stored: BuildItem, actor: User, to: Stage, **details: Any) -> None:
    decide(stored, actor, Verdict.PASSED, to, details=details)


def decide(
    stored: BuildItem, actor: User | None, verdict: Verdict, to: Stage, *,
    reasons: Sequence[str] = (), note: str = "", details: dict[str, Any] | None = None, model: str = "",
) -> None:  # fmt: skip
    """Record the decision about the current stage, and bring the item to a stage. ``model``: it decided, no person."""
    before = stored.stage
    BuildDecision.objects.create(
        item=stored, stage=before, person=actor, model=model, verdict=verdict.value, reasons=list(reasons),
        note=storable_text(note, "note").strip()[:LONGEST_NOTE], details=details or {},
    )  # fmt: skip
    stored.version += 1
    if to.value != before:
        stored.stage, stored.entered_at = to.value, timezone.now()
    stored.save()
    data = {"number": stored.number, "verdict": verdict.value, "reasons": list(reasons)}
    data |= {"model": model} if model else {}
    audit.record(
        actor, "build.decide", stored, stored.benchmark.slug, before=before, after=to.value, reason=note, data=data
    )


def refuse(problems: Sequence[Problem], field: str | None = "") -> None:
    """Raise ``InvalidInput`` with all problems. ``field``: instead of the field of the first one."""
    if problems:
        words = " ".join(dict.fromkeys(translated(one.text) for one in problems))
        raise InvalidInput(words, field=problems[0].field if field == "" else field)


def storable_text(text: str, field: str) -> str:
    """The text, if a database can store it."""
    if "\0" in text:
        raise InvalidInput(gettext("The text contains an invalid character. Type it again."), field=field)
    return text
