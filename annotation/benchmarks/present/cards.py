"""Benchmarks as cards: for the home page and the list of benchmarks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext

from annotation.blindness import Known
from annotation.common.access import known_in_list, known_to
from annotation.common.words import WAITING_WORDS, role_words
from annotation.models import Benchmark, Sample
from annotation.workflow import Role, SampleState

if TYPE_CHECKING:
    from annotation.models.querysets.samples import BenchmarkQuerySet, Person

PICTURES = 3


@dataclass(frozen=True)
class Card:
    """A benchmark with the person's roles, samples by state, and addresses of its first images."""

    benchmark: Benchmark
    href: str
    roles: list[str]
    pictures: list[str]
    states: bool = True
    """Whether this person may know the number of samples in each state."""
    counts: list[tuple[str, int, str]] = field(default_factory=list)
    leaderboard: str = ""

    @property
    def role_words(self) -> str:
        """The person's roles, as a list in a text."""
        return role_words(self.roles)

    @property
    def bar(self) -> list[int]:
        """The parts of the stacked bar: accepted, in review, in progress (draft or returned), to do, discarded."""
        states = {state: getattr(self.benchmark, f"{state}_n") for state in SampleState}
        begun = states[SampleState.DRAFT] + states[SampleState.RETURNED]
        ends = [states[SampleState.TO_DO], states[SampleState.DISCARDED]]
        waits = states[SampleState.IN_REVIEW] + states[SampleState.DISPUTED]
        return [states[SampleState.ACCEPTED], waits, begun, *ends]


@dataclass(frozen=True)
class Waiting:
    """Work for a person in one benchmark. The link leads to exactly these samples; ``begin`` assigns the first of them.
    ``count`` None: withheld, because a gold check would not change it.
    """

    words: str
    benchmark: str
    count: int | None
    href: str
    kind: str
    begin: str
    slug: str


def cards_for(user: Person, benchmarks: BenchmarkQuerySet | None = None) -> list[Card]:
    """Return the benchmarks that a person may see, those they work on first. Three queries for any number of
    benchmarks.
    """
    visible: BenchmarkQuerySet = Benchmark.objects.all() if benchmarks is None else benchmarks
    found = list(
        visible.visible_to(user).with_counts().with_roles_of(user).select_related("quality").order_by("title", "pk")
    )
    pictures = pictures_of(found)
    cards = [_card(one, pictures.get(one.pk, []), known_in_list(user, one)) for one in found]
    return sorted(cards, key=lambda card: not card.roles)


def creates(user: Person, cards: Iterable[Card]) -> bool:
    """Return whether this person may create a benchmark, from the cards of all that they may see."""
    if getattr(user, "is_staff", False) or (settings.WHO_CREATES == "MEMBERS" and user.is_authenticated):
        return True
    return settings.WHO_CREATES == "LEADS" and any(Role.LEAD.value in card.roles for card in cards)


def pictures_of(benchmarks: Iterable[Benchmark]) -> dict[int, list[str]]:
    """Return the URLs of the first thumbnails of each benchmark, by its number. One query."""
    by_number = {benchmark.pk: benchmark for benchmark in benchmarks}
    found: dict[int, list[str]] = {}
    for sample in Sample.objects.filter(benchmark__in=by_number).first_pictures(PICTURES):
        slug = by_number[sample.benchmark_id].slug
        if sample.image:
            address = reverse("annotation:thumbnail", args=[slug, sample.image.sha256])
            found.setdefault(sample.benchmark_id, []).append(address)
    return found


def _card(benchmark: Any, pictures: list[str], may: Known) -> Card:
    href = reverse("annotation:benchmark", args=[benchmark.slug])
    samples = reverse("annotation:samples", args=[benchmark.slug])
    shown = [
        ("accepted", gettext("accepted")),
        ("in_review", gettext("in review")),
        ("disputed", gettext("disputed")),
        ("returned", gettext("returned")),
        ("to_do", gettext("to do")),
    ]
    counts = [
        (words, n, f"{samples}?state={state}") for state, words in shown if (n := getattr(benchmark, f"{state}_n"))
    ]
    if not may.states:
        counts = [(gettext("samples"), benchmark.samples_n, reverse("annotation:annotate", args=[benchmark.slug]))]
    try:
        leaderboard = reverse("evaluation:leaderboard", args=[benchmark.slug]) if may.gold else ""
    except NoReverseMatch:
        leaderboard = ""
    roles = [membership.role for membership in getattr(benchmark, "roles_held", [])]
    return Card(benchmark, href, roles, pictures, may.states, counts, leaderboard)


def waiting_for(user: Person) -> list[Waiting]:
    """Return the work that this person could start, the most urgent first: one row for each kind and benchmark. At most
    six queries.
    """
    titles = {b.pk: b for b in Benchmark.objects.joined_by(user).with_roles_of(user).select_related("quality")}
    rows = []
    for kind, words in WAITING_WORDS.items() if titles else ():
        for number, count in Sample.objects.waiting_for(user, kind).by_benchmark().items():
            benchmark, page = titles[number], "review" if kind == "review" else "annotate"
            told = known_in_list(user, benchmark)
            href = f"{reverse('annotation:samples', args=[benchmark.slug])}?waiting={kind}"
            href = href if told.gold else reverse(f"annotation:{page}", args=[benchmark.slug])
            begin = reverse(f"annotation:{page}-next", args=[benchmark.slug])
            shown = count if told.states or kind != "annotate" else None
            rows.append(Waiting(str(words), benchmark.title, shown, href, kind, begin, benchmark.slug))
    return _open_draft_first(user, rows)


def _open_draft_first(user: Person, rows: list[Waiting]) -> list[Waiting]:
    """Put the benchmark of the draft that this person has open before other work, except returned work."""
    drafts = [row.slug for row in rows if row.kind == "drafts"]
    if not drafts:
        return rows
    mine = Sample.objects.with_draft_of(user).filter(leases__user=user, leases__seat="annotate")
    newest = mine.filter(benchmark__slug__in=drafts).order_by("-leases__taken_at")
    slug = newest.values_list("benchmark__slug", flat=True).first()
    return sorted(
        rows, key=lambda row: 0 if row.kind == "returned" else 1 if (row.kind, row.slug) == ("drafts", slug) else 2
    )


def next_for(user: Person, waiting: list[Waiting]) -> Sample | None:
    """Return the first sample of the first row that has an image to show. None if gold checks are mixed into this
    person's samples, because an image shown in advance would reveal a check.
    """
    if not waiting:
        return None
    found = Sample.objects.waiting_for(user, waiting[0].kind).filter(
        image__state="ready", benchmark__slug=waiting[0].slug
    )
    found = found.open_drafts_first(user) if waiting[0].kind == "drafts" else found.order_by("key")
    first = found.with_gold().select_related("benchmark__quality", "image", "gold__revision").first()
    hidden = first is not None and waiting[0].kind != "review" and known_to(user, first.benchmark).handed_checks
    return None if hidden else first


def is_first_run() -> bool:
    """Return whether no benchmark exists at all."""
    return not Benchmark.objects.exists()
