#!/bin/sh
# web: bring the database up to date, then serve. worker: wait until it is up to date, then take jobs.
# Anything else is run as it is: `docker compose run --rm web python manage.py createsuperuser`.
set -eu
if [ -n "${TMPDIR:-}" ]; then mkdir -p "$TMPDIR"; fi

case "${1:-web}" in
web)
    python docker/prepare.py --migrate
    # Processes: WEB_CONCURRENCY, which gunicorn reads itself.
    exec gunicorn webapp.wsgi:application --bind 0.0.0.0:8000 --threads "${SIGHTLINE_WEB_THREADS:-8}" \
        --worker-tmp-dir /dev/shm --access-logfile - --timeout 120
    ;;
worker)
    python docker/prepare.py
    exec python manage.py worker
    ;;
*)
    exec "$@"
    ;;
esac
