"""The page for changing keyboard shortcuts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from webapp.accounts.http import SignedInRequest
from webapp.accounts.keys import TABLES, Key, KeyTable, problems_of
from webapp.accounts.keys_actions import change_keys, own_keys


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A function with its current or requested key, and the problem of that key."""

    key: Key
    field: str
    chosen: str
    problem: str


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: SignedInRequest) -> HttpResponse:
    """Template accounts/keys.html; context: tables (pairs of KeyTable and its KeyRow rows). Posted: TABLE.NAME for each
    key, or ``defaults``."""
    if request.method != "POST":
        shown = [(table, _rows(table, own_keys(request.user, table), {})) for table in TABLES.values()]
        return render(request, "accounts/keys.html", {"tables": shown})
    asked = {table.name: _asked(request, table) for table in TABLES.values()}
    problems = {name: problems_of(TABLES[name], own) for name, own in asked.items()}
    if any(problems.values()):
        shown = [(table, _rows(table, asked[name], problems[name])) for name, table in TABLES.items()]
        return render(request, "accounts/keys.html", {"tables": shown}, status=400)
    count = sum(change_keys(actor=request.user, table=table, keys=asked[name]) for name, table in TABLES.items())
    changed = ngettext("%(count)s shortcut changed.", "%(count)s shortcuts changed.", count) % {"count": count}
    said = changed if count else gettext("No changes.")
    messages.success(request, said)
    return redirect("accounts:keys")


def _asked(request: SignedInRequest, table: KeyTable) -> dict[str, str]:
    if "defaults" in request.POST:
        return {}
    given = {key.name: request.POST.get(f"{table.name}.{key.name}", key.default) for key in table.keys}
    return {key.name: _written(given[key.name]) for key in table.keys if _written(given[key.name]) != key.default}


def _written(text: str) -> str:
    """The name of a key. A typed letter means its capital."""
    text = text.strip()[:40]
    return text.upper() if len(text) == 1 else text


def _rows(table: KeyTable, own: Mapping[str, str], problems: Mapping[str, str]) -> list[KeyRow]:
    return [
        KeyRow(key, f"{table.name}.{key.name}", own.get(key.name, key.default), problems.get(key.name, ""))
        for key in table.keys
    ]
