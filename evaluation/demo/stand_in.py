"""The endpoints of the demo: one stand-in on this machine that answers as scripted agents and rules do."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from annotation.models import Benchmark
from evaluation.experiments.write.endpoints import add_endpoint, change_endpoint
from evaluation.models import Endpoint
from evaluation.models.querysets.experiments import DETECTOR

PORT = 9001
OFFERED: Mapping[str, tuple[str, str]] = {
    "stand-in": ("oracle zoom", "stand-in oracle zoom"),
    "stand-in-reader": ("reader:p=.9,q=.4", "stand-in reader"),
    "stand-in-ignorer": ("ignorer:p=.7", "stand-in ignorer"),
    "stand-in-judge": ("judge:tpr=.8,tnr=.7", "stand-in judge"),
    "stand-in-detector": (DETECTOR, "stand-in detector"),
}
"""Endpoint to its model in requests and on pages: an agent whose runs are replayed, one that reads its crops, one that
makes the same calls and ignores what comes back, a judge with known rates, and a detector."""


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


def offer_stand_in(benchmark: Benchmark, port: int) -> list[Endpoint]:
    """Add the endpoints to the demo, or give them the port that the stand-in has now."""
    offered = []
    for name, (model, label) in OFFERED.items():
        values = {
            "preset": DETECTOR if model == DETECTOR else "stand-in",
            "base_url": f"http://127.0.0.1:{port}/v1",
            "model": model,
            "label": label,
            "family": "qwen3-vl",
        }
        endpoint = Endpoint.objects.filter(benchmark=benchmark, name=name).first()
        if endpoint is None:
            endpoint = add_endpoint(actor=None, benchmark=benchmark, name=name, values=values)
        else:
            change_endpoint(actor=None, endpoint=endpoint, values=values)
        offered.append(endpoint)
    return offered
