"""The web application of one process, for an ASGI server: that of ``manage.py serve``, which keeps its deadlines."""

import os

from webapp import env

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
env.prepare_home()

from webapp.jobs.server import site  # noqa: E402 - reads the settings

application = site()
