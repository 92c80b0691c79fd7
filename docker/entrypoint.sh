#!/bin/sh
# web: bring the database up to date, then serve. worker: wait until it is up to date, then take jobs.
# Anything else is run as it is: `docker compose run --rm web python manage.py createsuperuser`.
set -eu
if [ -n "${TMPDIR:-}" ]; then
    mkdir -p "$TMPDIR"
    # What a process that was killed has left there: nothing is under way for more than a day.
    find "$TMPDIR" -mindepth 1 -mtime +1 -delete || true
fi

case "${1:-web}" in
web)
    python docker/prepare.py --migrate
    # WEB_CONCURRENCY says how many processes. The image holds the static files.
    exec python manage.py serve --host 0.0.0.0 --collected
    ;;
worker)
    python docker/prepare.py
    exec python manage.py worker
    ;;
*)
    exec "$@"
    ;;
esac
