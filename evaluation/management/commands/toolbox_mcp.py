"""``manage.py toolbox_mcp SLUG``: the toolbox for agents elsewhere, whose sessions become trajectories."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from annotation.extras import missing
from annotation.toolbox.offer import OMITTABLE
from annotation.toolbox.vtc import Profile
from evaluation.management.output import answering_plainly, the_benchmark
from evaluation.management.toolbox_server import ToolboxDesk, guarded, served

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Command(BaseCommand):
    help = (
        "Serve the toolbox over the Model Context Protocol: on standard input and output, or over HTTP on this machine."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the benchmark, as in its address")
        parser.add_argument("--model", required=True, help="whose run the sessions are recorded in")
        parser.add_argument("--setting", default="interface", help="the setting of that run (default: interface)")
        parser.add_argument(
            "--profile",
            type=Profile,
            choices=list(Profile),
            default=Profile.STRICT,
            help="vtc: names, parameters, decisions and pixels of the published interface of VTC-Bench",
        )
        parser.add_argument(
            "--omit",
            action="append",
            choices=OMITTABLE,
            default=[],
            help="leave this out of the schemas, because the host of the model rejects it; once for each",
        )
        parser.add_argument("--http", type=int, metavar="PORT", help="streamable HTTP at /mcp instead of stdio")
        parser.add_argument("--host", default="127.0.0.1", help="an address of this machine only")

    @answering_plainly
    @no_translations
    def handle(self, *, slug: str, **options: Any) -> None:
        if options["host"] not in LOOPBACK:
            raise CommandError(f"--host is one of {', '.join(LOOPBACK)}: what is sent to the server is not encrypted.")
        desk = ToolboxDesk(
            the_benchmark(slug), options["model"], options["setting"], options["profile"], options["omit"]
        )
        try:
            import anyio

            server = served(desk)
        except ImportError as error:
            raise CommandError(missing("The toolbox as a server", "the MCP library", "mcp")) from error
        if options["http"]:
            import uvicorn

            secret = settings.MCP_SECRET or secrets.token_urlsafe(32)
            if not settings.MCP_SECRET:
                self.stderr.write(f"Send with each request: Authorization: Bearer {secret}")
            app = guarded(server.streamable_http_app(host=options["host"]), secret)
            uvicorn.run(app, host=options["host"], port=options["http"], log_level="warning")
        else:
            anyio.run(_over_stdio, server)


async def _over_stdio(server: Any) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
