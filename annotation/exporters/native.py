"""The native format, written canonically: the same records always give the same bytes.

One JSON document; keys sorted, one row per line, whole numbers without a point, UTF-8 as is. What equals its default is
left out, so reading and writing again changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import IO, Any

from annotation.exporters.interface import Counted
from annotation.schema import (
    FILED_STATES,
    PLAIN_FACETS,
    SAMPLE_KEYS,
    FurtherChain,
    SampleContent,
    SampleRecord,
    Target,
    ToolCall,
    whole_numbers,
)
from annotation.tool_bank import ToolState
from annotation.tool_bank.table import BankRow

Sections = Mapping[str, Iterable[Mapping[str, Any]] | Mapping[str, Any]]


def native_parts(sections: Sections) -> Iterator[bytes]:
    """``{"section": [row, ...], ...}``, sections sorted by name, rows in the order given.

    A section that is one mapping (``settings``) becomes an object. Rows are taken one at a time. Sections without rows
    are omitted. Raises ``ValueError`` on a number that is not finite.
    """
    opened = b"{\n"
    for name in sorted(sections):
        section = sections[name]
        key = json.dumps(name).encode() + b": "
        if isinstance(section, Mapping):
            if section:
                yield opened + key + row_line(section)
                opened = b",\n"
            continue
        begun = False
        for row in section:
            yield (b",\n" if begun else opened + key + b"[\n") + row_line(row)
            begun = True
        if begun:
            yield b"\n]"
            opened = b",\n"
    yield b"{\n}\n" if opened == b"{\n" else b"\n}\n"


def write_native(out: IO[bytes], sections: Sections) -> int:
    """Writes the whole file; the number of rows in it."""
    counted = {name: rows if isinstance(rows, Mapping) else Counted(rows) for name, rows in sections.items()}
    for part in native_parts(counted):
        out.write(part)
    return sum(rows.count for rows in counted.values() if isinstance(rows, Counted))


def parts(samples: Iterable[SampleRecord]) -> Iterator[bytes]:
    """The samples alone."""
    return native_parts({"samples": map(sample_row, samples)})


def row_line(row: Mapping[str, Any]) -> bytes:
    """One row as canonical JSON without a line end. Raises ``ValueError`` on a number that is not finite."""
    text = json.dumps(whole_numbers(row), ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(", ", ": "))
    return text.encode("utf-8")


def compact(row: Mapping[str, Any]) -> dict[str, Any]:
    """``row`` without what is None, "" or empty."""
    return {
        key: value for key, value in row.items() if value is not None and value != "" and value != [] and value != {}
    }


def with_extra(row: dict[str, Any], extra: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """``row`` with the unknown keys it came with. One that is now a key of the format is written as ``extra.key``."""
    for key in sorted(extra):
        name = key
        while name in known or name in row:
            name = f"extra.{name}"
        row[name] = extra[key]
    return row


def sample_row(sample: SampleRecord) -> dict[str, Any]:
    """One row of ``samples``; ``annotation.importers.samples.sample_from`` is its inverse."""
    row: dict[str, Any] = {
        "id": sample.id,
        "image": sample.image,
        "image_group": sample.image_group,
        "width": sample.width,
        "height": sample.height,
        **_content_row(sample.content),
        **_facet_row(sample.facets),
        "accepted_chains": [_chain_row(chain) for chain in sample.accepted_chains or ()],
        "state": sample.state.value if sample.state else None,
    }
    # A key "state" of a person else's, such as of a country, is read as what it is.
    own = {"state"} if sample.extra.get("state") not in FILED_STATES else set()
    return with_extra(compact(row), sample.extra, SAMPLE_KEYS - own)


def bank_row(tool: BankRow) -> dict[str, Any]:
    """One row of ``bank``; ``annotation.tool_bank.table.row_from`` is its inverse."""
    return compact(
        {
            "name": tool.name,
            "aliases": sorted(tool.aliases),
            "segment": tool.segment,
            "state": None if tool.state is ToolState.ACCEPTED else tool.state.value,
            "merged_into": tool.merged_into,
            "reason": tool.reason,
        }
    )


def _content_row(content: SampleContent) -> dict[str, Any]:
    answers: Any = list(content.answers)
    return {
        "question": content.question,
        "answer_type": content.answer_type.value,
        "options": dict(content.options),
        "answer": answers[0] if len(answers) == 1 else answers,
        "gold_boxes": [box.written() for box in content.gold_boxes],
        "reference_toolchain": [call_row(call) for call in content.reference_toolchain],
        "targets": [_target_row(target) for target in content.plan.targets],
        "distractors": list(content.plan.distractors),
        **({"likeness": content.plan.likeness_by_name} if content.plan.likeness else {}),
        "ordered": content.plan.ordered,
    }


def _target_row(target: Target) -> dict[str, Any]:
    group = {} if target.either is None else {"either": target.either}
    return {"tool": target.tool, "step": target.step, **group}


def call_row(call: ToolCall) -> str | dict[str, Any]:
    """One call of a reference toolchain: its name alone when there is nothing else to say."""
    inputs = list(call.image_in) if isinstance(call.image_in, tuple) else call.image_in
    row = {"tool": call.tool, "arguments": dict(call.arguments), "image_in": inputs, "image_out": call.image_out}
    row = compact(row)
    return call.tool if row.keys() == {"tool"} else row


def _chain_row(chain: FurtherChain) -> dict[str, Any]:
    return compact({"calls": [call_row(call) for call in chain.calls], "note": chain.note})


def _facet_row(facets: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for facet, values in facets.items():
        if facet == "segment":
            row["segments"] = list(values)
            continue
        target = row if facet in PLAIN_FACETS else others
        target[facet] = values[0] if len(values) == 1 else list(values)
    return {**row, "facets": others}
