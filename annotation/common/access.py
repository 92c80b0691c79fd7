"""Permissions of people on a benchmark, and what they may know of it.

Views load through ``benchmark_seen_by`` (strangers get 404); commands check here (403). ``annotation.blindness``
decides; this module loads the facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext

from annotation.blindness import Facts, Known, known
from annotation.common.rules import rules_of
from annotation.common.token_rights import passed_on
from annotation.common.words import NOT_ALLOWED
from annotation.models import Benchmark, Membership
from annotation.models.benchmark import Standing
from annotation.workflow import Right, Role, may
from webapp.accounts.models import User
from webapp.common.errors import NotAllowed

if TYPE_CHECKING:
    from annotation.models.querysets.samples import BenchmarkQuerySet, Person


def _begun_queues(user: Any, benchmark: int) -> Any:
    return Benchmark.objects.all().judging_queues().filter(benchmark=benchmark, begun=user)


def _left_to_judge(user: Any, benchmark: int) -> Any:
    return Benchmark.objects.all().questions().filter(queue__benchmark=benchmark).left_to_judge(user)


def _studies(user: Any, benchmark: int) -> Any:
    return Benchmark.objects.all().participants().filter(experiment__benchmark=benchmark, person=user).in_the_middle()


class PublicReader(AnonymousUser):
    """A reader of a published copy. They see what everyone sees of a public benchmark, even if it isn't public."""

    is_copy = True


def roles_of(user: Person, benchmark: Benchmark) -> frozenset[Role]:
    """The person's roles on this benchmark; a site admin has the lead's."""
    if not user.is_authenticated:
        return frozenset()
    if user.is_staff and benchmark.deleted_at is None:
        return frozenset({Role.LEAD})
    return _standing_of(user, benchmark).roles


def _standing_of(user: Person, benchmark: Benchmark) -> Standing:
    """The person's roles, and whether they are in the middle of a judging queue or a study. One query for most people;
    another one about the questions left for those who began a judging queue."""
    if not user.is_authenticated or benchmark.deleted_at is not None:
        return Standing()
    if user.pk in benchmark.known_people:
        return benchmark.known_people[user.pk]
    begun, studying = _begun_queues(user.pk, benchmark.pk), _studies(user.pk, benchmark.pk)
    if user.is_staff:
        roles, began, studies = {Role.LEAD}, begun.exists(), studying.exists()
    else:
        rows = Membership.objects.filter(benchmark=benchmark, user=user.pk).values_list(
            "role", Exists(begun), Exists(studying)
        )
        roles = {Role(role) for role, *_ in rows}
        began, studies = any(row[1] for row in rows), any(row[2] for row in rows)
    # Every page asks for this, and few people judge: making the statement about the questions takes most of the time.
    judges = began and _left_to_judge(user.pk, benchmark.pk).exists()
    return Standing(frozenset(roles), judges, studies)


def has_role(user: Person) -> bool:
    """Whether this person belongs to any benchmark; site admins belong to all."""
    mine = Membership.objects.filter(user=user.pk, benchmark__deleted_at=None)
    return user.is_authenticated and (user.is_staff or mine.exists())


def benchmark_seen_by(user: Person, slug: str) -> Benchmark | None:
    """The benchmark at this address as this person sees it, None for a stranger. It keeps their roles, so that one
    request asks for them once."""
    rows = Benchmark.objects.filter(slug=slug).select_related("queue", "quality", "drafting")
    benchmark = rows.first()
    if benchmark is None:
        return None
    if user.is_authenticated:
        benchmark.known_people = {user.pk: _standing_of(user, benchmark)}
    return benchmark if allowed(user, benchmark, Right.VIEW) else None


def facts_of(user: Person, benchmark: Benchmark) -> Facts:
    """Return the facts that ``known`` needs of this person and benchmark. Gold checks are queried only if
    they matter.
    """
    (roles, judging, studying), copy = _standing_of(user, benchmark), isinstance(user, PublicReader)
    return Facts(
        roles=roles,
        judging=judging,
        studying=studying,
        public=benchmark.public and benchmark.deleted_at is None,
        copy=copy,
        marks_open=benchmark.marks_open,
        checks_run=(Role.ANNOTATOR in roles or benchmark.public or copy) and rules_of(benchmark).checks_run,
        passed_on=passed_on(user, benchmark),
    )


def known_to(user: Person, benchmark: Benchmark) -> Known:
    """Return what this person may know and do here."""
    return known(facts_of(user, benchmark))


def known_in_list(user: Person, benchmark: Any) -> Known:
    """The same for a benchmark of a list that was loaded ``with_roles_of`` this person and with its rules."""
    if user.is_authenticated:
        roles = {Role.LEAD} if user.is_staff else {Role(held.role) for held in benchmark.roles_held}
        benchmark.known_people = {user.pk: Standing(frozenset(roles), benchmark.judging, benchmark.studying)}
    return known_to(user, benchmark)


def gold_known_to(user: Person) -> BenchmarkQuerySet:
    """The benchmarks whose gold and results this person may see: lists that span benchmarks are made of these. Two
    queries at most."""
    visible: BenchmarkQuerySet = Benchmark.objects.visible_to(user)
    if not user.is_authenticated:
        return visible
    visible = visible.without_blind_work(user)
    if user.is_staff:
        return visible
    annotated = Benchmark.objects.joined_with(user, Right.ANNOTATE).filter(quality__isnull=False)
    loaded = annotated.select_related("quality").with_roles_of(user)
    return visible.exclude(pk__in=[one.pk for one in loaded if not known_in_list(user, one).gold])


def allowed(user: Person, benchmark: Benchmark, right: Right) -> bool:
    """Whether this person may do this now."""
    return right in known_to(user, benchmark).rights


def members_who_may(benchmark: Benchmark, right: Right) -> list[User]:
    """Return the active members who may do this now, by name, as decided by ``allowed`` for each. One query for all of
    them, and another one for each who began a judging queue.
    """
    person = OuterRef("user")
    rows = (
        Membership.objects.filter(benchmark=benchmark, benchmark__deleted_at=None, user__is_active=True)
        .annotate(
            began=Exists(_begun_queues(person, benchmark.pk)),
            studies=Exists(_studies(person, benchmark.pk)),
        )
        .select_related("user")
        .order_by("user__name", "user")
    )
    held: dict[User, Standing] = {}
    for row in rows:
        roles = held.get(row.user, Standing()).roles
        judges = row.began and _left_to_judge(row.user.pk, benchmark.pk).exists()
        held[row.user] = Standing(roles | {Role(row.role)}, judges, row.studies)
    found = []
    for user, standing in held.items():
        facts = Facts(
            roles=standing.roles, judging=standing.judging, studying=standing.studying,
            checks_run=Role.ANNOTATOR in standing.roles and rules_of(benchmark).checks_run,
        )  # fmt: skip
        if right in known(facts).rights:
            found.append(user)
    return found


def withheld(user: Person, benchmark: Benchmark, right: Right) -> str:
    """The reason why a person cannot use a permission of their role: gold checks run, they judge, or they take part in
    a study.

    It is the same for every page and sample, and "" without such a reason."""
    facts = facts_of(user, benchmark)
    told = known(facts)
    if not may(facts.roles, right):
        return ""
    if told.handed_checks:
        message = gettext("%(title)s currently hides its gold and results from annotators. Ask its lead.")
        return message % {"title": benchmark.title}
    if told.judging:
        message = gettext(
            "You are judging on %(title)s. Its gold and results are hidden until you have judged or skipped "
            "every question of the queue."
        )
        return message % {"title": benchmark.title}
    if told.studying:
        message = gettext(
            "You are taking part in a human study on %(title)s. Its gold and results are hidden until you finish it."
        )
        return message % {"title": benchmark.title}
    return ""


def require(user: Person | None, benchmark: Benchmark, right: Right) -> None:
    """Raises ``NotAllowed`` unless allowed. No user at all: a command run by who runs the server."""
    if user is not None and not allowed(user, benchmark, right):
        raise NotAllowed(withheld(user, benchmark, right) or NOT_ALLOWED[right] % {"title": benchmark.title})
