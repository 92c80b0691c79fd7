"""All prompts that experiments of a benchmark can use: those of Sightline, of the site and of the benchmark."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import groupby

from django.utils.translation import gettext

from annotation.models import Benchmark
from evaluation.models import Prompt
from evaluation.runner.templates import Prompt as Template
from evaluation.runner.templates import Role, built_in
from webapp.common.errors import InvalidInput


class Owner(StrEnum):
    """The owner of a prompt: Sightline (a file), the site (for all benchmarks), or one benchmark."""

    SIGHTLINE = "sightline"
    SITE = "site"
    BENCHMARK = "benchmark"


@dataclass(frozen=True)
class PromptVersion:
    """A version with what is known about it. ``frozen``: it can't change. Those of Sightline have no ``row``."""

    template: Template
    frozen: bool = True
    note: str = ""
    created_by: str = ""
    created_at: datetime | None = None
    row: Prompt | None = None

    def __str__(self) -> str:
        return f"{self.template.slug}@{self.template.version}"


@dataclass(frozen=True)
class PromptHistory:
    """A prompt: its versions, oldest first."""

    owner: Owner
    versions: tuple[PromptVersion, ...]

    @property
    def slug(self) -> str:
        return self.newest.template.slug

    @property
    def role(self) -> Role:
        return self.newest.template.role

    @property
    def newest(self) -> PromptVersion:
        return self.versions[-1]

    def version(self, number: str) -> PromptVersion | None:
        """The version with this number; "" is the newest."""
        if not number:
            return self.newest
        return next((one for one in self.versions if one.template.version == number), None)


def prompts_of(benchmark: Benchmark | None) -> list[PromptHistory]:
    """All prompts by owner and slug, those of the benchmark first. None: without those of benchmarks. One query."""
    own = list(_written(benchmark))
    ours = [
        PromptHistory(Owner.SIGHTLINE, tuple(PromptVersion(one) for one in versions))
        for versions in built_in().values()
    ]
    order = {Owner.BENCHMARK: 0, Owner.SITE: 1}
    return [*sorted(own, key=lambda one: (order[one.owner], one.slug)), *ours]


def history_of(benchmark: Benchmark | None, slug: str) -> PromptHistory | None:
    """The prompt with this slug, None if there is none."""
    return next((one for one in prompts_of(benchmark) if one.slug == slug), None)


def prompt_named(
    benchmark: Benchmark | None, name: str, roles: Collection[Role], field: str = "prompt"
) -> PromptVersion:
    """The version ``slug@version``; without a version the newest. Raises ``InvalidInput`` naming the field if there is
    none, or if it has another role."""
    slug, _, number = name.partition("@")
    known = prompts_of(benchmark)
    history = next((one for one in known if one.slug == slug), None)
    if history is None:
        message = gettext("There is no prompt %(slug)s. Prompts: %(known)s.")
        names = ", ".join(one.slug for one in known if one.role in roles)
        raise InvalidInput(message % {"slug": slug, "known": names}, field=field)
    found = history.version(number)
    if found is None:
        message = gettext("The prompt %(slug)s has no version %(number)s. Versions: %(known)s.")
        numbers = ", ".join(one.template.version for one in history.versions)
        raise InvalidInput(message % {"slug": slug, "number": number, "known": numbers}, field=field)
    if history.role not in roles:
        message = gettext("%(name)s has the role %(role)s. Allowed here: %(roles)s.")
        allowed = ", ".join(role.value for role in roles)
        raise InvalidInput(message % {"name": found, "role": history.role.value, "roles": allowed}, field=field)
    return found


def _written(benchmark: Benchmark | None) -> Iterator[PromptHistory]:
    rows = Prompt.objects.offered_to(benchmark).select_related("created_by").order_by("benchmark", "slug", "version")
    for (owner, _), versions in groupby(rows, key=lambda row: (row.benchmark_id, row.slug)):
        yield PromptHistory(Owner.SITE if owner is None else Owner.BENCHMARK, tuple(map(_version, versions)))


def _version(row: Prompt) -> PromptVersion:
    template = Template(row.slug, str(row.version), Role(row.role), row.text)
    by = str(row.created_by) if row.created_by else ""
    return PromptVersion(template, row.frozen, row.note, by, row.created_at, row)
