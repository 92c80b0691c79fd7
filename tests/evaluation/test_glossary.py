"""One registry explains every word, metric, failure and setting: pages, cards and docs show the same entries."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape

import pytest
from django.template import Context, Template
from django.urls import reverse

from annotation.quality.forms import CheckRulesForm, ExtraAnnotatorForm
from annotation.queue.forms import QueueForm
from annotation.review.write.decisions import answer_blind
from evaluation.common.links import RunLinks
from evaluation.glossary import failure_slug, outcome_slug, quadrant_slug, setting_slug
from evaluation.judging.forms import JudgingForm
from evaluation.leaderboard.present.columns import CHOICE
from evaluation.metrics.catalogue import METRICS
from evaluation.metrics.columns import Outcome, Quadrant
from evaluation.metrics.failures import FAILURES
from evaluation.metrics.formulas import FORMULAS
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Run
from evaluation.runs.present.numbers import summary_numbers
from tests.annotation.work_data import next_review, reviewed, submitted, take_one, to_annotate
from tests.architecture.source import ROOT
from tests.architecture.test_documents import slugs as headings
from tests.conftest import signed_in
from webapp.common.glossary import Term, add_terms, all_terms, find_term

TERM = re.compile(r'<sightline-term\b[^>]*><a href="/glossary/#([^"]+)"')


def explained(answer) -> set[str]:
    """The slugs of the words that a page explains."""
    return {unescape(slug) for slug in TERM.findall(answer.content.decode())}


@pytest.mark.parametrize(
    "slugs",
    [
        list(METRICS),
        list(CHOICE),
        [failure_slug(name) for name in FAILURES],
        [setting_slug(name) for name in MetricSettings().as_dict()],
        [quadrant_slug(name) for name in Quadrant.NAMES],
        [outcome_slug(name) for name in Outcome.NAMES],
        [number.term for number in summary_numbers({}, Counter(), RunLinks("street", 1))],
    ],
    ids=["metrics", "columns of the board", "failures", "settings", "quadrants", "outcomes", "numbers of a run"],
)
def test_everything_a_registry_names_has_an_entry(slugs):
    assert slugs
    assert {slug for slug in slugs if slug not in all_terms()} == set()


def test_every_metric_says_how_it_is_computed_and_when_it_has_no_value():
    assert set(FORMULAS) == set(METRICS)
    for name in METRICS:
        entry = find_term(name)
        assert entry.definition == METRICS[name].definition
        assert all((entry.formula, entry.range, entry.direction, entry.undefined, entry.document, entry.source)), name


def printed(table: str) -> dict[str, list[str]]:
    """The rows of a table of docs/metrics.md by the name in their first cell, without the marks of code."""
    document = (ROOT / "docs/metrics.md").read_text()
    lines = document.split(f"<!-- table: {table} -->")[1].split("<!-- end -->")[0].splitlines()
    cells = ([cell.strip(" `").replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)] for line in lines)
    return {name: rest for _, name, *rest, _ in (row for row in cells if len(row) > 2)}


def test_the_document_prints_the_formula_and_the_range_of_every_metric():
    document, anchors = printed("metric-formulas"), headings((ROOT / "docs/metrics.md").read_text())
    assert set(METRICS) <= set(document)
    for name in METRICS:
        entry, (formula, reach, undefined, link) = find_term(name), document[name]
        assert (formula, reach, undefined) == (entry.formula, entry.range, entry.undefined)
        assert link == f"[{entry.document.partition('#')[2]}](#{entry.document.partition('#')[2]})"
        assert entry.document.partition("#")[2] in anchors


def test_the_document_prints_the_values_and_the_default_of_every_setting():
    document = printed("metric-settings")
    for name, default in MetricSettings().as_dict().items():
        values, _, said = find_term(setting_slug(name)).range.partition("; default ")
        assert (said, document[name][0]) == (str(default), str(default))
        others = document[name][1].replace("`", "")
        assert others == values or values.split(", ") == [str(default), *others.split(", ")]


def test_every_heading_that_an_entry_names_is_in_its_document_once():
    named = {term.document for term in all_terms().values() if term.document}
    assert len(named) > 20
    for document in named:
        path, _, anchor = document.partition("#")
        assert headings((ROOT / path).read_text()).count(anchor) == 1, document


def test_a_page_cannot_name_what_nothing_explains():
    page = Template('{% load ui %}{% term "no-such-word" %}')
    with pytest.raises(LookupError, match="no-such-word"):
        page.render(Context())


def test_two_entries_cannot_have_one_name():
    with pytest.raises(ValueError, match="coverage"):
        add_terms([Term(slug="coverage", name="coverage", group="Mine", definition="Something else.")])
    add_terms([find_term("coverage")])


@pytest.mark.django_db
def test_the_glossary_lists_every_entry_once_for_everyone(client):
    page = client.get("/glossary/")
    assert page.status_code == 200
    listed = Counter(re.findall(r'<article class="gloss" id="([^"]+)"', page.content.decode()))
    assert listed == Counter(list(all_terms()))
    ids = Counter(re.findall(r'\bid="([^"]+)"', page.content.decode()))
    assert [name for name, n in ids.items() if n > 1] == []


@pytest.mark.django_db
def test_the_card_of_a_word_holds_its_facts_and_the_way_to_the_glossary(client):
    entry = find_term("mean_coverage")
    card = unescape(client.get("/glossary/mean_coverage/").content.decode())
    for fact in (entry.name, entry.definition, entry.formula, entry.range, entry.undefined, entry.document):
        assert fact in card
    assert 'href="/glossary/#mean_coverage"' in card
    assert client.get("/glossary/no-such-word/").status_code == 404


@pytest.mark.parametrize("form", [QueueForm, CheckRulesForm, ExtraAnnotatorForm, JudgingForm])
def test_what_explains_a_field_of_a_form_is_an_entry(form):
    assert set(form.terms) <= set(form.base_fields)
    assert set(form.terms.values()) <= set(all_terms())


def test_a_percent_sign_stays_one():
    page = Template('{% load ui %}{% term "returned-share" _("Returned, %") %}')
    assert ">Returned, %</a>" in page.render(Context())


@pytest.mark.django_db
@pytest.mark.one_database
@pytest.mark.endurance
def test_pages_with_scores_explain_their_words_in_place(lea, board):
    client, run = signed_in(lea), Run.objects.order_by("pk").first()
    at = f"/benchmarks/{board.slug}"
    wanted = {
        f"{at}/leaderboard/?preset=grounding": {
            "accuracy",
            "grounded_score",
            "mean_coverage",
            "gpap",
            "gpam",
            "gmap",
            "gmam",
        },
        f"{at}/runs/": {"gpap", "gpam", "gmap", "gmam"},
        f"{at}/runs/{run.pk}/": {"accuracy", "mean_coverage", "missing", "unread", "undecided", "failed"},
        f"{at}/trajectories/": {"gpap", "correct"},
        f"{at}/settings/metrics/": {setting_slug(name) for name in MetricSettings().as_dict()},
    }
    for address, words in wanted.items():
        found = explained(client.get(address))
        assert words <= found, address
        assert found <= set(all_terms()), address


@pytest.mark.django_db
@pytest.mark.endurance
def test_pages_of_work_explain_their_words_in_place(ana, rui, lea):
    kitchen = to_annotate(3, annotator=ana, reviewer=rui, lead=lea)
    sample, at = submitted(ana, kitchen), f"/benchmarks/{kitchen.slug}"
    mine = take_one(ana, kitchen)
    blind = f"{at}/review/samples/{next_review(rui, kitchen).key}/"
    wanted = {
        (ana, f"{at}/annotate/samples/{mine.key}/"): {
            "evidence-box",
            "answer-type",
            "facet",
            "reference-toolchain",
            "target",
            "distractor",
            "step",
            "validation",
        },
        (rui, f"{at}/review/"): {"blind-answer"},
        (rui, blind): {"blind-answer"},
        (lea, reverse("annotation:work", args=[kitchen.slug])): {"draft", "review", "reservation", "returned-share"},
        (lea, f"{at}/settings/"): {"annotator", "reviewer", "lead", "researcher"},
        (lea, f"{at}/settings/queue/"): set(QueueForm.terms.values()),
        (lea, f"{at}/settings/tools/"): {"segment"},
        (lea, f"{at}/quality/"): {*CheckRulesForm.terms.values()},
        (lea, f"{at}/quality/audits/"): {"audit", "audit-disagreement"},
        (lea, f"{at}/quality/opinions/"): {"disputed", "extra-annotator", "agreement", "blind-answer"},
        (lea, f"{at}/versions/"): {"version", "working-state"},
        (lea, f"{at}/import/"): {"dry-run", "import-record"},
    }
    for (person, address), words in wanted.items():
        page = signed_in(person).get(address)
        assert page.status_code == 200, address
        assert words <= explained(page), address
        assert explained(page) <= set(all_terms()), address
    answer_blind(actor=rui, sample=sample, answer="B", unsure=False, seconds=4.5)
    assert {"gold", "validation", "evidence-box"} <= explained(signed_in(rui).get(blind))


@pytest.mark.django_db
def test_the_page_of_a_blind_answer_explains_the_same_whatever_the_sample_says(ana, rui):
    kitchen, found = to_annotate(2, annotator=ana, reviewer=rui), []
    boxes = [{"box": [10, 10, 40, 40]}, {"box": [50, 50, 90, 90]}]
    for answer in ("A", "B"):
        submitted(ana, kitchen, answer=[answer], gold_boxes=boxes[: 1 + (answer == "A")])
        sample = next_review(rui, kitchen)
        address = f"/benchmarks/{kitchen.slug}/review/samples/{sample.key}/"
        found.append(TERM.findall(signed_in(rui).get(address).content.decode()))
        reviewed(rui, sample, "accept")
    assert found[0] == found[1] != []


@pytest.mark.django_db
@pytest.mark.one_database
def test_pages_of_results_explain_their_words_in_place(lea, board):
    client, at = signed_in(lea), f"/benchmarks/{board.slug}"
    wanted = {
        f"{at}/answers/": {"unread", "run"},
        f"{at}/judging/": {"judge"},
        f"{at}/toolchain/analysis/": {"pass_rate", "tool_efficiency", "chain_mae", "effective_chain_mae", "interval"},
        f"{at}/diagnostics/": {"run", "interval"},
        f"{at}/leaderboard/?edit=columns": {"unread_rate", "mean_ioa", "calls_mean", "selection_f1"},
    }
    for address, words in wanted.items():
        found = explained(client.get(address))
        assert words <= found, address
        assert found <= set(all_terms()), address
