"""Descriptions that a model drafts for items of the board. A person accepts or changes them.

There is no control share here. It compares what people do with and without drafts on one sample. An item has one
author, a lead, who starts the drafting and reads its requests, and its description is compared with nothing.
"""

from __future__ import annotations

from django.db import transaction

from annotation.board.read.items import draft_faults
from annotation.board.write.decisions import current, refuse
from annotation.building import Stage
from annotation.models import BuildItem
from webapp.common import audit


def keep_description(*, item: BuildItem, version: int, text: str, model: str, prompt: str) -> None:
    """Keep the description that a model drafted for this version of an item; a newer one replaces it. ``prompt``:
    SHA-256 of its text. Raises ``InvalidInput`` with the rules that it breaks, ``Conflict`` for a changed item."""
    with transaction.atomic():
        stored = current(item, version, (Stage.DESCRIPTION,))
        refuse(draft_faults(stored, text))
        stored.draft = {"version": version, "text": text, "model": model, "prompt": prompt}
        stored.save(update_fields=["draft"])
        data = {"number": stored.number, "model": model, "prompt": prompt}
        audit.record(None, "build.draft", stored, stored.benchmark.slug, data=data)
