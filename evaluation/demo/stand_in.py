"""The endpoint of the demo: a stand-in on this machine that answers as one of the scripted agents."""

from __future__ import annotations

import socket

from annotation.models import Benchmark
from evaluation.experiments.write.endpoints import add_endpoint, change_endpoint
from evaluation.models import Endpoint

NAME = "stand-in"
PORT = 9001
MODEL = "oracle zoom"


def free_port(wanted: int = PORT) -> int:
    """Return the wanted port of this machine if it is free, else another one."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    return wanted


def offer_stand_in(benchmark: Benchmark, port: int) -> Endpoint:
    """Add the endpoint to the demo, or give it the port that it has now."""
    values = {
        "preset": "stand-in", "base_url": f"http://127.0.0.1:{port}/v1", "model": MODEL, "label": f"stand-in {MODEL}",
        "family": "qwen3-vl",
    }  # fmt: skip
    endpoint = Endpoint.objects.filter(benchmark=benchmark, name=NAME).first()
    if endpoint is None:
        return add_endpoint(actor=None, benchmark=benchmark, name=NAME, values=values)
    change_endpoint(actor=None, endpoint=endpoint, values=values)
    return endpoint
