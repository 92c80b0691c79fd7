"""The admin: every model can be looked up, what is derived or frozen cannot be changed there."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin as site
from django.urls import reverse

from annotation.content.freeze import freeze_version
from evaluation.models import Metric, Trajectory
from tests.conftest import signed_in
from tests.evaluation.home.test_page import scored
from webapp.accounts.models import User
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
MODELS = [model for app in ("annotation", "evaluation") for model in apps.get_app_config(app).get_models()]


def page_of(model: Any, name: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_{name}", args=args)


@pytest.mark.endurance
def test_every_model_is_listed_searched_and_shown(lea: User, admin: User) -> None:
    freeze_version(actor=lea, benchmark=scored(lea), note="")
    client = signed_in(admin)
    for model in MODELS:
        answer = client.get(page_of(model, "changelist"), {"q": "a"})
        assert answer.status_code == 200, model
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'"), model
        assert "style=" not in answer.content.decode(), model
        for row in model.objects.all()[:1]:
            assert client.get(page_of(model, "change", row.pk)).status_code == 200, model


@pytest.mark.parametrize("model", [Trajectory, Metric], ids=lambda model: model.__name__)
def test_long_lists_take_a_fixed_number_of_queries(
    model: Any, lea: User, admin: User, django_assert_max_num_queries: Any
) -> None:
    scored(lea)
    assert model.objects.count() > 5
    client = signed_in(admin)
    # session, person; counts, rows; the choices of the filter by benchmark
    with django_assert_max_num_queries(6):
        client.get(page_of(model, "changelist"))


@pytest.mark.parametrize("model", [Metric, AuditEntry], ids=lambda model: model.__name__)
def test_what_is_derived_or_written_down_is_only_read(model: Any, lea: User, admin: User) -> None:
    scored(lea)
    client, row = signed_in(admin), model.objects.first()
    assert client.get(page_of(model, "add")).status_code == 403
    assert client.post(page_of(model, "change", row.pk), {"value": 1}).status_code == 403
    assert client.post(page_of(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert model.objects.filter(pk=row.pk).exists()


def test_only_site_admins_get_in(lea: User) -> None:
    assert signed_in(lea).get(reverse("admin:index")).status_code == 302
    assert set(MODELS) <= set(site.site._registry)
