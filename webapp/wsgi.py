"""The web application for a WSGI server."""

import os

from django.core.wsgi import get_wsgi_application

from webapp import env

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
env.prepare_home()
application = get_wsgi_application()
