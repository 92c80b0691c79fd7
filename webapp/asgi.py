"""The web application of one process, for an ASGI server: that of ``manage.py serve``, which keeps its deadlines."""

import os

import django

from webapp import env

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
env.prepare_home()
django.setup()

from webapp.jobs.server import site  # noqa: E402 - asks for the tables

application = site()
