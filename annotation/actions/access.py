"""Who may do what on a benchmark. Views load through ``benchmark_seen_by`` (a stranger gets 404); actions ask
here (403)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import AnonymousUser

from annotation.actions.quality_rules import rules_of
from annotation.actions.token_rights import passed_on
from annotation.models import Benchmark, Membership
from annotation.workflow import Right, Role, may
from webapp.common.errors import NotAllowed
from webapp.common.prepared import Prepared

if TYPE_CHECKING:
    from annotation.querysets import Person

OPEN = {Right.VIEW, Right.SEE_GOLD}
"""What everyone may on a public benchmark."""


AT_ADDRESS = Prepared(lambda slug: Benchmark.objects.filter(slug=slug).select_related("queue", "quality"), str)
ROLES = Prepared(
    lambda user, benchmark: Membership.objects.filter(benchmark=benchmark, user=user).values_list("role"), int, int
)


class PublicReader(AnonymousUser):
    """Whoever opens a published copy: they see what everyone sees of a public benchmark, be it public or not."""


def roles_of(user: Person, benchmark: Benchmark) -> frozenset[Role]:
    """The person's roles on this benchmark; a site admin has the lead's."""
    if not user.is_authenticated:
        return frozenset()
    if user.is_staff:
        return frozenset({Role.LEAD})
    if user.pk in benchmark.known_roles:
        return benchmark.known_roles[user.pk]
    return frozenset(Role(role) for (role,) in ROLES.rows(user.pk, benchmark.pk))


def benchmark_seen_by(user: Person, slug: str) -> Benchmark | None:
    """The benchmark at this address as this person sees it, None for a stranger. It keeps their roles, so that one
    request asks for them once."""
    benchmark: Benchmark | None = AT_ADDRESS.first(slug)
    if benchmark is None:
        return None
    if user.is_authenticated:
        benchmark.known_roles = {user.pk: roles_of(user, benchmark)}
    return benchmark if allowed(user, benchmark, Right.VIEW) else None


def allowed(user: Person, benchmark: Benchmark, right: Right) -> bool:
    """Whether this person may: by a role, or because everyone may view a public benchmark."""
    return right in rights_of(user, benchmark)


def rights_of(user: Person, benchmark: Benchmark) -> frozenset[Right]:
    """Everything this person may do. Who only annotates sees no gold while gold checks are handed out: they could look
    up what is known."""
    roles = roles_of(user, benchmark)
    is_open = benchmark.public or isinstance(user, PublicReader)
    rights = {right for right in Right if may(roles, right)} | (OPEN if is_open else set())
    if roles == {Role.ANNOTATOR} and rules_of(benchmark).checks_run:
        rights.discard(Right.SEE_GOLD)
    return frozenset(rights) & passed_on(user, benchmark)


def require(user: Person | None, benchmark: Benchmark, right: Right) -> None:
    """Raises ``NotAllowed`` unless allowed. No user at all: a command run by who runs the server."""
    if user is not None and not allowed(user, benchmark, right):
        raise NotAllowed(
            f"Your roles on {benchmark.title} do not let you {right.value.replace('_', ' ')}. Ask its lead."
        )
