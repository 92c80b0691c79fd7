"""People whom a comment names with @."""

from __future__ import annotations

import re
from collections.abc import Iterable

from annotation.common.access import members_who_may
from annotation.models import Annotation, CheckAnswer
from annotation.workflow import Right
from webapp.accounts.models import User

About = Annotation | CheckAnswer


def mentionable(actor: User, annotation: About) -> list[User]:
    """The people who can be named in a comment on this: its author, and members who review the benchmark, by name, but
    not the actor. For the author of a gold check, these are the same people as for any sample of theirs."""
    found = {one.pk: one for one in members_who_may(annotation.sample.benchmark, Right.REVIEW)}
    author = annotation.user if isinstance(annotation, CheckAnswer) else annotation.author
    if author is not None and author.is_active:
        found.setdefault(author.pk, author)
    found.pop(actor.pk, None)
    return sorted(found.values(), key=lambda one: (one.name.casefold(), one.pk))


def named_in(text: str, people: Iterable[User]) -> list[User]:
    """Those of ``people`` whose name follows an @ in the text, in any case. Of names that begin alike, the longest
    counts. People with one name are all meant."""
    by_name: dict[str, list[User]] = {}
    for one in people:
        if one.name.strip():
            by_name.setdefault(" ".join(one.name.split()).casefold(), []).append(one)
    if not by_name:
        return []
    names = "|".join(map(re.escape, sorted(by_name, key=len, reverse=True)))
    plain = " ".join(text.split()).casefold()
    found = re.findall(rf"(?<![\w.@-])@({names})(?!\w)", plain)
    return [one for name in dict.fromkeys(found) for one in by_name[name]]
