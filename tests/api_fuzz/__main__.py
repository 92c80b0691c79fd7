"""Asks a demo site whatever its description allows and forbids: ``python -m tests.api_fuzz MINUTES [EMAIL]``.

The site has a home of its own, which is removed; its log and a report stay in ``var/fuzz-api``. EMAIL: whose token
goes along, Lea's unless said; ``nobody`` for none. The exit code is that of Schemathesis: not 0 where an answer is a
fault, or is not as it is described.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = "tests.api_fuzz.settings"
OUTPUT = ROOT / "var/fuzz-api"
LEAD, NOBODY, SLUG = "lea@example.org", "nobody", "demo"
WITHOUT_TOKEN = ["--generation-with-security-parameters", "false"]
"""Made-up tokens would be refused before anything is asked."""
START_SECONDS = 120
ENDPOINTS = {"model": "stand-in", "finder": "detector"}
NO_MODEL = "http://127.0.0.1:9/v1"
"""Where nothing answers: what an experiment asks fails at once."""


def main(minutes: float, email: str = LEAD) -> int:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="sightline-fuzz-") as folder:
        environ = {
            **os.environ, "SIGHTLINE_HOME": f"{folder}/home", "DJANGO_SETTINGS_MODULE": SETTINGS,
            "SIGHTLINE_SEAL_KEY": secrets.token_urlsafe(32),
        }  # fmt: skip
        _manage(environ, "demo", "--no-serve")
        for name, preset in ENDPOINTS.items():
            _manage(
                environ, "endpoint", "add", name, "--preset", preset, "--base-url", NO_MODEL, "--model", "oracle zoom",
                "--benchmark", SLUG,
            )  # fmt: skip
        token = _token(environ, LEAD)
        with _served(environ) as site:
            known = _known(f"{site}/api/v1", token)
            config = Path(folder, "schemathesis.toml")
            shutil.copy(Path(__file__).with_name("schemathesis.toml"), config)
            with config.open("a") as file:
                file.writelines(f"\n[dictionaries.{name}]\nvalues = {json.dumps(known[name])}\n" for name in known)
            asker = token if email == LEAD else _token(environ, email)
            return _fuzzed(site, config, minutes, asker, known)


def _manage(environ: Mapping[str, str], *words: str) -> str:
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=environ, check=True, stdout=subprocess.PIPE, text=True).stdout


def _token(environ: Mapping[str, str], email: str) -> str:
    """A token of this person with every scope; empty for nobody."""
    if email == NOBODY:
        return ""
    code = (
        "from webapp.accounts.actions import create_token; from webapp.accounts.models import User;"
        "from webapp.accounts.scopes import Scope;"
        f"print(create_token(name='fuzz', actor=User.objects.get(email={email!r}), scopes=list(Scope))[1])"
    )
    return _manage(environ, "shell", "--no-imports", "-c", code).strip()


@contextmanager
def _served(environ: Mapping[str, str]) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "manage.py", "serve", "--host", "127.0.0.1", "--port", str(port)]
    with (OUTPUT / "site.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=log, stderr=log, start_new_session=True)
    site = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{site}/ready", server)
        yield site
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            urlopen(address, timeout=5).close()
        except (URLError, TimeoutError):
            time.sleep(0.5)
        else:
            return
    raise SystemExit(f"The site did not answer at {address} within {START_SECONDS} s.")


def _known(api: str, token: str) -> dict[str, list[Any]]:
    """What is stored, by the name of its dictionary, as the API says it."""

    def asked(path: str, body: bytes | None = None) -> Any:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = Request(f"{api}/{path}", body, headers)
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def column(path: str, name: str = "id") -> list[Any]:
        return [row[name] for row in asked(f"{path}?limit=20")["results"]]

    here = f"benchmarks/{SLUG}/"
    facets = asked(f"{here}leaderboard/")["facets"]
    return {
        "slugs": [SLUG, *(slug for slug in column("benchmarks/", "slug") if slug != SLUG)],
        "endpoints": list(ENDPOINTS),
        "keys": column(f"{here}samples/"),
        "runs": column(f"{here}runs/"),
        "trajectories": column(f"{here}trajectories/"),
        "imports": column(f"{here}imports/"),
        "jobs": [asked(f"{here}score/", b"{}")["id"], *column("jobs/")],
        "facets": list(facets),
        "values": [value for values in facets.values() for value in values],
    }


def _fuzzed(site: str, config: Path, minutes: float, token: str, known: Mapping[str, Any]) -> int:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "SIGHTLINE_FUZZ_KNOWN": json.dumps(known)}
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(config), "run",
        f"{site}/api/v1/schema/", "--checks", "all", "--exclude-checks", "positive_data_acceptance",
        "--max-time", str(round(minutes * 60)),
        "--report-json-path", "report.json",
        *(["--header", f"Authorization: Bearer {token}"] if token else WITHOUT_TOKEN),
    ]  # fmt: skip
    return subprocess.run(command, cwd=OUTPUT, env=environ).returncode


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    sys.exit(main(float(sys.argv[1]), *sys.argv[2:]))
