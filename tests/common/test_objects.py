"""The object store says and does the same in a folder and in a bucket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from tests import object_store
from webapp import env
from webapp.common import objects
from webapp.common.errors import Unavailable


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with object_store.server() as address:
        yield address


@pytest.fixture(params=["folder", "bucket"])
def store(
    request: pytest.FixtureRequest, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bucket: str
) -> str:
    """The storage that the environment of a deployment gives."""
    for name, value in object_store.KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SIGHTLINE_S3_ENDPOINT", bucket)
    place = tmp_path / "media" if request.param == "folder" else f"s3://{object_store.BUCKET}/{tmp_path.name}"
    monkeypatch.setenv("SIGHTLINE_STORAGE", str(place))
    chosen = env.storage("SIGHTLINE_STORAGE", home=tmp_path)
    settings.STORAGES = {**settings.STORAGES, "default": chosen}
    return str(request.param)


def test_bytes_and_files_come_back_as_they_were_put(store: str, tmp_path: Path) -> None:
    begun, large = timezone.now(), tmp_path / "large"
    large.write_bytes(bytes(range(256)) * 20_000)
    objects.put("uploads/a", b"one")
    objects.put("uploads/a", b"other")
    objects.put("tiles/ab/7/0_0.jpg", large)
    assert objects.read("uploads/a") == b"other"
    objects.fetch("tiles/ab/7/0_0.jpg", tmp_path / "new" / "copy")
    assert (tmp_path / "new" / "copy").read_bytes() == large.read_bytes()
    assert (objects.exists("uploads/a"), objects.exists("uploads/b")) == (True, False)
    assert abs((objects.modified("uploads/a") - begun).total_seconds()) < 60  # type: ignore[operator]
    assert objects.modified("uploads/b") is None
    assert list(objects.names("uploads")) == ["uploads/a"]
    assert (objects.folders("tiles"), objects.folders("previews"), list(objects.names("none"))) == (["ab"], [], [])


def test_a_folder_goes_with_all_that_is_in_it_and_nothing_else(store: str) -> None:
    for name in ("tiles/ab/7/0_0.jpg", "tiles/ab/thumbnail.jpg", "tiles/abc/thumbnail.jpg"):
        objects.put(name, b"x")
    objects.delete_folder("tiles/ab")
    objects.delete_folder("tiles/none")
    assert objects.folders("tiles") == ["abc"]
    objects.delete("tiles/abc/thumbnail.jpg")
    objects.delete("tiles/abc/thumbnail.jpg")
    assert not objects.exists("tiles/abc/thumbnail.jpg")


def test_what_is_not_there_is_said_by_name_and_leaves_nothing(store: str, tmp_path: Path) -> None:
    """D6.4: an object that this process cannot see is no missing picture."""
    for ask in (objects.read, objects.open_object, lambda name: objects.fetch(name, tmp_path / "copy")):
        with pytest.raises(objects.Missing, match="uploads/none"):
            ask("uploads/none")
    objects.put("uploads/a", b"damaged")
    with pytest.raises(Unavailable, match="damaged bytes"):
        objects.fetch("uploads/a", tmp_path / "copy", sha256="0" * 64)
    assert [path.name for path in tmp_path.iterdir() if path.name != "media"] == []


def test_a_write_that_breaks_off_leaves_what_was_there(tmp_path: Path) -> None:
    """D6.3: other processes read a file while it is uploaded again."""
    store = objects.Folder(location=tmp_path, allow_overwrite=True)

    class Broken:
        name = "a"

        def chunks(self) -> Iterator[bytes]:
            yield b"half"
            raise ConnectionError("the sender is gone")

    (tmp_path / "a").write_bytes(b"whole")
    with pytest.raises(ConnectionError):
        store._save("a", Broken())
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"whole")]
