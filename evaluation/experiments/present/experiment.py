"""An experiment as its page shows it: what it does now, what can be done with it, its crops and its recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from annotation.content.image_history import size_of
from evaluation.common.frame import region_address
from evaluation.common.links import Count, RunLinks
from evaluation.endpoints.errors import ErrorKind
from evaluation.experiments.read.attempts import OF_ITEMS
from evaluation.experiments.read.progress import ACCURACY, Accuracy, Progress, last_crops
from evaluation.experiments.write.fit import FRAME, VISION
from evaluation.experiments.write.judges import same_family
from evaluation.models import Experiment, Run
from evaluation.models.querysets.experiments import PROMPT_PARTS
from evaluation.scoring.load.images import earlier_images_on, image_of, on_present
from evaluation.store.snapshot import Snapshot

State = Experiment.State
WITHHELD = (Experiment.Kind.JUDGE, Experiment.Kind.DRAFT, Experiment.Kind.EVIDENCE, *OF_ITEMS)
"""The kinds whose attempts are not listed, because a person may know only some of them."""
SIDE = 120
ACTIONS = {
    "trial": (gettext_lazy("Run a trial"), (State.DRAFT,)),
    "start": (gettext_lazy("Run all"), (State.DRAFT, State.READY)),
    "resume": (gettext_lazy("Resume"), (State.PAUSED,)),
    "pause": (gettext_lazy("Pause"), (State.TRIAL, State.RUNNING)),
    "stop": (gettext_lazy("Stop"), (State.READY, State.RUNNING, State.PAUSED, State.TRIAL)),
    "retry": (gettext_lazy("Retry failed attempts"), (State.DONE, State.STOPPED, State.PAUSED)),
}
"""Name of an action to its label and the states in which it is possible."""
STARTS = ("trial", "start", "resume", "retry")
"""Actions after which the experiment runs."""
STATE_WORDS = {
    State.DRAFT: gettext_lazy("Draft"),
    State.TRIAL: gettext_lazy("Trial running"),
    State.READY: gettext_lazy("Trial done"),
    State.RUNNING: gettext_lazy("Running"),
    State.PAUSED: gettext_lazy("Paused"),
    State.DONE: gettext_lazy("Done"),
    State.STOPPED: gettext_lazy("Stopped"),
}
SESSION_WORDS = {State.RUNNING: gettext_lazy("Open"), State.DONE: gettext_lazy("Closed")}
REASON_WORDS = {
    Experiment.Reason.PERSON: gettext_lazy("A person paused it."),
    Experiment.Reason.BUDGET: gettext_lazy("The budget is used up. Raise it, then resume."),
    Experiment.Reason.ENDPOINT: gettext_lazy("Requests failed. Fix the endpoint, then resume."),
    Experiment.Reason.FAILED: gettext_lazy("Its job stopped. Resume to continue."),
}


@dataclass(frozen=True)
class Action:
    name: str
    label: str
    primary: bool
    url: str

    @property
    def starts(self) -> bool:
        return self.name in STARTS


@dataclass(frozen=True)
class Failure:
    """A kind of error: how many attempts have it, and what to do."""

    kind: str
    n: Count
    advice: str


@dataclass(frozen=True)
class Crop:
    """``src``: "" if its image was replaced."""

    href: str
    src: str
    label: str


@dataclass(frozen=True)
class RecipePart:
    """``links``: the prompts that it names, with their pages."""

    name: str
    value: str
    links: Sequence[tuple[str, str]] = ()


def state_words(experiment: Experiment) -> str:
    if experiment.kind == Experiment.Kind.SESSION and experiment.state in SESSION_WORDS:
        return str(SESSION_WORDS[State(experiment.state)])
    return str(STATE_WORDS[State(experiment.state)])


def reason_words(experiment: Experiment) -> str:
    """Return why it is paused, with the message of the endpoint or the job; "" if it is not."""
    if not experiment.pause_reason:
        return ""
    reason = str(REASON_WORDS[Experiment.Reason(experiment.pause_reason)])
    return f"{reason} {experiment.pause_note}".strip()


def actions_of(experiment: Experiment, *, failed: int) -> list[Action]:
    """Return the currently possible actions. A session can only be stopped: the next answer then begins another
    experiment.
    """
    possible = [name for name, (_, states) in ACTIONS.items() if experiment.state in states]
    if experiment.kind == Experiment.Kind.SESSION:
        possible = [name for name in possible if name == "stop"]
    if not failed and "retry" in possible:
        possible.remove("retry")
    first = next((name for name in possible if name in ("start", "resume")), "")
    at = [experiment.benchmark.slug, experiment.pk]
    return [
        Action(name, str(ACTIONS[name][0]), name == first, reverse(f"evaluation:experiment-{name}", args=at))
        for name in possible
    ]


def failures_of(experiment: Experiment, failures: Sequence[tuple[str, int]]) -> list[Failure]:
    known = {kind.value: kind for kind in ErrorKind}
    return [
        Failure(
            kind, attempts_of(experiment, n, state="failed", error=kind), known[kind].advice if kind in known else ""
        )
        for kind, n in failures
    ]


def attempts_of(experiment: Experiment, n: int, **terms: str) -> Count:
    """A number of attempts with their list on the page of the experiment."""
    address = reverse("evaluation:experiment", args=[experiment.benchmark.slug, experiment.pk])
    return Count(n, f"{address}?{urlencode(terms)}".rstrip("?") if n else "")


def counts_of(experiment: Experiment, progress: Progress) -> dict[str, Count]:
    """The attempts that are done, failed or skipped, and all."""
    by_state = {
        state: attempts_of(experiment, progress.counts.get(state, 0), state=state)
        for state in ("done", "failed", "skipped")
    }
    return by_state | {"all": attempts_of(experiment, progress.total)}


def listed_counts(experiment: Any) -> dict[str, Count]:
    """The same for a row of a list (``with_counts``). Attempts of judges, of drafts, under conditions and about items,
    of which a person may know only some, are not listed."""
    withheld = experiment.kind in WITHHELD
    found = {
        "done": attempts_of(experiment, experiment.done_n, state="done"),
        "failed": attempts_of(experiment, experiment.failed_n, state="failed"),
        "all": attempts_of(experiment, experiment.attempts_n),
    }
    return {name: Count(one.n) for name, one in found.items()} if withheld else found


def accuracy_cases(experiment: Experiment, accuracy: Accuracy, user: Any) -> Count:
    """The n of the accuracy with its trajectories, where the run is scored with them. One statement on the store."""
    runs = Run.objects.of(experiment.benchmark).filter(model__name=experiment.model, setting=experiment.setting)
    run = runs.select_related("model", "benchmark").first()
    if run is None or getattr(run, "scoring", None) is None:
        return Count(accuracy.n)
    return RunLinks.of(run).recorded(Snapshot(experiment.benchmark, [run], user), accuracy.n, measured=ACCURACY)


def crops_of(experiment: Experiment) -> list[Crop]:
    """The newest crops, with links to their trajectories. One without an image was made on an image that another one
    with other pixels replaced."""
    slug, crops, steps = experiment.benchmark.slug, [], last_crops(experiment)
    earlier = earlier_images_on({step.trajectory.sample_id for step in steps})
    for step in steps:
        sample, image = step.trajectory.sample, step.trajectory.sample.image
        box = _shown_box(step)
        if image is None or box is None:
            continue
        href = reverse("evaluation:trajectory", args=[slug, step.trajectory_id])
        placed = on_present(box, image_of(step.trajectory, earlier), size_of(sample))
        crops.append(Crop(href, region_address(slug, image.sha256, placed, SIDE) if placed else "", sample.key))
    return crops


def _shown_box(step: Any) -> tuple[float, float, float, float] | None:
    """Return the box of a step on the original, None if it is on another image or empty."""
    if step.coords != "pixel" or step.image_in not in ("original", None):
        return None
    executed = (step.executed_x1, step.executed_y1, step.executed_x2, step.executed_y2)
    box = executed if None not in executed else (step.x1, step.y1, step.x2, step.y2)
    return box if box[2] - box[0] >= 1 and box[3] - box[1] >= 1 else None


Part = tuple[Any, ...]
"""A name and its value; instead of a value, links with their addresses."""


def recipe_parts(experiment: Experiment) -> list[RecipePart]:
    """The recipe as names and values."""
    recipe = experiment.recipe
    if experiment.kind == Experiment.Kind.SESSION:
        return [
            RecipePart(gettext("Model"), experiment.model),
            RecipePart(gettext("Tools"), gettext("%(profile)s, called by an agent elsewhere") % recipe),
        ]
    own = {
        Experiment.Kind.ARMS: _arm_parts,
        Experiment.Kind.JUDGE: _judge_parts,
        Experiment.Kind.DETECT: _detector_parts,
        Experiment.Kind.DRAFT: _draft_parts,
        Experiment.Kind.AUDIT: _audit_parts,
        Experiment.Kind.RENDER: _render_parts,
        Experiment.Kind.DESCRIBE: _describe_parts,
        Experiment.Kind.EVIDENCE: _evidence_parts,
    }
    parts: list[Part] = [
        (gettext("Endpoint"), f"{experiment.endpoint_name} ({recipe['base_url']})"),
        (gettext("Model"), recipe["model"]),
        *own.get(Experiment.Kind(experiment.kind), _run_parts)(experiment),
        *_sampling(recipe),
        _subjects(experiment),
        (gettext("Recipe"), experiment.recipe_digest[:12]),
        *_overruled(experiment),
    ]
    return [RecipePart(*part) for part in parts]


def _subjects(experiment: Experiment) -> Part:
    if experiment.kind in OF_ITEMS:
        return gettext("Items"), str(len(experiment.design["items"]))
    return gettext("Samples"), experiment.samples or _all(experiment)


def _all(experiment: Experiment) -> str:
    """The samples that an empty query selects."""
    if experiment.kind == Experiment.Kind.DRAFT:
        return gettext("all to do")
    if experiment.design.get("purpose") == "check":
        return gettext("all that wait for a review")
    return gettext("all with gold and an image")


def _overruled(experiment: Experiment) -> list[Part]:
    """Return the results of the endpoint's test that a person overruled."""
    words = {
        FRAME: gettext("The test found boxes in the frame %(found)s; a person confirmed the one of the recipe."),
        VISION: gettext("The test found that the model does not see images; a person confirmed that it does."),
    }
    found = experiment.design.get("overruled", {})
    return [(gettext("Confirmed"), words[name] % {"found": value}) for name, value in found.items()]


def _run_parts(experiment: Experiment) -> list[Part]:
    recipe = experiment.recipe
    return [
        (gettext("Protocol"), recipe["protocol"]),
        (gettext("Dialect"), recipe["dialect"]),
        (gettext("Prompts"), "", _prompt_links(experiment)),
        (gettext("Image size"), recipe["images"]),
        (gettext("Turns, at most"), str(recipe["limits"]["rounds"])),
        (gettext("Tool calls, at most"), str(recipe["limits"]["calls"])),
        (gettext("Rollouts"), str(experiment.rollouts)),
        *([(gettext("Checkpoint"), recipe["checkpoint"])] if recipe.get("checkpoint") else []),
    ]


def _arm_parts(experiment: Experiment) -> list[Part]:
    design = experiment.design
    arms = ", ".join(f"{name.partition('@')[0]} ×{seeds}" for name, seeds in design["arms"].items())
    confirm = ", ".join(name.partition("@")[0] for name in design["confirm"]) or gettext("none")
    return [
        (gettext("Run"), str(experiment.source)),
        (gettext("Estimand"), experiment.recipe["estimand"]),
        (gettext("Arms"), arms),
        (gettext("Confirmatory arms"), confirm),
        *([(gettext("Prompt of mistakes"), design["injector"])] if design.get("injector") else []),
        (gettext("Margin"), gettext("%(points)s points") % {"points": f"{design['margin']:g}"}),
    ]


def _judge_parts(experiment: Experiment) -> list[Part]:
    recipe = experiment.recipe
    return [
        (gettext("Run"), str(experiment.source)),
        (gettext("Question"), recipe["question"]),
        *_family(experiment),
        (gettext("Votes"), str(recipe["votes"])),
        (gettext("Prompt"), "", _prompt_links(experiment)),
        (gettext("Image size"), recipe["images"]),
    ]


def _detector_parts(experiment: Experiment) -> list[Part]:
    recipe = experiment.recipe
    return [
        (gettext("Names"), ", ".join(recipe["names"])),
        (gettext("Score that counts"), f"{recipe['threshold']:g}"),
        (gettext("Image size"), recipe["images"]),
    ]


def _draft_parts(experiment: Experiment) -> list[Part]:
    recipe = experiment.recipe
    if "threshold" in recipe:
        return [
            (gettext("Fields"), ", ".join(recipe["fields"])),
            *([(gettext("Names"), ", ".join(recipe["names"]))] if "names" in recipe else []),
            *([(gettext("Labeling configuration"), recipe["label_config"])] if "label_config" in recipe else []),
            (gettext("Score that counts"), f"{recipe['threshold']:g}"),
            (gettext("Image size"), recipe["images"]),
        ]
    return [
        (gettext("Fields"), ", ".join(recipe["fields"])),
        (gettext("Prompt"), "", _prompt_links(experiment)),
        (gettext("Boxes"), recipe["frame"]),
        (gettext("Image size"), recipe["images"]),
    ]


def _audit_parts(experiment: Experiment) -> list[Part]:
    links = _prompt_links(experiment)
    prompts: list[Part] = [(gettext("Prompts"), "", links)] if links else []
    return [*prompts, (gettext("Texts"), experiment.recipe["checks"][:12])]


def _render_parts(experiment: Experiment) -> list[Part]:
    recipe = experiment.recipe
    seed = str(recipe["seed"]) if recipe["seeded"] else gettext("none: the endpoint takes no seed")
    return [(gettext("Size in pixels"), recipe["size"].replace("x", " × ")), (gettext("Seed"), seed)]


def _describe_parts(experiment: Experiment) -> list[Part]:
    return [(gettext("Prompt"), "", _prompt_links(experiment))]


def _evidence_parts(experiment: Experiment) -> list[Part]:
    recipe = experiment.recipe
    return [
        (gettext("Purpose"), experiment.design["purpose"]),
        (gettext("Conditions"), ", ".join(recipe["conditions"])),
        (gettext("Prompt"), "", _prompt_links(experiment)),
        (gettext("Image size"), recipe["images"]),
    ]


def _sampling(recipe: Mapping[str, Any]) -> list[Part]:
    if "sampling" not in recipe:
        return []
    return [(gettext("Sampling"), ", ".join(f"{name} {value}" for name, value in recipe["sampling"].items()))]


def _prompt_links(experiment: Experiment) -> list[tuple[str, str]]:
    """The prompts of the recipe, with their pages."""
    slug = experiment.benchmark.slug
    prompts = [prompt for part in PROMPT_PARTS if (prompt := experiment.recipe.get(part))]
    return [
        (
            f"{one['slug']}@{one['version']}",
            f"{reverse('evaluation:prompt', args=[slug, one['slug']])}?{urlencode({'version': one['version']})}",
        )
        for one in prompts
    ]


def _family(experiment: Experiment) -> list[Part]:
    """A warning where a judge seems to judge its own family."""
    if experiment.source is None or not same_family(experiment.source, experiment.recipe["model"]):
        return []
    return [(gettext("Warning"), gettext("The judge seems to be of the same family as the model that it judges."))]
