"""The documents tell the truth: every name in them exists, and every name that exists is in them."""

import ast
import json
import re
import shlex
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from evaluation.metrics.catalogue import METRICS
from tests.architecture import tables
from tests.architecture.source import ROOT, files, nodes, product_files, text

README = (ROOT / "README.md").read_text()
FORMATS = (ROOT / "docs/formats.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()
DOCUMENTS = [path for path in files(".md") if path.parts[0] != "tests"]


def section(document: str, title: str) -> str:
    """The text under a heading of the second level."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", document, re.M | re.S)
    assert found, f"no section {title!r}"
    return found[1]


def rows(text_of_table: str) -> list[tuple[str, ...]]:
    """The rows of a table whose first cell is code, without the backquotes."""
    lines = re.findall(r"^\| (`.*) \|$", text_of_table, re.M)
    return [tuple(cell.strip().strip("`") for cell in re.split(r"(?<!\\) ?\| ?", line)) for line in lines]


def commands(document: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", document, re.M | re.S)
    return [line.split("#")[0].strip() for block in blocks for line in block.splitlines() if line.strip()]


READERS = tuple(
    map(Path, ("webapp/env.py", "evaluation/sandbox/driver.py", "evaluation/adapters/rewards/environment.py"))
)


def test_the_environment_is_read_in_one_place():
    """Other modules may hand on which settings module is meant; all else goes through webapp.env. The process of the
    sandbox removes its own, and the adapters of trainers run where ``webapp.env`` is not."""
    for path in product_files():
        if path in READERS:
            continue
        for node in nodes(path):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in {"os.environ", "os.getenv"}:
                line = text(path).splitlines()[node.lineno - 1]
                assert "DJANGO_SETTINGS_MODULE" in line, f"{path}:{node.lineno} reads the environment"


def test_the_readme_begins_with_its_two_commands():
    assert commands(README)[:2] == ["make demo", "make test"]


def test_the_readme_shows_one_image_that_is_in_the_repository():
    [image] = re.findall(r"!\[[^]]{20,}\]\(([^)]*)\)", README)
    assert 10_000 < (ROOT / image).stat().st_size <= 200_000


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_make_target_in_a_document_exists(document):
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))
    named = {words[1] for line in commands(text(document)) if (words := line.split())[0] == "make"}
    assert named <= targets


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_command_in_a_document_exists_with_its_options(document):
    for line in commands(text(document)):
        found = re.search(r"manage\.py (\w+)(.*)", line)
        if not found:
            continue
        name, rest = found.groups()
        assert name in get_commands(), f"{document} names manage.py {name}"
        known = load_command_class(get_commands()[name], name).create_parser("manage.py", name).format_help()
        for option in re.findall(r"--[a-z-]+", rest):
            assert re.search(rf"{option}\b", known), f"{document}: manage.py {name} has no {option}"


def test_every_link_between_documents_leads_somewhere():
    for document in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", text(document)):
            assert (ROOT / document.parent / target).exists(), f"{document} links {target}"


@pytest.mark.parametrize("name", tables.TABLES)
def test_every_table_is_what_the_code_says(name):
    """`make docs` writes them anew."""
    found = [match for path in tables.DOCUMENTS for match in tables.TABLE.finditer(text(path)) if match[2] == name]
    assert len(found) == 1
    assert found[0][0] == tables.with_tables(found[0][0])


def test_every_metric_has_a_definition():
    assert METRICS
    for name, metric in METRICS.items():
        assert len(metric.definition.split()) >= 3, name


CITED = re.compile(r"docs/([a-z]+\.md)(#[a-z0-9-]+(?:(?:,| and| to| or)\s+#[a-z0-9-]+)*)")


def slugs(document: str) -> list[str]:
    """The anchors of the headings of a document, as Markdown pages make them."""
    titles = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", document, flags=re.M | re.S), re.M)
    return [re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-") for title in titles]


def test_every_mention_of_a_heading_of_the_documents_leads_to_it():
    """D1.14: code, templates and documents cite headings that readers have, each of them once."""
    mentions = 0
    for path in files(".py", ".html", ".js", ".md"):
        for name, anchors in CITED.findall(text(path)):
            for anchor in re.findall(r"#([a-z0-9-]+)", anchors):
                mentions += 1
                assert slugs((ROOT / "docs" / name).read_text()).count(anchor) == 1, f"{path} cites {name}#{anchor}"
    assert mentions > 150
    own = (ROOT / "docs/metrics.md").read_text()
    for anchor in re.findall(r"\]\(#([a-z0-9-]+)\)", own):
        assert anchor in slugs(own)


def test_nothing_cites_pages_that_readers_do_not_have():
    """D1.14."""
    cited = re.compile(r"\b(METRICS|FORMATS|BROWSING|DESIGN|ANNOTATING|TEAMS|HOUSE) \d")
    read = {path: cited.findall(text(path)) for path in files(".py", ".html", ".js", ".md")}
    assert {str(path): names for path, names in read.items() if names} == {}


def test_the_example_of_the_native_format_is_json_with_known_keys():
    example = json.loads(re.search(r"```json\n(.*?)```", FORMATS, re.S)[1])
    documented = {row[0]: set(re.findall(r"\w+", row[1])) for row in rows(section(FORMATS, "The native format"))}
    for key, records in example.items():
        for record in records:
            assert set(record) <= documented[key]


@pytest.mark.parametrize(
    ("title", "package"),
    [("Formats of runs", "evaluation.importers"), ("Formats of benchmarks", "annotation.importers")],
)
def test_the_readme_says_of_every_format_which_file_to_give(title, package):
    named = {row[0].split("`")[0] for row in rows(section(README, title))}
    assert named == set(import_module(package).IMPORTERS)


def test_every_make_target_says_what_it_does():
    phony = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.M)[1].split())
    assert set(re.findall(r"^([a-z-]+):.*## \S", MAKEFILE, re.M)) == phony


def test_the_build_machine_runs_the_checks_and_the_tests():
    script = (ROOT / ".ci/run").read_text()
    assert [line for line in script.splitlines() if line.startswith("make ")] == [
        "make lint",
        "make test",
        "make test-long",
    ]
    assert "set -euo pipefail" in script
    assert all(shlex.split(line, comments=True) is not None for line in script.splitlines())


@pytest.mark.parametrize("half", ["annotation", "evaluation"])
def test_the_levels_that_architecture_shows_are_those_of_the_linter(half):
    """In the same order."""
    config = ConfigParser()
    config.read(ROOT / "tests/architecture/importlinter.ini")
    layers = config[f"importlinter:contract:{half}-layers"]["layers"].strip().splitlines()
    named = [re.findall(r"\w+", layer) for layer in layers]
    section = (ROOT / "docs/architecture.md").read_text().split(f"### The levels of `{half}`")[1].split("\n\n")[1]
    rows = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in section.splitlines()[2:]]
    shown = [name for row in rows for name in row]
    level = {name: number for number, names in enumerate(named) for name in names}
    assert sorted(shown) == sorted(level)
    places = [level[name] for name in shown]
    assert places == sorted(places)
