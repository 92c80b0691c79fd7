"""R1-R13: who may import whom. The layers are in importlinter.ini; the rest is what a linter of imports cannot see."""

import re
import subprocess
import sys
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import grimp
import pytest

from tests.architecture.source import PRODUCT, ROOT, imported_modules, product_files, tree

PURE_ROOMS = (
    "annotation.schema",
    "annotation.workflow",
    "annotation.validation",
    "annotation.agreement",
    "annotation.statistics",
    "annotation.imaging",
    "annotation.toolbox",
    "annotation.importers",
    "annotation.exporters",
    "evaluation.schema",
    "evaluation.metrics",
    "evaluation.importers",
    "evaluation.exporters",
    "evaluation.adapters",
    "evaluation.agents",
    "evaluation.runner",
    "evaluation.endpoints",
    "demo",
)
ROOMS_WITHOUT_PICTURES = (
    "annotation.schema",
    "annotation.workflow",
    "annotation.agreement",
    "annotation.statistics",
    "evaluation.adapters",
    "evaluation.schema",
    "evaluation.metrics",
)
FRAMEWORKS = ("django", "celery", "rest_framework", "webapp")

LOAD_EVERYTHING = """
import pkgutil, sys
from importlib import import_module
for room in sys.argv[1].split(","):
    module = import_module(room)
    for found in pkgutil.walk_packages(getattr(module, "__path__", []), room + "."):
        import_module(found.name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def packages_loaded_by(rooms: tuple[str, ...]) -> set[str]:
    """The top-level packages in memory after a fresh interpreter has imported every module of the rooms."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD_EVERYTHING, ",".join(rooms)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_every_import_keeps_to_the_layers():
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-logo", "--no-cache"]
    done = subprocess.run(
        [*command, "--config", "tests/architecture/importlinter.ini"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_module_comes_back_to_itself():
    """Imports for types alone count too: to understand a file, those it names are enough."""
    graph = grimp.build_graph(*PRODUCT, "demo", cache_dir=None)
    assert len(graph.modules) > 500
    needs = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    list(TopologicalSorter(needs).static_order())


def test_pure_rooms_load_no_framework():
    assert packages_loaded_by(PURE_ROOMS).isdisjoint(FRAMEWORKS)


def test_rooms_of_numbers_load_no_pictures():
    assert packages_loaded_by(ROOMS_WITHOUT_PICTURES).isdisjoint({"cv2", "PIL"})


@pytest.mark.parametrize("half", ["annotation", "evaluation"])
def test_the_top_of_each_half_is_empty(half):
    assert (ROOT / half / "__init__.py").read_text() == ""


@pytest.mark.parametrize("half", ["annotation", "evaluation"])
def test_import_adapters_do_not_know_each_other(half):
    table = import_module(f"{half}.importers").IMPORTERS.values()
    adapters = {importer.read.__module__ for importer in table}
    assert adapters
    for adapter in adapters:
        others = imported_modules(Path(*adapter.split(".")).with_suffix(".py")) & (adapters - {adapter})
        assert not others, (
            f"{adapter} imports {sorted(others)}: what two adapters share belongs in a module beside them."
        )


def test_the_web_side_of_evaluation_asks_annotation_through_its_functions():
    """R11."""
    rooms = {"views", "api", "forms", "jobs"}
    paths = [
        path for path in product_files() if path.parts[0] == "evaluation" and rooms & {*path.parts[2:-1], path.stem}
    ]
    assert len(paths) > 50
    for path in paths:
        if "management" not in path.parts:
            rows = {name for name in imported_modules(path) if re.match(r"annotation\.models\b", name)}
            assert not rows, f"{path} imports {sorted(rows)}"


def test_migrations_stand_on_django_alone():
    allowed = {"django", *sys.stdlib_module_names}
    for path in product_files():
        if "migrations" in path.parts and path.name != "__init__.py":
            foreign = {name for name in imported_modules(path) if name.partition(".")[0] not in allowed}
            assert not foreign, f"{path} imports {sorted(foreign)}: a migration must run when that code has changed."


def test_modules_are_imported_by_their_full_name():
    relative = [
        f"{path}:{node.lineno}"
        for path in product_files()
        for node in tree(path).body
        if type(node).__name__ == "ImportFrom" and node.level
    ]
    assert not relative


def test_every_python_file_is_in_a_known_room():
    tops = {path.parts[0] for path in product_files()}
    assert tops == set(PRODUCT)
