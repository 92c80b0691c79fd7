"""The command, where there is no Label Studio to talk with. The round trip with a real one is in tests/label_studio."""

from __future__ import annotations

import sys

import httpx
import pytest
from django.core.management import CommandError, call_command

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.exchange.write.label_studio import answered, pull, push
from annotation.workflow import Role
from webapp.common.errors import NotAllowed, Unavailable

pytestmark = pytest.mark.one_database

CLOSED = {"url": "http://127.0.0.1:9", "token": "0" * 40}


@pytest.fixture
def benchmark(lea, ana):
    made = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    add_member(actor=lea, benchmark=made, user=ana, role=Role.ANNOTATOR)
    return made


@pytest.mark.parametrize("direction", ["push", "pull"])
def test_without_the_client_the_command_names_the_extra(direction, benchmark, monkeypatch):
    monkeypatch.setitem(sys.modules, "label_studio_sdk", None)
    with pytest.raises(CommandError, match=r"pip install '\.\[label-studio\]'"):
        call_command("label_studio", direction, "kitchen", project="3", **CLOSED)


@pytest.mark.parametrize(("direction", "project"), [("pull", "new"), ("push", "-1"), ("push", "three")])
def test_a_project_is_a_number_or_new_where_it_can_be_made(direction, project, benchmark):
    with pytest.raises(CommandError, match="not a project number"):
        call_command("label_studio", direction, "kitchen", project=project, **CLOSED)


def test_a_benchmark_that_is_not_there_is_said(db):
    with pytest.raises(CommandError, match="Benchmark 'attic' not found"):
        call_command("label_studio", "push", "attic", project="3", **CLOSED)


def test_who_may_not_export_or_import_is_refused_before_anything_is_sent(benchmark, ana):
    with pytest.raises(NotAllowed):
        push(actor=ana, benchmark=benchmark, project=3, **CLOSED)
    with pytest.raises(NotAllowed):
        pull(actor=ana, benchmark=benchmark, project=3, **CLOSED)


def test_an_address_where_nothing_answers_is_named():
    with pytest.raises(Unavailable, match=r"http://127\.0\.0\.1:9 doesn't respond"), answered(CLOSED["url"]):
        httpx.get(CLOSED["url"], timeout=2)


def test_a_fault_of_ours_is_not_taken_for_an_answer():
    with pytest.raises(ZeroDivisionError), answered(CLOSED["url"]):
        _ = 1 / 0
