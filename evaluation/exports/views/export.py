"""The export page of a benchmark, and its files. Tables are written to a temporary file first; other formats are
streamed.
"""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from annotation.common.access import allowed, require
from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.exporters import EXPORTERS
from annotation.exporters.interface import MissingLibrary
from annotation.portable.read.project import image_bytes, portable_name
from annotation.portable.read.version import version_named
from annotation.workflow import Right
from evaluation.common.downloads import download
from evaluation.common.exports import EXPORTS
from evaluation.common.staleness import staleness
from evaluation.exporters.tables import NEEDS_PYARROW, WRITERS, writes_parquet
from evaluation.exports.forms import states_in
from evaluation.exports.present import file_rows, number_of, portable_limits, state_links
from evaluation.exports.read.counts import count_exports
from evaluation.exports.read.files import count_files, count_reopened, working_state
from evaluation.exports.read.formats import export_parts
from evaluation.exports.read.runs import RunsInFile, counts_by_state
from evaluation.exports.write.files import export_file
from evaluation.models import Run
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import Conflict, NotFound, Unavailable
from webapp.common.streaming import streamed
from webapp.common.translation import in_english

MOST_BYTES = 1 << 30
"""The maximum total size of images in a portable file that is written while a browser waits."""
MOST_TRAJECTORIES = 20_000
"""The maximum in a portable file that is written while a browser waits."""
SCORES = ("metrics", "samples", "comparisons")
"""Tables whose rows come from scores."""
TITLES = {
    "metrics": (gettext_lazy("Metrics"), gettext_lazy("One row per run, metric and slice, with interval and n.")),
    "samples": (
        gettext_lazy("Scores"),
        gettext_lazy("One row per trajectory: correct, quadrant, coverage, calls, plan."),
    ),
    "comparisons": (
        gettext_lazy("Comparisons"),
        gettext_lazy("One row per pair of runs: difference, exact tests, adjusted p."),
    ),
    "rewards": (
        gettext_lazy("Rewards"),
        gettext_lazy("One row per rollout of a rollout group: sufficiency, minimality, final reward."),
    ),
}


@require_safe
def export(request: HttpRequest, slug: str) -> HttpResponse:
    """Template evaluation/exports/export.html; context: tables (name, title, text, rows), kinds, formats (``FileRow``),
    states (of the samples in files: ``states=all``), state_links, samples_n, reopened_n (samples with gold that are not
    accepted), working (``WorkingState``), keeps_metadata (of images), parquet_needs (what is missing to write it here,
    or ""), image_bytes and most_bytes (of the images in a portable file, and the maximum in a request), versions (with
    samples_n), portable_runs (version or None, and counts of the runs that its portable file can have),
    portable_limits and their number (``portable_limits``), in_a_job (whether a job has to write the file), and of
    ``staleness``: stale, scoring_job. While scores are stale, tables of scores have no number of rows.
    """
    benchmark = load_benchmark(request, slug, Right.EXPORT)
    states = states_in(request.GET)
    files = count_files(benchmark, states)
    counts: dict[str, int | None] = {**count_exports(benchmark)}
    scores = staleness(benchmark, Run.objects.of(benchmark))
    if scores["stale"]:
        counts |= dict.fromkeys(SCORES)
    manages = request.user.is_authenticated and allowed(request.user, benchmark, Right.MANAGE)
    versions = list(benchmark.versions.annotate(samples_n=Count("entries")))
    runs = counts_by_state(benchmark, request.user, versions) if manages else []
    context = {
        **benchmark_context(request, benchmark, "export"),
        **scores,
        "tables": [(name, *TITLES[name], counts[name]) for name in EXPORTS],
        "kinds": list(WRITERS),
        "formats": file_rows(files),
        "portable_limits": (limits := portable_limits(versions=bool(versions))),
        "portable_limits_n": number_of(limits),
        "working": working_state(benchmark),
        "keeps_metadata": not benchmark.remove_metadata,
        "states": states.value,
        "state_links": state_links(benchmark, states),
        "samples_n": files["native"].samples,
        "reopened_n": count_reopened(benchmark),
        "parquet_needs": "" if writes_parquet() else NEEDS_PYARROW,
        "image_bytes": image_bytes(benchmark),
        "versions": versions,
        "portable_runs": runs,
        "in_a_job": image_bytes(benchmark) > MOST_BYTES or any(n.trajectories > MOST_TRAJECTORIES for _, n in runs),
        "most_bytes": MOST_BYTES,
    }
    return render(request, "evaluation/exports/export.html", context)


@login_required
@require_POST
def project(request: SignedInRequest, slug: str) -> FileResponse:
    """Return the entire benchmark as a portable file, or one frozen version of it. Posted: version, people=named with
    names and addresses, else pseudonyms, and runs to have the runs too. People get the uids that they have in every
    file.
    """
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    version = version_named(benchmark, request.POST.get("version", ""))
    if image_bytes(benchmark, version) > MOST_BYTES:
        raise Conflict(
            gettext(
                "The images of %(title)s are too large for a download. Let a job write the file: see the Export page."
            )
            % {"title": benchmark.title},
            code="too_large",
        )
    named, with_runs = request.POST.get("people") == "named", bool(request.POST.get("runs"))
    if with_runs:
        require(request.user, benchmark, Right.EXPORT)
        if RunsInFile(benchmark, request.user, version).counts().trajectories > MOST_TRAJECTORIES:
            raise Conflict(
                gettext("%(title)s has too many trajectories for a download. Let a job write the file.")
                % {"title": benchmark.title},
                code="too_large",
            )
    return download(
        portable_name(benchmark, version),
        lambda out: export_file(
            actor=request.user, benchmark=benchmark, out=out, named=named, version=version, with_runs=with_runs
        ),
    )


@require_safe
@in_english
def exported(request: HttpRequest, slug: str, name: str, extension: str) -> StreamingHttpResponse:
    """Return a table as .json, .csv or .parquet, or the benchmark in one of its formats with samples of ``states``."""
    benchmark = load_benchmark(request, slug, Right.EXPORT)
    if name in EXPORTS and extension in WRITERS:
        table = EXPORTS[name]
        return download(
            f"{slug}-{name}.{extension}", lambda out: WRITERS[extension](out, table.rows(benchmark), table.columns)
        )
    if name in EXPORTERS and EXPORTERS[name].suffix == f".{extension}":
        try:
            parts = export_parts(name, benchmark, request.user, states_in(request.GET))
            return streamed(f"{slug}-{name}.{extension}", parts)
        except MissingLibrary as error:
            raise Unavailable(str(error)) from error
    raise NotFound(
        gettext("Unknown export %(name)s.%(extension)s. See the Export page.") % {"name": name, "extension": extension}
    )
