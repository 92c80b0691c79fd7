"""What the tests themselves stand on: rows made once are every test's own."""

from __future__ import annotations

import pytest

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.models import Benchmark
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = pytest.mark.django_db
MADE: list[str] = []


@made_once
def kitchen(lea: User) -> Benchmark:
    MADE.append("kitchen")
    return create_benchmark(actor=lea, slug="kitchen", title="Kitchen")


@pytest.mark.parametrize("name", ["first", "second"])
def test_each_test_finds_what_was_made_as_it_was_made(kitchen: Benchmark, lea: User, name: str) -> None:
    assert MADE == ["kitchen"]
    assert (kitchen.title, Benchmark.objects.get().title, lea.name) == ("Kitchen", "Kitchen", "Lea Moreau")
    assert kitchen.memberships.get().user == lea
    kitchen.title, lea.name = name, name
    kitchen.save()
    lea.save()
    create_benchmark(actor=None, slug=name, title=name)


def test_who_does_not_ask_for_it_does_not_have_it() -> None:
    assert not Benchmark.objects.exists()
    assert not User.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_who_commits_makes_it_anew(kitchen: Benchmark) -> None:
    assert Benchmark.objects.get() == kitchen
    assert make_user("Sam Ode").pk
