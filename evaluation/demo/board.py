"""The building board of the demo: one item at each stage, for the tools on a part of a drawn wall."""

from __future__ import annotations

from annotation.board.read.items import candidates_shuffled
from annotation.board.write.audits import check_text
from annotation.board.write.items import (
    confirm_targets,
    draw_items,
    set_description,
    set_distractors,
    set_image,
    set_instruction,
)
from annotation.building import Distractor, Stage
from annotation.building.rules import Finding
from annotation.models import Benchmark, BuildItem
from annotation.schema import Likeness
from annotation.tools.write import add_tool
from webapp.accounts.models import User

SEGMENT = "27"
"""Tools and General Machinery."""
STAGES = {
    "hand saw": Stage.TARGETS,
    "hammer": Stage.INSTRUCTION,
    "paint brush": Stage.DISTRACTORS,
    "awl": Stage.DESCRIPTION,
    "tape measure": Stage.TEXT_CHECK,
    "mallet": Stage.MENTION_CHECK,
    "pliers": Stage.IMAGE,
    "utility knife": Stage.IMAGE_CHECK,
}
"""The tool bank: each tool, and the stage of the item that asks for it alone. A pair waits for its steps."""
INSTRUCTIONS = {
    "paint brush": "Give the front door a second coat of blue, and reach its corners.",
    "awl": "Start a hole in the belt so that it closes one notch further in.",
    "tape measure": "Find out whether the cupboard fits between the window and the wall.",
    "mallet": "Drive the tent pegs into the dry ground without splitting them.",
    "pliers": "Pull the bent nail out of the fence.",
    "utility knife": "Open the parcel along its seam.",
}
DISTRACTORS = {
    "awl": (("paint brush", Likeness.DOMAIN), ("pencil", Likeness.VISUAL), ("mallet", Likeness.DOMAIN)),
    "tape measure": (("spirit level", Likeness.FUNCTIONAL), ("awl", Likeness.DOMAIN), ("hand saw", Likeness.DOMAIN)),
    "mallet": (("paint brush", Likeness.VISUAL), ("awl", Likeness.DOMAIN), ("hand saw", Likeness.DOMAIN)),
    "pliers": (("hex key", Likeness.DOMAIN), ("tape measure", Likeness.DOMAIN), ("hand saw", Likeness.DOMAIN)),
    "utility knife": (("mallet", Likeness.DOMAIN), ("paint brush", Likeness.VISUAL), ("awl", Likeness.FUNCTIONAL)),
}
"""Tools that the bank lacks become proposals."""
DESCRIPTIONS = {
    "tape measure": "A steel wall with a hand saw, a spirit level, a tape measure and an awl.",
    "mallet": "Two mallets, a hand saw, an awl and a paint brush on a bench.",
    "pliers": "Pliers, a tape measure, a hex key and a hand saw on a peg wall.",
    "utility knife": "A peg wall with a mallet, a paint brush, a roll of tape, an awl and a utility knife.",
}
"""That of the mallet names it in the plural alone, so QC-II stops its item."""


def build_demo_board(*, benchmark: Benchmark, lead: User, scene: bytes) -> None:
    """Bring one item to each open stage. ``scene``: the image of the one that waits for QC-III."""
    for tool in STAGES:
        add_tool(actor=lead, benchmark=benchmark, name=tool, segment=SEGMENT, aliases=[])
    # Each tool alone, then a pair.
    for item in draw_items(actor=lead, benchmark=benchmark, count=len(STAGES) + 1, scenarios=1):
        if len(item.targets) > 1:
            confirm_targets(actor=lead, item=item, version=item.version)
            continue
        [tool] = item.targets
        while item.stage != STAGES[tool]:
            item = _next_stage(lead, item, tool, scene)


def _next_stage(lead: User, item: BuildItem, tool: str, scene: bytes) -> BuildItem:
    """The item after what the lead decides about its stage."""
    version = item.version
    match Stage(item.stage):
        case Stage.TARGETS:
            return confirm_targets(actor=lead, item=item, version=version)
        case Stage.INSTRUCTION:
            return set_instruction(actor=lead, item=item, version=version, instruction=INSTRUCTIONS[tool])
        case Stage.DISTRACTORS:
            others = [Distractor(*one) for one in DISTRACTORS[tool]]
            return set_distractors(actor=lead, item=item, version=version, distractors=others)
        case Stage.DESCRIPTION:
            return set_description(actor=lead, item=item, version=version, description=DESCRIPTIONS[tool])
        case Stage.TEXT_CHECK:
            found = [Finding(one, one == tool, True) for one in candidates_shuffled(item)]
            return check_text(actor=lead, item=item, version=version, findings=found, valid_sequence=True)
        case Stage.IMAGE:
            return set_image(actor=lead, item=item, version=version, data=scene)
    raise RuntimeError(f"The demo brings no item past {item.stage}.")
