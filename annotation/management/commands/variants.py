"""``manage.py variants SLUG --recipe KIND:DOSES``: variants of many samples. One that exists is not made again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from annotation.imaging.problems import PictureProblem
from annotation.imaging.variants.recipes import FORMS, LARGEST_SEED, Kind, Recipe, RecipeError, ladder, recipes_of
from annotation.models import Benchmark, Sample
from annotation.variants.read import outlook_of, sources_of
from annotation.variants.write import run_recipes
from webapp.common.errors import ApplicationError

LADDER = re.compile(r"(-?[\d.]+)\.\.(-?[\d.]+)x(\d{1,2})")
SHOWN = 20
"""Reasons that are printed at most."""
WRITTEN = "KIND[/CHOICE][:DOSE,DOSE,… or :FIRST..LASTxCOUNT]"


class Command(BaseCommand):
    help = "Make variants of the samples of a query, which then wait for review. Run it again to continue."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark", metavar="SLUG")
        parser.add_argument(
            "--recipe", action="append", required=True, metavar=WRITTEN,
            help=f"repeatable, for example rotate:90,180 or blur:1..8x4; kinds: {', '.join(Kind)}",
        )  # fmt: skip
        parser.add_argument(
            "--samples", default="", metavar="QUERY", help="terms of the list of samples, such as facet.scene=street"
        )
        parser.add_argument("--seed", type=int, default=0, help=f"of noise, 0 to {LARGEST_SEED}")
        parser.add_argument("--dry-run", action="store_true", help="only count")

    @no_translations
    def handle(self, *, benchmark: str, recipe: list[str], samples: str, seed: int, **options: Any) -> None:
        found = Benchmark.objects.filter(slug=benchmark).first()
        if found is None:
            raise CommandError(f"There is no benchmark {benchmark}.")
        recipes = list(dict.fromkeys(one for text in recipe for one in recipes_in(text, seed)))
        try:
            sources = sources_of(found, samples)
        except ApplicationError as error:
            raise CommandError(error.message) from error
        counts: Counter[str] = Counter()
        reasons: list[str] = []
        for key in list(sources.values_list("pk", flat=True)):
            sample = sources.select_related("benchmark").get(pk=key)
            counts["samples"] += 1
            self._sample(sample, recipes, counts, reasons, dry=options["dry_run"])
        self._report(counts, reasons, dry=options["dry_run"])

    def _sample(
        self, sample: Sample, recipes: list[Recipe], counts: Counter[str], reasons: list[str], *, dry: bool
    ) -> None:
        outlook = outlook_of(sample, recipes)
        counts.update({"there": outlook.there, "rejected": outlook.rejected, "unfit": len(outlook.unfit)})
        reasons += outlook.unfit
        if dry or not outlook.recipes:
            counts["new"] += len(outlook.recipes)
            return
        said = [one.as_json() | {"seed": one.seed} for one in outlook.recipes]
        try:
            done = run_recipes(actor=None, sample_id=sample.pk, recipes=said, report=lambda *_: None)
        except (ApplicationError, PictureProblem, OSError) as problem:
            counts["unfit"] += len(said)
            reasons.append(f"{sample.key}: {problem}")
            return
        counts.update({"new": done["made"], "there": done["there"]})
        self.stdout.write(f"{sample.key}: {done['made']}")

    def _report(self, counts: Counter[str], reasons: list[str], *, dry: bool) -> None:
        for reason in reasons[:SHOWN]:
            self.stderr.write(reason)
        if len(reasons) > SHOWN:
            self.stderr.write(f"… and {len(reasons) - SHOWN} more.")
        self.stdout.write(
            f"{counts['samples']} samples: {counts['new']} variants {'to make' if dry else 'made'}, "
            f"{counts['there']} exist, {counts['rejected']} rejected because they cut gold, "
            f"{counts['unfit']} not possible."
        )


def recipes_in(text: str, seed: int) -> Iterable[Recipe]:
    """The recipes of one argument. Raises ``CommandError``."""
    name, _, doses = text.partition(":")
    kind, _, choice = name.partition("/")
    try:
        if (steps := LADDER.fullmatch(doses)) is not None and kind in FORMS:
            given = ladder(FORMS[Kind(kind)], float(steps[1]), float(steps[2]), int(steps[3]))
        else:
            given = [float(one) for one in doses.split(",") if one.strip()]
        return recipes_of(kind, given, choice, seed)
    except RecipeError as error:
        raise CommandError(f"{text}: {error.template % error.values}") from error
    except ValueError as error:
        raise CommandError(f"{text} is no recipe. Write {WRITTEN}, such as rotate:90,180 or blur:1..8x4.") from error
