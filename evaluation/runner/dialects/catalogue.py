"""The dialects by name, as recipes and endpoints name them: one table for each kind of tools."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.toolbox.vtc import Profile
from evaluation.runner.dialects.thyme import Thyme
from evaluation.runner.dialects.toolbox import Toolbox

TOOLBOX_DIALECTS: Mapping[str, Toolbox] = {"tools": Toolbox(Profile.STRICT), "vtc": Toolbox(Profile.VTC)}
"""Dialect to how it calls the toolbox."""
CODE_DIALECTS: Mapping[str, Thyme] = {"thyme": Thyme()}
"""Dialect to how it writes code."""
