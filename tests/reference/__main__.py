"""Compares what a site answers before and after a change: ``python -m tests.reference save|compare [HOME]``.

HOME holds a site that nobody writes to, the demo unless said; the demo is built there if it is missing. Its database is
copied first, so neither command changes it. ``save`` follows the links from the first pages, as each of ``PEOPLE``, and
keeps all answers in ``var/reference``: pages, pieces, exports, and lists of the API. ``compare`` asks for the same
addresses again and prints the differences. Tokens, nonces, references of errors and the time of day are left out of the
comparison. Scores are those of the site; neither command computes them again.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Iterator
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

ROOT = Path(__file__).resolve().parents[2]
SAVED = ROOT / "var/reference"
PEOPLE = {"visitor": None, "ana": "ana@example.org", "rui": "rui@example.org", "mira": "mira@example.org",
          "lea": "lea@example.org"}  # fmt: skip
STARTS = (
    "/", "/benchmarks/", "/benchmarks/demo/", "/benchmarks/demo-work/", "/benchmarks/demo/export/", "/toolbox/",
    "/jobs/", "/glossary/", "/api/v1/schema/", "/api/v1/benchmarks/", "/api/v1/toolbox/",
)  # fmt: skip
LISTS = (
    "samples", "samples/facets", "versions", "export", "runs", "metrics", "rewards", "toolchains", "leaderboard",
    "trajectories", "trajectories/facets", "tags", "notes", "slices", "judges", "judging", "answers",
    "answers/report", "endpoints", "prompts", "experiments", "imports",
)  # fmt: skip
MOST_ALIKE, MOST = 2, {"lea": 250}
"""Addresses of the same page with the same parameters, and addresses in all, that a person asks for."""
LINK = re.compile(r"""(?:href|hx-get|src|action|data-url)="([^"#][^"]*)\"""")
CHANGING = (
    (re.compile(r'(name="csrfmiddlewaretoken" value=|"X-CSRFToken": ?|nonce=)"[^"]*"'), r'\1""'),
    (re.compile(r"(&quot;X-CSRFToken&quot;: ?&quot;)[^&]*"), r"\1"),
    (re.compile(r"\d+ (?:s|min|h|d) ago|just now"), "AGO"),
    (re.compile(r'("reference": ?"|· ref )[0-9a-f]{12}'), r"\1"),
    (re.compile(r'(data-form="weekday"><time )[^>]*>[^<]*'), r"\1"),
)


def main(what: str, home: Path) -> int:
    if not (home / "sightline.sqlite3").exists():
        environ = {**os.environ, "SIGHTLINE_HOME": str(home)}
        subprocess.run([sys.executable, "manage.py", "demo", "--no-serve"], cwd=ROOT, env=environ, check=True)
    with tempfile.TemporaryDirectory(prefix="sightline-reference-") as folder:
        _copy(home, Path(folder))
        os.environ |= {"SIGHTLINE_HOME": folder, "DJANGO_SETTINGS_MODULE": "tests.reference.settings"}
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        return _save() if what == "save" else _compare()


def _copy(home: Path, to: Path) -> None:
    for path in home.iterdir():
        if path.is_file():
            shutil.copy(path, to)
    if (home / "media").exists():
        (to / "media").symlink_to(home / "media")


def _client(email: str | None) -> Any:
    from django.test import Client

    from webapp.accounts.models import User

    client = Client(raise_request_exception=False)
    if email:
        client.force_login(User.objects.get(email=email))
    return client


def _asked(client: Any, address: str) -> tuple[str, str]:
    """The answer as text that can be compared, and its type."""
    answer = client.get(address, headers={"host": "testserver"})
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    text = body.decode("utf-8", "backslashreplace")
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text)
    return f"{answer.status_code} {kind} {answer.headers.get('Location', '')}\n{text}", kind


def _save() -> int:
    shutil.rmtree(SAVED, ignore_errors=True)
    for person, email in PEOPLE.items():
        client, kept = _client(email), {}
        for address, text in islice(_crawled(client), MOST.get(person, 80)):
            kept[address] = text
        folder = SAVED / person
        folder.mkdir(parents=True)
        for number, text in enumerate(kept.values()):
            (folder / str(number)).write_text(text, newline="")
        (folder / "addresses.json").write_text(json.dumps(list(kept), indent=1))
        print(f"{person}: {len(kept)} answers", flush=True)
    return 0


def _crawled(client: Any) -> Iterator[tuple[str, str]]:
    waiting = deque([*STARTS, *(f"/api/v1/benchmarks/demo/{name}/" for name in LISTS)])
    seen, alike = set(waiting), Counter[tuple[Any, ...]]()
    while waiting:
        address = waiting.popleft()
        text, kind = _asked(client, address)
        yield address, text
        if kind != "text/html":
            continue
        for found in LINK.findall(text):
            link = urldefrag(urljoin(address, unescape(found)))[0]
            if link in seen or not link.startswith("/") or not _wanted(link, alike):
                continue
            seen.add(link)
            waiting.append(link)


def _wanted(link: str, alike: Counter[tuple[Any, ...]]) -> bool:
    from django.urls import Resolver404, resolve

    parts = urlsplit(link)
    try:
        match = resolve(parts.path)
    except Resolver404:
        return False
    if parts.path.startswith(("/static/", "/admin/", "/account/")) or "sign-out" in link:
        return False
    slug = match.kwargs.get("slug")
    like = (match.view_name, slug, *sorted({key for key, _ in parse_qsl(parts.query)}))
    alike[like] += 1
    # Each set of parameters of a list is another page; of tiles one is enough.
    return alike[like] <= (1 if match.view_name in {"annotation:tile", "annotation:thumbnail"} else MOST_ALIKE)


def _alike(text: str) -> str:
    """The text without what a page shows alike: white space, and how a quote is written."""
    words = " ".join(text.replace("&#39;", "&#x27;").replace("&#34;", "&quot;").split())
    return words.replace("> <", "><")


def _compare() -> int:
    differences = 0
    for person, email in sorted(PEOPLE.items()):
        client, folder = _client(email), SAVED / person
        addresses = json.loads((folder / "addresses.json").read_text())
        for number, address in enumerate(addresses):
            before, after = (folder / str(number)).read_bytes().decode(), _asked(client, address)[0]
            if _alike(before) != _alike(after):
                differences += 1
                print(f"{person} {address}")
                lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
                print("\n".join(f"    {line[:300]}" for _, line in zip(range(12), lines, strict=False)))
        print(f"{person}: {len(addresses)} answers compared", flush=True)
    print(f"{differences} differences")
    return int(differences > 0)


if __name__ == "__main__":
    where = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "var/reference-site"
    raise SystemExit(main(sys.argv[1], where))
