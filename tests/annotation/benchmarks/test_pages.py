"""The list of benchmarks, and the page that makes one."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from annotation.models import Benchmark, Image, Membership, Sample
from tests.annotation.pages_data import make_benchmark
from tests.conftest import signed_in
from tests.factories import PASSWORD
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NEW = "/benchmarks/new/"


def titles(client: Any, query: str = "") -> list[str]:
    return [card.benchmark.title for card in client.get(f"/benchmarks/{query}").context["cards"]]


def test_each_sees_what_is_public_and_what_they_work_on(lea: User, sam: User, admin: User, client: Any) -> None:
    make_benchmark(lea, "kitchen")
    make_benchmark(None, "street", public=True)
    assert titles(signed_in(lea)) == ["Kitchen", "Street"]
    assert titles(signed_in(sam)) == titles(client) == ["Street"]
    assert titles(signed_in(admin)) == ["Kitchen", "Street"]
    assert [titles(signed_in(lea), f"?q={words}") for words in ("KIT", "kit str")] == [["Kitchen"], []]


def test_a_card_counts_samples_by_state_and_shows_three_pictures(lea: User) -> None:
    make_benchmark(lea, count=5)
    Sample.objects.filter(key="mug-000").update(state="to_do")
    Image.objects.filter(samples__key="mug-001").update(state=Image.State.FAILED)
    [card] = signed_in(lea).get("/benchmarks/").context["cards"]
    assert [(words, n) for words, n, _ in card.counts] == [("accepted", 4), ("to do", 1)]
    assert (card.bar, card.roles, len(card.pictures)) == ([4, 0, 0, 1, 0], ["lead"], 3)
    used = Image.objects.filter(samples__key__in=["mug-000", "mug-002", "mug-003"]).values_list("sha256", flat=True)
    assert {address.split("/")[4] for address in card.pictures} == set(used)


def test_the_mosaic_shows_a_picture_once(lea: User) -> None:
    make_benchmark(lea, count=4)
    Sample.objects.update(image=Image.objects.first())
    [card] = signed_in(lea).get("/benchmarks/").context["cards"]
    assert len(card.pictures) == 1


def test_the_list_takes_the_same_queries_for_one_benchmark_and_for_many(
    lea: User, django_assert_num_queries: Any
) -> None:
    client = signed_in(lea)
    for number in range(3):
        make_benchmark(lea, f"kitchen-{number}", count=4)
        # session, person, benchmarks with their counts, roles, pictures
        with django_assert_num_queries(5):
            answer = client.get("/benchmarks/")
        assert len(answer.context["cards"]) == number + 1


def test_a_site_admin_makes_a_benchmark_and_becomes_its_lead(admin: User) -> None:
    answer = signed_in(admin).post(NEW, {"slug": "street-signs", "title": "Street signs"})
    assert answer.url == "/benchmarks/street-signs/"
    membership = Membership.objects.get()
    assert (membership.user, membership.role, membership.benchmark.title) == (admin, "lead", "Street signs")


@pytest.mark.parametrize("slug", ["Street", "two words", "-x", "new", "taken"])
def test_an_address_that_cannot_be_is_refused_at_its_field(admin: User, slug: str) -> None:
    make_benchmark(None, "taken")
    answer = signed_in(admin).post(NEW, {"slug": slug, "title": "Street"})
    assert answer.status_code == 400
    assert list(answer.context["form"].errors) == ["slug"]
    assert Benchmark.objects.count() == 1


def test_others_cannot_make_one(lea: User, client: Any) -> None:
    assert signed_in(lea).get(NEW).status_code == 403
    assert signed_in(lea).post(NEW, {"slug": "a", "title": "A"}).status_code == 403
    assert client.get(NEW).status_code == 302
    assert not Benchmark.objects.exists()


def test_a_visitor_is_sent_to_sign_in_and_back_to_the_page_they_wanted(lea: User, client: Any) -> None:
    street = make_benchmark(lea, "street", public=True)
    wanted = f"/benchmarks/{street.slug}/agreement/?view=a&sort=b"
    stopped = client.get(wanted)
    way = re.search(r'class="btn btn--primary" href="([^"]+)"', stopped.content.decode())
    assert stopped.status_code == 403
    assert way is not None
    answer = client.post(html.unescape(way[1]), {"email": lea.email, "password": PASSWORD})
    assert answer.url == wanted
