"""The demo benchmark: pictures drawn here, agents run here, through the same doors as anybody's files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from annotation.benchmarks.write.benchmark import add_member, create_benchmark, set_public
from annotation.content.freeze import freeze_version
from annotation.content.records import sample_records
from annotation.exchange.write.samples import import_samples
from annotation.exporters.native import row_line
from annotation.models import Benchmark
from annotation.scenes.benchmark import work_benchmark, write_demo, write_picture
from annotation.workflow import Role
from evaluation.agents.demo import run_demo
from evaluation.demo.work import SLUG as WORK
from evaluation.demo.work import build_demo_work
from evaluation.exporters.native import judgement_row, trajectory_row
from evaluation.imports.write.runs import import_runs
from evaluation.models import Model, Scoring
from evaluation.schema import Judgement
from evaluation.scoring.write import score_benchmark
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

SLUG = "demo"
SEED = 7
TOLD = "oracle zoom"
"""The agent that is told where the evidence is: it shows what could be had, and has no rank."""

DESCRIPTION = (
    "Streets, shelves, panels, desks and tool walls drawn by Sightline itself at 3840 × 2160, with evidence too small "
    "to read from afar. The runs are scripted agents that really look at those pixels and guess what they cannot see."
)
CAST = {
    "Lea Moreau": Role.LEAD,
    "Ana Lind": Role.ANNOTATOR,
    "Rui Costa": Role.REVIEWER,
    "Mira Sato": Role.RESEARCHER,
}
SECOND = "Ben Okoro"
"""Another annotator of the second benchmark."""
ADMIN = "Ada Kern"
Say = Callable[[str], None]


def is_built() -> bool:
    """Whether both benchmarks are there and all runs are scored."""
    scored = Scoring.objects.filter(run__benchmark__slug=SLUG, run__benchmark__versions__isnull=False).exists()
    return scored and Benchmark.objects.filter(slug=WORK).exists()


def build_demo(*, folder: Path, password: str, say: Say) -> Benchmark:
    """Make the demo, or finish making it: every step may be repeated."""
    benchmark = _benchmark(password)
    if not (folder / "samples.jsonl").exists():
        say("Drawing the images")
        write_demo(folder, SEED)
    say("Importing the samples and cutting tiles")
    import_samples(actor=None, benchmark=benchmark, path=folder, format="native", images=folder)
    run_waiting()
    if not (folder / "trajectories.jsonl").exists():
        _run_agents(benchmark, folder, say)
    import_runs(actor=None, benchmark=benchmark, path=folder, format="native")
    Model.objects.filter(name=TOLD).update(baseline=True)
    if not benchmark.versions.exists():
        freeze_version(actor=None, benchmark=benchmark, note="As drawn.")
    say("Scoring")
    score_benchmark(actor=None, benchmark=benchmark)
    say("Preparing work for annotators and reviewers")
    people = {role: User.objects.get(email=sign_in_of(name)) for name, role in CAST.items()}
    _build_work(folder.with_name(WORK), people, _person(SECOND, password))
    return benchmark


def _build_work(folder: Path, people: Mapping[Role, User], second: User) -> None:
    """The private benchmark, on pictures of its own."""
    scenes = work_benchmark(SEED)
    folder.mkdir(parents=True, exist_ok=True)
    for picture in scenes.pictures:
        write_picture(folder, picture)
    build_demo_work(folder=folder, records=scenes.samples, people=people, second=second)


def _benchmark(password: str) -> Benchmark:
    benchmark = Benchmark.objects.filter(slug=SLUG).first() or create_benchmark(
        actor=None, slug=SLUG, title="Demo", description=DESCRIPTION, licence="CC0-1.0"
    )
    set_public(actor=None, benchmark=benchmark, public=True)
    for name, role in CAST.items():
        add_member(actor=None, benchmark=benchmark, user=_person(name, password), role=role)
    _person(ADMIN, password, is_staff=True, is_superuser=True)
    return benchmark


def _person(name: str, password: str, **rights: bool) -> User:
    found = User.objects.filter(email=sign_in_of(name)).first()
    return found or User.objects.create_user(sign_in_of(name), password, name=name, **rights)


def sign_in_of(name: str) -> str:
    return f"{name.split()[0].lower()}@example.org"


def _run_agents(benchmark: Benchmark, folder: Path, say: Say) -> None:
    """Write what the agents do beside the samples, whole or not at all."""
    samples = list(sample_records(benchmark))
    parts = {kind: folder / f"{kind}.jsonl.part" for kind in ("trajectories", "judgements")}
    say(f"Running the agents on {len(samples)} samples")
    with parts["trajectories"].open("wb") as trajectories, parts["judgements"].open("wb") as judgements:
        for record in run_demo(folder, samples, SEED):
            if isinstance(record, Judgement):
                judgements.write(row_line(judgement_row(record)) + b"\n")
            else:
                trajectories.write(row_line(trajectory_row(record)) + b"\n")
    parts["judgements"].rename(folder / "judgements.jsonl")
    parts["trajectories"].rename(folder / "trajectories.jsonl")
