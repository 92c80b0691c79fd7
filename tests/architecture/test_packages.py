"""What is installed and locked: hashes, no hosts, one OpenCV, and no trace of the machine it was written on."""

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions, packages_distributions

import pytest

from tests import lanes
from tests.architecture.source import PRODUCT, ROOT, files, imported_modules, product_files, text
from webapp import VERSION

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCKS = (
    "requirements.txt",
    "requirements-test.txt",
    "requirements-server.txt",
    "requirements-node.txt",
    "requirements-fuzz.txt",
)
HOSTS = [f"{name}.{end}" for name in ("pypi", "npmjs") for end in ("org", "com")]
FOLDERS = ["/" + name + "/" for name in ("root", "work")]
BINARY = {
    ".bpf",
    ".png",
    ".jpg",
    ".jpeg",
    ".webp",
    ".ico",
    ".zip",
    ".parquet",
    ".xlsx",
    ".woff2",
    ".ttf",
    ".gif",
    ".tif",
    ".tiff",
    ".eval",
}


@pytest.mark.parametrize("name", LOCKS)
def test_locks_name_no_host_and_every_package_has_a_hash(name):
    lines = [line for line in (ROOT / name).read_text().splitlines() if line and not line.startswith((" ", "#"))]
    assert lines
    assert "://" not in (ROOT / name).read_text()
    assert all("==" in line and line.endswith("\\") for line in lines), "a package without version or hash"


def test_the_test_lock_holds_the_same_versions_as_the_product():
    def pins(name: str) -> dict[str, str]:
        return dict(re.findall(r"^([\w.\-]+)(?:\[[^]]*\])?==([^\s;]+)", (ROOT / name).read_text(), re.M))

    product, tests = pins("requirements.txt"), pins("requirements-test.txt")
    assert {name: tests.get(name) for name in product} == product


def test_front_end_packages_are_locked_by_content():
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    for name, package in packages.items():
        if name:
            assert package["integrity"].startswith("sha512-"), name
            assert "resolved" not in package, f"{name} records a host"


def test_the_shipped_scripts_of_others_are_those_of_the_lock():
    """D6.12: they are in the repository, so that only the tests need Node."""
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    folder = ROOT / "static/vendor"
    sources = json.loads((folder / "SOURCES.json").read_text())
    assert {path.name for path in folder.glob("*.js")} == set(sources)
    for name, source in sources.items():
        locked = packages[f"node_modules/{source['package']}"]
        assert (source["version"], source["integrity"]) == (locked["version"], locked["integrity"])
        shipped = (folder / name).read_bytes()
        assert hashlib.sha256(shipped).hexdigest() == source["sha256"]
        assert "Redistribution" in (folder / name).with_suffix(".LICENSE.txt").read_text()
        installed = ROOT / "node_modules" / source["package"] / source["file"]
        if (ROOT / "node_modules").is_dir():  # npm has compared the package with its integrity
            assert installed.read_bytes() == shipped


def test_the_node_of_the_machine_is_used_when_it_is_new_enough():
    """D6.12: Node 20 and later refuse a boolean as the code to end with."""
    [question] = re.findall(r"node -e '([^']+)'", (ROOT / "Makefile").read_text())
    try:
        node = lanes.node()
    except lanes.Skip as reason:
        pytest.skip(str(reason))
    assert subprocess.run([*node, "-e", question.replace("$$", "$")]).returncode == 0
    assert subprocess.run([*node, "-e", question.replace("< 20", "< 2000")]).returncode == 1


def test_exactly_one_opencv_is_installed():
    """Two of them overwrite one folder, and no tool notices."""
    names = {distribution.metadata["Name"].lower() for distribution in distributions()}
    assert [name for name in sorted(names) if name.startswith("opencv")] == ["opencv-python-headless"]


def test_no_file_names_a_registry_or_a_folder_of_one_machine():
    pattern = re.compile("|".join([*map(re.escape, HOSTS), *(rf"(?<![\w.\-*]){re.escape(name)}" for name in FOLDERS)]))
    found = [
        f"{path}:{number}"
        for path in files()
        if path.suffix not in BINARY
        for number, line in enumerate(text(path).splitlines(), start=1)
        if pattern.search(line)
    ]
    assert not found


def declared() -> set[str]:
    """The distributions that the project names, its extras included."""
    lines = [*PROJECT["dependencies"], *(line for extra in PROJECT["optional-dependencies"].values() for line in extra)]
    return {re.match(r"[\w.\-]+", line)[0].lower().replace("_", "-") for line in lines}


def imported() -> dict[str, set[str]]:
    """The packages of others that the product imports, with the distributions each may come from."""
    installed = packages_distributions()
    names = {module.partition(".")[0] for path in product_files() for module in imported_modules(path)}
    foreign = names - set(sys.stdlib_module_names) - set(PRODUCT)
    return {name: {found.lower().replace("_", "-") for found in installed.get(name, [name])} for name in foreign}


def test_every_package_that_is_imported_is_declared():
    """What another package happens to bring may be gone with its next version."""
    missing = {name for name, sources in imported().items() if not declared() & sources}
    # Celery, Django and the storages for S3 are used with the parts they are made of.
    assert missing <= {"kombu", "asgiref", "botocore"}


def test_every_package_that_is_declared_is_imported():
    used = set().union(*imported().values())
    # openpyxl refuses XML entities where defusedxml is installed.
    assert {name for name in declared() - used if name.replace("-", "_") not in used} <= {"defusedxml"}


def test_the_version_is_the_same_everywhere():
    front_end = json.loads((ROOT / "package.json").read_text())["version"]
    assert PROJECT["version"] == VERSION == front_end
    assert f"image: sightline:{VERSION}\n" in (ROOT / "docker/compose.yaml").read_text()
