"""The server in a process of its own, with deadlines a test can wait for: python -m tests.common.served PORT HOST."""

import sys

import django


def main() -> None:
    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    from webapp.server import bodies, protocol, site

    settings.ROOT_URLCONF = "tests.common.served_pages"
    protocol.HEAD_SECONDS = protocol.WRITE_SECONDS = bodies.STALL_SECONDS = 2.5
    site.LINGER_SECONDS = 0.2
    call_command("serve", "--collected", "--port", sys.argv[1], "--host", sys.argv[2])


if __name__ == "__main__":
    main()
