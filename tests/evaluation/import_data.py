"""A benchmark with samples, and files to import into it, as bytes."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.samples import save_samples
from annotation.exporters.native import sample_row
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.exporters.native import trajectory_row
from tests.conftest import signed_in
from tests.evaluation import records
from webapp.accounts.models import User

COLOURS = ("red", "green", "blue")


def say(*words: object) -> str:
    """What a command prints."""
    out = io.StringIO()
    call_command(*map(str, words), stdout=out)
    return out.getvalue()


def sent(client: Client, run_jobs: Callable[[], object], content: bytes, name: str, slug: str = "kitchen") -> str:
    """A file uploaded on the page of a benchmark and read: the address of its import."""
    url: str = client.post(f"/benchmarks/{slug}/import/", {"file": SimpleUploadedFile(name, content)}).url  # type: ignore[attr-defined]
    run_jobs()
    return url


def with_researcher(lea: User, rui: User) -> Client:
    """Rui's browser, who imports into Lea's kitchen."""
    kitchen(lea, (rui, Role.RESEARCHER))
    return signed_in(rui)


class File(io.BytesIO):
    """An upload as a request brings it."""

    def __init__(self, content: bytes, name: str = "file.json") -> None:
        super().__init__(content)
        self.name, self.size = name, len(content)

    def chunks(self) -> list[bytes]:
        return [self.getvalue()]


def kitchen(lea: User, *others: tuple[User, Role]) -> Benchmark:
    """Lea's benchmark with the samples of the records."""
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    save_samples(actor=lea, benchmark=benchmark, records=records.samples())
    for user, role in others:
        add_member(actor=lea, benchmark=benchmark, user=user, role=role)
    return benchmark


def native(**sections: list[dict[str, Any]]) -> bytes:
    return json.dumps(sections).encode()


def run_rows() -> list[dict[str, Any]]:
    return [trajectory_row(one) for one in records.trajectories()]


def sample_rows() -> list[dict[str, Any]]:
    return [sample_row(one) for one in records.samples()]


def lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def zipped(**files: bytes) -> bytes:
    return zip_of(files)


def zip_of(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def picture(width: int = 1000, height: int = 800, colour: str = "red") -> bytes:
    """A PNG of one colour."""
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(out, "PNG")
    return out.getvalue()
