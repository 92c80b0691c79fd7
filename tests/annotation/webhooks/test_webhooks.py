"""Adding webhooks, the messages they send, their signatures, and repeated tries."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.content.comments import add_comment
from annotation.content.freeze import freeze_version
from annotation.models import Benchmark, Webhook, WebhookDelivery
from annotation.outgoing.addresses import LOOPBACK
from annotation.outgoing.webhooks import DELAYS, TRIES, body_of, delay_after, headers, new_secret
from annotation.queue.pauses import pause
from annotation.webhooks.jobs import due_deliveries
from annotation.webhooks.write import add_webhook, change_webhook, send_again, send_test
from tests.annotation.work_data import annotation_of, next_review, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import Answer, serving
from tests.factories import make_token
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry
from webapp.notifications.models import Notification

pytestmark = pytest.mark.django_db
SEAL_KEY = "only for these tests: a key of many characters"
PAGE = "/benchmarks/kitchen/settings/webhooks/"


@made_once
def benchmark(ana: User, rui: User, lea: User) -> Benchmark:
    made = to_annotate(4, annotator=ana, reviewer=rui, lead=lea)
    submitted(ana, made)
    reviewed(rui, next_review(rui, made), "accept")
    return made


@pytest.fixture(autouse=True)
def server_for_tests(settings: Any) -> None:
    settings.SEAL_KEY, settings.WEBHOOK_HOSTS = SEAL_KEY, list(LOOPBACK)
    settings.SITE_URL = "https://sightline.example.org"


def hooked(lea: User, benchmark: Benchmark, url: str, *kinds: str, format: str = "json") -> tuple[Webhook, str]:
    return add_webhook(actor=lea, benchmark=benchmark, url=url, format=format, kinds=kinds or ("freeze",))


def is_genuine(secret: str, sent: dict[str, str], body: bytes, *, now: int) -> bool:
    """A verifier, written from the specification of Standard Webhooks 1.0."""
    message, time = sent["webhook-id"], int(sent["webhook-timestamp"])
    if abs(now - time) > 300:
        return False
    key = base64.b64decode(secret[len("whsec_") :])
    expected = hmac.new(key, b".".join([message.encode(), str(time).encode(), body]), hashlib.sha256).digest()
    for one in sent["webhook-signature"].split(" "):
        version, _, given = one.partition(",")
        if version == "v1" and hmac.compare_digest(base64.b64decode(given), expected):
            return True
    return False


def test_a_verifier_of_the_standard_rejects_another_body_time_id_or_secret() -> None:
    secret, body = new_secret(), '{"type": "freeze", "é": 1}'.encode()
    sent = headers(secret, "msg_a", 1_700_000_000, body)
    now = 1_700_000_010
    assert is_genuine(secret, sent, body, now=now)
    assert not is_genuine(secret, sent, body + b" ", now=now)
    assert not is_genuine(secret, {**sent, "webhook-timestamp": "1700000001"}, body, now=now)
    assert not is_genuine(secret, {**sent, "webhook-id": "msg_b"}, body, now=now)
    assert not is_genuine(new_secret(), sent, body, now=now)
    assert not is_genuine(secret, sent, body, now=now + 3600)


def test_the_signature_is_that_of_the_example_of_the_standard() -> None:
    sent = headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
    )
    assert sent["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_ten_tries_take_less_than_a_day() -> None:
    assert TRIES == 10
    assert 23 * 3600 < sum(DELAYS) < 24 * 3600
    assert [delay_after(n, 0.0) for n in range(1, 10)] == list(DELAYS)
    assert delay_after(1, 1.0) == pytest.approx(27)


def test_slack_gets_text_in_which_nothing_is_a_link_but_ours() -> None:
    body = json.loads(body_of("slack", "freeze", "", "<!channel> A & B", {"url": "https://s/x"}))
    assert body == {"text": "&lt;!channel&gt; A &amp; B <https://s/x|Open>"}


def test_an_event_is_sent_by_a_job_and_repeats_have_its_id(
    lea: User, benchmark: Benchmark, run_jobs: Callable[[], int]
) -> None:
    with serving(Answer(503), Answer(200)) as server:
        _, secret = hooked(lea, benchmark, f"{server.url}/a?b=c")
        freeze_version(actor=lea, benchmark=benchmark)
        assert server.seen.requests == []
        run_jobs()
        one = WebhookDelivery.objects.get()
        assert (one.state, one.attempts, one.status) == ("waiting", 1, 503)
        assert due_deliveries(timezone.now()) == 0
        WebhookDelivery.objects.update(not_before=timezone.now() - timedelta(seconds=1))
        assert due_deliveries(timezone.now()) == 1
        run_jobs()
        one.refresh_from_db()
        assert (one.state, one.attempts, one.status) == ("delivered", 2, 200)
        (path, first, body), (_, second, again) = server.seen.requests
    assert path.endswith("/a?b=c")
    names = [{name.lower(): value for name, value in found.items()} for found in (first, second)]
    assert {found["webhook-id"] for found in names} == {one.event}
    assert body == again
    assert all(is_genuine(secret, found, body, now=int(found["webhook-timestamp"])) for found in names)
    said = json.loads(body)
    assert (said["type"], said["data"]["text"]) == ("freeze", "Kitchen: Version 1 was frozen.")
    assert said["data"]["url"] == "https://sightline.example.org/benchmarks/kitchen/versions/"


def test_an_act_that_fails_leaves_no_event(lea: User, benchmark: Benchmark) -> None:
    hooked(lea, benchmark, "http://127.0.0.1:9/")
    freeze_version(actor=lea, benchmark=benchmark)
    with pytest.raises(Conflict):
        freeze_version(actor=lea, benchmark=benchmark)
    assert WebhookDelivery.objects.count() == 1


def test_ten_failures_disable_it_and_tell_the_leads(
    lea: User, rui: User, benchmark: Benchmark, run_jobs: Callable[[], int]
) -> None:
    with serving(*[Answer(500)] * 12) as server:
        hook, _ = hooked(lea, benchmark, server.url)
        delivery = send_test(actor=lea, webhook=hook)
        for _ in range(12):
            run_jobs()
            WebhookDelivery.objects.exclude(not_before=None).update(not_before=timezone.now() - timedelta(1))
            due_deliveries(timezone.now())
    assert len(server.seen.requests) == 10
    hook.refresh_from_db()
    delivery.refresh_from_db()
    assert (hook.active, hook.problem, delivery.state) == (False, "HTTP 500", "failed")
    assert Notification.objects.get(kind="webhook").person == lea
    with pytest.raises(Conflict):
        send_again(actor=lea, delivery=delivery)
    change_webhook(actor=lea, webhook=hook, active=True)
    send_again(actor=lea, delivery=delivery)
    with serving(Answer(204)) as server:
        Webhook.objects.update(url=server.url)
        run_jobs()
    delivery.refresh_from_db()
    # The secret is sealed for the address: another port gets nothing.
    assert delivery.state == "waiting"
    assert "can't be opened" in delivery.error


def test_a_receiver_that_is_gone_is_asked_no_more(lea: User, benchmark: Benchmark, run_jobs: Callable[[], int]) -> None:
    with serving(Answer(410)) as server:
        hook, _ = hooked(lea, benchmark, server.url)
        send_test(actor=lea, webhook=hook)
        run_jobs()
    assert Webhook.objects.get().active is False


def test_redirects_are_not_followed(lea: User, benchmark: Benchmark, run_jobs: Callable[[], int]) -> None:
    with serving(Answer(302, headers={"Location": "http://127.0.0.1:9/secret"})) as server:
        hook, _ = hooked(lea, benchmark, server.url)
        send_test(actor=lea, webhook=hook)
        run_jobs()
    assert WebhookDelivery.objects.get().error == "HTTP 302: redirects are not followed."


@pytest.mark.parametrize(
    "url",
    ["http://example.org/", "https://127.0.0.1/", "https://10.0.0.7/x", "https://169.254.169.254/", "https://[fe80::1]/",
     "https://[::ffff:10.0.0.1]/", "https://user:x@example.org/", "ftp://example.org/", "nonsense", ""],
)  # fmt: skip
def test_private_and_link_local_targets_are_rejected(lea: User, benchmark: Benchmark, settings: Any, url: str) -> None:
    settings.WEBHOOK_HOSTS = []
    with pytest.raises(InvalidInput) as caught:
        hooked(lea, benchmark, url)
    assert caught.value.field == "url"
    assert "ENDPOINT" not in caught.value.message


def test_a_target_that_becomes_private_gets_nothing(
    lea: User, benchmark: Benchmark, settings: Any, run_jobs: Callable[[], int]
) -> None:
    with serving(Answer(200)) as server:
        hook, _ = hooked(lea, benchmark, server.url)
        send_test(actor=lea, webhook=hook)
        settings.WEBHOOK_HOSTS = []
        run_jobs()
        assert server.seen.requests == []
    assert "SIGHTLINE_WEBHOOK_HOSTS" in WebhookDelivery.objects.get().error


def test_only_leads_add_webhooks_and_only_with_a_seal_key(
    ana: User, lea: User, benchmark: Benchmark, settings: Any
) -> None:
    with pytest.raises(NotAllowed):
        hooked(ana, benchmark, "https://example.org/")
    settings.SEAL_KEY = ""
    with pytest.raises(InvalidInput, match="SIGHTLINE_SEAL_KEY"):
        hooked(lea, benchmark, "https://example.org/")
    assert not Webhook.objects.exists()


def test_reports_name_no_author_and_no_pause_of_one_person(
    ana: User, rui: User, lea: User, benchmark: Benchmark
) -> None:
    hooked(lea, benchmark, "https://example.org/", "reply", "mention", "pause", "returned")
    annotation = annotation_of(ana, submitted(ana, benchmark))
    add_comment(actor=rui, annotation=annotation, text="@Ana Lind why?")
    pause(actor=lea, benchmark=benchmark, reason="See me.", user=ana)
    bodies = list(WebhookDelivery.objects.order_by("pk").values_list("kind", "body"))
    assert [kind for kind, _ in bodies] == ["reply", "mention"]
    assert not any("Ana" in body or "See me" in body for _, body in bodies)


def test_a_lead_adds_tests_and_removes_one_on_pages(
    lea: User, benchmark: Benchmark, run_jobs: Callable[[], int], django_assert_num_queries: Any
) -> None:
    browser = signed_in(lea)
    assert browser.post(PAGE, {"url": "https://10.0.0.7/", "format": "json", "kinds": ["freeze"]}).status_code == 400
    with serving(Answer(200), Answer(200)) as server:
        made = browser.post(PAGE, {"url": server.url, "format": "slack", "kinds": ["freeze", "dispute"]})
        page = browser.get(made.url)
        assert "whsec_" in page.text
        assert "whsec_" not in browser.get(made.url).text
        browser.post(f"{made.url}test/")
        run_jobs()
        delivery = WebhookDelivery.objects.get()
        browser.post(f"{made.url}deliveries/{delivery.pk}/again/")
        run_jobs()
    ids = [{name.lower(): value for name, value in found.items()}["webhook-id"] for _, found, _ in server.seen.requests]
    assert ids == [delivery.event] * 2
    assert "HTTP 200" in browser.get(made.url).text
    browser.post(f"{made.url}disable/")
    assert browser.post(f"{made.url}test/").status_code == 409
    browser.post(f"{made.url}secret/")
    browser.post(f"{made.url}remove/")
    actions = AuditEntry.objects.filter(action__startswith="webhook.").order_by("pk").values_list("action", flat=True)
    assert list(actions) == [f"webhook.{verb}" for verb in ("add", "test", "send_again", "change", "secret", "remove")]
    stored = json.dumps(list(AuditEntry.objects.values("data", "personal")))
    assert "whsec_" not in stored


def test_a_new_address_keeps_the_secret_and_gets_what_waits(
    lea: User, benchmark: Benchmark, run_jobs: Callable[[], int]
) -> None:
    webhook, secret = hooked(lea, benchmark, "https://127.0.0.1:9/old", "freeze")
    freeze_version(actor=lea, benchmark=benchmark)
    run_jobs()
    page = f"{PAGE}{webhook.pk}/"
    browser = signed_in(lea)
    refused = browser.post(page, {"url": "http://10.0.0.7/", "kinds": ["freeze"]})
    assert refused.status_code == 400
    with serving(Answer(200)) as server:
        assert browser.post(page, {"url": f"{server.url}/new", "kinds": ["freeze"]}).status_code == 302
        WebhookDelivery.objects.update(not_before=timezone.now())
        run_jobs()
    [(path, sent, body)] = server.seen.requests
    assert path.endswith("/new")
    sent = {name.lower(): value for name, value in sent.items()}
    assert is_genuine(secret, sent, body, now=int(sent["webhook-timestamp"]))
    entry = AuditEntry.objects.get(action="webhook.change")
    assert "/new" not in json.dumps(entry.data), "a path may be a password"


def test_who_changes_the_events_leaves_the_address_that_another_lead_saved(lea: User, benchmark: Benchmark) -> None:
    webhook, _ = hooked(lea, benchmark, "https://hooks.example.org/a")
    opened = Webhook.objects.get(pk=webhook.pk)
    change_webhook(actor=lea, webhook=webhook, url="https://hooks.example.org/b")
    assert change_webhook(actor=lea, webhook=opened, kinds=["dispute"]) == ["kinds"]
    stored = Webhook.objects.get()
    assert (stored.url, stored.kinds) == ("https://hooks.example.org/b", ["dispute"])


def test_programs_add_and_read_webhooks(lea: User, benchmark: Benchmark, client: Any) -> None:
    auth = {"Authorization": f"Bearer {make_token(lea)}"}
    base = "/api/v1/benchmarks/kitchen/webhooks/"
    sent = {"url": "https://hooks.example.org/a", "kinds": ["freeze"]}
    added = client.post(base, sent, content_type="application/json", headers=auth)
    assert added.status_code == 201
    assert added.json()["secret"].startswith("whsec_")
    [listed] = client.get(base, headers=auth).json()["results"]
    assert "secret" not in listed
    one = f"{base}{listed['id']}/"
    tried = client.post(f"{one}test/", headers=auth)
    assert tried.status_code == 202
    [delivery] = client.get(f"{one}deliveries/", headers=auth).json()["results"]
    assert delivery["event"] == tried.json()["event"]
    assert client.post(f"{one}deliveries/{delivery['id']}/again/", headers=auth).status_code == 202
    moved = client.patch(one, {"url": "https://hooks.example.org/b"}, content_type="application/json", headers=auth)
    assert (moved.json()["url"], moved.json()["kinds"]) == ("https://hooks.example.org/b", ["freeze"])
    changed = client.patch(one, {"active": False}, content_type="application/json", headers=auth)
    assert changed.json()["active"] is False
    assert client.delete(one, headers=auth).status_code == 204
