"""The data card of a benchmark, read from its rows: the gold as it is now, with the versions frozen before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import ngettext

from annotation.benchmarks.read.card import frozen_versions, making_of, sources_of
from annotation.content.freeze import gold_digest
from annotation.models import Benchmark
from evaluation.exporters.data_card import CardSection, DataCard, Table
from evaluation.exports.read.description import describe_benchmark
from webapp.common import formatting

NOTHING = "n/a"


def read_data_card(benchmark: Benchmark) -> DataCard:
    """Every statistic is that of ``describe_benchmark``; what is undefined says n/a."""
    numbers = describe_benchmark(benchmark)
    return DataCard(
        title=benchmark.title,
        description=benchmark.description,
        state=_state(benchmark),
        sections=[
            _contents(benchmark, numbers),
            CardSection("Facets", tables=tuple(_facets(numbers["by"])), text="" if numbers["by"] else "None."),
            _made(benchmark, numbers["samples"]),
            CardSection("License", text=benchmark.licence or "No license given. Ask the lead before reuse."),
            _sources(benchmark),
            _versions(benchmark),
        ],
    )


def _state(benchmark: Benchmark) -> str:
    digest = gold_digest(benchmark)
    versions = frozen_versions(benchmark)
    same = next((version.number for version in versions if version.checksum == digest), None)
    if same is not None:
        return f"The numbers describe version {same}; checksum {digest}."
    since = f"has changed since version {versions[0].number}" if versions else "has never been frozen"
    return f"The gold {since}. The numbers describe the working state; checksum {digest}."


def _contents(benchmark: Benchmark, numbers: Mapping[str, Any]) -> CardSection:
    pictures = making_of(benchmark).pictures
    samples = ngettext("%(count)s sample", "%(count)s samples", numbers["with_image"])
    samples %= {"count": _count(numbers["with_image"])}
    return CardSection(
        "Contents",
        (
            ("Samples", _count(numbers["samples"])),
            ("Images", f"{_count(pictures)}, on {samples}"),
            ("Multiple choice, open-ended", f"{_count(numbers['multiple_choice'])}, {_count(numbers['open'])}"),
            ("Evidence area, median", _share(numbers["evidence_share_median"])),
            ("Evidence area, mean", _share(numbers["evidence_share_mean"])),
            ("Calls in reference toolchains", _count(numbers["reference_calls"])),
            ("Calls per toolchain, mean", _decimal(numbers["chain_mean"])),
            ("Calls per toolchain, median and range", _range(numbers)),
            ("Distinct tools per toolchain, mean", _decimal(numbers["unique_tools_mean"])),
            ("Words per question, mean", _decimal(numbers["prompt_words_mean"])),
        ),
    )


def _facets(by: Mapping[str, Mapping[str, int]]) -> Iterator[Table]:
    for name, counts in sorted(by.items()):
        ranked = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
        yield Table((name, "Samples"), tuple((value, _count(n)) for value, n in ranked))


def _made(benchmark: Benchmark, samples: int) -> CardSection:
    made = making_of(benchmark)
    return CardSection(
        "Contributors",
        (
            ("Annotators", _count(made.authors)),
            ("Reviewers", _count(made.reviewers)),
            ("Imported gold", f"{_count(made.imported)} of {_count(samples)}"),
            ("Gold accepted by another person", f"{_count(made.reviewed)} of {_count(samples)}"),
        ),
    )


def _sources(benchmark: Benchmark) -> CardSection:
    rows = tuple((s.name, s.format, f"{s.read_at:%Y-%m-%d}", s.sha256 or NOTHING) for s in sources_of(benchmark))
    if not rows:
        return CardSection("Sources", text="No files were imported through the site.")
    return CardSection("Sources", tables=(Table(("File", "Format", "Read", "sha256"), rows),))


def _versions(benchmark: Benchmark) -> CardSection:
    rows = tuple(
        (str(v.number), _count(v.samples), f"{v.frozen_at:%Y-%m-%d}", v.checksum, v.note)
        for v in frozen_versions(benchmark)
    )
    if not rows:
        return CardSection("Versions", text="No versions yet.")
    return CardSection("Versions", tables=(Table(("Version", "Samples", "Frozen", "Checksum", "Release notes"), rows),))


def _count(value: int) -> str:
    return formatting.decimal(value)


def _decimal(value: float | None) -> str:
    return NOTHING if value is None else formatting.decimal(value, 1)


def _share(value: float | None) -> str:
    return formatting.small_share(value)


def _range(numbers: Mapping[str, Any]) -> str:
    if numbers["chain_median"] is None:
        return NOTHING
    return f"{numbers['chain_median']:g}, {numbers['chain_min']} to {numbers['chain_max']}"
