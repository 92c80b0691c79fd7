"""A person's own keys: what they are, and changing them."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from webapp.accounts.keys import KeyTable, changed, problems_of
from webapp.accounts.models import OwnKey, User
from webapp.common import audit
from webapp.common.errors import InvalidInput


def own_keys(user: User, table: KeyTable) -> dict[str, str]:
    """Return this person's choices by name, without defaults."""
    rows = OwnKey.objects.filter(user=user, table=table.name).values_list("name", "key")
    return changed(table, dict(rows))


@transaction.atomic
def change_keys(*, actor: User, table: KeyTable, keys: Mapping[str, str]) -> int:
    """Set these keys, by name; other keys are reset. Returns how many keys differ from before. Raises
    ``InvalidInput`` for a key that isn't allowed or that has two meanings."""
    before, after = own_keys(actor, table), changed(table, keys)
    for name, problem in problems_of(table, after).items():
        raise InvalidInput(problem, field=name)
    if before == after:
        return 0
    OwnKey.objects.filter(user=actor, table=table.name).delete()
    OwnKey.objects.bulk_create(
        [OwnKey(user=actor, table=table.name, name=name, key=key) for name, key in after.items()]
    )
    audit.record(actor, "keys.change", actor, data={"table": table.name, "from": before, "to": after})
    return sum(before.get(name) != after.get(name) for name in {*before, *after})
