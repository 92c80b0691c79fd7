"""The tables of the documents that say what the code says: ``make docs`` writes them, a test compares them.

A table stands between ``<!-- table: name -->`` and ``<!-- end -->``; the text around it is written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path

from annotation.exporters import EXPORTERS
from annotation.exporters.parts import words_of
from annotation.glossary import TERMS as ANNOTATION_TERMS
from annotation.toolbox.signature import Parameter, shown_value
from annotation.toolbox.table import TOOLS, ToolSpec
from evaluation.glossary import TERMS as EVALUATION_TERMS
from evaluation.metrics.catalogue import METRICS, Metric
from evaluation.metrics.failures import ORDER, RULES
from evaluation.metrics.settings import CHOICES, RANGES, MetricSettings
from evaluation.query.fields import described
from evaluation.runner.templates import FIELDS, SLUGS
from tests.architecture.source import ROOT
from webapp.accounts.scopes import WORDS, Scope
from webapp.common.glossary import Term, by_group
from webapp.env import VARIABLES

DOCUMENTS = (
    Path("README.md"),
    Path("docs/metrics.md"),
    Path("docs/formats.md"),
    Path("docs/toolbox.md"),
    Path("docs/query.md"),
    Path("docs/experiments.md"),
    Path("docs/api.md"),
    Path("docs/glossary.md"),
)
TABLE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.S)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *(list(row) for row in rows)]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def environment() -> str:
    rows = ((code(variable.name), code(variable.default), variable.help) for variable in VARIABLES)
    return table(("Variable", "Default", "What it does"), rows)


def metrics() -> str:
    parts = []
    for group in dict.fromkeys(metric.group for metric in METRICS.values()):
        rows = (
            (code(metric.name), metric.label, metric.unit, metric.better, _source(metric), metric.definition)
            for metric in METRICS.values()
            if metric.group == group
        )
        head = ("Name", "Label", "Unit", "Better", "Source", "Definition")
        parts.append(f"### {group.capitalize()}\n\n{table(head, rows)}\n")
    return "\n" + "".join(parts)


def metric_formulas() -> str:
    rows = (
        (code(name), code(how.text), metric.range, how.undefined, _anchor(how.document))
        for name, metric in METRICS.items()
        for how in (metric.formula,)
    )
    return table(("Name", "Formula", "Range", "n/a if", "Specified in"), rows)


def _source(metric: Metric) -> str:
    """The section of the paper, or a link to ours."""
    return f"[ours](#{metric.source.partition('#')[2]})" if metric.extra else metric.source


def metric_settings() -> str:
    def allowed(name: str) -> str:
        if name in RANGES:
            low, high = RANGES[name]
            return f"{low:g} to {high:g}"
        return ", ".join(map(code, CHOICES[name][1:]))

    rows = ((code(name), code(str(value)), allowed(name)) for name, value in MetricSettings().as_dict().items())
    return table(("Setting", "Default", "Alternatives"), rows)


def formats(room: str, name: str) -> str:
    entries = getattr(import_module(room), name)
    return table(("Format", "What it is"), ((code(key), entry.title) for key, entry in entries.items()))


def exporters() -> str:
    rows = ((code(name), one.title, ", ".join(words_of(one.cannot_hold))) for name, one in EXPORTERS.items())
    return table(("Format", "What it is", "Not in the file"), rows)


def tools() -> str:
    def parameters(tool: ToolSpec) -> str:
        return "; ".join(parameter(one) for one in tool.parameters)

    def parameter(one: Parameter) -> str:
        meant = f", {one.description}" if one.description else ""
        unset = "required" if one.required else f"default {shown_value(one.default)}"
        return f"{code(one.name)}{meant}: {one.allowed} ({unset})"

    parts = []
    for module in dict.fromkeys(tool.module for tool in TOOLS.values()):
        rows = (
            (code(name), tool.description, ", ".join(tool.uses), parameters(tool), code(tool.example))
            for name, tool in TOOLS.items()
            if tool.module == module
        )
        head = ("Tool", "What it does", "For", "Parameters", "Example of a call")
        parts.append(f"### {module}\n\n{table(head, rows)}\n")
    return "\n" + "".join(parts)


def glossary() -> str:
    """A table for each group, with the columns that one of its terms fills."""
    columns: Mapping[str, Callable[[Term], str]] = {
        "Term": lambda term: code(term.name) if "_" in term.name else term.name,
        "Sign": lambda term: code(term.sign),
        "Definition": lambda term: term.definition,
        "Formula": lambda term: code(term.formula),
        "Range": lambda term: term.range,
        "Better": lambda term: term.direction,
        "n/a if": lambda term: term.undefined,
        "Specified in": lambda term: _heading(term.document),
    }
    parts = []
    for group, terms in by_group([*ANNOTATION_TERMS, *EVALUATION_TERMS]).items():
        filled = [head for head, cell in columns.items() if any(cell(term) for term in terms)]
        rows = ([columns[head](term) for head in filled] for term in terms)
        parts.append(f"## {group}\n\n{table(filled, rows)}\n")
    return "\n" + "".join(parts)


def _heading(document: str) -> str:
    """``docs/metrics.md#ioa`` as a link from another document."""
    path, _, anchor = document.partition("#")
    return f"[{anchor}]({path.removeprefix('docs/')}#{anchor})" if document else ""


def _anchor(document: str) -> str:
    """``docs/metrics.md#ioa`` as a link inside that document."""
    anchor = document.removeprefix("docs/metrics.md#")
    return f"[{anchor}](#{anchor})"


def query_fields() -> str:
    rows = (
        (code(field.name), str(field.kind), ", ".join(code(value) for value in field.choices), field.about)
        for field in described()
    )
    return table(("Field", "Is", "Values", "What it is"), rows)


def prompt_fields() -> str:
    rows = (
        (
            code(role),
            ", ".join(map(code, sorted(fields.required))),
            ", ".join(map(code, sorted(fields.optional))),
            ", ".join(code(slug) for slug, its in SLUGS.items() if its is role),
        )
        for role, fields in FIELDS.items()
    )
    return table(("Role", "Required fields", "Other fields", "Prompts of Sightline"), rows)


TABLES: Mapping[str, Callable[[], str]] = {
    "environment": environment,
    "scopes": lambda: table(("Scope", "Allows"), ((code(scope), WORDS[scope]) for scope in Scope)),
    "metrics": metrics,
    "metric-formulas": metric_formulas,
    "metric-settings": metric_settings,
    "tools": tools,
    "query-fields": query_fields,
    "prompt-fields": prompt_fields,
    "glossary": glossary,
    "failures": lambda: table(("Failure", "Rule"), ((code(name), RULES[name]) for name in ORDER)),
    "benchmark-importers": lambda: formats("annotation.importers", "IMPORTERS"),
    "run-importers": lambda: formats("evaluation.importers", "IMPORTERS"),
    "benchmark-exporters": exporters,
}


def with_tables(document: str) -> str:
    """The document with every table as the code has it now."""
    return TABLE.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], document)


def main() -> None:
    for path in DOCUMENTS:
        text = (ROOT / path).read_text(encoding="utf-8")
        (ROOT / path).write_text(with_tables(text), encoding="utf-8")


if __name__ == "__main__":
    main()
