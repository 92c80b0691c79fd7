"""Code of models runs here, closed in by bubblewrap or Landlock, or not at all."""

from evaluation.sandbox.box import CellResult, OutImage, Sandbox, SandboxError
from evaluation.sandbox.launch import Limits, Mode, Python, Refusal, available
from evaluation.sandbox.locate import Located, locate

__all__ = [
    "CellResult",
    "Limits",
    "Located",
    "Mode",
    "OutImage",
    "Python",
    "Refusal",
    "Sandbox",
    "SandboxError",
    "available",
    "locate",
]
