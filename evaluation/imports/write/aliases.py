"""Names by which files know samples: a person accepts what is proposed, or takes it back. Nothing joins by likeness."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.models import Benchmark, Sample
from annotation.workflow import Right
from evaluation.importers.matching import alias_key
from evaluation.models import SampleAlias
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput, NotFound

NAME = 200


def accept_alias(*, actor: User, benchmark: Benchmark, name: str, sample: str) -> SampleAlias:
    """Let files that say ``name`` mean the sample with the id ``sample``. A later choice replaces it."""
    require(actor, benchmark, Right.IMPORT_RUNS)
    name = alias_key(name)
    if not 0 < len(name) <= NAME:
        raise InvalidInput(gettext("A name must have 1 to %(limit)s characters.") % {"limit": NAME}, field="name")
    found = Sample.objects.filter(benchmark=benchmark, key=sample).first()
    if found is None:
        raise NotFound(
            gettext("%(title)s has no sample %(sample)s. Choose an existing sample.")
            % {"title": benchmark.title, "sample": repr(sample[:80])}
        )
    if Sample.objects.filter(benchmark=benchmark, key=name).exists():
        raise InvalidInput(
            gettext("%(name)s is the ID of a sample, so it can't refer to another one.") % {"name": repr(name[:80])},
            field="name",
        )
    with transaction.atomic():
        alias, _ = SampleAlias.objects.update_or_create(
            benchmark=benchmark, name=name, defaults={"sample": found, "accepted_by": actor}
        )
        audit.record(actor, "alias.accept", alias, benchmark.slug, data={"name": name, "sample": found.key})
    return alias


def forget_alias(*, actor: User, benchmark: Benchmark, name: str) -> None:
    """Files that say ``name`` mean nothing again; what was imported stays."""
    require(actor, benchmark, Right.IMPORT_RUNS)
    with transaction.atomic():
        alias = benchmark.sample_aliases.select_related("sample").filter(name=alias_key(name)).first()
        if alias is None:
            return
        audit.record(
            actor, "alias.forget", alias, benchmark.slug, data={"name": alias.name, "sample": alias.sample.key}
        )
        alias.delete()
