"""The settings of a site whose answers are compared: those of the project, without hashes in addresses of files."""

import os

os.environ.setdefault("SECRET_KEY", "only for comparing, and long enough that no check of Django minds it at all")

from webapp.settings import *  # noqa: F403
from webapp.settings import STORAGES as OF_SITE

ALLOWED_HOSTS = ["testserver"]
SECURE_SSL_REDIRECT = False
STORAGES = {**OF_SITE, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
