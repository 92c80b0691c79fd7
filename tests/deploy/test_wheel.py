"""The wheel in an environment of its own: one package, which runs without the checkout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from evaluation.runner.templates import SLUGS
from tests.deploy import clean, compose
from tests.deploy.conftest import LOCK
from tests.deploy.test_readme import _free_port, _wait_for

pytestmark = pytest.mark.slow
PURE = (
    "annotation.schema", "annotation.workflow", "annotation.agreement", "annotation.statistics",
    "annotation.importers", "annotation.exporters",
    "evaluation.schema", "evaluation.metrics", "evaluation.query", "evaluation.importers", "evaluation.exporters",
)  # fmt: skip
_CAPTURED: Mapping[str, Any] = {"capture_output": True, "text": True, "timeout": 300}
PAGES = {
    "/sign-in/": b"Sightline",
    "/api/v1/schema/": b"openapi",
    "/static/vendor/openseadragon.js": b"OpenSeadragon",
}
IMPORT_ALL = """
import pkgutil, sys
from importlib import import_module
for room in sys.argv[1:]:
    module = import_module("sightline." + room)
    for found in pkgutil.walk_packages(getattr(module, "__path__", []), module.__name__ + "."):
        import_module(found.name)
print(*sorted({name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)))
"""


@pytest.fixture(scope="module")
def packages() -> Path:
    """What an installation for a team gets, without Sightline itself."""
    return next((clean.environment(LOCK) / "lib").glob("*/site-packages"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as ``python -m build`` does it: from the archive of sources, which is made of the files of a clone."""
    folder = tmp_path_factory.mktemp("wheel")
    compose.copy_files(folder / "clone")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", "--target", folder / "tools", "setuptools>=77"], check=True)
    path = f"{folder / 'tools'}:{folder / 'clone/webapp/wheel'}"
    hook = [sys.executable, "-c", "import backend, sys; backend.build_sdist(sys.argv[1])", folder]
    subprocess.run(hook, env={**os.environ, "PYTHONPATH": path}, check=True)
    [archive] = folder.glob("*.tar.gz")
    done = subprocess.run([*pip, "wheel", "-q", "--no-deps", "-w", folder, archive], **_CAPTURED)
    assert done.returncode == 0, done.stdout + done.stderr
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel: Path, packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the wheel and the packages of the lock."""
    folder = tmp_path_factory.mktemp("installed")
    _environment(folder, packages)
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin/python", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", "--no-deps", "--no-index", wheel], check=True)
    return folder / "bin"


def _environment(folder: Path, packages: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    [own] = folder.glob("lib/*/site-packages")
    (own / "of-the-lock.pth").write_text(f"{packages}\n")


def run(programs: Path, home: Path, *words: str, **more: str) -> str:
    done = subprocess.run([programs / "sightline", *words], cwd=home, env=_environ(home, more), **_CAPTURED)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def _environ(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    return {"PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8", **more}


def test_the_wheel_holds_one_package_with_everything_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        points = archive.read(next(name for name in names if name.endswith("entry_points.txt"))).decode()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"sightline"}
    assert "sightline = sightline.webapp.cli:main" in points
    for name in (
        "templates/base.html", "static/vendor/openseadragon.js", "annotation/migrations/__init__.py",
        "evaluation/demo/data/demo/street-day.jpg", "evaluation/demo/data/demo-work/samples.jsonl",
        *(f"evaluation/runner/prompts/{slug}/1.md" for slug in SLUGS),
    ):  # fmt: skip
        assert f"sightline/{name}" in names
    assert not [name for name in names if "/tests/" in name or "/wheel/" in name or name.endswith(".pyc")]
    assert wheel.stat().st_size < 16_000_000


def test_the_pure_packages_load_with_numpy_alone(wheel: Path, packages: Path, tmp_path: Path) -> None:
    alone = tmp_path / "numpy-alone"
    alone.mkdir()
    for found in packages.glob("numpy*"):
        (alone / found.name).symlink_to(found)
    _environment(tmp_path / "env", alone)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(alone)
    done = subprocess.run([tmp_path / "env/bin/python", "-I", "-c", IMPORT_ALL, *PURE], **_CAPTURED)
    assert done.returncode == 0, done.stderr
    loaded = {name for name in done.stdout.split() if not name.startswith("_")}
    assert loaded <= {"numpy", "sightline"}, loaded


def test_the_program_keeps_its_data_in_the_folder_of_the_person(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, "check", "--fail-level", "WARNING")
    run(installed, tmp_path, "migrate", "--verbosity", "0")
    run(installed, tmp_path, "makemigrations", "--check", "--dry-run")
    assert (tmp_path / ".local/share/sightline/sightline.sqlite3").is_file()
    run(installed, tmp_path, "migrate", "--verbosity", "0", SIGHTLINE_HOME="elsewhere")
    assert (tmp_path / "elsewhere/sightline.sqlite3").is_file(), "a relative folder counts from where one stands"


def test_the_demo_needs_nothing_but_the_package(installed: Path, tmp_path: Path) -> None:
    said = run(installed, tmp_path, "demo", "--no-serve")
    board = run(installed, tmp_path, "leaderboard", "demo")
    assert "oracle zoom, scripted" in board
    assert board in said


def test_a_benchmark_goes_from_a_file_to_its_page(installed: Path, tmp_path: Path) -> None:
    asked = {"question": "Which color is the cup?", "answer_type": "open", "answer": "red"}
    samples = [{"id": f"cup-{n}", "image": f"{n}.jpg", "width": 64, "height": 64, **asked} for n in range(3)]
    runs = [{"model": "Model A", "sample_id": f"cup-{n}", "answer": "red"} for n in range(3)]
    (tmp_path / "samples.json").write_text(json.dumps({"samples": samples}))
    (tmp_path / "runs.json").write_text(json.dumps({"trajectories": runs}))
    run(installed, tmp_path, "migrate", "--verbosity", "0")
    run(installed, tmp_path, "import_benchmark", "cups", "samples.json")
    run(installed, tmp_path, "import_runs", "cups", "runs.json")
    run(installed, tmp_path, "score", "cups")
    assert "Model A" in run(installed, tmp_path, "leaderboard", "cups")
    port = str(_free_port())
    with (tmp_path / "log").open("wb") as log:
        serving = subprocess.Popen(
            [installed / "sightline", "serve"], cwd=tmp_path, env=_environ(tmp_path, {"PORT": port}),
            stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/ready", serving, tmp_path / "log")
        for page, words in PAGES.items():
            with urlopen(f"{address}{page}", timeout=20) as answer:
                assert words in answer.read(), page
    finally:
        os.killpg(serving.pid, signal.SIGKILL)
        serving.wait()
