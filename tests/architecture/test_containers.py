"""The containers: what compose starts, what the image promises, and the entrypoint really run."""

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml
from django.urls import get_resolver

from tests.architecture.source import ROOT
from webapp.env import VARIABLES

DOCKER = ROOT / "docker"
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
INSTRUCTIONS = [
    line.split(maxsplit=1)
    for line in (DOCKER / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    if line and not line.startswith(("#", " "))
]
PINNED = re.compile(r"^[\w./-]+:\d+\.\d+(\.\d+)?(-[\w.-]+)?$")
OF_CONTAINERS = {"TMPDIR"}
"""Variables that Python reads itself."""


def values(instruction: str) -> list[str]:
    return [line[1] for line in INSTRUCTIONS if line[0] == instruction]


def example() -> dict[str, str]:
    lines = (DOCKER / "env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_compose_starts_web_worker_database_broker_and_proxy():
    assert set(SERVICES) == {"web", "worker", "postgres", "redis", "proxy"}


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_is_pinned_and_watched(name):
    assert PINNED.match(SERVICES[name]["image"])
    assert SERVICES[name]["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}
    assert SERVICES[name]["restart"] == "unless-stopped"
    assert "privileged" not in SERVICES[name]


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_has_no_more_rights_and_memory_than_it_needs(name):
    """D6.14."""
    service = SERVICES[name]
    assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert service["pids_limit"] <= 512
    assert re.fullmatch(r"[1-4]g|256m", service["mem_limit"])
    assert service.get("read_only") or name == "proxy"
    assert set(service.get("cap_add", [])) <= ({"CHOWN", "SETGID", "SETUID"} if name == "proxy" else set())


def test_redis_asks_for_a_password():
    """D6.14."""
    assert SERVICES["redis"]["command"][-2:] == ["--requirepass", SERVICES["redis"]["environment"]["REDISCLI_AUTH"]]
    assert "redis://:${REDIS_PASSWORD" in SERVICES["web"]["environment"]["CELERY_BROKER_URL"]


def test_only_the_proxy_is_reached_from_outside():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]


def test_services_wait_for_what_they_need():
    assert set(SERVICES["web"]["depends_on"]) == {"postgres", "redis"}
    assert set(SERVICES["worker"]["depends_on"]) == {"web", "redis"}
    assert set(SERVICES["proxy"]["depends_on"]) == {"web"}
    for service in SERVICES.values():
        for need in service.get("depends_on", {}).values():
            assert need == {"condition": "service_healthy"}


def test_secrets_have_no_default_and_no_value():
    written = (DOCKER / "compose.yaml").read_text()
    for secret in ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD"):
        assert example()[secret] == ""
        assert f"${{{secret}:?" in written
        assert f"${{{secret}:-" not in written


def test_containers_are_given_variables_that_exist():
    known = {variable.name for variable in VARIABLES} | OF_CONTAINERS
    for name in ("web", "worker"):
        assert set(SERVICES[name]["environment"]) <= known
    built_in = {word.partition("=")[0] for value in values("ENV") for word in value.split()}
    assert {name for name in built_in if name.startswith("SIGHTLINE_")} <= known


def test_the_example_names_every_variable_of_compose_and_no_other():
    used = set(re.findall(r"(?<!\$)\$\{(\w+)", (DOCKER / "compose.yaml").read_text()))
    assert set(example()) == used


def test_the_image_is_built_of_pinned_images_and_hashed_packages():
    images = [value.split()[0] for value in values("FROM")]
    assert all(PINNED.match(image) for image in images)
    installs = [value for value in values("RUN") if "pip install" in value]
    assert installs
    assert all("--require-hashes" in value for value in installs)


def test_the_image_runs_as_nobody_special_and_says_how_it_is():
    assert values("USER") == ["sightline"]
    names = [line[0] for line in INSTRUCTIONS]
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert "/live" in values("HEALTHCHECK")[0]
    assert any("collectstatic" in value for value in values("RUN"))


def test_what_the_image_copies_exists_and_nothing_private_is_sent():
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert all((ROOT / name).exists() for name in allowed)
    assert (ROOT / ".dockerignore").read_text().startswith("*\n")
    assert not {".git", ".env", "var", "docker"} & set(allowed)


def test_the_proxy_serves_nothing_itself():
    conf = (DOCKER / "proxy.conf").read_text()
    assert "set $application http://web:8000;" in conf
    assert set(re.findall(r"proxy_pass ([^;]+);", conf)) == {"$application"}
    assert not re.search(r"^\s*(root|alias|try_files|proxy_ignore_headers)\b", conf, re.M)


def test_the_proxy_believes_a_scheme_only_behind_another_proxy():
    """D4.10: anybody can send X-Forwarded-Proto."""
    conf, proxy = (DOCKER / "proxy.conf").read_text(), SERVICES["proxy"]
    [rules] = re.findall(
        r'map "\$\{SIGHTLINE_HTTPS\}:\$http_x_forwarded_proto" \$original_scheme \{(.*?)\}', conf, re.S
    )
    assert re.findall(r"\bdefault\s+(\S+);", rules) == ["$scheme"]
    [believed] = [re.compile(rule, re.I) for rule in re.findall(r'"~\*(.+?)"\s+https;', rules)]
    said = ("yes:https", "on:https", "no:https", ":https", "yes:http", "yes:evil", "no")
    assert [bool(believed.search(one)) for one in said] == [True, True, False, False, False, False, False]
    assert conf.count("X-Forwarded-Proto $original_scheme;") == conf.count("X-Forwarded-Proto")
    assert any("templates/default.conf.template" in volume for volume in proxy["volumes"])
    filled = re.compile(proxy["environment"]["NGINX_ENVSUBST_FILTER"])
    assert [name for name in ("SIGHTLINE_HTTPS", "application", "http_host") if filled.search(name)] == [
        "SIGHTLINE_HTTPS"
    ]


def addresses_of_files(resolver=None, before=""):
    """The address of every view that takes files, each part filled in."""
    for one in (resolver or get_resolver()).url_patterns:
        path = before + re.sub(r"<\w+:\w+>", "street", re.sub(r"<int:\w+>", "7", str(one.pattern)))
        if hasattr(one, "url_patterns"):
            yield from addresses_of_files(one, path)
        elif hasattr(one.callback, "room_for"):
            yield f"/{path}"


def test_the_proxy_passes_on_large_bodies_where_files_are_taken_and_nowhere_else():
    """D3.2: everywhere else it buffers what slow clients send, up to the limit of a form."""
    conf = (DOCKER / "proxy.conf").read_text()
    general, _, special = conf.partition("location ~ ")
    taking = re.compile(special.split()[0])
    assert {path for path in addresses_of_files() if not taking.search(path)} == set()
    assert not any(taking.search(path) for path in ("/", "/sign-in/", "/benchmarks/street/", "/account/name/"))
    assert "proxy_request_buffering" not in general
    assert "client_max_body_size 16m;" in general


def entrypoint(home: Path, *arguments: str, port: int = 0) -> subprocess.Popen[str]:
    """The entrypoint on an SQLite home."""
    environ = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "SIGHTLINE_HOME": str(home),
        "SECRET_KEY": "only for this test, and long enough that no check of Django minds it",
        "DATABASE_URL": f"sqlite:///{home / 'sightline.sqlite3'}",
        "TMPDIR": str(home / "uploads"),
        "PORT": str(port or 8000),
        "SIGHTLINE_PROXIES": "1",
        # Never asked here, as no job is started.
        "CELERY_BROKER_URL": "redis://127.0.0.1:9/0",
        "WEB_CONCURRENCY": "2",
    }
    return subprocess.Popen(
        ["sh", str(DOCKER / "entrypoint.sh"), *arguments],
        cwd=ROOT, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def test_the_entrypoint_is_plain_shell():
    for shell in filter(None, map(shutil.which, ("sh", "dash"))):
        assert subprocess.run([shell, "-n", str(DOCKER / "entrypoint.sh")]).returncode == 0


def test_web_migrates_then_serves_in_two_processes_and_ends_when_asked(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "uploads").mkdir()
    for name, hours in (("new", 1), ("left", 50)):
        (tmp_path / "uploads" / name).touch()
        os.utime(tmp_path / "uploads" / name, (time.time() - 3600 * hours,) * 2)
    running = entrypoint(tmp_path, "web", port=port)
    try:
        assert any("Sightline is running at" in line for line in running.stdout)
        with urlopen(f"http://127.0.0.1:{port}/live", timeout=60) as answer:
            assert answer.status == 200
        running.send_signal(signal.SIGTERM)
        running.wait(10)
    finally:
        running.kill()
        running.communicate()
    with sqlite3.connect(tmp_path / "sightline.sqlite3") as database:
        assert database.execute("SELECT count(*) FROM django_migrations").fetchone()[0] > 0
    assert [path.name for path in (tmp_path / "uploads").iterdir()] == ["new"]


def test_another_command_is_run_as_it_is(tmp_path):
    done = entrypoint(tmp_path, "sh", "-c", "echo as it is; exit 3")
    assert done.communicate(timeout=60)[0] == "as it is\n"
    assert done.returncode == 3
    assert not (tmp_path / "sightline.sqlite3").exists()
