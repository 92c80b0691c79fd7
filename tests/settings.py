"""The settings of the tests: those of the project, with what makes tests fast and closed to the network."""

import os
import tempfile
from pathlib import Path

HOME_OF_TESTS = Path(tempfile.gettempdir()) / f"sightline-tests-{os.getuid()}"
(HOME_OF_TESTS / "static").mkdir(parents=True, exist_ok=True)
os.environ.setdefault("SECRET_KEY", "only for the tests, and long enough that no check of Django minds it at all")
os.environ.setdefault("SIGHTLINE_HOME", str(HOME_OF_TESTS))
os.environ.setdefault("CELERY_BROKER_URL", "memory://")

from webapp.settings import *  # noqa: E402, F403

DEBUG = False
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
MEMORY = {"BACKEND": "tests.storage.Memory"}


def shared_store(folder: str) -> dict[str, object]:
    """Stored files that several processes see."""
    return {"BACKEND": "webapp.common.objects.Folder", "OPTIONS": {"location": folder}}


STORAGES = {
    "default": shared_store(STORE) if (STORE := os.environ.get("SIGHTLINE_TEST_STORE")) else MEMORY,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
RUN = os.environ.setdefault("SIGHTLINE_TEST_RUN", str(os.getpid()))
"""Of this run of pytest; the processes that it starts have the same."""
SCRATCH = HOME_OF_TESTS / "scratch" / f"{RUN}-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
"""Each process of each run has its own: a test that tidies the folder takes nothing away from another one."""
WHITENOISE_AUTOREFRESH = True
"""Static files are looked for when asked for: otherwise every browser of a test begins with reading them all."""
