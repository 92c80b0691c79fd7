"""Prompts of people: who writes them, when they freeze, and two leads who save at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.samples import save_samples
from annotation.images.store import store_pictures
from annotation.imaging.encoding import encode
from annotation.models import Benchmark
from annotation.schema import AnswerType, SampleContent, SampleRecord
from annotation.workflow import Role
from evaluation.experiments.present.prompts import preview_of, sides
from evaluation.experiments.read.prompts import Owner, prompt_named, prompts_of
from evaluation.experiments.write.judges import JudgeChoices, create_judge
from evaluation.experiments.write.plan import plan_attempts, selected_samples, task_of, with_task
from evaluation.experiments.write.prompts import change_prompt, create_prompt
from evaluation.experiments.write.states import start_all
from evaluation.models import Attempt, Endpoint, Experiment, Prompt, Run
from evaluation.runner.conversation import Conversation
from evaluation.runner.recipe import Recipe
from evaluation.runner.templates import Role as PromptRole
from evaluation.runner.templates import built_in, load_prompt
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import serving, spoken
from tests.evaluation.experiments.conftest import Make
from tests.factories import make_user
from tests.unit.toolbox_cases import scene
from webapp.accounts.actions import create_token
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
AT = "/benchmarks/kitchen"
API = "/api/v1/benchmarks/kitchen"
NOWHERE = "http://127.0.0.1:9/v1"
TEXT = "Look twice.\n{{ question }}\n{{ options }}"
HOSTILE = "<script>alert(1)</script> {% now 'Y' %} {{ question }} {{ options }}"


@pytest.fixture
def mine(benchmark: Benchmark, lea: User) -> Prompt:
    """A user prompt of the benchmark that no experiment has used."""
    return create_prompt(actor=lea, benchmark=benchmark, slug="mine", role="user", text=TEXT, note="First.")


@pytest.fixture
def admin(db: None) -> User:
    return make_user("Ada Kern", is_staff=True, is_superuser=True)


def with_sample(benchmark: Benchmark, folder: Path, content: SampleContent) -> None:
    """A further sample of the benchmark, ``a``, with gold."""
    records = [SampleRecord("a", content, "s.png")]
    found = store_pictures(
        actor=None, benchmark=benchmark, records=records, folder=folder, embedded={"s.png": encode(scene())}
    )
    save_samples(actor=None, benchmark=benchmark, records=records, pictures=found)


def changed(prompt: Prompt, actor: User, text: str, based_on: str = "", note: str = "") -> Prompt:
    newest = Prompt.objects.filter(slug=prompt.slug).order_by("-version")[0]
    return change_prompt(actor=actor, prompt=prompt, based_on=based_on or newest.digest, text=text, note=note)


def test_all_prompts_are_those_of_the_benchmark_of_the_site_and_of_sightline(
    benchmark: Benchmark, mine: Prompt, lea: User, admin: User
) -> None:
    create_prompt(actor=admin, benchmark=None, slug="ours", role="system", text="Be exact.")
    other = create_benchmark(actor=lea, slug="street", title="Street")
    create_prompt(actor=lea, benchmark=other, slug="mine", role="system", text="Of another benchmark.")
    found = prompts_of(benchmark)
    assert [(one.slug, one.owner) for one in found[:2]] == [("mine", Owner.BENCHMARK), ("ours", Owner.SITE)]
    assert [one.slug for one in found[2:]] == list(built_in())
    assert {one.owner for one in found[2:]} == {Owner.SIGHTLINE}
    user = [PromptRole.USER]
    assert prompt_named(benchmark, "mine", user).template.text == TEXT
    assert prompt_named(benchmark, "direct@1", user).template == load_prompt("direct")
    for name, says in (("mine@2", "no version 2"), ("no@1", "no prompt no"), ("ours@1", "the role system")):
        with pytest.raises(InvalidInput, match=says):
            prompt_named(benchmark, name, user)


def test_leads_write_prompts_of_their_benchmark_and_admins_those_of_the_site(
    benchmark: Benchmark, mine: Prompt, lea: User, sam: User, admin: User
) -> None:
    site = create_prompt(actor=admin, benchmark=None, slug="ours", role="system", text="Be exact.")
    add_member(actor=lea, benchmark=benchmark, user=sam, role=Role.RESEARCHER)
    for actor, where in ((sam, benchmark), (lea, None)):
        with pytest.raises(NotAllowed):
            create_prompt(actor=actor, benchmark=where, slug="new", role="system", text="Be exact.")
    for actor, prompt in ((sam, mine), (lea, site)):
        with pytest.raises(NotAllowed):
            changed(prompt, actor, TEXT + " Now.")
    assert Prompt.objects.count() == 2
    assert list(AuditEntry.objects.filter(action__startswith="prompt.").values_list("action", flat=True)) == [
        "prompt.create", "prompt.create",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("values", "field", "says"),
    [
        ({"slug": "Not A Name"}, "slug", "lowercase letters"),
        ({"slug": "a" * 61}, "slug", "at most 60"),
        ({"role": "poet"}, "role", "Choose a role"),
        ({"text": "{{ options }}"}, "text", "needs the field {{ question }}"),
        ({"text": "{{ question }}\n\n{{ gold }}"}, "text", "line 3: unknown field 'gold'"),
        ({"text": "{{ question }} {{ question.image }}"}, "text", "line 1: write a field as"),
        ({"text": "{{ question }} \0"}, "text", "can't be sent"),
        ({"text": "{{ question }} \ud800"}, "text", "can't be sent"),
        ({"text": "  "}, "text", "from 1 to 20,000"),
    ],
)
def test_a_prompt_that_could_not_be_rendered_is_refused_at_its_field(
    benchmark: Benchmark, lea: User, values: dict[str, str], field: str, says: str
) -> None:
    given = {"slug": "mine", "role": "user", "text": TEXT} | values
    with pytest.raises(InvalidInput) as refused:
        create_prompt(actor=lea, benchmark=benchmark, **given)
    assert (refused.value.field, says in refused.value.message) == (field, True)
    assert not Prompt.objects.exists()


@pytest.mark.both_databases
def test_a_name_means_one_prompt_on_each_benchmark(benchmark: Benchmark, mine: Prompt, lea: User, admin: User) -> None:
    create_prompt(actor=admin, benchmark=None, slug="ours", role="system", text="Be exact.")
    for actor, where, slug in (
        (lea, benchmark, "mine"), (lea, benchmark, "ours"), (lea, benchmark, "direct"), (admin, None, "mine"),
    ):  # fmt: skip
        with pytest.raises(Conflict, match="already a prompt named"):
            create_prompt(actor=actor, benchmark=where, slug=slug, role="system", text="Be exact.")


def test_lines_of_a_browser_and_of_a_file_are_the_same_text(benchmark: Benchmark, mine: Prompt, lea: User) -> None:
    made = create_prompt(
        actor=lea, benchmark=benchmark, slug="other", role="user", text=f"\r\n{TEXT}  ".replace("\n", "\r\n")
    )
    assert (made.text, made.digest) == (TEXT, mine.digest)


@pytest.mark.both_databases
def test_an_open_prompt_is_changed_in_place_and_a_frozen_one_gets_a_new_version(
    benchmark: Benchmark, mine: Prompt, lea: User, endpoint_at: EndpointAt, experiment_on: Make
) -> None:
    edited = changed(mine, lea, TEXT + "\nNow.")
    assert (edited.pk, edited.version, edited.frozen) == (mine.pk, 1, False)
    experiment = experiment_on(endpoint_at(NOWHERE), prompt="mine@1")
    assert experiment.recipe["user"]["text"] == edited.text
    mine.refresh_from_db()
    assert mine.frozen
    second = changed(mine, lea, TEXT + "\nLater.", note="Says later.")
    assert (second.version, second.frozen, second.note, second.created_by) == (2, False, "Says later.", lea)
    mine.refresh_from_db()
    assert (mine.text, mine.version) == (edited.text, 1)
    assert changed(mine, lea, second.text, note="Says later.") == second, "the same text again is no new version"
    assert Prompt.objects.count() == 2
    other = experiment_on(endpoint_at(NOWHERE, name="other"), prompt="mine@2", setting="later")
    assert other.recipe_digest != experiment.recipe_digest


@pytest.mark.both_databases
def test_a_prompt_that_changes_while_an_experiment_is_created_is_read_again(
    benchmark: Benchmark, mine: Prompt, lea: User, endpoint_at: EndpointAt, experiment_on: Make, monkeypatch: Any
) -> None:
    """The lead saves between the reading of the text and the freeze."""
    from evaluation.experiments.write import create

    freeze = create.freeze_prompts

    def late(versions: Any) -> None:
        Prompt.objects.filter(pk=mine.pk).update(text="{{ question }}", digest="0" * 64)
        freeze(versions)

    monkeypatch.setattr(create, "freeze_prompts", late)
    with pytest.raises(Conflict, match="mine@1 has just changed"):
        experiment_on(endpoint_at(NOWHERE), prompt="mine@1")
    assert not Experiment.objects.exists()


def test_a_dry_run_freezes_nothing_and_leaves_no_trace(
    benchmark: Benchmark, mine: Prompt, endpoint_at: EndpointAt, capsys: Any
) -> None:
    endpoint_at(NOWHERE)
    before = AuditEntry.objects.count()
    call_command("run", "kitchen", endpoint="local", protocol="base", prompt="mine@1", dry_run=True)
    assert "Look twice.\\nHow many shapes?" in capsys.readouterr().out
    mine.refresh_from_db()
    assert (mine.frozen, Experiment.objects.exists(), AuditEntry.objects.count()) == (False, False, before)
    call_command("run", "kitchen", endpoint="local", protocol="zoom", prompt="weak", user_prompt="mine")
    mine.refresh_from_db()
    recipe = Experiment.objects.get().recipe
    assert (mine.frozen, recipe["system"]["slug"], recipe["user"]["slug"]) == (True, "weak", "mine")


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("frozen", [True, False])
def test_of_two_leads_who_save_at_once_one_is_told(benchmark: Benchmark, mine: Prompt, lea: User, frozen: bool) -> None:
    Prompt.objects.update(frozen=frozen)
    together, saved, refused = Barrier(2), [], []

    def save(text: str) -> None:
        together.wait()
        try:
            saved.append(changed(mine, lea, text, based_on=mine.digest).text)
        except Conflict as conflict:
            refused.append(conflict.code)
        finally:
            connection.close()

    threads = [Thread(target=save, args=(f"{TEXT}\n{word}",)) for word in ("One.", "Two.")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    newest = Prompt.objects.order_by("-version")[0]
    assert (saved, refused) == ([newest.text], ["stale"])
    assert (newest.version, Prompt.objects.count()) == ((2, 2) if frozen else (1, 1))


def test_samples_with_options_are_skipped_by_a_prompt_without_them(
    benchmark: Benchmark, lea: User, endpoint_at: EndpointAt, experiment_on: Make, tmp_path: Path
) -> None:
    create_prompt(actor=lea, benchmark=benchmark, slug="short", role="user", text="{{ question }}")
    options = {"A": "1", "B": "2"}
    with_sample(benchmark, tmp_path, SampleContent("How many?", AnswerType.MULTIPLE_CHOICE, options, ("B",)))
    plan_attempts(experiment_on(endpoint_at(NOWHERE), prompt="short"))
    found = Attempt.objects.values_list("sample__key", "state", "error")
    assert [(key, state) for key, state, _ in found] == [("a", "skipped"), ("one", "queued"), ("two", "queued")]
    assert "short@1 has no field {{ options }}" in found[0][2]


def test_a_model_never_sees_options_that_a_file_states_for_an_open_question(
    benchmark: Benchmark, tmp_path: Path
) -> None:
    with_sample(benchmark, tmp_path, SampleContent("How many?", AnswerType.OPEN, {"A": "1", "B": "2"}, ("2",)))
    sample = with_task(selected_samples(benchmark, "")).get(key="a")
    assert sample.gold.revision.options == {"A": "1", "B": "2"}
    assert task_of(sample).options == {}


@pytest.mark.parametrize(
    ("role", "text", "protocol"),
    [("system", "Zoom with {{ tool }}.", "zoom"), ("user", TEXT, "base"), ("system", "Think.", "interface")],
)
def test_a_preview_is_what_an_experiment_sends(
    benchmark: Benchmark, lea: User, role: str, text: str, protocol: str
) -> None:
    create_prompt(actor=lea, benchmark=benchmark, slug="mine", role=role, text=text)
    template = prompt_named(benchmark, "mine", [PromptRole(role)]).template
    preview = preview_of(benchmark, template, sample="two")
    sample = with_task(selected_samples(benchmark, "")).get(key="two")
    part = "system" if role == "system" else "user"
    recipe = Recipe.of(protocol, "m", NOWHERE, **{part: template})
    sent = Conversation(recipe, task_of(sample)).next().body["messages"]
    assert [(one.speaker, one.text) for one in preview.messages] == [
        (one["role"], one["content"] if isinstance(one["content"], str) else one["content"][-1]["text"]) for one in sent
    ]
    assert preview.sample == "two"


def test_a_value_that_a_sample_lacks_is_named_in_the_preview(benchmark: Benchmark) -> None:
    preview = preview_of(benchmark, load_prompt("strong-reference"))
    assert preview.messages == ()
    assert "needs a value for 'toolchain'" in preview.problem
    assert "no such sample" in preview_of(benchmark, load_prompt("direct"), sample="none").problem
    assert "no trajectory" in preview_of(benchmark, load_prompt("reliability")).problem


def test_words_and_ends_of_lines_that_differ_are_marked_in_both_columns() -> None:
    older, newer = sides("Answer from the image.\nStop.", "Answer from this image. Stop.")
    assert [(one.kind, one.text) for one in older] == [
        ("same", "Answer from "), ("cut", "the"), ("same", " image."), ("cut", "↵\n"), ("same", "Stop."),
    ]  # fmt: skip
    assert "".join(one.text for one in newer) == "Answer from this image. Stop."
    assert sides("same text", "same text")[0] == sides("same text", "same text")[1]
    often, other = "a " * 700, "a " * 650 + "b " * 50
    assert [one.kind for side in sides(often, other) for one in side] == ["cut", "new"], "it would take a minute"


def test_a_lead_writes_previews_copies_and_compares_prompts(
    benchmark: Benchmark, lea: User, endpoint_at: EndpointAt, experiment_on: Make
) -> None:
    client = signed_in(lea)
    given = {"slug": "mine", "role": "user", "text": TEXT, "sample": "two", "protocol": ""}
    shown = client.post(f"{AT}/new-prompt/", given | {"preview": "yes"}).content.decode()
    assert "Look twice.\nHow many corners?" in shown
    assert not Prompt.objects.exists()
    made = client.post(f"{AT}/new-prompt/", given)
    assert (made.status_code, made["Location"]) == (302, f"{AT}/prompts/mine/")
    page = client.get(f"{AT}/new-prompt/?copy=mine@1").content.decode()
    assert "Copy of mine@1" in page
    assert "Look twice." in page
    experiment = experiment_on(endpoint_at(NOWHERE), prompt="mine@1")
    assert f'href="{AT}/prompts/mine/?version=1"' in client.get(f"{AT}/experiments/{experiment.pk}/").content.decode()
    page = client.get(f"{AT}/prompts/mine/change/").content.decode()
    assert "New version of mine" in page
    change = {"text": TEXT.replace("twice", "again"), "based_on": Prompt.objects.get().digest, "note": "Again."}
    assert client.post(f"{AT}/prompts/mine/change/", change).status_code == 302
    page = client.get(f"{AT}/prompts/mine/").content.decode()
    assert "<del>twice.</del>" in page
    assert "<ins>again.</ins>" in page
    listed = client.get(f"{AT}/prompts/").content.decode()
    assert f'href="{AT}/experiments/?prompt=mine%401"' in listed
    assert "1 with mine@1" in listed
    assert client.get(f"{AT}/prompts/mine/?version=3").status_code == 404
    assert client.get(f"{AT}/prompts/direct/change/").status_code == 404


def test_a_count_of_experiments_opens_just_these(
    benchmark: Benchmark, mine: Prompt, lea: User, endpoint_at: EndpointAt, experiment_on: Make
) -> None:
    endpoint, client = endpoint_at(NOWHERE), signed_in(lea)
    for n, choices in enumerate(({"prompt": "mine"}, {"prompt": "weak", "user_prompt": "mine"}, {})):
        experiment_on(endpoint, "base" if n != 1 else "zoom", setting=f"s{n}", **choices)
    assert benchmark.experiments.prompts() == {("mine", "1"): 2, ("weak", "1"): 1, ("direct", "1"): 1}
    for (slug, version), n in benchmark.experiments.prompts().items():
        answer = client.get(f"{AT}/experiments/", {"prompt": f"{slug}@{version}"})
        assert len(answer.context["page"].rows) == n
    assert len(client.get(f"{AT}/experiments/", {"prompt": "mine@2"}).context["page"].rows) == 0


def test_the_page_of_a_run_names_the_prompts_that_it_was_made_with(
    benchmark: Benchmark, mine: Prompt, lea: User, endpoint_at: EndpointAt, experiment_on: Make, ana: User
) -> None:
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    with serving(spoken("<answer>2</answer>")) as server:
        start_all(actor=lea, experiment=experiment_on(endpoint_at(server.url), prompt="mine@1"))
        run_waiting()
    page = f"{AT}/runs/{Run.objects.get().pk}/"
    assert f'<a href="{AT}/prompts/mine/?version=1">mine@1</a>' in signed_in(lea).get(page).content.decode()
    shown = signed_in(ana).get(page).content.decode()
    assert ("mine@1" in shown, "/prompts/mine/" in shown) == (True, False)


def test_a_judge_is_asked_with_a_prompt_of_people_of_the_role_of_its_question(
    benchmark: Benchmark, lea: User, endpoint_at: EndpointAt, experiment_on: Make
) -> None:
    text = "Is {{ answer }} shown? {{ question }}"
    create_prompt(actor=lea, benchmark=benchmark, slug="strict", role="reliability", text=text)
    with serving(spoken("<answer>2</answer>")) as server:
        endpoint = endpoint_at(server.url)
        start_all(actor=lea, experiment=experiment_on(endpoint))
        run_waiting()
    run = Run.objects.get()
    template = prompt_named(benchmark, "strict", list(PromptRole)).template
    [message] = preview_of(benchmark, template).messages
    assert (message.text, message.before) == ("Is 2 shown? How many shapes?", "the crops")
    with pytest.raises(InvalidInput, match="has the role reliability"):
        create_judge(actor=lea, run=run, endpoint=endpoint, choices=JudgeChoices("sufficiency", prompt="strict"))
    assert not Prompt.objects.get().frozen


def test_who_saves_on_an_older_version_is_told_and_can_save_again(
    benchmark: Benchmark, mine: Prompt, lea: User
) -> None:
    client, based_on = signed_in(lea), mine.digest
    changed(mine, lea, TEXT + "\nTheirs.")
    answer = client.post(f"{AT}/prompts/mine/change/", {"text": TEXT + "\nMine.", "based_on": based_on})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "Another person has just saved mine@1" in page
    assert "Mine." in page
    again = {"text": TEXT + "\nMine.", "based_on": Prompt.objects.get().digest}
    assert f'value="{again["based_on"]}"' in page
    assert client.post(f"{AT}/prompts/mine/change/", again).status_code == 302
    assert Prompt.objects.get().text == TEXT + "\nMine."


def test_hostile_texts_and_questions_are_shown_as_text(benchmark: Benchmark, lea: User, tmp_path: Path) -> None:
    question = "<img src=x onerror=alert(2)> {{ options }}"
    with_sample(benchmark, tmp_path, SampleContent(question, answers=("2",)))
    client = signed_in(lea)
    given = {"slug": "mine", "role": "user", "text": HOSTILE, "note": "<b>bold</b>"}
    pages = [client.post(f"{AT}/new-prompt/", given | {"preview": "yes"})]
    assert client.post(f"{AT}/new-prompt/", given).status_code == 302
    mine = Prompt.objects.get()
    Prompt.objects.update(frozen=True)
    changed(mine, lea, HOSTILE.replace("alert", "confirm"), note="<b>bold</b>")
    addresses = ("prompts/", "prompts/mine/", "prompts/mine/change/", "new-prompt/?copy=mine@1", "experiments/")
    pages += [client.get(f"{AT}/{address}") for address in addresses]
    for page in pages:
        assert page.status_code == 200
        assert not [text for text in ("<script>", "<img src=x", "<b>bold") if text in page.content.decode()]
    assert "&lt;img src=x onerror=alert(2)&gt; {{ options }}" in pages[0].content.decode()
    assert "{% now &#x27;Y&#x27; %}" in pages[0].content.decode()


def test_admins_write_prompts_of_the_site_on_the_page_of_a_benchmark(
    benchmark: Benchmark, lea: User, admin: User
) -> None:
    given = {"slug": "ours", "role": "system", "text": "Be exact.", "of_site": "on"}
    signed_in(lea).post(f"{AT}/new-prompt/", given | {"slug": "hers"})
    signed_in(admin).post(f"{AT}/new-prompt/", given)
    assert dict(Prompt.objects.values_list("slug", "benchmark__slug")) == {"hers": "kitchen", "ours": None}
    assert "prompts/ours/change/" not in signed_in(lea).get(f"{AT}/prompts/ours/").content.decode()
    assert signed_in(lea).get(f"{AT}/prompts/ours/change/").status_code == 403
    assert "prompts/ours/change/" in signed_in(admin).get(f"{AT}/prompts/ours/").content.decode()


def test_the_number_of_queries_does_not_grow_with_prompts_and_experiments(
    benchmark: Benchmark, mine: Prompt, lea: User, endpoint_at: EndpointAt, experiment_on: Make
) -> None:
    client, endpoint = signed_in(lea), endpoint_at(NOWHERE)
    counts = []
    for n in range(2):
        with CaptureQueriesContext(connection) as asked:
            client.get(f"{AT}/prompts/")
        counts.append(len(asked))
        for name in ("a", "b", "c"):
            create_prompt(actor=lea, benchmark=benchmark, slug=f"{name}{n}", role="user", text=TEXT)
            experiment_on(endpoint, prompt=f"{name}{n}", setting=f"{name}{n}")
    assert counts[0] == counts[1]


def test_prompts_are_listed_created_and_changed_over_the_api(
    benchmark: Benchmark, lea: User, endpoint_at: EndpointAt, experiment_on: Make
) -> None:
    client = signed_in(lea)
    made = send(client, "post", "prompts/", {"slug": "mine", "role": "user", "text": TEXT})
    assert (made.status_code, made.json()["owner"]) == (201, "benchmark")
    digest = made.json()["versions"][0]["digest"]
    experiment_on(endpoint_at(NOWHERE), prompt="mine@1")
    change = {"text": TEXT + "\nNow.", "note": "Says now.", "based_on": digest}
    versions = send(client, "post", "prompts/mine/", change).json()["versions"]
    assert [(one["version"], one["frozen"], one["experiments"]) for one in versions] == [
        ("1", True, 1),
        ("2", False, 0),
    ]
    stale = send(client, "post", "prompts/mine/", {"text": TEXT, "based_on": digest})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "stale")
    listed = client.get(f"{API}/prompts/").json()["results"]
    assert [one["slug"] for one in listed] == ["mine", *built_in()]
    assert listed[0] == client.get(f"{API}/prompts/mine/").json()
    refused = send(client, "post", "prompts/", {"slug": "other", "role": "user", "text": "One.\n{{ gold }}"})
    assert (refused.status_code, "line 2: unknown field 'gold'" in refused.json()["error"]["message"]) == (400, True)
    assert send(client, "post", "prompts/", {"slug": "other", "role": "user", "text": "\ud800"}).status_code == 400
    assert client.get(f"{API}/prompts/none/").status_code == 404


def test_a_prompt_of_the_site_is_not_changed_at_an_address_of_a_benchmark(benchmark: Benchmark, admin: User) -> None:
    """A token can be limited to one benchmark, and a prompt of the site serves all."""
    ours = create_prompt(actor=admin, benchmark=None, slug="ours", role="system", text="Be exact.")
    _, secret = create_token(name="t", actor=admin, scopes=[Scope.MANAGE], benchmark="kitchen")
    client = Client(headers={"Authorization": f"Bearer {secret}"})
    for name in ("ours", "direct"):
        change = {"text": "Be quick.", "based_on": ours.digest}
        assert send(client, "post", f"prompts/{name}/", change).status_code == 404
    ours.refresh_from_db()
    assert ours.text == "Be exact."


def send(client: Client, method: str, path: str, body: dict[str, Any]) -> Any:
    return getattr(client, method)(f"{API}/{path}", body, content_type="application/json")
