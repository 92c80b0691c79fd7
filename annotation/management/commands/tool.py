"""``manage.py tool``: the tools of the toolbox on an image, from the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from annotation.imaging.decoding import decode
from annotation.imaging.encoding import encode
from annotation.imaging.problems import PictureProblem
from annotation.schema import ToolCall
from annotation.toolbox.names import UnknownToolError, resolve
from annotation.toolbox.runner import run_chain
from annotation.toolbox.signature import Kind, Parameter, shown_value, snake_case
from annotation.toolbox.table import TOOLS, ToolSpec
from annotation.toolbox.uses import EXAMPLES, found_by
from webapp.env import PROGRAM


class Command(BaseCommand):
    help = "List the tools (--list, or --list COUNT THINGS), describe one (NAME alone), or run one on an image."

    def run_from_argv(self, argv: list[str]) -> None:
        """``tool NAME --help`` describes the tool, as NAME alone does."""
        named = any(not word.startswith("-") for word in argv[2:])
        super().run_from_argv([word for word in argv if not (named and word in ("-h", "--help"))])

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", help="any name of a tool, for example crop or 'Edge Detect'")
        parser.add_argument("image", nargs="*", type=Path, help="the image; template_match needs a second one")
        parser.add_argument("--list", action="store_true", help="list all tools, or those that match the words")
        parser.add_argument(
            "--param", action="append", default=[], metavar="NAME=VALUE", help="a parameter, repeatable"
        )
        parser.add_argument("--output", type=Path, metavar="FILE", help="write the image here (.png, .webp, .jpg)")

    @no_translations
    def handle(self, *, name: str | None, image: list[Path], **options: Any) -> None:
        if options["list"] or name is None:
            self._list(" ".join(filter(None, [name, *map(str, image)])))
            return
        try:
            spec = TOOLS[resolve(name)]
        except UnknownToolError as error:
            raise CommandError(str(error)) from error
        if not image:
            self._describe(spec)
            return
        self._run(spec, image, arguments_of(spec, options["param"]), options["output"])

    def _list(self, words: str) -> None:
        specs = [spec for spec in TOOLS.values() if found_by(words, spec.name, [spec.title, spec.description])]
        for module in dict.fromkeys(spec.module for spec in specs):
            self.stdout.write(f"\n{module}")
            for spec in specs:
                if spec.module == module:
                    self.stdout.write(f"  {spec.name:32} {spec.summary}")
        if not specs:
            self.stdout.write(f"No tool fits {words!r}. Try other words, or use --list.")
        self.stdout.write(f"\n{PROGRAM} tool NAME says what a tool takes, and shows an example.")

    def _describe(self, spec: ToolSpec) -> None:
        self.stdout.write(f"{spec.name} ({spec.title}, {spec.module})\n{spec.description}\n")
        self.stdout.write(f"For: {', '.join(spec.uses)}.\n")
        for one in spec.parameters:
            unset = "required" if one.required else f"default {shown_value(one.default)}"
            meant = f" {one.description[0].upper()}{one.description[1:]}." if one.description else ""
            self.stdout.write(f"  --param {one.name}=…{meant} {one.allowed[0].upper()}{one.allowed[1:]}; {unset}.")
        if not spec.parameters:
            self.stdout.write("  It takes no parameters.")
        self.stdout.write(f"\nExample:\n  {example_of(spec)}")

    def _run(self, spec: ToolSpec, images: Sequence[Path], arguments: dict[str, Any], output: Path | None) -> None:
        pictures = [_read(path) for path in images]
        if len(pictures) != len(spec.pictures):
            raise CommandError(f"{spec.name} takes {' and '.join(spec.pictures)}: {len(spec.pictures)} files.")
        others = {f"file_{at}": picture for at, picture in enumerate(pictures[1:])}
        call = ToolCall(spec.name, arguments, ("original", *others) if others else "original")
        result = run_chain(pictures[0], [call], others=others)
        if result.error is not None or result.last is None or result.last.image is None:
            raise CommandError(result.error.message if result.error else f"{spec.name} returned no image.")
        step = result.last
        height, width = step.image.shape[:2]  # type: ignore[union-attr]  # it was looked at above
        self.stdout.write(f"{spec.name}: {width} × {height} px in {step.milliseconds:.1f} ms")
        self.stdout.write(json.dumps(dict(step.measurements), indent=2))
        if output is not None:
            try:
                output.write_bytes(encode(step.image, output.suffix))  # type: ignore[arg-type]
            except (PictureProblem, OSError) as error:
                raise CommandError(f"{output} was not written: {error}") from error


def example_of(spec: ToolSpec) -> str:
    """A command that runs the tool on an image."""
    files = " ".join(["photo.jpg", *(f"{name}.png" for name in spec.pictures[1:])])
    values = EXAMPLES.get(spec.name, {}).items()
    given = "".join(f" --param {name}={shown_value(value).replace(', ', ',')}" for name, value in values)
    return f"{PROGRAM} tool {spec.name} {files}{given} --output result.png"


def arguments_of(spec: ToolSpec, pairs: Sequence[str]) -> dict[str, Any]:
    """``name=value`` pairs as arguments; lists are written 0,255,0. Raises ``CommandError``."""
    known = {one.name: one for one in spec.parameters}
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        key = snake_case(name.strip())
        if not equals or key not in known:
            names = ", ".join(known) or "none"
            raise CommandError(f"--param {pair}: write it as name=value; {spec.name} has the parameters {names}.")
        found[key] = _value(known[key], text.strip())
    return found


def _value(parameter: Parameter, text: str) -> Any:
    """The value of a text for this parameter. The tool itself reports invalid values."""
    if parameter.kind is Kind.CHOICE:
        return next((choice for choice in parameter.choices if str(choice) == text), text)
    if parameter.kind is Kind.LIST and not text.startswith("["):
        text = f"[{text}]"
    try:
        return json.loads(text)
    except ValueError:
        return text


def _read(path: Path) -> Any:
    try:
        return decode(path)
    except FileNotFoundError as error:
        raise CommandError(f"{path} not found. Check the path.") from error
    except (PictureProblem, OSError) as error:
        raise CommandError(f"{path.name}: {error}") from error
