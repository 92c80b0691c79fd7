"""Code of models runs here, closed in by bubblewrap or Landlock, or not at all."""

from evaluation.sandbox.box import CellResult, OutImage, Sandbox, SandboxError
from evaluation.sandbox.launch import Limits, Mode, Python, Refusal, available

__all__ = [
    "CellResult",
    "Limits",
    "Mode",
    "OutImage",
    "Python",
    "Refusal",
    "Sandbox",
    "SandboxError",
    "available",
]
