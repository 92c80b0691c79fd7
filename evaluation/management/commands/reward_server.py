"""``manage.py reward_server``: rewards for trainers that send one rollout at a time."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluation.management.reward_barrier import KEPT, WAIT, Barrier
from evaluation.management.reward_server import RewardServer


class Command(BaseCommand):
    help = "Serve rewards to trainers that send one rollout at a time: each request waits until its group is complete."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=9002)
        parser.add_argument("--wait", type=float, default=WAIT, help="seconds that a rollout waits for its group")
        parser.add_argument("--keep", type=float, default=KEPT, help="seconds that a group is kept")

    def handle(self, **given: Any) -> None:
        import uvicorn

        server = RewardServer(Barrier(given["wait"], given["keep"]))
        self.stdout.write(f"Rewards at http://{given['host']}:{given['port']}/api/v1/. Stop with Ctrl C.")
        # One process: the groups are in its memory.
        uvicorn.run(server, host=given["host"], port=given["port"], log_level="warning", lifespan="off")
