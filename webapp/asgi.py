"""The web application for an ASGI server."""

import os

from django.core.asgi import get_asgi_application

from webapp import env

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
env.prepare_home()
application = get_asgi_application()
