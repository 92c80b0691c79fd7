"""Builds the demo: its data are files of this package, which are imported and scored like those of users.

``python -m demo`` in a checkout writes them: drawn images with known gold, and the runs of scripted agents on them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from annotation.benchmarks.write.benchmark import add_member, create_benchmark, set_public
from annotation.content.freeze import freeze_version
from annotation.exchange.write.samples import import_samples
from annotation.imaging.crops import crop, encode_jpeg
from annotation.imaging.decoding import decode
from annotation.importers import IMPORTERS
from annotation.importers.interface import ReadOptions
from annotation.models import Benchmark, VerifiedChain
from annotation.schema import Box, SampleRecord
from annotation.workflow import Role
from evaluation.demo.ends import decide_ends
from evaluation.demo.study import build_demo_study
from evaluation.demo.work import SLUG as WORK
from evaluation.demo.work import build_demo_work
from evaluation.imports.write.runs import import_runs
from evaluation.models import Model, Scoring
from evaluation.scoring.write import score_benchmark
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

DATA = Path(__file__).parent / "data"
"""A folder for each benchmark, named by its slug."""
SLUG = "demo"
TOLD = "oracle zoom"
"""The agent that knows the evidence: it shows the possible maximum, and has no rank."""

DESCRIPTION = (
    "Streets, shelves, panels, desks and tool walls drawn by Sightline itself at 3840 × 2160, with evidence too small "
    "to read from afar. The runs are scripted agents that really look at those pixels and guess what they cannot see. "
    "The people of the human study are scripted too."
)
CAST = {
    "Lea Moreau": Role.LEAD,
    "Ana Lind": Role.ANNOTATOR,
    "Rui Costa": Role.REVIEWER,
    "Mira Sato": Role.RESEARCHER,
}
TAKING = (Role.ANNOTATOR, Role.REVIEWER, Role.RESEARCHER)
"""The roles that take the human study."""
SECOND = "Ben Okoro"
"""Another annotator of the second benchmark."""
ADMIN = "Ada Kern"
"""Also a second lead of the second benchmark."""
SCENE, TOOLS = DATA / SLUG / "tools-peg.jpg", Box(2700, 1090, 3840, 1570)
"""A drawn tool wall, and its part for the building board: a mallet, a paint brush, an awl and a utility knife."""
Say = Callable[[str], None]


def is_built() -> bool:
    """Return whether both benchmarks exist, all runs are scored, and the toolchains are decided, which comes last."""
    scored = Scoring.objects.filter(run__benchmark__slug=SLUG, run__benchmark__versions__isnull=False).exists()
    return scored and VerifiedChain.objects.filter(sample__benchmark__slug=WORK).exists()


def build_demo(*, password: str, say: Say) -> Benchmark:
    """Build the demo, or complete it: every step can be repeated."""
    benchmark, folder = _benchmark(password), DATA / SLUG
    say("Importing the samples and cutting tiles")
    import_samples(actor=None, benchmark=benchmark, path=folder, format="native", images=folder)
    run_waiting()
    say("Importing the runs")
    import_runs(actor=None, benchmark=benchmark, path=folder, format="native")
    Model.objects.filter(name=TOLD).update(baseline=True)
    if not benchmark.versions.exists():
        freeze_version(actor=None, benchmark=benchmark, note="As drawn.")
    people = {role: User.objects.get(email=sign_in_of(name)) for name, role in CAST.items()}
    if not benchmark.public:
        say("Taking a human study")
        build_demo_study(benchmark=benchmark, people=[people[role] for role in TAKING])
        set_public(actor=None, benchmark=benchmark, public=True)
    say("Scoring")
    score_benchmark(actor=None, benchmark=benchmark)
    run_waiting()
    say("Preparing work for annotators and reviewers")
    build_demo_work(
        folder=DATA / WORK, records=work_records(), people=people, second=_person(SECOND, password),
        admin=_person(ADMIN, password), scene=encode_jpeg(crop(decode(SCENE), TOOLS)),
    )  # fmt: skip
    run_waiting()
    say("Answering from the ends of toolchains")
    # The lead, who was not in the study. On the second benchmark the reviewer, who does not audit what they reviewed.
    decide_ends(benchmark=benchmark, person=people[Role.LEAD])
    decide_ends(benchmark=Benchmark.objects.get(slug=WORK), person=people[Role.REVIEWER])
    return benchmark


def work_records() -> list[SampleRecord]:
    """The samples of the private benchmark, with their gold."""
    read = IMPORTERS["native"].read(DATA / WORK, ReadOptions())
    return [record for record in read if isinstance(record, SampleRecord)]


def _benchmark(password: str) -> Benchmark:
    benchmark = Benchmark.objects.filter(slug=SLUG).first() or create_benchmark(
        actor=None, slug=SLUG, title="Demo", description=DESCRIPTION, licence="CC0-1.0"
    )
    for name, role in CAST.items():
        add_member(actor=None, benchmark=benchmark, user=_person(name, password), role=role)
    _person(ADMIN, password, is_staff=True, is_superuser=True)
    return benchmark


def _person(name: str, password: str, **rights: bool) -> User:
    found = User.objects.filter(email=sign_in_of(name)).first()
    return found or User.objects.create_user(sign_in_of(name), password, name=name, **rights)


def sign_in_of(name: str) -> str:
    return f"{name.split()[0].lower()}@example.org"
