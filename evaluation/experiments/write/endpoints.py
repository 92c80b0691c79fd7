"""Endpoints: permissions to add and change them, valid addresses, and the storage of keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.models import Benchmark
from annotation.outgoing.sealing import KeyRejected, Sealer, SealingUnavailable
from annotation.workflow import Right
from evaluation.endpoints.presets import PRESETS
from evaluation.experiments.read.connection import address_of
from evaluation.experiments.write.managers import require_manager
from evaluation.models import Endpoint, Experiment
from evaluation.runner.dialects.catalogue import CODE_DIALECTS, TOOLBOX_DIALECTS
from evaluation.runner.dialects.zoom import Frame
from evaluation.runner.dialects.zooms import ZOOM_DIALECTS
from evaluation.runner.tokens import FAMILIES
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.models import Job

PROBE = "evaluation.test_endpoint"
DIALECTS = tuple(dict.fromkeys((*ZOOM_DIALECTS, *TOOLBOX_DIALECTS, *CODE_DIALECTS)))
FRAMES = tuple(frame.value for frame in Frame)
LIMITS = ("requests_per_minute", "tokens_per_minute", "in_flight")
PRICES = ("input", "output", "cached")
CHANGEABLE = ("preset", "base_url", "model", "label", "family", "dialect", "frame", "key_name", "limits", "prices")


def add_endpoint(
    *, actor: User | None, benchmark: Benchmark | None, name: str, values: Mapping[str, Any], key: str = ""
) -> Endpoint:
    """Add an endpoint with ``values`` (of ``CHANGEABLE``); a ``key`` is sealed for it. Raises ``InvalidInput`` naming
    the field, ``Conflict`` if the name is taken."""
    require_manager(actor, benchmark)
    endpoint = Endpoint(benchmark=benchmark, name=name, created_by=actor, **_checked(values))
    _clean(endpoint)
    try:
        with transaction.atomic():
            endpoint.save()
            if key:
                _seal(endpoint, key)
            _note(actor, endpoint, "endpoint.add", {"host": address_of(endpoint.base_url).origin})
    except IntegrityError as error:
        raise Conflict(
            gettext("There is already an endpoint named %(name)s. Choose another name.") % {"name": name}, field="name"
        ) from error
    return endpoint


def change_endpoint(
    *, actor: User | None, endpoint: Endpoint, values: Mapping[str, Any], key: str = "", forget_key: bool = False
) -> list[str]:
    """Change an endpoint; return the names of what changed. A stored key is deleted if the address changes."""
    require_manager(actor, endpoint.benchmark)
    wanted = _checked(values)
    with transaction.atomic():
        stored = Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)
        changed = [name for name, value in wanted.items() if getattr(stored, name) != value]
        old, sealed = address_of(stored.base_url), bool(stored.sealed_key)
        for name in changed:
            setattr(stored, name, wanted[name])
        _clean(stored)
        new = address_of(stored.base_url)
        moved = (old.scheme, old.host, old.port) != (new.scheme, new.host, new.port)
        if sealed and (moved or forget_key):
            stored.sealed_key = ""
            changed.append("key")
        if {"base_url", "model", "preset", "dialect"} & set(changed):
            stored.capabilities, stored.checked_at = {}, None
        stored.save()
        if key:
            _seal(stored, key)
            changed = [*(one for one in changed if one != "key"), "key"]
        if changed:
            _note(actor, stored, "endpoint.change", {"changed": changed, "host": new.origin})
    endpoint.refresh_from_db()
    return changed


def remove_endpoint(*, actor: User | None, endpoint: Endpoint) -> None:
    """Delete an endpoint with its key. Its experiments stay. Raises ``Conflict`` while one of them runs."""
    require_manager(actor, endpoint.benchmark)
    with transaction.atomic():
        running = Experiment.objects.live().filter(endpoint=endpoint).first()
        if running is not None:
            raise Conflict(
                gettext("%(running)s is running on %(endpoint)s. Pause it first.")
                % {"running": running, "endpoint": endpoint}
            )
        _note(actor, endpoint, "endpoint.remove", {})
        endpoint.delete()


def test_endpoint(*, actor: User | None, endpoint: Endpoint) -> Job:
    """Find out in a job what the endpoint can do."""
    if endpoint.benchmark is not None:
        require(actor, endpoint.benchmark, Right.IMPORT_RUNS)
    else:
        require_manager(actor, None)
    with transaction.atomic():
        _note(actor, endpoint, "endpoint.test", {})
        return enqueue_on_commit(
            PROBE,
            payload={"endpoint_id": endpoint.pk},
            actor=actor,
            values={"endpoint": str(endpoint)},
            benchmark=endpoint.benchmark.slug if endpoint.benchmark else "",
            key=f"{PROBE}:{endpoint.pk}",
        )


def _checked(values: Mapping[str, Any]) -> dict[str, Any]:
    unknown = set(values) - set(CHANGEABLE)
    if unknown:
        raise InvalidInput(
            gettext("An endpoint has no %(unknown)s.") % {"unknown": sorted(unknown)[0]}, field=sorted(unknown)[0]
        )
    given = dict(values)
    if "base_url" in given:
        given["base_url"] = str(given["base_url"]).rstrip("/")
        address_of(given["base_url"])
    if given.get("preset", "generic") not in PRESETS:
        raise InvalidInput(gettext("Choose a preset: %(presets)s.") % {"presets": ", ".join(PRESETS)}, field="preset")
    for name, known in (("dialect", DIALECTS), ("frame", FRAMES), ("family", ("", *FAMILIES))):
        if name in given and given[name] not in known:
            message = gettext("Choose one of: %(known)s.") % {"known": ", ".join(one for one in known if one)}
            raise InvalidInput(message, field=name)
    for name, known in (("limits", LIMITS), ("prices", PRICES)):
        for key, value in given.get(name, {}).items():
            number = isinstance(value, int if name == "limits" else int | float) and not isinstance(value, bool)
            if key not in known or not (value is None or (number and 0 <= value < 1e12)):
                message = gettext("%(key)s is not possible. Numbers: %(known)s.") % {
                    "key": key,
                    "known": ", ".join(known),
                }
                raise InvalidInput(message, field=name)
    if given.get("prices") and not {"input", "output"} <= {
        key for key, value in given["prices"].items() if value is not None
    }:
        raise InvalidInput(gettext("Prices need input and output."), field="prices")
    return given


def _clean(endpoint: Endpoint) -> None:
    try:
        endpoint.full_clean(exclude=["created_by", "benchmark"], validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        field, problems = next(iter(error.message_dict.items()))
        raise InvalidInput(problems[0], field=field) from error


def _seal(endpoint: Endpoint, key: str) -> None:
    try:
        sealed = Sealer(settings.SEAL_KEY).seal(key, owner=str(endpoint.pk), address=address_of(endpoint.base_url))
    except KeyRejected as error:
        raise InvalidInput(str(error), field="key") from error
    except SealingUnavailable as error:
        raise Conflict(str(error), code="endpoint-key", field="key") from error
    endpoint.sealed_key, endpoint.key_name = sealed, ""
    endpoint.save(update_fields=["sealed_key", "key_name"])


def _note(actor: User | None, endpoint: Endpoint, action: str, data: Mapping[str, Any]) -> None:
    slug = endpoint.benchmark.slug if endpoint.benchmark else ""
    audit.record(actor=actor, action=action, subject=endpoint, benchmark=slug, data={"name": endpoint.name, **data})
