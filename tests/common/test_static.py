"""Static files as they are served in production: every import leads to a hashed file that is there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

pytestmark = pytest.mark.slow
IMPORT = re.compile(
    r"""(?:^|[;\s])(?:import|export)\b[^'"();]*?(?:from\s*)?["']([./][^"']+)["']|import\(["']([^"']+)["']\)"""
)
HASHED = re.compile(r"\.[0-9a-f]{12}\.js$")


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Made once: it is only looked at."""
    folder = tmp_path_factory.mktemp("static")
    hashed = {"staticfiles": {"BACKEND": "webapp.common.static.HashedStaticFilesStorage"}}
    with override_settings(STATIC_ROOT=folder, STORAGES=settings.STORAGES | hashed):
        call_command("collectstatic", verbosity=0, interactive=False)
        yield folder


@pytest.mark.endurance
def test_our_modules_import_hashed_files_that_exist(collected: Path) -> None:
    modules = [file for file in (collected / "js").rglob("*.js") if HASHED.search(file.name)]
    assert any(file.name.startswith("main.") for file in modules)
    followed = 0
    for module in modules:
        for pair in IMPORT.findall(module.read_text()):
            target = module.parent / (pair[0] or pair[1])
            assert HASHED.search(target.name), f"{module.name} imports {target.name}, which a browser would keep"
            assert target.is_file(), f"{module.name} imports {target.name}, which is not there"
            followed += 1
    assert followed


def test_the_scripts_are_compressed_once_and_not_with_each_request(collected: Path) -> None:
    script = next(file for file in (collected / "django_htmx").glob("htmx-*.js") if HASHED.search(file.name))
    assert script.with_name(script.name + ".gz").stat().st_size < script.stat().st_size / 2


def plain(text: str) -> str:
    """A style sheet without the names of the files it uses, which are hashed as it is collected."""
    return re.sub(r"url\([^)]+\) format", "url() format", text)


def test_the_styles_are_one_file_in_their_layers(collected: Path) -> None:
    written = Path(settings.BASE_DIR, "static/css/app.css").read_text()
    imported = re.findall(r'@import url\("([^"]+)"\) layer\((\w+)\)', written)
    served = plain(next(file for file in (collected / "css").glob("app.*.css") if file.name != "app.css").read_text())
    assert "@import" not in served
    assert len(imported) > 50
    for name, layer in imported:
        text = Path(settings.BASE_DIR, "static/css", name).read_text()
        assert f"@layer {layer} {{\n{plain(text)}}}" in served


def served(collected: Path, name: str) -> Path:
    """The hashed file of a module that pages name."""
    return next(file for file in (collected / "js").glob(f"{name}.*.js") if HASHED.search(file.name))


def imported(module: Path) -> set[Path]:
    return {(module.parent / name).resolve() for pair in IMPORT.findall(module.read_text()) for name in pair if name}


def test_a_module_that_pages_name_names_all_it_leads_to_so_that_none_is_waited_for_twice(collected: Path) -> None:
    for name in ("main", "viewer", "run", "import", "judging", "studio", "review", "workbench"):
        module = served(collected, name)
        named = imported(module)
        assert named
        for one in named:
            assert imported(one) <= named, f"{name} leads to {imported(one) - named} without naming it"


def test_a_page_asks_for_the_scripts_of_its_kind_alone(collected: Path) -> None:
    """D9.6: every first visit asked for 120 scripts, those of the studio on the leaderboard too."""
    main = imported(served(collected, "main"))
    assert len(main) < 35
    assert not [one.name for one in main if one.name.startswith(("studio", "review.", "workbench"))]
    size = sum(one.with_name(one.name + ".gz").stat().st_size for one in main)
    assert size < 60_000


def test_the_interface_font_is_shipped_in_one_small_file(collected: Path) -> None:
    """D9.8: widths depended on the fonts of the machine. Its name is hashed like that of any file."""
    [font] = [file for file in (collected / "fonts").glob("inter.*.woff2") if file.name != "inter.woff2"]
    assert font.read_bytes()[:4] == b"wOF2"
    assert font.stat().st_size < 60_000
    assert "Open Font License" in (Path(settings.BASE_DIR) / "static/fonts/inter.LICENSE.txt").read_text()
    styles = next(file for file in (collected / "css").glob("app.*.css") if file.name != "app.css").read_text()
    assert font.name in styles
    assert "size-adjust" in styles
