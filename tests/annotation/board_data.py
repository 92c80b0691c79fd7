"""A building board, and items that were brought to a stage."""

from __future__ import annotations

import io
from typing import Any

from PIL import Image as Pillow

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.board.read.items import candidates_shuffled
from annotation.board.write.audits import check_text
from annotation.board.write.items import (
    accept_item,
    confirm_targets,
    draw_items,
    set_description,
    set_distractors,
    set_image,
    set_instruction,
    set_steps,
)
from annotation.building import Distractor, Stage
from annotation.building.rules import Finding
from annotation.models import Benchmark, BuildItem
from annotation.schema import Likeness
from annotation.tools.write import add_tool
from annotation.workflow import Role
from webapp.accounts.models import User

TOOLS = ("claw hammer", "hand saw", "torch", "ladle", "vise")
DISTRACTORS = tuple(
    Distractor(name, likeness)
    for name, likeness in (("garden rake", Likeness.VISUAL), ("whisk", Likeness.DOMAIN), ("peeler", Likeness.DOMAIN))
)


def workshop(lead: User, tools: tuple[str, ...] = TOOLS, **members: User) -> Benchmark:
    """A benchmark with these tools in its bank; further members by role."""
    benchmark = create_benchmark(actor=lead, slug="workshop", title="Workshop")
    for role, user in members.items():
        add_member(actor=None, benchmark=benchmark, user=user, role=Role(role))
    for name in tools:
        add_tool(actor=lead, benchmark=benchmark, name=name, segment="", aliases=[])
    return benchmark


def drawn(lead: User, benchmark: Benchmark, size: int = 1) -> BuildItem:
    """An item with this many targets, at its first stage."""
    items = draw_items(actor=lead, benchmark=benchmark, count=1, scenarios=1)
    while len(items[0].targets) != size:
        items = draw_items(actor=lead, benchmark=benchmark, count=1, scenarios=1)
    return items[0]


def photo(color: str = "gray") -> bytes:
    out = io.BytesIO()
    Pillow.new("RGB", (320, 240), color).save(out, "PNG")
    return out.getvalue()


def instruction(item: BuildItem) -> str:
    """Words that no other item has."""
    return f"Repair {' '.join(f'{item.number}{letter}' for letter in 'abcdefgh')}."


def scene(item: BuildItem) -> str:
    return f"A bench with {', '.join(item.candidates)} on it."


def findings(item: BuildItem) -> list[Finding]:
    """What a person finds who agrees with the item."""
    return [Finding(tool, tool in item.targets, True) for tool in candidates_shuffled(item)]


def brought(lead: User, item: BuildItem, to: Stage) -> BuildItem:
    """The item at this stage, through every stage before it."""
    says: dict[str, Any] = {
        Stage.TARGETS: lambda one: confirm_targets(**one),
        Stage.STEPS: lambda one: set_steps(**one, steps=range(1, len(item.targets) + 1)),
        Stage.INSTRUCTION: lambda one: set_instruction(**one, instruction=instruction(item)),
        Stage.DISTRACTORS: lambda one: set_distractors(**one, distractors=DISTRACTORS),
        Stage.DESCRIPTION: lambda one: set_description(**one, description=scene(one["item"])),
        Stage.TEXT_CHECK: lambda one: check_text(**one, findings=findings(one["item"]), valid_sequence=True),
        Stage.IMAGE: lambda one: set_image(**one, data=photo()),
    }
    while item.stage != to:
        item = says[item.stage]({"actor": lead, "item": item, "version": item.version})
    return item


def accepted(lead: User, checker: User, benchmark: Benchmark, size: int = 1) -> BuildItem:
    item = brought(lead, drawn(lead, benchmark, size), Stage.IMAGE_CHECK)
    return accept_item(actor=checker, item=item, version=item.version)
