"""The next sample is kept while somebody works on the one before: the one that is handed out then, and not for long."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from annotation.models import Lease
from annotation.queue.assignment import next_to_annotate
from annotation.queue.leases import ANNOTATE
from annotation.queue.look_ahead import AHEAD, look_ahead
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from tests.annotation.work_data import content, drafted, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.common.errors import NotAllowed

pytestmark = pytest.mark.django_db


@made_once
def kitchen(ana, lea, rui):
    return to_annotate(3, annotator=ana, lead=lea, reviewer=rui)


def left(user, sample):
    """How long the seat is kept."""
    return Lease.objects.get(user=user, sample=sample, seat=ANNOTATE).expires_at - timezone.now()


def test_what_was_looked_at_is_handed_out_next_and_then_kept_as_long_as_any(kitchen, ana):
    sample = take_one(ana, kitchen)
    following = look_ahead(actor=ana, sample=sample)
    assert following.key == "s-0001"
    assert look_ahead(actor=ana, sample=sample) == following
    assert timedelta(0) < left(ana, following) <= AHEAD
    assert submit(actor=ana, sample=sample, version=0, content=content()) == following
    assert left(ana, following) > timedelta(minutes=14)


def test_nobody_else_gets_it_meanwhile_but_soon(kitchen, ana, lea):
    first = take_one(ana, kitchen)
    following = look_ahead(actor=ana, sample=first)
    assert next_to_annotate(actor=lea, benchmark=kitchen).key == "s-0002"
    Lease.objects.filter(user=lea).delete()
    Lease.objects.filter(sample=following).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert next_to_annotate(actor=lea, benchmark=kitchen) == following
    assert look_ahead(actor=ana, sample=first).key == "s-0002"


def test_a_sample_begun_elsewhere_keeps_its_full_time(kitchen, ana):
    begun = drafted(ana, kitchen)
    Lease.objects.create(
        sample=kitchen.samples.get(key="s-0001"),
        seat=ANNOTATE,
        user=ana,
        expires_at=timezone.now() + timedelta(minutes=15),
    )
    assert look_ahead(actor=ana, sample=kitchen.samples.get(key="s-0001")) == begun
    assert left(ana, begun) > AHEAD


@pytest.mark.both_databases
@pytest.mark.parametrize("minutes", [1, 5, 60])
def test_after_a_crash_the_open_draft_comes_before_the_sample_that_was_loaded_ahead(kitchen, ana, minutes):
    """Nothing was given back: both reservations stay, and expire after 3 and 15 minutes."""
    ahead, begun = take_one(ana, kitchen), kitchen.samples.get(key="s-0001")
    Lease.objects.filter(sample=ahead).update(expires_at=timezone.now() + AHEAD)
    open_at(ana, begun)
    Lease.objects.update(expires_at=F("expires_at") - timedelta(minutes=minutes))
    assert next_to_annotate(actor=ana, benchmark=kitchen) == begun
    assert left(ana, begun) > timedelta(minutes=14)
    assert submit(actor=ana, sample=begun, version=1, content=content()) == ahead


def test_home_continues_with_the_open_draft_after_a_crash(kitchen, ana):
    begun = open_at(ana, kitchen.samples.get(key="s-0002"))
    assert look_ahead(actor=ana, sample=begun).key == "s-0000"
    Lease.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    client = signed_in(ana)
    home = client.get("/").context
    assert (home["waiting"][0].kind, home["next"].sample) == ("drafts", begun)
    opened = client.post(home["waiting"][0].begin, {"sample": home["next"].sample.key})
    assert opened.url.endswith("/s-0002/")


def test_a_draft_that_was_left_on_purpose_comes_last(kitchen, ana):
    begun = drafted(ana, kitchen)
    client = signed_in(ana)
    client.post(f"/benchmarks/kitchen/annotate/release/{begun.key}/")
    assert take_one(ana, kitchen).key == "s-0001"
    submitted(ana, kitchen), submitted(ana, kitchen)
    assert take_one(ana, kitchen) == begun


def open_at(user, sample):
    """Begin a sample from its address."""
    Lease.objects.create(sample=sample, seat=ANNOTATE, user=user, expires_at=timezone.now() + timedelta(minutes=15))
    save_draft(actor=user, sample=sample, version=0, content=content())
    return sample


def test_what_came_back_is_next(kitchen, ana, rui):
    back = submitted(ana, kitchen)
    Lease.objects.all().delete()
    reviewed(rui, next_review(rui, kitchen), "return", comment="Tighter.")
    assert look_ahead(actor=ana, sample=kitchen.samples.get(key="s-0001")) == back


def test_after_the_last_one_comes_nothing(ana, rui):
    kitchen = to_annotate(1, annotator=ana)
    sample = take_one(ana, kitchen)
    assert look_ahead(actor=ana, sample=sample) is None
    with pytest.raises(NotAllowed):
        look_ahead(actor=rui, sample=sample)


def test_the_page_is_told_where_it_is_and_how_to_give_it_back(kitchen, ana):
    take_one(ana, kitchen)
    client = signed_in(ana)
    found = client.post("/benchmarks/kitchen/annotate/ahead/s-0000/").json()["next"]
    assert found["url"] == "/benchmarks/kitchen/annotate/samples/s-0001/"
    assert found["image"]["tiles"].endswith("/tiles/{level}/{column}_{row}.jpg")
    assert client.post(found["release"]).status_code == 200
    assert not Lease.objects.filter(sample__key="s-0001").exists()
