"""Thyme: Python between ``<code>`` and ``</code>``, its output between ``<sandbox_output>`` and ``</sandbox_output>``.

Code counts pixels of the original, whose path and size the prompt states. It runs as written.
"""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.importers.code_turns import blocks_of
from evaluation.runner.dialects.zoom import MOST_CALLS, Response, spoken


@dataclass(frozen=True, slots=True)
class Cell:
    """A block of Python, without tags and fences."""

    code: str


class Thyme:
    """The dialect ``thyme``. ``parse(write(cell)) == (cell,)`` for each cell without blank lines around it."""

    def instructions(self) -> str:
        """Return the instructions about code."""
        return (
            "Write code between <code> and </code>, and end your response behind it. What it prints comes back between "
            "<sandbox_output> and </sandbox_output>, and images saved to /out are shown. Variables keep their values."
        )

    def parse(self, response: Response) -> tuple[Cell, ...]:
        """Return the blocks of code in order, at most ``MOST_CALLS``. Code inside of thoughts is none."""
        return tuple(Cell(code.rstrip()) for _, code in list(blocks_of(spoken(response.text)))[:MOST_CALLS])

    def said(self, text: str) -> str:
        """Return the text before the first block of a response."""
        text = spoken(text)
        return text[: next((start for start, _ in blocks_of(text)), len(text))].strip()

    def write(self, cell: Cell) -> Response:
        """Return the response of a model that runs this cell."""
        return Response(f"<code>\n```python\n{cell.code}\n```\n</code>")

    def render(self, output: str, error: str = "") -> str:
        """Return what the model is sent of a cell: what it printed, and the error that ended it."""
        failed = f"stderr:\n```\n{error.strip()}\n```\n" if error else ""
        return f"<sandbox_output>\n{_inside(output.strip())}\n{_inside(failed)}</sandbox_output>"


def _inside(text: str) -> str:
    """Output that cannot end the tag it is in."""
    return text.replace("</sandbox_output", "<\\/sandbox_output")
