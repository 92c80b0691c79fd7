"""``manage.py endpoint add|list|test|remove``: chat APIs that experiments can ask."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Benchmark
from evaluation.endpoints.presets import PRESETS
from evaluation.experiments.read.connection import price_of
from evaluation.experiments.write.endpoints import add_endpoint, remove_endpoint, test_endpoint
from evaluation.management.output import answering_plainly, the_benchmark
from evaluation.models import Endpoint
from webapp.jobs.claim import claim, new_worker
from webapp.jobs.models import Job
from webapp.jobs.runner import run


class Command(BaseCommand):
    help = "Add, list, test or remove endpoints: chat APIs that experiments can ask."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("doing", choices=("add", "list", "test", "remove"))
        parser.add_argument("name", nargs="?", default="")
        parser.add_argument("--preset", choices=list(PRESETS), default="generic", help="kind of server")
        parser.add_argument("--base-url", default="", help="address that ends with /v1; default: that of the preset")
        parser.add_argument("--model", default="", help="name of the model in requests")
        parser.add_argument("--label", default="", help="name of the model on pages; default: the name in requests")
        parser.add_argument("--family", default="", help="family that image tokens follow, such as qwen3-vl")
        parser.add_argument("--dialect", default="tools", help="how the model writes calls")
        parser.add_argument("--frame", default="pixels", help="what the numbers of boxes count")
        parser.add_argument("--key-env", default="", metavar="NAME", help="use the key SIGHTLINE_KEY_NAME")
        parser.add_argument("--benchmark", default="", metavar="SLUG", help="of this benchmark; default: of the site")

    @answering_plainly
    def handle(self, *, doing: str, benchmark: str, **options: Any) -> None:
        owner = the_benchmark(benchmark) if benchmark else None
        if doing != "list" and not options["name"]:
            raise CommandError(f"Name the endpoint: manage.py endpoint {doing} NAME.")
        if doing == "add":
            self._add(owner, options)
        elif doing == "list":
            self._list(owner)
        else:
            endpoint = endpoint_named(options["name"], owner)
            self._test(endpoint) if doing == "test" else self._remove(endpoint)

    def _add(self, owner: Benchmark | None, options: dict[str, Any]) -> None:
        if not options["model"]:
            raise CommandError("Name the model: --model ID.")
        values = {name: options[name] for name in ("preset", "model", "label", "family", "dialect", "frame")}
        values["base_url"] = options["base_url"] or PRESETS[options["preset"]].base_url
        values["key_name"] = options["key_env"].removeprefix("SIGHTLINE_KEY_")
        endpoint = add_endpoint(actor=None, benchmark=owner, name=options["name"], values=values)
        self.stdout.write(f"Added {endpoint} at {endpoint.base_url}.")

    def _list(self, owner: Benchmark | None) -> None:
        found = Endpoint.objects.offered_to(owner) if owner else Endpoint.objects.all()
        for endpoint in found.select_related("benchmark"):
            place = endpoint.benchmark.slug if endpoint.benchmark else "site"
            price = price_of(endpoint)
            costs = (
                f"{price.rates[0].input:g}/{price.rates[0].output:g} USD per million tokens" if price else "no price"
            )
            self.stdout.write(f"{endpoint}  {endpoint.base_url}  {endpoint.model}  {place}  {costs}")

    def _test(self, endpoint: Endpoint) -> None:
        job = test_endpoint(actor=None, endpoint=endpoint)
        held = claim(job.pk, worker=new_worker())
        if held is not None:
            run(held)
        job.refresh_from_db()
        if job.state != Job.State.DONE:
            raise CommandError(job.error or "Another worker tests the endpoint. Run the command again in a minute.")
        endpoint.refresh_from_db()
        for name, found in endpoint.capabilities.items():
            said = found.get("value", "unknown") if isinstance(found, dict) else found
            note = f"  {found['note']}" if isinstance(found, dict) and found.get("note") else ""
            self.stdout.write(f"{name.replace('_', ' ')}: {said}{note}")

    def _remove(self, endpoint: Endpoint) -> None:
        remove_endpoint(actor=None, endpoint=endpoint)
        self.stdout.write(f"Removed {endpoint}.")


def endpoint_named(name: str, owner: Benchmark | None) -> Endpoint:
    """The endpoint of this name: that of the benchmark before that of the site. Raises ``CommandError``."""
    endpoint = Endpoint.objects.named(name, owner)
    if endpoint is not None:
        return endpoint
    found = Endpoint.objects.offered_to(owner)
    names = ", ".join(found.values_list("name", flat=True)) or "none"
    raise CommandError(f"There is no endpoint {name}. Endpoints: {names}.")
