"""The data card of a benchmark from its rows: the current gold, and the frozen versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext, ngettext, pgettext

from annotation.benchmarks.read.card import frozen_versions, making_of, sources_of
from annotation.content.freeze import gold_digest
from annotation.models import Benchmark
from evaluation.exporters.data_card import CardSection, DataCard, Table
from evaluation.exports.read.description import describe_benchmark
from webapp.common import formatting

NOTHING = "n/a"


def read_data_card(benchmark: Benchmark) -> DataCard:
    """Return the card. Every statistic is that of ``describe_benchmark``; undefined ones are n/a."""
    numbers = describe_benchmark(benchmark)
    return DataCard(
        title=benchmark.title,
        description=benchmark.description,
        state=_state(benchmark),
        sections=[
            _contents(benchmark, numbers),
            CardSection(
                gettext("Facets"), tables=tuple(_facets(numbers["by"])), text="" if numbers["by"] else gettext("None.")
            ),
            _made(benchmark, numbers["samples"]),
            CardSection(
                gettext("License"), text=benchmark.licence or gettext("No license given. Ask the lead before reuse.")
            ),
            _sources(benchmark),
            _versions(benchmark),
        ],
    )


def _state(benchmark: Benchmark) -> str:
    digest = gold_digest(benchmark)
    versions = frozen_versions(benchmark)
    same = next((version.number for version in versions if version.checksum == digest), None)
    if same is not None:
        return gettext("The numbers describe version %(number)s; checksum %(digest)s.") % {
            "number": same, "digest": digest,
        }  # fmt: skip
    if versions:
        return gettext(
            "The gold has changed since version %(number)s. The numbers describe the working state; "
            "checksum %(digest)s."
        ) % {"number": versions[0].number, "digest": digest}
    return gettext("The gold has never been frozen. The numbers describe the working state; checksum %(digest)s.") % {
        "digest": digest
    }


def _contents(benchmark: Benchmark, numbers: Mapping[str, Any]) -> CardSection:
    pictures = making_of(benchmark).pictures
    images = ngettext("%(images)s, on %(count)s sample", "%(images)s, on %(count)s samples", numbers["with_image"])
    images %= {"images": _count(pictures), "count": _count(numbers["with_image"])}
    return CardSection(
        gettext("Contents"),
        (
            (gettext("Samples"), _count(numbers["samples"])),
            (gettext("Images"), images),
            (
                gettext("Multiple choice, open-ended"),
                f"{_count(numbers['multiple_choice'])}, {_count(numbers['open'])}",
            ),
            (gettext("Evidence area, median"), _share(numbers["evidence_share_median"])),
            (gettext("Evidence area, mean"), _share(numbers["evidence_share_mean"])),
            (gettext("Calls in reference toolchains"), _count(numbers["reference_calls"])),
            (gettext("Calls per toolchain, mean"), _decimal(numbers["chain_mean"])),
            (gettext("Calls per toolchain, median and range"), _range(numbers)),
            (gettext("Distinct tools per toolchain, mean"), _decimal(numbers["unique_tools_mean"])),
            (gettext("Words per question, mean"), _decimal(numbers["prompt_words_mean"])),
        ),
    )


def _facets(by: Mapping[str, Mapping[str, int]]) -> Iterator[Table]:
    for name, counts in sorted(by.items()):
        ranked = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
        yield Table((name, gettext("Samples")), tuple((value, _count(n)) for value, n in ranked))


def _made(benchmark: Benchmark, samples: int) -> CardSection:
    made = making_of(benchmark)
    return CardSection(
        gettext("Contributors"),
        (
            (gettext("Annotators"), _count(made.authors)),
            (gettext("Reviewers"), _count(made.reviewers)),
            (gettext("Address not verified"), _of(made.unverified, made.people)),
            (gettext("Imported gold"), _of(made.imported, samples)),
            (gettext("Gold accepted by another person"), _of(made.reviewed, samples)),
        ),
    )


def _sources(benchmark: Benchmark) -> CardSection:
    rows = tuple((s.name, s.format, f"{s.read_at:%Y-%m-%d}", s.sha256 or NOTHING) for s in sources_of(benchmark))
    if not rows:
        return CardSection(gettext("Sources"), text=gettext("No files were imported through the site."))
    return CardSection(
        gettext("Sources"),
        tables=(Table((gettext("File"), gettext("Format"), pgettext("data card", "Read"), "sha256"), rows),),
    )


def _versions(benchmark: Benchmark) -> CardSection:
    rows = tuple(
        (str(v.number), _count(v.samples), f"{v.frozen_at:%Y-%m-%d}", v.checksum, v.note)
        for v in frozen_versions(benchmark)
    )
    if not rows:
        return CardSection(gettext("Versions"), text=gettext("No versions yet."))
    return CardSection(
        gettext("Versions"),
        tables=(
            Table(
                (
                    gettext("Version"),
                    gettext("Samples"),
                    pgettext("data card", "Frozen"),
                    gettext("Checksum"),
                    gettext("Release notes"),
                ),
                rows,
            ),
        ),
    )


def _of(part: int, whole: int) -> str:
    return gettext("%(count)s of %(total)s") % {"count": _count(part), "total": _count(whole)}


def _count(value: int) -> str:
    return formatting.decimal(value)


def _decimal(value: float | None) -> str:
    return NOTHING if value is None else formatting.decimal(value, 1)


def _share(value: float | None) -> str:
    return formatting.small_share(value)


def _range(numbers: Mapping[str, Any]) -> str:
    if numbers["chain_median"] is None:
        return NOTHING
    return gettext("%(median)s, %(low)s to %(high)s") % {
        "median": f"{numbers['chain_median']:g}", "low": numbers["chain_min"], "high": numbers["chain_max"],
    }  # fmt: skip
