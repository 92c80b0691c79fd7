"""The people of a portable file: placeholders, who have a name for what they did and can't sign in."""

from __future__ import annotations

import hashlib
from uuid import UUID, uuid4

from django.db.models import Q

from annotation.content.people import PLACEHOLDERS, address_of
from annotation.models import Benchmark, PersonUid
from annotation.portable.read.people import address_in, uids_in, verified_in
from annotation.project_file import Line, Reader
from webapp.accounts.models import User

LONGEST_NAME = 120
LONGEST_INSIDE = 160
"""Of an address that is part of that of the placeholder."""


def add_people(file: Reader, benchmark: Benchmark) -> list[int]:
    """Make a placeholder for each person of a file; return them in its order."""
    found, uids = [], set[UUID]()
    for line in file.lines("person"):
        uid, known_as = uids_in(line)
        if uid in uids:
            raise line.error("uid", "is that of another person")
        uids |= {uid} if uid else set()
        found.append(_new_placeholder(benchmark, line, unnamed="", uid=uid, known_as=known_as).pk)
    return found


def placeholder(benchmark: Benchmark, line: Line, *, unnamed: str) -> User:
    """The placeholder of a person, who can be known from an earlier file by their uid, or by their address.

    ``unnamed``: distinguishes a person without uid and address, whose number in another file means another person.
    Accounts are never taken for people of a file.
    """
    uid, known_as = uids_in(line)
    person = known_as or uid
    if person is not None:
        own = PersonUid.objects.filter(benchmark=benchmark, user__is_active=False, user__email__endswith=PLACEHOLDERS)
        found = own.filter(Q(uid__in=(person, uid)) | Q(known_as=person)).select_related("user").order_by("pk").first()
        if found is not None:
            _note_verified(found, line)
            return found.user
    _, address = placeholder_of(line, benchmark.slug, unnamed)
    user = User.objects.filter(email=address, is_active=False).first()
    if user is None:
        return _new_placeholder(benchmark, line, unnamed=unnamed, uid=uid, known_as=known_as)
    if person is not None:
        identity = PersonUid.objects.filter(benchmark=benchmark, user=user).first()
        if identity is None:
            identity = _identify(benchmark, user, uid, known_as)
        elif identity.known_as is None:
            PersonUid.objects.filter(pk=identity.pk).update(known_as=person)
        _note_verified(identity, line)
    return user


def _note_verified(identity: PersonUid, line: Line) -> None:
    """A file can say that an address was verified meanwhile. An older file does not revoke it."""
    said = verified_in(line)
    if said is not None and not identity.verified:
        PersonUid.objects.filter(pk=identity.pk).update(verified=said)


def placeholder_of(line: Line, slug: str, unnamed: str = "") -> tuple[str, str]:
    """The name and the address of the placeholder of a person."""
    name, email = (line.text("name", default="") or f"person-{line.number}")[:LONGEST_NAME], address_in(line)
    own = hashlib.sha256(f"{unnamed or line.number} {name}".encode()).hexdigest()[:12]
    local = email.replace("@", "=") if 0 < len(email) <= LONGEST_INSIDE else own
    return name, f"{local}.{slug}{PLACEHOLDERS}".lower()


def _new_placeholder(
    benchmark: Benchmark, line: Line, *, unnamed: str, uid: UUID | None, known_as: UUID | None
) -> User:
    name, address = placeholder_of(line, benchmark.slug, unnamed)
    if User.objects.filter(email=address).exists():
        # Of another person with the same address in the file, or of a deleted benchmark with the same slug.
        address = f"{uuid4().hex}.{benchmark.slug}{PLACEHOLDERS}"
    user = User(name=name, email=address, is_active=False)
    user.set_unusable_password()
    user.save()
    given = address_in(line)
    identity = _identify(benchmark, user, uid, known_as, address="" if address_of(address) == given else given)
    _note_verified(identity, line)
    return user


def _identify(
    benchmark: Benchmark, user: User, uid: UUID | None, known_as: UUID | None, *, address: str = ""
) -> PersonUid:
    """Keep the uid of a person of a file. If it is that of an account here, the placeholder is only known as it."""
    if uid is not None and PersonUid.objects.filter(benchmark=benchmark, uid=uid).exists():
        uid, known_as = None, known_as or uid
    return PersonUid.objects.create(
        benchmark=benchmark, user=user, uid=uid or uuid4(), known_as=known_as, address=address
    )
