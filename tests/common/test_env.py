"""The environment is read with types, and what cannot be read stops the start with a sentence."""

import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from webapp import VERSION, env

ROOT = Path(__file__).resolve().parents[2]


def test_every_variable_that_the_settings_read_is_in_the_table_and_the_other_way_round() -> None:
    source = "".join((ROOT / "webapp" / name).read_text() for name in ("settings.py", "env.py"))
    reading = re.compile(
        r"(?:env\.)?(?:text|flag|number|path|words|origins|choice|database|storage|folder|endpoint_hosts|secret)\(\s*\"([A-Z0-9_]+)\""
    )
    assert set(reading.findall(source)) == {variable.name for variable in env.VARIABLES}


def test_no_other_module_reads_the_environment() -> None:
    readers = [
        str(file.relative_to(ROOT))
        for folder in ("webapp", "annotation", "evaluation")
        for file in (ROOT / folder).rglob("*.py")
        if re.search(r"os\.environ\b(?!\.setdefault\(\"DJANGO_SETTINGS_MODULE)|getenv\(", file.read_text())
    ]
    # The process of the sandbox removes its own, and the adapters of rewards run inside of trainers.
    allowed = ["evaluation/adapters/rewards/environment.py", "evaluation/sandbox/driver.py", "webapp/env.py"]
    assert sorted(readers) == allowed


def test_each_variable_says_what_it_is_for() -> None:
    assert all(variable.help.endswith(".") for variable in env.VARIABLES)
    assert len({variable.name for variable in env.VARIABLES}) == len(env.VARIABLES)


def test_the_version_is_that_of_the_package() -> None:
    assert f'version = "{VERSION}"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize(
    ("name", "value", "read", "said"),
    [
        ("DEBUG", "maybe", lambda: env.flag("DEBUG"), "Write yes or no"),
        ("PORT", "eighty", lambda: env.number("PORT"), "Write a whole number"),
        ("PORT", "-1", lambda: env.number("PORT"), "Write a whole number"),
        ("PORT", "70000", lambda: env.number("PORT", most=65535), "from 0 to 65535"),
        ("PORT", "٣", lambda: env.number("PORT"), "Write a whole number"),
        ("SIGHTLINE_HOME", " ", lambda: env.path("SIGHTLINE_HOME"), "is empty"),
        ("CSRF_TRUSTED_ORIGINS", "example.org", lambda: env.origins("CSRF_TRUSTED_ORIGINS"), "Write origins"),
        ("SIGHTLINE_LOG_LEVEL", "loud", lambda: env.choice("SIGHTLINE_LOG_LEVEL", ("INFO",)), "Write one of INFO"),
        ("DATABASE_URL", "mysql://x/y", lambda: env.database("DATABASE_URL", home=Path()), "Write postgres"),
        (
            "DATABASE_URL",
            "postgres://h",
            lambda: env.database("DATABASE_URL", home=Path()),
            "contains no database name",
        ),
        ("DATABASE_URL", "postgres://h:x/n", lambda: env.database("DATABASE_URL", home=Path()), "not a number"),
        (
            "DATABASE_URL",
            "postgres://h/n?prepare_threshold=no",
            lambda: env.database("DATABASE_URL", home=Path()),
            "or none",
        ),
        (
            "SIGHTLINE_STORAGE",
            "s3:///x",
            lambda: env.storage("SIGHTLINE_STORAGE", home=Path()),
            "contains no bucket name",
        ),
    ],
)
def test_what_cannot_be_read_is_said(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, read: object, said: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=said) as raised:
        read()  # type: ignore[operator]
    assert name in str(raised.value)


def test_a_postgres_address_is_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://ana%40x:p%2Fw%3A@db.example.org:5433/sight%20line?sslmode=require")
    read = env.database("DATABASE_URL", home=Path())
    assert (read["USER"], read["PASSWORD"], read["HOST"], read["PORT"]) == ("ana@x", "p/w:", "db.example.org", "5433")
    assert (read["NAME"], read["OPTIONS"]["sslmode"]) == ("sight line", "require")
    assert 0 < int(read["OPTIONS"]["connect_timeout"]) < 5
    monkeypatch.setenv("DATABASE_URL", "postgresql:///sightline?host=/run/postgresql")
    assert env.database("DATABASE_URL", home=Path())["HOST"] == "/run/postgresql"


def test_with_a_pooler_nothing_is_kept_from_one_transaction_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """D6.5: cursors on the server belong to one connection."""
    for query, without_cursors in [("", False), ("?prepare_threshold=5", False), ("?prepare_threshold=none", True)]:
        monkeypatch.setenv("DATABASE_URL", f"postgres://h/n{query}")
        read = env.database("DATABASE_URL", home=Path())
        assert "prepare_threshold" not in read["OPTIONS"]
        assert read["DISABLE_SERVER_SIDE_CURSORS"] is without_cursors


def test_sqlite_writers_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "sqlite:////data/sightline.sqlite3")
    read = env.database("DATABASE_URL", home=Path())
    assert read["NAME"] == Path("/data/sightline.sqlite3")
    assert read["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_storage_is_a_folder_or_a_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIGHTLINE_STORAGE", raising=False)
    assert env.storage("SIGHTLINE_STORAGE", home=Path("/home"))["OPTIONS"]["location"] == Path("/home/media")
    monkeypatch.setenv("SIGHTLINE_STORAGE", "s3://pictures/sight/line")
    options = env.storage("SIGHTLINE_STORAGE", home=Path())["OPTIONS"]
    assert (options["bucket_name"], options["location"]) == ("pictures", "sight/line")


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("SIGHTLINE_HOME", str(tmp_path / "home"))
    for name in ("SECRET_KEY", "DATABASE_URL", "CELERY_BROKER_URL"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(env, "_umask_before", [])
    before = os.umask(0o022)
    yield tmp_path / "home"
    os.umask(before)


def test_the_embedded_default_makes_a_secret_key_that_only_its_owner_reads(embedded: Path) -> None:
    env.prepare_home()
    first = env.text("SECRET_KEY")
    file = embedded / "secret_key"
    assert len(first) >= 80
    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in embedded.iterdir()] == ["secret_key"]


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


def test_nobody_else_reads_the_home_folder_or_what_is_written(embedded: Path, tmp_path: Path) -> None:
    """D4.3"""
    env.prepare_home()
    (embedded / "sightline.sqlite3").touch()
    assert (mode(embedded), mode(embedded / "sightline.sqlite3")) == (0o700, 0o600)
    with env.usual_permissions():
        (tmp_path / "public.html").touch()
    (tmp_path / "export.json").touch()
    assert (mode(tmp_path / "public.html"), mode(tmp_path / "export.json")) == (0o644, 0o600)


def test_a_home_folder_that_others_can_read_is_repaired_with_a_warning(
    embedded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """D4.3"""
    embedded.mkdir()
    (embedded / "sightline.sqlite3").touch()
    assert (mode(embedded), mode(embedded / "sightline.sqlite3")) == (0o755, 0o644)
    env.prepare_home()
    assert (mode(embedded), mode(embedded / "sightline.sqlite3")) == (0o700, 0o600)
    assert capsys.readouterr().err.count("Warning: other users could read") == 2
    env.prepare_home()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("key", ["changeme", "x" * 64, "for-the-build-only"])
def test_a_key_that_can_be_guessed_is_refused(embedded: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """D4.10"""
    monkeypatch.setenv("SECRET_KEY", key)
    with pytest.raises(ImproperlyConfigured, match="can be guessed"):
        env.prepare_home()
    monkeypatch.setenv("SECRET_KEY", secrets.token_hex(32))
    env.prepare_home()


@pytest.mark.parametrize(("https", "prefix"), [("yes", "__Host-"), ("no", "")])
def test_cookies_are_of_this_host_alone_behind_https_and_nothing_is_preloaded(https: str, prefix: str) -> None:
    """D4.10"""
    code = (
        "from django.conf import settings as s;"
        "print(s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, s.ONCE_COOKIE_NAME, s.DEVICE_COOKIE_NAME);"
        "print(s.SECURE_HSTS_PRELOAD)"
    )
    settings = {"SIGHTLINE_HTTPS": https, "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=os.environ | settings, capture_output=True, text=True, timeout=30
    )
    names = [f"{prefix}{name}" for name in ("sessionid", "csrftoken", "once", "device")]
    assert done.stdout.split() == [*names, "False"], done.stderr


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        ("smtps://me:p%40ss@mail.example.org", ("mail.example.org", 465, "me", "p@ss", True, False)),
        ("smtp+tls://mail.example.org", ("mail.example.org", 587, "", "", False, True)),
        ("smtp://localhost:2525", ("localhost", 2525, "", "", False, False)),
    ],
)
def test_a_mail_server_is_read_from_its_address(monkeypatch: pytest.MonkeyPatch, address: str, wanted: tuple) -> None:
    """D4.8"""
    monkeypatch.setenv("EMAIL_URL", address)
    monkeypatch.setenv("EMAIL_FROM", "Sightline <sightline@example.org>")
    monkeypatch.delenv("SIGHTLINE_URL", raising=False)
    with pytest.raises(ImproperlyConfigured, match="SIGHTLINE_URL is not"):
        env.email("EMAIL_URL")
    monkeypatch.setenv("SIGHTLINE_URL", "https://sightline.example.org")
    read = env.email("EMAIL_URL")
    names = ("HOST", "PORT", "HOST_USER", "HOST_PASSWORD", "USE_SSL", "USE_TLS")
    assert tuple(read[f"EMAIL_{name}"] for name in names) == wanted
    monkeypatch.setenv("EMAIL_URL", "mail.example.org")
    with pytest.raises(ImproperlyConfigured, match="smtps://"):
        env.email("EMAIL_URL")


def test_processes_that_start_at_once_agree_on_the_key(embedded: Path) -> None:
    embedded.mkdir()
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: env._kept_key(embedded / "secret_key"), range(16)))
    assert len(set(keys)) == 1


def test_a_key_that_was_cut_off_is_refused(embedded: Path) -> None:
    embedded.mkdir()
    (embedded / "secret_key").write_text("short")
    with pytest.raises(ImproperlyConfigured, match="no complete key"):
        env.prepare_home()


@pytest.mark.parametrize(("name", "value"), [("DATABASE_URL", "postgres:///x"), ("CELERY_BROKER_URL", "redis://x")])
def test_several_processes_must_be_given_the_key(
    embedded: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY is not set"):
        env.prepare_home()
    assert not (embedded / "secret_key").exists()


def test_reading_the_settings_touches_no_file(embedded: Path) -> None:
    code = "import webapp.settings; import pathlib; assert not pathlib.Path(webapp.settings.HOME).exists()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
