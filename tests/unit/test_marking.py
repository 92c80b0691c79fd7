"""Sentences of pure packages: English as they are, and another language where a presenter says them."""

from __future__ import annotations

import copy
import json

import pytest

from annotation.common.sentences import checks_json, translated
from annotation.marking import Sentence, any_of, gettext_noop
from annotation.schema import SampleContent
from annotation.validation import check
from evaluation.query.check import Vocabulary, read
from evaluation.query.syntax import QueryError
from tests.pseudo_locale import pseudo_locale


def test_a_sentence_is_its_english() -> None:
    said = Sentence(gettext_noop("Step %(step)s covers %(share)s%%."), step=2, share=40)
    assert said == "Step 2 covers 40%."
    assert json.loads(json.dumps(said)) == said
    assert translated(said) == said
    assert translated("Not a sentence: 40%.") == "Not a sentence: 40%."


@pytest.mark.parametrize("text", ["Enter 100% of it.", "Enter the question."])
def test_a_sentence_without_values_keeps_its_percent_signs(text: str) -> None:
    assert Sentence(text) == translated(Sentence(text)) == text


def test_a_copy_of_a_sentence_can_be_translated_too() -> None:
    said = copy.deepcopy(Sentence(gettext_noop("Step %(step)s covers 40%%."), step=2))
    assert said == "Step 2 covers 40%."
    with pseudo_locale():
        assert translated(said) == "⟦Step 2 covers 40%.⟧"


def test_sentences_within_sentences_are_translated() -> None:
    assert any_of(["a", "b", "c"]) == "a or b or c"
    assert any_of([]) == ""
    said = Sentence(gettext_noop("Choose %(names)s."), names=any_of(["a", "b"]))
    with pseudo_locale():
        assert (said, translated(said)) == ("Choose a or b.", "⟦Choose ⟦a or b⟧.⟧")


def test_findings_and_query_problems_are_said_in_the_language_of_the_page() -> None:
    with pytest.raises(QueryError) as caught:
        read("correctt", Vocabulary())
    findings = check(SampleContent(), 100, 100)
    english = [one.text for one in findings]
    assert [one["text"] for one in checks_json(findings)] == english
    with pseudo_locale():
        said = translated(caught.value.sentence)
        texts = [one["text"] for one in checks_json(findings)]
    assert said.startswith(
        '⟦Column 1: ⟦Unknown field "correctt". To search for text, use quotes.⟧ Did you mean ⟦correct or'
    )
    assert texts == [f"⟦{text}⟧" for text in english]
    assert "⟦" not in caught.value.sentence + "".join(english)
