"""Typed readers of the environment, and the table of all variables that are read.

A reader accepts only names of the table, so that every variable has a default and a help text. A value that cannot be
read stops the start with a message: there are no silent fallbacks.
"""

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
"""The folder of templates and static files: the checkout, or the installed package."""
CHECKOUT = __package__ == "webapp"
"""Whether this is the source tree and not the installed package, in which all names begin with that of the package."""
PROGRAM = "manage.py" if CHECKOUT else "sightline"
"""The program name of commands."""


@dataclass(frozen=True)
class Variable:
    """One environment variable: its default text, and its purpose."""

    name: str
    default: str
    help: str


VARIABLES: tuple[Variable, ...] = (
    Variable("SIGHTLINE_HOME", "", (
        "Folder of the database, images and secret key of the embedded default. Unset: var in the checkout; of the "
        "installed package, sightline in the user's folder for data."
    )),
    Variable("SECRET_KEY", "", (
        "Signs sessions and links; at least 50 random characters. Unset: generated once into the home folder on the "
        "embedded default, required otherwise."
    )),
    Variable("DEBUG", "no", "Show error details in the browser. Never use it on a machine that others can reach."),
    Variable("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]", "Host names under which the site answers."),
    Variable("CSRF_TRUSTED_ORIGINS", "", "Origins that may post forms when a proxy changes the host name."),
    Variable("DATABASE_URL", "", (
        "postgres://user:password@host:port/name or sqlite:///file. Unset: SQLite in the home folder."
    )),
    Variable("CELERY_BROKER_URL", "memory://", (
        "redis:// or amqp:// for separate worker processes. memory:// runs the worker inside the web process."
    )),
    Variable("SIGHTLINE_STORAGE", "", (
        "Where uploads and images are kept: a folder that all processes share, or s3://bucket/prefix. Unset: the "
        "folder media in the home folder."
    )),
    Variable("SIGHTLINE_SCRATCH", "", (
        "Folder for copies of stored files; missing files are fetched again. Unset: scratch in the home folder."
    )),
    Variable("SIGHTLINE_STATIC", "", (
        "Folder that collectstatic writes style sheets and scripts to. Unset: static in the home folder."
    )),
    Variable("SIGHTLINE_S3_ENDPOINT", "", "Address of an S3-compatible store, when it is not the default one."),
    Variable("SIGHTLINE_MAX_UPLOAD_MB", "512", "Largest file that can be uploaded, in megabytes."),
    Variable("SIGHTLINE_BENCHMARK_QUOTA_MB", "51200", "Uploads and images that one benchmark may keep, in megabytes."),
    Variable("SIGHTLINE_MAX_MEGAPIXELS", "200", "Largest image that is decoded, in megapixels."),
    Variable("SIGHTLINE_HTTPS", "no", "The site is reached by https through a proxy: secure cookies, HSTS, redirect."),
    Variable("SIGHTLINE_PROXIES", "0", (
        "Number of trusted proxies in front of the site; their X-Forwarded-For is used."
    )),
    Variable("SIGHTLINE_URL", "", "Address of the site, such as https://sightline.example.org, for links in email."),
    Variable("EMAIL_URL", "", (
        "Mail server: smtps://user:password@host:465, smtp+tls://… (STARTTLS) or smtp://…. Unset: no email is sent."
    )),
    Variable("EMAIL_FROM", "", "Sender of email, such as Sightline <sightline@example.org>. Needed with EMAIL_URL."),
    Variable("SIGHTLINE_WHO_CREATES", "leads", (
        "People who can create benchmarks: admins (site admins), leads (also leads of a benchmark) or members "
        "(everyone with an account)."
    )),
    Variable("SIGHTLINE_WORKER_THREADS", "2", "Jobs that one worker process runs at the same time."),
    Variable("SIGHTLINE_WEB_THREADS", "8", "Requests that one web process answers at the same time."),
    Variable("SIGHTLINE_JOB_LEASE_SECONDS", "15", "A job is taken over if its worker sends no sign for this long."),
    Variable("SIGHTLINE_JOB_KEEP_DAYS", "30", "Days until a finished job is deleted."),
    Variable("SIGHTLINE_UPLOAD_KEEP_DAYS", "30", "Days until an uploaded file without an import is deleted."),
    Variable("SIGHTLINE_TRASH_DAYS", "30", "Days until a deleted run, sample or benchmark is removed permanently."),
    Variable("SIGHTLINE_LOG_LEVEL", "INFO", "DEBUG, INFO, WARNING or ERROR."),
    Variable("SIGHTLINE_ACCESS_LOG", "no", "Log every request: address, method, path, status, bytes and time."),
    Variable("WEB_CONCURRENCY", "1", (
        "Web processes of the built-in server. More than one needs PostgreSQL and separate worker processes."
    )),
    Variable("SIGHTLINE_MCP_SECRET", "", (
        "Agents send it to manage.py toolbox_mcp --http as Authorization: Bearer SECRET. Unset: generated and "
        "printed."
    )),
    Variable("SIGHTLINE_ENDPOINT_HOSTS", "", (
        "Model endpoints that need no https and may be in private networks: host:port or CIDR, separated by commas. "
        "Unset: this machine, if the server listens only on it."
    )),
    Variable("SIGHTLINE_WEBHOOK_HOSTS", "", (
        "Targets of webhooks that need no https and may be in private networks: host:port or CIDR, separated by "
        "commas. Unset: public https only."
    )),
    Variable("SIGHTLINE_SEAL_KEY", "", (
        "At least 32 random characters that encrypt keys of model endpoints and secrets of webhooks in the database. "
        "Unset: no webhooks, and keys come from SIGHTLINE_KEY_NAME variables only."
    )),
    Variable("SIGHTLINE_RUN_CODE", "no", (
        "Experiments may run code of models in a sandbox (bubblewrap, or Landlock on Linux 6.12 and later)."
    )),
    Variable("HOST", "127.0.0.1", "Address that the built-in server listens on."),
    Variable("PORT", "8000", "Port that the built-in server listens on."),
)  # fmt: skip
_DEFAULTS = {variable.name: variable.default for variable in VARIABLES}
_YES = frozenset({"1", "yes", "true", "on"})
_NO = frozenset({"0", "no", "false", "off", ""})


def text(name: str) -> str:
    """Return the value as written, without surrounding blanks; the default of the table if unset."""
    return os.environ.get(name, _DEFAULTS[name]).strip()


def flag(name: str) -> bool:
    value = text(name).lower()
    if value not in _YES | _NO:
        raise ImproperlyConfigured(f"{name} is {text(name)!r}. Write yes or no.")
    return value in _YES


def number(name: str, *, least: int = 0, most: int = 2**31 - 1) -> int:
    value = text(name)
    # ASCII only: int() would also take signs, underscores and digits of other scripts.
    if not (value.isascii() and value.isdigit() and least <= int(value) <= most):
        raise ImproperlyConfigured(f"{name} is {value!r}. Write a whole number from {least} to {most}.")
    return int(value)


def path(name: str) -> Path:
    """Return an absolute path. A relative one is relative to the checkout, regardless of the working directory; for the
    installed package, it is relative to the working directory at the start.
    """
    if not text(name):
        raise ImproperlyConfigured(f"{name} is empty. Write the path of a folder.")
    return _absolute(Path(text(name)).expanduser())


def _absolute(path: Path) -> Path:
    return ((BASE_DIR if CHECKOUT else Path.cwd()) / path).resolve()


def home() -> Path:
    """Return the home folder: that of the environment, else the default one."""
    if "SIGHTLINE_HOME" in os.environ:
        return path("SIGHTLINE_HOME")
    return BASE_DIR / "var" if CHECKOUT else _folder_for_data() / "sightline"


def _folder_for_data() -> Path:
    """Return the folder for data of this user's programs on this system."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local").expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Application Support").expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser()


def words(name: str) -> list[str]:
    return [word.strip() for word in text(name).split(",") if word.strip()]


def endpoint_hosts(name: str, *, listening_on: str) -> list[str]:
    """Return the hosts that need no https. By default, a server for this machine alone reaches this machine."""
    only_here = listening_on == "localhost" or listening_on.startswith("127.") or listening_on == "::1"
    return words(name) or (["127.0.0.0/8", "::1/128"] if only_here else [])


def endpoint_keys() -> dict[str, str]:
    """Return the variables of keys of model endpoints, which administrators name themselves."""
    return {name: value for name, value in os.environ.items() if name.startswith("SIGHTLINE_KEY_")}


def secret(name: str, *, least: int) -> str:
    """Return a secret of at least this many characters, or ""."""
    given = text(name)
    if given and len(given) < least:
        raise ImproperlyConfigured(f"{name} has {len(given)} characters. It needs at least {least}.")
    return given


def origins(name: str) -> list[str]:
    """Return addresses of the form https://host, as required for Django's trusted origins."""
    for word in words(name):
        parts = urlsplit(word)
        if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path not in {"", "/"}:
            raise ImproperlyConfigured(f"{name} holds {word!r}. Write origins such as https://sightline.example.org.")
    return [word.rstrip("/") for word in words(name)]


def choice(name: str, allowed: tuple[str, ...]) -> str:
    value = text(name).upper()
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {text(name)!r}. Write one of {', '.join(allowed)}.")
    return value


def database(name: str, *, home: Path) -> dict[str, Any]:
    """Return the Django database for a URL: SQLite in the home folder if it is empty."""
    address = text(name)
    if not address:
        return _sqlite(home / "sightline.sqlite3")
    parts = urlsplit(address)
    if parts.scheme == "sqlite":
        return _sqlite(_absolute(Path(unquote(parts.path[1:]))))
    if parts.scheme in {"postgres", "postgresql"}:
        return _postgres(name, address)
    raise ImproperlyConfigured(f"{name} begins with {parts.scheme!r}. Write postgres://… or sqlite:///….")


def broker_timeouts(name: str, *, connect: float, read: float) -> dict[str, float]:
    """Return the timeouts of the driver of a broker, under the driver's names."""
    if text(name).startswith("redis"):
        return {"socket_connect_timeout": connect, "socket_timeout": read}
    return {"read_timeout": read, "write_timeout": read} if text(name).startswith("amqp") else {}


def _sqlite(file: Path) -> dict[str, Any]:
    return {
        "ENGINE": "webapp.common.sqlite",
        "NAME": file,
        # A new connection reads the entire schema again, which takes longer than most requests.
        "CONN_MAX_AGE": 60,
        "OPTIONS": {
            # A writer takes the lock when its transaction begins and waits for it; deferred
            # transactions fail with "database is locked" as soon as two of them write.
            # A request waits for less: see webapp.common.sqlite.
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }


_POSTGRES = {
    # Failures of a server or a network are detected in seconds, instead of the system's default of two hours.
    "connect_timeout": "3",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
}
"""Options of a connection; the URL may override them."""


def _postgres(name: str, address: str) -> dict[str, Any]:
    parts = urlsplit(address)
    try:
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured(f"The port in {name} is not a number.") from error
    if len(parts.path) < 2:
        raise ImproperlyConfigured(f"{name} contains no database name. Write postgres://user:password@host:port/name.")
    options: dict[str, Any] = {**_POSTGRES, **dict(parse_qsl(parts.query))}
    pooled = _pooled(name, options.pop("prepare_threshold", "0"))
    return {
        "ENGINE": "webapp.common.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        # The folder of a Unix socket is given as ?host=/folder, as in libpq.
        "HOST": options.pop("host", unquote(parts.hostname or "")),
        "PORT": str(port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": pooled,
        "OPTIONS": options,
    }


def _pooled(name: str, threshold: str) -> bool:
    """Return whether ``?prepare_threshold=none`` declares a pooler that gives every transaction another connection,
    which loses cursors on the server. Django prepares no statements, so a number has no effect.
    """
    if threshold == "none" or (threshold.isascii() and threshold.isdigit()):
        return threshold == "none"
    raise ImproperlyConfigured(f"prepare_threshold in {name} is {threshold!r}. Write a whole number, or none.")


def storage(name: str, *, home: Path) -> dict[str, Any]:
    """Return the Django storage for images and exports: a folder, or a bucket.

    Names are derived from the content, so writing a name again writes the same bytes, and no alternative name is
    created.
    """
    value = text(name)
    if not value.startswith("s3://"):
        location = folder(name, default=home / "media")
        return {
            "BACKEND": "webapp.common.objects.Folder",
            "OPTIONS": {"location": location, "allow_overwrite": True},
        }
    parts = urlsplit(value)
    if not parts.netloc:
        raise ImproperlyConfigured(f"{name} contains no bucket name. Write s3://bucket/prefix.")
    options: dict[str, Any] = {
        "bucket_name": parts.netloc,
        "location": parts.path.strip("/"),
        "file_overwrite": True,
        # A larger object is read through a temporary file, not held in memory.
        "max_memory_size": 16 * 1024 * 1024,
    }
    if text("SIGHTLINE_S3_ENDPOINT"):
        options["endpoint_url"] = text("SIGHTLINE_S3_ENDPOINT")
    return {"BACKEND": "webapp.common.bucket.Bucket", "OPTIONS": options}


def folder(name: str, *, default: Path) -> Path:
    """Return the folder that a variable names, or the default if it is unset."""
    return path(name) if text(name) else default


def email(name: str) -> dict[str, Any]:
    """Return Django's settings for the mail server of a URL; without one, sending email is an error."""
    if not text(name):
        return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
    parts = urlsplit(text(name))
    ports = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
    if parts.scheme not in ports or not parts.hostname:
        raise ImproperlyConfigured(f"{name} begins with {parts.scheme!r}. Write smtps://user:password@host:465.")
    missing = [needed for needed in ("EMAIL_FROM", "SIGHTLINE_URL") if not text(needed)]
    if missing:
        raise ImproperlyConfigured(f"{name} is set, but {' and '.join(missing)} is not: email needs both.")
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or ports[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_TIMEOUT": 10,
        "DEFAULT_FROM_EMAIL": text("EMAIL_FROM"),
    }


def is_embedded() -> bool:
    """Return whether everything runs in one process on one machine, with nothing else to install."""
    return not text("DATABASE_URL") and text("CELERY_BROKER_URL") == "memory://"


def prepare_home() -> None:
    """Create the home folder, which only this user can read, and set SECRET_KEY and a single thread for products of
    matrices in the environment.

    Called by every process start (manage.py, wsgi, asgi, celery) before the settings are read: so the settings access
    no file, and child processes inherit the key. Several processes need the same key. Therefore, it is generated in the
    embedded default only, and must be configured otherwise.
    """
    # Two threads of the library need twice the CPU time for our sizes, and more wall time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    folder = home()
    _keep_private(folder)
    if text("SECRET_KEY"):
        _refuse_weak(text("SECRET_KEY"))
        return
    if not is_embedded():
        raise ImproperlyConfigured("SECRET_KEY is not set. Give all processes the same long random text.")
    os.environ["SECRET_KEY"] = _kept_key(folder / "secret_key")


def _keep_private(home: Path) -> None:
    """Ensure that only this user reads the home folder and the files that this process writes. Files that others can
    read are repaired with a warning; problems that cannot be repaired, such as a folder of another user, are reported.
    """
    if os.name != "posix":
        home.mkdir(parents=True, exist_ok=True)
        return
    _umask_before.append(os.umask(_PRIVATE))
    home.mkdir(parents=True, exist_ok=True)
    open_to_others = [file for file in (home, *sorted(home.glob("*.sqlite3*"))) if file.stat().st_mode & _PRIVATE]
    for file in open_to_others:
        try:
            file.chmod(file.stat().st_mode & ~_PRIVATE)
        except OSError as error:
            sys.stderr.write(f"Warning: other users can read {file}, and that can't be changed: {error.strerror}.\n")
        else:
            sys.stderr.write(f"Warning: other users could read {file}. It is private now.\n")


_PRIVATE = 0o077
_umask_before: list[int] = []


@contextmanager
def usual_permissions() -> Iterator[None]:
    """Write public files, such as a public copy, with the user's own umask."""
    if not _umask_before:
        yield
        return
    os.umask(_umask_before[0])
    try:
        yield
    finally:
        os.umask(_PRIVATE)


def _refuse_weak(key: str) -> None:
    """Reject a weak key: with a guessed key, attackers can sign in as any person."""
    if len(key) < 50 or len(set(key)) < 10:
        raise ImproperlyConfigured(
            "SECRET_KEY can be guessed. Give it at least 50 random characters, such as those of: openssl rand -hex 32"
        )


def _kept_key(file: Path) -> str:
    """Return the key in the file; the first of several simultaneously starting processes writes it."""
    if not file.exists():
        draft = file.with_name(f"secret_key.{secrets.token_hex(8)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(secrets.token_urlsafe(64))
        try:
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    key = file.read_text(encoding="ascii").strip()
    if len(key) < 50:
        raise ImproperlyConfigured(
            f"{file} contains no complete key. Delete it: a new key is created, and all people must sign in again."
        )
    return key
