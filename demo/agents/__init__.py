"""Things that can be run here and produce trajectories. ``AGENTS`` is the one table of the scripted ones."""

from collections.abc import Mapping

from demo.agents.planning import alphabetical, as_written, workshop
from demo.agents.scripted import ScriptedAgent
from demo.agents.zoom_strategies import center_zoom, contrast, no_zoom, oracle, random_zoom
from evaluation.schema import Condition

AGENTS: Mapping[str, ScriptedAgent] = {
    agent.name: agent
    for agent in (
        ScriptedAgent(
            "whole image",
            "Answers from the full image at 1024 pixels.",
            no_zoom,
            as_written,
            (Condition.NONE,),
        ),
        ScriptedAgent("center zoom", "Zooms once into the middle half.", center_zoom, alphabetical),
        ScriptedAgent("random zoom", "Zooms twice, anywhere.", random_zoom, as_written),
        ScriptedAgent("contrast zoom", "Zooms into busy places that look promising from afar.", contrast, as_written),
        ScriptedAgent("oracle zoom", "Knows the evidence and zooms there.", oracle, workshop),
    )
}
"""Every scripted agent by the model name its trajectories carry."""
