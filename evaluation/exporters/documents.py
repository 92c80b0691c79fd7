"""A table to be read, for a paper or a page: Markdown and LaTeX. Texts come from people and are escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import IO

from evaluation.exporters.data_card import escaped

_DECIMAL_POINT = re.compile(r"(?<=\d)\\\.(?=\d)")
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "\N{MINUS SIGN}": "$-$", "\N{EN DASH}": "--", "\N{SOFT HYPHEN}": "", "\N{NO-BREAK SPACE}": "~",
    "\N{MIDDLE DOT}": r"$\cdot$", "\N{MULTIPLICATION SIGN}": r"$\times$", "\N{GREEK CAPITAL LETTER DELTA}": r"$\Delta$",
}  # fmt: skip


@dataclass(frozen=True)
class Band:
    """Rows of texts under one name; the first band of a table may have none."""

    name: str
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Document:
    """A table with its caption. ``groups``: the name over each column, "" for none; ``left``: columns of words."""

    caption: str
    heads: Sequence[str]
    groups: Sequence[str]
    bands: Sequence[Band]
    notes: Sequence[str] = field(default_factory=tuple)
    left: frozenset[int] = frozenset({0})


def write_markdown(out: IO[bytes], table: Document) -> int:
    """Write a pipe table with its notes under it and bands as separate rows; return the number of rows."""
    heads = [f"{group}: {head}" if group else head for group, head in zip(table.groups, table.heads, strict=True)]
    lines = [f"**{markdown(table.caption)}**", "", _row(markdown(head) for head in heads)]
    lines.append(_row("---" if at in table.left else "---:" for at in range(len(heads))))
    for band in table.bands:
        if band.name:
            lines.append(_row([f"*{markdown(band.name)}*", *[""] * (len(heads) - 1)]))
        lines += [_row(markdown(text) for text in row) for row in band.rows]
    lines += ["", *(f"- {markdown(note)}" for note in table.notes)]
    out.write(("\n".join(lines) + "\n").encode())
    return sum(len(band.rows) for band in table.bands)


def write_latex(out: IO[bytes], table: Document) -> int:
    """A ``table`` environment for the package booktabs, with its notes under it; the number of rows."""
    out.write(("\n".join(_latex_lines(table)) + "\n").encode())
    return sum(len(band.rows) for band in table.bands)


def markdown(text: str) -> str:
    """``text`` as one line of Markdown that says nothing else: no markup, no dollar that begins a formula."""
    safe = escaped(text.replace("\N{SOFT HYPHEN}", "")).replace("$", r"\$")
    return _DECIMAL_POINT.sub(".", safe)


def latex(text: str) -> str:
    """``text`` with every sign that LaTeX would read as a command written out. One line."""
    return "".join(_LATEX.get(sign, sign) for sign in " ".join(text.split()))


DOCUMENTS: Mapping[str, Callable[[IO[bytes], Document], int]] = {"md": write_markdown, "tex": write_latex}


def _row(cells: Sequence[str] | Iterator[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _latex_lines(table: Document) -> Iterator[str]:
    columns = "".join("l" if at in table.left else "r" for at in range(len(table.heads)))
    yield "% \\usepackage{booktabs}"
    yield "\\begin{table}"
    yield f"\\caption{{{latex(table.caption)}}}"
    yield f"\\begin{{tabular}}{{{columns}}}"
    yield "\\toprule"
    if any(table.groups):
        spans = [(name, len(list(same))) for name, same in groupby(table.groups)]
        yield " & ".join(f"\\multicolumn{{{span}}}{{l}}{{{latex(name)}}}" for name, span in spans) + " \\\\"
    yield " & ".join(latex(head) for head in table.heads) + " \\\\"
    for band in table.bands:
        yield "\\midrule"
        if band.name:
            yield f"\\multicolumn{{{len(table.heads)}}}{{l}}{{\\emph{{{latex(band.name)}}}}} \\\\"
        for row in band.rows:
            # A row that begins with a bracket would be read as a length after the break before it.
            first = "{}" if row and row[0].startswith("[") else ""
            yield first + " & ".join(latex(text) for text in row) + " \\\\"
    yield "\\bottomrule"
    yield "\\end{tabular}"
    for note in table.notes:
        yield f"\\par\\small {latex(note)}"
    yield "\\end{table}"
