"""The data card: every statistic is that of the benchmark, and no text of people becomes markup."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.content.freeze import freeze_version
from annotation.content.samples import save_samples
from annotation.models import Benchmark, ImportRecord
from annotation.schema import SampleRecord
from evaluation.exporters.data_card import CardSection, DataCard, Table, as_markdown, escaped
from evaluation.exports.read.card import read_data_card
from evaluation.exports.read.description import describe_benchmark
from tests.annotation.pages_data import make_benchmark, record
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = pytest.mark.one_database

HOSTILE = "<script>alert(1)</script> [x](javascript:alert(2)) | `a` *b*\n# head"


@made_once
def kitchen(lea: User) -> Benchmark:
    benchmark = make_benchmark(lea, count=8, description="Mugs & more.", licence="CC-BY-4.0")
    ImportRecord.objects.create(
        benchmark=benchmark, kind="samples", state="done", file_name="/home/lea/mugs.jsonl", format="native",
        sha256="a" * 64, created_by=lea,
    )  # fmt: skip
    return benchmark


def pairs(benchmark: Benchmark) -> dict[str, str]:
    return dict(pair for section in read_data_card(benchmark).sections for pair in section.pairs)


@pytest.mark.both_databases
@pytest.mark.django_db
def test_the_numbers_are_those_of_describe_benchmark(kitchen: Benchmark) -> None:
    numbers, told = describe_benchmark(kitchen), pairs(kitchen)
    assert told["Samples"] == "8"
    assert told["Images"] == "8, on 8 samples"
    assert told["Multiple choice, open-ended"] == f"{numbers['multiple_choice']}, {numbers['open']}" == "5, 3"
    assert told["Calls in reference toolchains"] == str(numbers["reference_calls"]) == "4"
    assert told["Imported gold"] == "8 of 8"
    assert (told["Annotators"], told["Reviewers"]) == ("0", "0")


@pytest.mark.django_db
def test_what_is_undefined_says_so(lea: User) -> None:
    told = pairs(make_benchmark(lea, "empty"))
    assert {told[name] for name in told if "mean" in name or "median" in name} == {"n/a"}
    assert told["Samples"] == "0"


@pytest.mark.django_db
def test_versions_stand_with_their_checksums_and_the_card_says_which_it_is(kitchen: Benchmark, lea: User) -> None:
    assert "never been frozen" in read_data_card(kitchen).state
    version = freeze_version(actor=lea, benchmark=kitchen)
    assert f"version 1; checksum {version.checksum}" in read_data_card(kitchen).state
    save_samples(actor=lea, benchmark=kitchen, records=[SampleRecord("new", record(1).content)])
    card = read_data_card(kitchen)
    assert "changed since version 1" in card.state
    [versions] = card.sections[-1].tables
    assert versions.rows[0][:2] == ("1", "8")
    assert version.checksum in versions.rows[0]


@pytest.mark.django_db
def test_the_page_and_the_file_say_the_same(kitchen: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    page = client.get("/benchmarks/kitchen/data-card/").content.decode()
    file = client.get("/benchmarks/kitchen/data-card.md")
    assert file["Content-Disposition"] == 'attachment; filename="kitchen-data-card.md"'
    text = file.content.decode()
    for words in ("CC", "mugs", "Evidence area, median", "Words per question, mean", "colour"):
        assert words in page
        assert words in text
    assert "/home/lea" not in page + text


def test_texts_of_people_are_no_markup() -> None:
    section = CardSection(HOSTILE, ((HOSTILE, HOSTILE),), (Table((HOSTILE,), ((HOSTILE,),)),), HOSTILE)
    text = as_markdown(DataCard(HOSTILE, HOSTILE, HOSTILE, [section]))
    assert not re.search(r"(?<!\\)<script", text)
    assert not re.search(r"(?<!\\)\]\(", text)
    table = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 2 for line in table)


@given(st.text(max_size=60))
def test_a_cell_is_one_line_without_bare_signs(text: str) -> None:
    cell = escaped(text)
    assert len(cell.splitlines()) <= 1
    assert not re.search(r"[|<>`\[\]]", re.sub(r"\\.", "", cell))
