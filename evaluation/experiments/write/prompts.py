"""Prompts that people write: new ones, new versions, and the freeze at their first use."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from annotation.models import Benchmark
from evaluation.experiments.read.prompts import PromptVersion
from evaluation.experiments.write.managers import require_manager
from evaluation.models import Prompt
from evaluation.models.experiment import NAME
from evaluation.runner.templates import Prompt as Template
from evaluation.runner.templates import PromptError, Role, built_in
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

MOST_NOTE = 300
MOST_SLUG = 60


def create_prompt(
    *, actor: User | None, benchmark: Benchmark | None, slug: str, role: str, text: str, note: str = ""
) -> Prompt:
    """Create a prompt with its first version; without a benchmark, it belongs to the site. Raises ``InvalidInput`` with
    the field, ``Conflict`` if the name is taken.
    """
    require_manager(actor, benchmark)
    template = template_from(slug, "1", role, text)
    try:
        with transaction.atomic():
            _refuse_taken(slug, benchmark)
            return _insert(actor, benchmark, template, note, "prompt.create")
    except IntegrityError as error:
        raise _taken(slug) from error


def change_prompt(*, actor: User | None, prompt: Prompt, based_on: str, text: str, note: str = "") -> Prompt:
    """Change a prompt and return its newest version: a frozen one stays, and a new one is made. ``prompt``: any
    version; ``based_on``: the digest of the newest version that the person saw. Raises ``InvalidInput`` naming the
    field, ``Conflict`` if another person saved a version in the meantime."""
    require_manager(actor, prompt.benchmark)
    versions = Prompt.objects.filter(benchmark=prompt.benchmark, slug=prompt.slug)
    try:
        with transaction.atomic():
            # The first version stays, so it represents the prompt: two people wait for each other here.
            versions.select_for_update(no_key=True).get(version=1)
            newest = versions.order_by("-version")[0]
            if newest.digest != based_on:
                raise _stale(newest)
            template = template_from(newest.slug, str(newest.version + newest.frozen), newest.role, text)
            if template.digest == newest.digest and (newest.frozen or note == newest.note):
                return newest
            if newest.frozen:
                return _insert(actor, prompt.benchmark, template, note, "prompt.version")
            newest.text, newest.digest, newest.note = template.text, template.digest, note[:MOST_NOTE]
            # An experiment may freeze it at this moment.
            changed = Prompt.objects.filter(pk=newest.pk, frozen=False).update(
                text=newest.text, digest=newest.digest, note=newest.note
            )
            if not changed:
                raise _stale(newest)
            _record(actor, newest, "prompt.change")
            return newest
    except IntegrityError as error:
        raise _stale(prompt) from error


def freeze_prompts(versions: Iterable[PromptVersion]) -> None:
    """Freeze these versions, in the transaction of the experiment that uses them. Raises ``Conflict`` if one has
    changed since it was read."""
    for one in versions:
        if one.row is None:
            continue
        unchanged = Prompt.objects.filter(pk=one.row.pk, digest=one.template.digest)
        if not unchanged.update(frozen=True):
            raise Conflict(
                gettext("The prompt %(name)s has just changed. Read it, then create the experiment again.")
                % {"name": one},
                code="prompt", field="prompt",
            )  # fmt: skip


def template_from(slug: str, version: str, role: str, text: str) -> Template:
    """The template of what a person sent: lines end as in files, without spaces around the text. Raises
    ``InvalidInput`` naming the field."""
    try:
        NAME(slug)
    except ValidationError as error:
        raise InvalidInput(error.messages[0], field="slug") from error
    if len(slug) > MOST_SLUG:
        raise InvalidInput(gettext("A name has at most %(most)s characters.") % {"most": MOST_SLUG}, field="slug")
    if role not in list(Role):
        raise InvalidInput(gettext("Choose a role: %(roles)s.") % {"roles": ", ".join(Role)}, field="role")
    try:
        return Template(slug, version, Role(role), text.replace("\r\n", "\n").replace("\r", "\n").strip())
    except PromptError as error:
        raise InvalidInput(str(error), field="text") from error


def _insert(actor: User | None, benchmark: Benchmark | None, template: Template, note: str, action: str) -> Prompt:
    made = Prompt.objects.create(
        benchmark=benchmark, slug=template.slug, version=int(template.version), role=template.role.value,
        text=template.text, digest=template.digest, note=note[:MOST_NOTE], created_by=actor,
    )  # fmt: skip
    _record(actor, made, action)
    return made


def _record(actor: User | None, prompt: Prompt, action: str) -> None:
    slug = prompt.benchmark.slug if prompt.benchmark else ""
    data = {"prompt": str(prompt), "digest": prompt.digest}
    audit.record(actor=actor, action=action, subject=prompt, benchmark=slug, data=data)


def _refuse_taken(slug: str, benchmark: Benchmark | None) -> None:
    """A name means one prompt on each benchmark: one of the site is free on all of them."""
    among = Prompt.objects.offered_to(benchmark) if benchmark else Prompt.objects.all()
    if slug in built_in() or among.filter(slug=slug).exists():
        raise _taken(slug)


def _taken(slug: str) -> Conflict:
    message = gettext("There is already a prompt named %(slug)s. Choose another name.") % {"slug": slug}
    return Conflict(message, code="taken", field="slug")


def _stale(newest: Prompt) -> Conflict:
    message = gettext("Another person has just saved %(name)s. Compare it with your text, then save again.")
    return Conflict(message % {"name": newest}, code="stale", field="text")
