"""The browser's modules: they parse, import by relative paths that exist, and keep to their layers (R14)."""

import re
import subprocess
from pathlib import Path

import pytest

from tests import lanes
from tests.architecture.source import ROOT, files, text

SCRIPTS = Path("static/js")
IMPORT = re.compile(
    r"""^\s*(?:import|export)\b[^'"]*?\bfrom\s*["']([^"']+)["']|(?:^\s*import\s*|\bimport\s*\(\s*)["']([^"']+)["']""",
    re.M,
)
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.S)
PARSE = """
import { readFileSync } from "node:fs";
import { SourceTextModule } from "node:vm";
for (const path of process.argv.slice(1)) {
  try { new SourceTextModule(readFileSync(path, "utf8"), { identifier: path }); }
  catch (fault) { console.log(`${path}: ${fault.message}`); }
}
"""
FORBIDDEN = {"lib": {"models", "elements"}, "models": {"elements"}}


def modules() -> list[Path]:
    return [path for path in files(".js") if path.is_relative_to(SCRIPTS)]


def imports(path: Path) -> list[str]:
    return [first or second for first, second in IMPORT.findall(COMMENT.sub("", text(path)))]


def room(path: Path) -> str:
    return path.relative_to(SCRIPTS).parts[0]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('import { a } from "./a.js";', ["./a.js"]),
        ('import "./side.js";', ["./side.js"]),
        ('import {\n  a,\n  b,\n} from "../lib/b.js";', ["../lib/b.js"]),
        ('const late = await import("./late.js");', ["./late.js"]),
        ('export { a } from "./a.js";', ["./a.js"]),
        ('const names = {\n  "sl-import": Import,\n  "sl-other": Other,\n};', []),
        ('// import { a } from "./old.js";', []),
    ],
)
def test_imports_are_found_in_every_form(code, expected):
    assert [first or second for first, second in IMPORT.findall(COMMENT.sub("", code))] == expected


def unparsable(paths: list[Path]) -> str:
    """What is wrong with the modules that do not parse, one a line. One process reads all: its start takes longest."""
    options = ("--experimental-vm-modules", "--no-warnings", "--input-type=module", "-e", PARSE)
    command = [*lanes.node(), *options, "--", *map(str, paths)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_every_module_parses(tmp_path):
    assert modules()
    assert unparsable([*modules(), *(path for path in files(".js") if path.is_relative_to("tests/js"))]) == ""
    (tmp_path / "broken.js").write_text("import { a } from './a.js';\nconst b = ;\n")
    assert "broken.js: Unexpected token" in unparsable([tmp_path / "broken.js"])


def test_modules_import_relative_files_that_exist():
    for path in modules():
        for name in imports(path):
            assert name.startswith("."), f"{path} imports {name!r}: hashed file names follow relative paths only."
            assert (ROOT / path.parent / name).is_file(), f"{path} imports {name!r}, which does not exist."


def test_helpers_and_models_keep_to_their_layer():
    for path in modules():
        for name in imports(path):
            target = (ROOT / path.parent / name).resolve().relative_to(ROOT)
            assert room(target) not in FORBIDDEN.get(room(path), set()), f"{path} imports {name!r}"


def test_models_know_no_page():
    for path in modules():
        if room(path) == "models":
            found = re.search(r"\b(document|window)\b(?!\s*:)", COMMENT.sub("", text(path)))
            assert found is None, f"{path} names {found and found[0]}: a model is used without a page."
