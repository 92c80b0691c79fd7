"""What docker/compose.yaml and docker/Dockerfile say, read for a machine without a container engine."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
_VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+)(?::(-|\?)([^}]*))?\})")


def services(given: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The services, with what ``.env`` gives put in as compose does. Raises ``KeyError`` for a variable without one."""
    text = (ROOT / "docker/compose.yaml").read_text()

    def value(found: re.Match[str]) -> str:
        dollar, name, how, other = found.groups()
        if dollar:
            return "$"
        if given.get(name):
            return given[name]
        if how == "-":
            return other
        raise KeyError(f"{name}: {other}")

    def filled(part: Any) -> Any:
        if isinstance(part, str):
            return _VARIABLE.sub(value, part)
        if isinstance(part, list):
            return [filled(each) for each in part]
        if isinstance(part, dict):
            return {name: filled(each) for name, each in part.items()}
        return part

    found: dict[str, dict[str, Any]] = filled(yaml.safe_load(text))["services"]
    return found


@dataclass(frozen=True)
class Image:
    """The last stage of the Dockerfile: its files as they are copied, and what it says of the process."""

    app: Path
    environ: dict[str, str]
    user: int
    entrypoint: list[str]
    builds: list[str] = field(default_factory=list)


def image(into: Path) -> Image:
    """Copy what ``COPY . .`` copies, as the repository has it, and read the instructions behind the last ``FROM``."""
    lines = (ROOT / "docker/Dockerfile").read_text().replace("\\\n", " ").splitlines()
    last = max(number for number, line in enumerate(lines) if line.startswith("FROM "))
    found: dict[str, list[str]] = {}
    for line in lines[last + 1 :]:
        if line and not line.startswith(("#", " ")):
            name, _, rest = line.partition(" ")
            found.setdefault(name, []).append(rest.strip())
    environ = dict(word.split("=", 1) for line in found["ENV"] for word in line.split())
    [user] = [int(number) for line in found["RUN"] for number in re.findall(r"useradd .*--uid (\d+)", line)]
    assert found["USER"] == ["sightline"]
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copy_files(into, *allowed)
    return Image(
        into, environ, user, yaml.safe_load(found["ENTRYPOINT"][0]),
        [line for line in found["RUN"] if "manage.py" in line],
    )  # fmt: skip


def copy_files(into: Path, *below: str) -> None:
    """The files of the repository, as a fresh clone has them; with ``below``: those of these files and folders."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *below],
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, into / name)
