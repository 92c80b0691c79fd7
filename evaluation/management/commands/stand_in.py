"""``manage.py stand_in``: an endpoint on this machine whose answers are those of scripted agents."""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Thread
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.stand_in.brains import RULES
from evaluation.stand_in.catalogue import brain_of
from evaluation.stand_in.chat import BadRequest
from evaluation.stand_in.faults import FAULTS, faults_of
from evaluation.stand_in.recorded import DEMO, Recorded
from evaluation.stand_in.server import Options, StandIn


class Command(BaseCommand):
    help = "Serve a stand-in for a model: a chat API that answers as the scripted agents of the demo did."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=9001)
        parser.add_argument(
            "--brain",
            default="",
            help=f"who answers: an agent, or {', '.join(RULES)}; default: the model that a request names",
        )
        parser.add_argument("--data", type=Path, default=DEMO, help="folder with samples.jsonl and trajectories.jsonl")
        parser.add_argument("--faults", default="", metavar="LIST", help=f"all, or some of: {', '.join(FAULTS)}")
        parser.add_argument("--fault-rate", type=float, default=0.1, help="share of requests with a fault")
        parser.add_argument("--latency", type=float, default=0.3, help="seconds before each response")
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument("--until-parent-ends", action="store_true", help="stop with the process that started it")

    def handle(self, **given: Any) -> None:
        try:
            recorded, faults = Recorded.read(given["data"]), faults_of(given["faults"])
            if given["brain"]:
                brain_of(given["brain"], recorded, given["seed"])
        except BadRequest as error:
            raise CommandError(error.message) from error
        except (OSError, ValueError, KeyError) as error:
            raise CommandError(f"{given['data']}: {error}") from error
        options = Options(given["brain"], faults, given["fault_rate"], given["latency"], given["seed"])
        try:
            server = StandIn(recorded, options, host=given["host"], port=given["port"])
        except OSError as error:
            raise CommandError(f"Port {given['port']} is not free: {error.strerror}. Choose another --port.") from error
        self.stdout.write(f"Stand-in at {server.base_url}. Models: {', '.join(recorded.runs)}. Stop with Ctrl C.")
        if given["until_parent_ends"]:
            Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
        try:
            server.serve()
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)
