"""The kinds of notifications, how each reaches a person by default, and the sentences that it can say.

A sentence names the benchmark, the sample and the person who acted. It never quotes content, because an email leaves
the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy, gettext_noop, ngettext, pgettext_lazy

from webapp.common.translation import Text


class Kind(TextChoices):
    ASSIGNED = "assigned", gettext_lazy("Assigned")
    RETURNED = "returned", gettext_lazy("Returned")
    ENDED = "ended", gettext_lazy("Removed")
    DISPUTE = "dispute", gettext_lazy("Disputed")
    REPLY = "reply", gettext_lazy("Comments")
    MENTION = "mention", gettext_lazy("Mentions")
    DEADLINE = "deadline", gettext_lazy("Deadlines")
    PAUSE = "pause", gettext_lazy("Pauses")
    GUIDELINE = "guideline", gettext_lazy("Guidelines")
    INVITATION = "invitation", gettext_lazy("Invitations and roles")
    IMPORT = "import", gettext_lazy("Imports")
    FREEZE = "freeze", gettext_lazy("Versions")
    ACCEPTED = "accepted", gettext_lazy("Accepted, per day")
    WEBHOOK = "webhook", gettext_lazy("Webhooks")


class Channel(TextChoices):
    """The channel of a kind. All except OFF also appear in the inbox."""

    INBOX = "inbox", pgettext_lazy("channel", "Inbox only")
    AT_ONCE = "at_once", gettext_lazy("Email at once")
    DIGEST = "digest", gettext_lazy("Daily email")
    OFF = "off", pgettext_lazy("channel", "Off")


DEFAULTS: Mapping[str, Channel] = {
    Kind.ASSIGNED: Channel.DIGEST,
    Kind.RETURNED: Channel.DIGEST,
    Kind.ENDED: Channel.DIGEST,
    Kind.DISPUTE: Channel.DIGEST,
    Kind.REPLY: Channel.DIGEST,
    Kind.MENTION: Channel.AT_ONCE,
    Kind.DEADLINE: Channel.AT_ONCE,
    Kind.PAUSE: Channel.AT_ONCE,
    Kind.GUIDELINE: Channel.DIGEST,
    Kind.INVITATION: Channel.INBOX,
    Kind.IMPORT: Channel.INBOX,
    Kind.FREEZE: Channel.INBOX,
    Kind.ACCEPTED: Channel.DIGEST,
    Kind.WEBHOOK: Channel.AT_ONCE,
}

ABOUT: Mapping[str, Text] = {
    Kind.ASSIGNED: gettext_lazy("A lead assigned samples to you."),
    Kind.RETURNED: gettext_lazy("A sample was returned to you or reopened for you."),
    Kind.ENDED: gettext_lazy("A sample that you had begun was deleted or discarded."),
    Kind.DISPUTE: gettext_lazy("The annotations of a sample that you can adjudicate differ."),
    Kind.REPLY: gettext_lazy("A comment on your annotation, or in a thread that you wrote in."),
    Kind.MENTION: gettext_lazy("A comment names you with @."),
    Kind.DEADLINE: gettext_lazy("Your work is due soon."),
    Kind.PAUSE: gettext_lazy("Your work, or all work on a benchmark, is paused or resumed."),
    Kind.GUIDELINE: gettext_lazy("New guidelines of a benchmark that you work on."),
    Kind.INVITATION: gettext_lazy("Your invitation was accepted, or you were given a role."),
    Kind.IMPORT: gettext_lazy("Your import is complete, or it stopped."),
    Kind.FREEZE: gettext_lazy("A version of a benchmark was frozen."),
    Kind.ACCEPTED: gettext_lazy("How many of your samples were accepted on a day."),
    Kind.WEBHOOK: gettext_lazy("A webhook of a benchmark that you lead was disabled."),
}
"""For the settings of a person."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """The sentence of one entry: a template that is marked for translation, filled with the data of the entry,
    ``actor``, and ``title``, that of the benchmark.
    """

    kind: Kind
    text: str


SENTENCES: Mapping[str, Sentence] = {
    "assigned": Sentence(Kind.ASSIGNED, gettext_noop("%(actor)s assigned samples to you on %(title)s.")),
    "returned": Sentence(Kind.RETURNED, gettext_noop("%(sample)s was returned to you on %(title)s.")),
    "reopened": Sentence(Kind.RETURNED, gettext_noop("%(sample)s was reopened for you on %(title)s.")),
    "deleted": Sentence(Kind.ENDED, gettext_noop("%(actor)s deleted %(sample)s, which you had begun, on %(title)s.")),
    "discarded": Sentence(
        Kind.ENDED, gettext_noop("%(actor)s discarded %(sample)s, which you had begun, on %(title)s.")
    ),
    "dispute": Sentence(Kind.DISPUTE, gettext_noop("The annotations of %(sample)s on %(title)s differ.")),
    "reply": Sentence(Kind.REPLY, gettext_noop("%(actor)s commented on %(sample)s on %(title)s.")),
    "mention": Sentence(Kind.MENTION, gettext_noop("%(actor)s mentioned you on %(sample)s on %(title)s.")),
    "deadline": Sentence(Kind.DEADLINE, gettext_noop("%(name)s on %(title)s is due in %(hours)s hours.")),
    "paused": Sentence(Kind.PAUSE, gettext_noop("You are paused on %(title)s: %(reason)s")),
    "paused.all": Sentence(Kind.PAUSE, gettext_noop("Work is paused on %(title)s: %(reason)s")),
    "paused.rule": Sentence(Kind.PAUSE, gettext_noop("%(actor)s was paused automatically on %(title)s.")),
    "resumed": Sentence(Kind.PAUSE, gettext_noop("You can work on %(title)s again.")),
    "guideline": Sentence(
        Kind.GUIDELINE, gettext_noop("Version %(number)s of the guidelines of %(title)s is published.")
    ),
    "invitation": Sentence(Kind.INVITATION, gettext_noop("%(actor)s accepted your invitation to %(title)s.")),
    "role": Sentence(Kind.INVITATION, gettext_noop("%(actor)s gave you a role on %(title)s: %(role)s.")),
    "import": Sentence(Kind.IMPORT, gettext_noop("%(file)s was imported into %(title)s.")),
    "import.stopped": Sentence(Kind.IMPORT, gettext_noop("The import of %(file)s into %(title)s stopped.")),
    "freeze": Sentence(Kind.FREEZE, gettext_noop("Version %(number)s of %(title)s was frozen.")),
    "accepted": Sentence(Kind.ACCEPTED, gettext_noop("%(title)s, %(day)s: %(n)s of your samples accepted.")),
    "webhook": Sentence(Kind.WEBHOOK, gettext_noop("The webhook to %(host)s of %(title)s was disabled.")),
}
"""All sentences that there are."""

_IN_LANGUAGE: Mapping[str, Mapping[str, Text]] = {
    "role": {
        "annotator": gettext_lazy("annotator"),
        "reviewer": gettext_lazy("reviewer"),
        "lead": gettext_lazy("lead"),
        "researcher": gettext_lazy("researcher"),
    }
}


def in_language(name: str, value: object) -> str:
    """A value of a sentence: a code in the language of the reader, anything else unchanged."""
    return str(_IN_LANGUAGE.get(name, {}).get(str(value), value))


MANY: Mapping[str, Callable[[int], str]] = {
    Kind.ASSIGNED: lambda n: ngettext(
        "%(n)s assignment to you on %(title)s.", "%(n)s assignments to you on %(title)s.", n
    ),
    Kind.RETURNED: lambda n: ngettext(
        "%(n)s sample was returned to you on %(title)s.", "%(n)s samples were returned to you on %(title)s.", n
    ),
    Kind.ENDED: lambda n: ngettext(
        "%(n)s sample that you had begun on %(title)s was removed.",
        "%(n)s samples that you had begun on %(title)s were removed.",
        n,
    ),
    Kind.DISPUTE: lambda n: ngettext(
        "%(n)s sample on %(title)s is disputed.", "%(n)s samples on %(title)s are disputed.", n
    ),
    Kind.REPLY: lambda n: ngettext("%(n)s comment for you on %(title)s.", "%(n)s comments for you on %(title)s.", n),
    Kind.MENTION: lambda n: ngettext("%(n)s mention of you on %(title)s.", "%(n)s mentions of you on %(title)s.", n),
}
"""The words of an entry of several events."""


def many_words(kind: str, n: int) -> str:
    """The template for ``n`` events of one kind."""
    known = MANY.get(kind)
    return known(n) if known else ngettext("%(n)s event on %(title)s.", "%(n)s events on %(title)s.", n)
