"""Reviews and comments of a portable file that a benchmark does not have.

A review or comment is the same on every server if the sample and revision, the person, the time and the text are. The
person is known by a uid, or by the address in a file without uids.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from annotation.content.people import PLACEHOLDERS, address_of
from annotation.models import Benchmark, Comment, PersonUid, Review, Revision
from annotation.portable.read.people import address_in, uids_in
from annotation.portable.read.update import OPEN_WORK, InFile, Kind, Plan
from annotation.project_file import Line, Reader

Place = tuple[str, datetime, str]
"""The key of a sample, and when a revision of it was made with which digest."""
Keys = frozenset[str]
"""What a person is known by: uids and address."""


@dataclass(frozen=True, slots=True)
class Here:
    """A revision of the benchmark. ``open``: people work on its annotation."""

    pk: int
    annotation: int
    author: int | None
    open: bool


@dataclass(frozen=True, slots=True)
class New:
    """A row of the file that the benchmark lacks, and the revision that it belongs to."""

    number: int
    row: Mapping[str, Any]
    place: Place


@dataclass
class Discussion:
    """``comments``: in an order in which replies follow what they reply to. ``known``: comments of the file that are
    here, by number. ``revisions``: of the benchmark."""

    revisions: dict[Place, Here]
    reviews: list[New] = field(default_factory=list)
    comments: list[New] = field(default_factory=list)
    known: dict[int, int] = field(default_factory=dict)


def new_discussion(benchmark: Benchmark, file: Reader, plan: Plan, *, brought: Collection[str] = ()) -> Discussion:
    """The reviews and comments of revisions that are here, or that an update brings with samples. A sample with
    another image has none. Six queries."""
    blocked = {one.key for one in plan.of(Kind.BLOCKED)}
    samples = {key: one for key, one in plan.samples.items() if key not in blocked}
    found = Discussion(_revisions(benchmark))
    places = {
        number: place
        for key, one in samples.items()
        for (made, digest), number in one.revisions.items()
        if (place := (key, made, digest)) in found.revisions or key in brought
    }
    in_file = people_in(file)
    here = _people(benchmark)
    _add_reviews(found, benchmark, file, places, in_file, here)
    _add_comments(found, benchmark, file, samples, places, in_file, here)
    return found


def brought_by(plan: Plan) -> set[str]:
    """The samples whose revisions an update brings if all conflicts stay."""
    changed = {one.key for kind in (Kind.ADDED, Kind.FILE) for one in plan.of(kind)}
    return {key for key in changed if plan.samples[key].gold is not None}


def counts_of(found: Discussion) -> dict[str, int]:
    return {"reviews": len(found.reviews), "comments": len(found.comments)}


def _revisions(benchmark: Benchmark) -> dict[Place, Here]:
    rows = Revision.objects.filter(annotation__sample__benchmark=benchmark, submitted_at__isnull=False).order_by()
    of = ("annotation__sample__key", "created_at", "digest", "pk", "annotation", "author", "annotation__state")
    return {
        (key, made, digest): Here(pk, annotation, author, state in OPEN_WORK)
        for key, made, digest, pk, annotation, author, state in rows.values_list(*of).iterator()
    }


def people_in(file: Reader) -> list[Keys]:
    """What each person of a file is known by, in its order."""
    return [_keys_in(line) for line in file.lines("person")]


def _keys_in(line: Line) -> Keys:
    uid, known_as = uids_in(line)
    return frozenset(str(one) for one in (known_as or uid, address_in(line)) if one)


def known_by(benchmark: Benchmark, emails: Mapping[int, str]) -> dict[int, Keys]:
    """What accounts and placeholders are known by, from their addresses. One query."""
    identities = {one.user_id: one for one in PersonUid.objects.filter(benchmark=benchmark)}
    found = {}
    for pk, email in emails.items():
        identity = identities.get(pk)
        uids = (identity.uid, identity.known_as) if identity else ()
        found[pk] = frozenset(str(one) for one in (*uids, address_of(email, identity)) if one)
    return found


def _people(benchmark: Benchmark) -> dict[int, tuple[Keys, bool]]:
    """What the people who reviewed and commented are known by, and whether they are placeholders."""
    emails = dict(
        Review.objects.filter(revision__annotation__sample__benchmark=benchmark)
        .order_by()
        .values_list("reviewer", "reviewer__email")
        .distinct()
    )
    comments = Comment.objects.filter(annotation__sample__benchmark=benchmark).order_by()
    emails |= dict(comments.values_list("author", "author__email").distinct())
    known = known_by(benchmark, emails)
    return {pk: (known[pk], email.endswith(PLACEHOLDERS)) for pk, email in emails.items()}


def _add_reviews(
    found: Discussion,
    benchmark: Benchmark,
    file: Reader,
    places: Mapping[int, Place],
    in_file: list[Keys],
    here: Mapping[int, tuple[Keys, bool]],
) -> None:
    """A person reviews a revision once, so a second review of a placeholder is left out."""
    of = ("revision__annotation__sample__key", "revision__created_at", "revision__digest", "reviewer", "created_at")
    rows = Review.objects.filter(revision__annotation__sample__benchmark=benchmark).order_by()
    known: set[tuple[Any, ...]] = set()
    for *place, reviewer, made, text in rows.values_list(*of, "comment").iterator():
        keys, is_placeholder = here[reviewer]
        for key in keys:
            known |= {(tuple(place), key, made, text)} | ({(tuple(place), key)} if is_placeholder else set())
    for line in file.lines("review"):
        place = places.get(line.reference("revision", file.tables.get("revision", 0)))
        if place is None or (place in found.revisions and found.revisions[place].open):
            continue
        keys, made = _person(in_file, line, "reviewer"), line.moment("created_at")
        text = line.text("comment", default="")
        is_known = any((place, key, made, text) in known or (place, key) in known for key in keys)
        if keys and not is_known:
            found.reviews.append(New(line.number, line.row, place))


def _add_comments(
    found: Discussion,
    benchmark: Benchmark,
    file: Reader,
    samples: Mapping[str, InFile],
    places: Mapping[int, Place],
    in_file: list[Keys],
    here: Mapping[int, tuple[Keys, bool]],
) -> None:
    of = ("pk", "annotation__sample__key", "author", "created_at", "text")
    rows = Comment.objects.filter(annotation__sample__benchmark=benchmark).order_by()
    known = {
        (sample, key, made, text): pk
        for pk, sample, author, made, text in rows.values_list(*of).iterator()
        for key in here[author][0]
    }
    of_annotation: dict[int, list[Place]] = {}
    for line in file.lines("revision"):
        if line.number in places:
            annotation = line.reference("annotation", file.tables.get("annotation", 0))
            of_annotation.setdefault(annotation, []).append(places[line.number])
    there = set[int]()
    for line in file.lines("comment"):
        # A comment on an answer to a gold check has no annotation.
        annotated = line.reference_or_none("annotation", file.tables.get("annotation", 0))
        parent = line.reference_or_none("parent", file.tables.get("comment", 0))
        revisions = sorted(of_annotation.get(annotated or 0, ()), key=lambda place: place[1])
        keys = _person(in_file, line, "author")
        if not revisions or not keys or (parent is not None and parent not in there):
            continue
        there.add(line.number)
        made, sample, text = line.moment("created_at"), revisions[0][0], line.text("text")
        same = next((known[one] for key in keys if (one := (sample, key, made, text)) in known), None)
        if same is not None:
            found.known[line.number] = same
        else:
            # On the revision that there was, whose annotation can be another one here than that of later revisions.
            before = [place for place in revisions if place[1] <= made]
            found.comments.append(New(line.number, line.row, (before or revisions[:1])[-1]))


def _person(in_file: list[Keys], line: Line, field: str) -> Keys:
    number = line.reference_or_none(field, len(in_file))
    return in_file[number - 1] if number is not None else frozenset()
