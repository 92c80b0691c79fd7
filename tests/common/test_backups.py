"""A site on SQLite goes into one file while it works, and comes back from it."""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.models import Image, Sample
from evaluation.models import Score, Trajectory
from tests.annotation.pages_data import make_benchmark
from tests.annotation.samples.test_images import bring
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark as make_runs
from tests.factories import make_user
from webapp.accounts.models import User
from webapp.common import objects
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def on_sqlite() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has tools of its own for it")


def store_in(home: Path) -> dict[str, Any]:
    options = {"location": home / "media", "allow_overwrite": True}
    return {"BACKEND": "webapp.common.objects.Folder", "OPTIONS": options}


@contextmanager
def site_in(home: Path, settings: Any) -> Iterator[None]:
    """The site whose database and files are in this folder."""
    kept, storages = connection.settings_dict["NAME"], settings.STORAGES
    settings.STORAGES = {**storages, "default": store_in(home)}
    connection.close()
    connection.settings_dict["NAME"] = home / "sightline.sqlite3"
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"], settings.STORAGES = kept, storages


@pytest.fixture
def home(tmp_path: Path, settings: Any, lea: User) -> Path:
    """A site with a benchmark, an image with its tiles, a run and its scores; its last rows are in SQLite's log."""
    home = tmp_path / "home"
    home.mkdir()
    settings.STORAGES = {**settings.STORAGES, "default": store_in(home)}
    bring(make_benchmark(lea), lea, tmp_path)
    run_waiting()
    make_runs(lea, pictures=False)
    with closing(sqlite3.connect(str(connection.settings_dict["NAME"]))) as source:
        source.execute(f"VACUUM INTO '{home / 'sightline.sqlite3'}'")
    return home


def test_a_site_is_backed_up_while_people_work_and_is_the_same_when_it_is_restored(
    home: Path, tmp_path: Path, settings: Any, lea: User, capsys: pytest.CaptureFixture[str]
) -> None:
    """D6.11: a copy of the running file lacked what was in the log, and the images."""
    archive, written, enough = tmp_path / "site.tar.gz", [], Event()

    def work() -> None:
        while not enough.is_set():
            written.append(make_user(f"Person{len(written)} Ode"))
        connection.close()

    with site_in(home, settings):
        before = make_user("Zoe Written Before")
        people = Thread(target=work)
        people.start()
        while not written:
            pass
        call_command("backup", str(archive))
        n = len(written)
        enough.set()
        people.join()
        held = rows()
    assert f"{archive} contains the database and" in capsys.readouterr().out
    assert archive.stat().st_mode & 0o777 == 0o600
    with site_in(new := tmp_path / "new", settings):
        call_command("restore", str(archive))
        assert rows() == held
        assert User.objects.filter(pk=before.pk).exists()
        assert 1 <= User.objects.filter(name__startswith="Person").count() <= n
        image = Image.objects.get(samples__benchmark__slug="kitchen")
        page = signed_in(lea).get(f"/benchmarks/kitchen/images/{image.sha256}/thumbnail.jpg")
        assert page.status_code == 200
        assert list(objects.all_names()) == [str(path.relative_to(home / "media")) for path in files_of(home / "media")]
        with pytest.raises(CommandError, match="A database already exists"):
            call_command("restore", str(archive))
    assert [path.name for path in new.iterdir() if path.name.startswith(".")] == []


def rows() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in (Sample, Image, Trajectory, Score)}


def files_of(folder: Path) -> list[Path]:
    """By folder, as ``objects.all_names``."""
    inner = sorted(folder.iterdir())
    files = [path for path in inner if path.is_file()]
    return [*files, *(found for path in inner if path.is_dir() for found in files_of(path))]


def test_a_file_that_is_there_is_not_written_over(home: Path, tmp_path: Path, settings: Any) -> None:
    (tmp_path / "site.tar").write_bytes(b"the backup of yesterday")
    with site_in(home, settings), pytest.raises(CommandError, match="exists"):
        call_command("backup", str(tmp_path / "site.tar"))
    assert (tmp_path / "site.tar").read_bytes() == b"the backup of yesterday"


def cut_off(archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])


def with_a_changed_byte(archive: Path) -> None:
    with tarfile.open(archive) as read:
        at = next(one for one in read if one.name.startswith("files/")).offset_data
    with archive.open("r+b") as file:
        file.seek(at)
        file.write(b"X")


def with_a_way_out(archive: Path) -> None:
    with tarfile.open(archive, "a") as more:
        more.addfile(tarfile.TarInfo("files/../../out"))


def of_tomorrow(archive: Path) -> None:
    """The same archive, as a newer release makes it."""
    folder = archive.parent / "unpacked"
    with tarfile.open(archive) as read:
        read.extractall(folder, filter="data")
    with closing(sqlite3.connect(folder / "database.sqlite3")) as rows:
        rows.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('jobs', '9999_new', '2030-01-01')")
        rows.commit()
    data = (folder / "database.sqlite3").read_bytes()
    manifest = (folder / "manifest.json").read_text()
    said = json.loads(manifest)
    said["parts"]["database.sqlite3"] = [len(data), hashlib.sha256(data).hexdigest()]
    (folder / "manifest.json").write_text(json.dumps(said))
    with tarfile.open(archive, "w") as out:
        for name in ("database.sqlite3", "files", "manifest.json"):
            for path in [folder / name] if (folder / name).is_file() else files_of(folder / name):
                out.add(path, str(path.relative_to(folder)))


def made_of(*members: tuple[str, bytes]) -> Callable[[Path], None]:
    """An archive of these alone, with a manifest that is true of them."""

    def make(archive: Path) -> None:
        parts = {name: [len(data), hashlib.sha256(data).hexdigest()] for name, data in members}
        manifest = json.dumps({"form": 1, "release": "1", "parts": parts}).encode()
        with tarfile.open(archive, "w") as out:
            for name, data in (*members, ("manifest.json", manifest)):
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                out.addfile(entry, io.BytesIO(data))

    return make


def with_a_list_for_parts(archive: Path) -> None:
    with tarfile.open(archive, "w") as out:
        data = b'{"form": 1, "release": "1", "parts": []}'
        entry = tarfile.TarInfo("manifest.json")
        entry.size = len(data)
        out.addfile(entry, io.BytesIO(data))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (made_of(), "contains no database"),
        (made_of(("database.sqlite3", b"no database" * 99)), "is damaged"),
        (made_of(("database.sqlite3", b"")), "is damaged"),
        (with_a_list_for_parts, "cannot be read as a backup"),
        (cut_off, "cannot be read as a backup"),
        (with_a_changed_byte, "is damaged or missing"),
        (with_a_way_out, "cannot be read as a backup"),
        (of_tomorrow, "newer release"),
    ],
)
def test_an_archive_that_is_not_as_it_was_written_makes_no_site(
    damage: Callable[[Path], None], said: str, home: Path, tmp_path: Path, settings: Any
) -> None:
    """D6.11: what was damaged on its way is found before there is a database."""
    archive, new = tmp_path / "site.tar", tmp_path / "new"
    with site_in(home, settings):
        call_command("backup", str(archive))
    damage(archive)
    with site_in(new, settings), pytest.raises(CommandError, match=said):
        call_command("restore", str(archive))
    assert not (new / "sightline.sqlite3").exists()
    assert not (tmp_path / "out").exists()
