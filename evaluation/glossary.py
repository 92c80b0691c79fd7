"""The glossary of runs and their scores (``webapp.common.glossary``).

Metrics, failures and metric settings come from their registries, with their definitions.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotation.marking import gettext_noop
from evaluation.metrics.catalogue import HIGHER, LOWER, METRICS, PAPERS, Metric
from evaluation.metrics.failures import LABELS, ORDER, RULES
from evaluation.metrics.settings import CHOICES, MetricSettings
from evaluation.metrics.settings import RANGES as SETTING_RANGES
from evaluation.metrics.settings_help import SETTINGS_HELP
from webapp.common.glossary import Row, Term, words
from webapp.common.svg import QUADRANTS as QUADRANT_NAMES

RUNS, QUADRANTS, FAILED, REPLAYS, STATE, SETTINGS = (
    gettext_noop("Runs, answers, grounding"),
    gettext_noop("Quadrants"),
    gettext_noop("Failures"),
    gettext_noop("Toolchains and plans"),
    gettext_noop("Statistics and state"),
    gettext_noop("Metric settings"),
)
DIRECTIONS = {HIGHER: gettext_noop("higher"), LOWER: gettext_noop("lower")}
"""The better values of a metric; metrics without a direction only describe."""
METRIC_GROUPS = {
    "grounding": gettext_noop("Metrics: grounding"),
    "toolchain": gettext_noop("Metrics: toolchain"),
    "planning": gettext_noop("Metrics: planning"),
    "faithfulness": gettext_noop("Metrics: faithfulness"),
    "rewards": gettext_noop("Metrics: rewards"),
    "cost": gettext_noop("Metrics: cost"),
}
"""The group of the glossary of each group of metrics."""

_RUNS: tuple[Row, ...] = (
    (gettext_noop("model"), "", gettext_noop("The system that was evaluated.")),
    (
        gettext_noop("run"),
        gettext_noop("letter A–F"),
        gettext_noop("One model's trajectories on one benchmark under one setting."),
    ),
    (
        gettext_noop("setting"),
        "base, code …",
        gettext_noop("How the model was run: tools, prompt or interface. Not the same as metric settings."),
    ),
    (
        gettext_noop("lineage"),
        gettext_noop("checkpoints"),
        gettext_noop("Runs of one model at several steps of its training."),
        "docs/metrics.md#checkpoints",
    ),
    (
        gettext_noop("separation"),
        "",
        gettext_noop(
            "The first training step at which the changes of accuracy and grounding since the first step differ "
            "significantly."
        ),
        "docs/metrics.md#checkpoints",
    ),
    (
        gettext_noop("trajectory"),
        "",
        gettext_noop("Everything a run recorded for one sample: turns, tool calls, images and answer."),
    ),
    (
        gettext_noop("rollout"),
        "#0",
        gettext_noop("One of several trajectories of a run on the same sample. Scores use the lowest number."),
        "docs/metrics.md#repeated-rollouts",
    ),
    (
        gettext_noop("turn"),
        gettext_noop("blue round number"),
        gettext_noop("One exchange of a trajectory: text, at most one tool call, and its result."),
    ),
    (gettext_noop("tool call"), "", gettext_noop("One request of the model to run a tool, successful or not.")),
    (gettext_noop("zoom call"), "", gettext_noop("A call of a crop or zoom tool."), "docs/metrics.md#crops"),
    (
        gettext_noop("crop"),
        gettext_noop("dashed blue"),
        gettext_noop("The region of the original image that a zoom call returned."),
        "docs/metrics.md#crops",
    ),
    (gettext_noop("requested box"), "dotted", gettext_noop("The region the model asked for."), "docs/metrics.md#crops"),
    (gettext_noop("executed box"), "dashed", gettext_noop("The region the tool returned."), "docs/metrics.md#crops"),
    (
        gettext_noop("scored crop"),
        "",
        gettext_noop("The crop that decides IoA: by default, the one with the highest IoA."),
        "docs/metrics.md#ioa",
    ),
    (
        gettext_noop("image replaced"),
        "`image_replaced`",
        gettext_noop(
            "The trajectory was recorded on an image that was replaced by one with other pixels. It has no coverage, "
            "IoA or quadrant; its answer counts."
        ),
        "docs/metrics.md#images-that-were-replaced",
    ),
    (
        gettext_noop("correct"),
        "A+",
        gettext_noop("The answer matches the gold answer, by rule or by judgment."),
        "docs/metrics.md#verdicts",
    ),
    (
        gettext_noop("incorrect"),
        "A−",
        gettext_noop("The answer does not match the gold answer."),
        "docs/metrics.md#verdicts",
    ),
    (
        gettext_noop("undecided"),
        "",
        gettext_noop(
            "No rule can decide the answer and there is no judgment. Metric settings determine how it counts."
        ),
        "docs/metrics.md#from-reading-to-verdict",
    ),
    (
        gettext_noop("unread"),
        "",
        gettext_noop(
            "No answer could be read from the output. It is never guessed; metric settings determine how it counts."
        ),
        "docs/metrics.md#reading-the-letter",
    ),
    (
        gettext_noop("provisional"),
        "",
        gettext_noop("Too many unread answers: the run has a range instead of a rank."),
        "docs/metrics.md#verdicts",
    ),
    (
        gettext_noop("range"),
        "(a–b)",
        gettext_noop("The rate if all undecided answers are incorrect, to the rate if all are correct."),
        "docs/metrics.md#verdicts",
    ),
    (
        gettext_noop("confidence"),
        gettext_noop("exact, stated, inferred"),
        gettext_noop("How directly a rule read the answer. Metric settings exclude readings below a class."),
        "docs/metrics.md#reading-the-letter",
    ),
    (gettext_noop("unanswered"), "", gettext_noop("No answer was given.")),
    (gettext_noop("failed"), "", gettext_noop("The trajectory ended in an error.")),
    (
        gettext_noop("missing"),
        "",
        gettext_noop("The run has no trajectory for this sample."),
        "docs/metrics.md#evaluated-samples",
    ),
    (
        gettext_noop("intervention"),
        "",
        gettext_noop("The trajectory was repeated with one deliberate change, to test whether that part matters."),
        "docs/metrics.md#interventions",
    ),
    (
        gettext_noop("condition"),
        gettext_noop("none, text, visual, placebo"),
        gettext_noop("The kind of intervention: none, corrupted text, noise crops or placebo crops."),
        "docs/metrics.md#interventions",
    ),
    (
        gettext_noop("placebo crops"),
        "",
        gettext_noop("Crops of equal size from random places: the control for noise crops."),
        "docs/metrics.md#interventions",
    ),
    (
        gettext_noop("effect"),
        "Δ, pp",
        gettext_noop("Accuracy with the intervention minus accuracy without it, on the same samples (ATE)."),
        "docs/metrics.md#effects",
    ),
    (
        gettext_noop("arm"),
        gettext_noop("such as noise-50"),
        gettext_noop("One controlled change of recorded trajectories, after which the model is asked again."),
        "docs/metrics.md#faithfulness-lab",
    ),
    (
        gettext_noop("sham"),
        "",
        gettext_noop("The arm that changes nothing: the reference of every effect in the lab."),
        "docs/metrics.md#faithfulness-lab",
    ),
    (
        gettext_noop("estimand"),
        gettext_noop("prefix, turn"),
        gettext_noop(
            "What an effect is of. Prefix: only the answer is drawn. Turn: later text is drawn too. They aren't mixed."
        ),
        "docs/metrics.md#faithfulness-lab",
    ),
    (
        gettext_noop("equivalence"),
        "",
        gettext_noop(
            "No effect is concluded only where an effect as large as the margin is ruled out. Else the result is "
            "undecided, and the page states the smallest detectable effect and how many images would decide it."
        ),
        "docs/metrics.md#faithfulness-lab",
    ),
    (
        gettext_noop("changed answers"),
        "%",
        gettext_noop(
            "Share of draws whose answer differs from the sham arm's, correct or not. Sham against sham shows how much "
            "answers vary by themselves."
        ),
        "docs/metrics.md#faithfulness-lab",
    ),
    (
        gettext_noop("flipped"),
        "",
        gettext_noop("The verdict changed: became incorrect, or became correct."),
        "docs/metrics.md#effects",
    ),
    (
        gettext_noop("judge"),
        "",
        gettext_noop("A model that gives judgments; a person who does is a human judge."),
        "docs/metrics.md#judges",
    ),
    (
        gettext_noop("judgment"),
        "",
        gettext_noop("A verdict on an answer, or on the reliability or sufficiency of its crops."),
    ),
    (
        gettext_noop("failure"),
        gettext_noop("nine codes"),
        gettext_noop("What went wrong in a trajectory, by rule or as corrected by a person."),
        "docs/query.md#failures",
    ),
)
_MEASURED = (
    Term(
        slug="coverage",
        name=gettext_noop("coverage"),
        sign="IoA(pred, gt)",
        group=RUNS,
        definition=gettext_noop(
            "Share of the gold region, or of gold points, inside the crop. 1 means all evidence is visible."
        ),
        formula=gettext_noop("area(crop ∩ gold) / area(gold)"),
        range=gettext_noop("0 to 1"),
        direction=gettext_noop("higher"),
        undefined=gettext_noop("the trajectory is outside the grounding population"),
        document="docs/metrics.md#ioa",
        source=PAPERS["B"] + ", 3.2",
    ),
    Term(
        slug="concentration",
        name=gettext_noop("concentration"),
        sign="IoA(gt, pred)",
        group=RUNS,
        definition=gettext_noop("Share of the crop that is gold region. Low values mean a wide crop."),
        formula=gettext_noop("area(crop ∩ gold) / area(crop)"),
        range=gettext_noop("0 to 1"),
        direction=gettext_noop("higher"),
        undefined=gettext_noop("the trajectory is outside the grounding population, or gold is points alone"),
        document="docs/metrics.md#ioa",
        source=PAPERS["B"] + ", 3.2",
    ),
    Term(
        slug="ioa",
        name=gettext_noop("IoA"),
        group=RUNS,
        definition=gettext_noop(
            "Intersection over area: the larger of coverage and concentration. A crop of the full image scores 1."
        ),
        formula=gettext_noop("max(coverage, concentration)"),
        range=gettext_noop("0 to 1"),
        direction=gettext_noop("higher"),
        undefined=gettext_noop("the trajectory is outside the grounding population"),
        document="docs/metrics.md#ioa",
        source=PAPERS["B"] + ", 3.2",
    ),
    Term(
        slug="reward-box",
        name=gettext_noop("box reward"),
        sign="r_box",
        group=METRIC_GROUPS["rewards"],
        definition=gettext_noop(
            "Harmonic mean of coverage and concentration of the best crop. A crop of the full image earns little."
        ),
        formula=gettext_noop("2 · coverage · concentration / (coverage + concentration)"),
        range=gettext_noop("0 to 1"),
        direction=gettext_noop("higher"),
        undefined=gettext_noop("the sample has no gold boxes"),
        document="docs/metrics.md#reward-rules",
    ),
    Term(
        slug="reward-quadrant",
        name=gettext_noop("quadrant reward"),
        sign="r_quadrant",
        group=METRIC_GROUPS["rewards"],
        definition=gettext_noop("1 for grounded and correct, 0.25 for grounded and incorrect, else 0."),
        range=gettext_noop("0 to 1"),
        direction=gettext_noop("higher"),
        undefined=gettext_noop("the sample has no gold boxes"),
        document="docs/metrics.md#reward-rules",
    ),
    Term(
        slug="reward-call",
        name=gettext_noop("reward of a call"),
        sign="r_t",
        group=METRIC_GROUPS["rewards"],
        definition=gettext_noop("What a call adds to the coverage of the gold by all crops, less 0.05 if it failed."),
        formula=gettext_noop("coverage(calls ≤ t) − coverage(calls < t) − 0.05 · failed"),
        range=gettext_noop("−0.05 to 1"),
        direction=gettext_noop("higher"),
        undefined=gettext_noop("the sample has no gold boxes"),
        document="docs/metrics.md#reward-rules",
    ),
    Term(
        slug="iou",
        name=gettext_noop("IoU"),
        group=RUNS,
        definition=gettext_noop("Intersection over union of two boxes."),
        formula=gettext_noop("area(a ∩ b) / area(a ∪ b)"),
        range=gettext_noop("0 to 1"),
        direction=gettext_noop("higher"),
        undefined=gettext_noop("one of the boxes is missing"),
        document="docs/metrics.md#statistics",
    ),
    Term(
        slug="grounded",
        name=gettext_noop("grounded"),
        sign="G+",
        group=RUNS,
        definition=gettext_noop("The IoA of the scored crop is above the threshold (default 0.5)."),
        formula=gettext_noop("IoA > ioa_threshold"),
        undefined=gettext_noop("the trajectory is outside the grounding population"),
        document="docs/metrics.md#population",
        source=PAPERS["B"] + ", 3.2",
    ),
    Term(
        slug="grounding-population",
        name=gettext_noop("grounding population"),
        sign="n",
        group=RUNS,
        definition=gettext_noop(
            "Trajectories with a gold box and at least one zoom call. Quadrants are shares of this group."
        ),
        document="docs/metrics.md#population",
    ),
)
_QUADRANT_WORDS = {
    "gpap": gettext_noop("The scored crop is grounded and the answer is correct."),
    "gpam": gettext_noop("The scored crop is grounded, but the answer is incorrect."),
    "gmap": gettext_noop("The answer is correct, but the scored crop is not grounded."),
    "gmam": gettext_noop("The scored crop is not grounded and the answer is incorrect."),
}
_REPLAYS: tuple[Row, ...] = (
    (
        gettext_noop("effective toolchain"),
        gettext_noop("bold path"),
        gettext_noop("The calls that produced the final output."),
        "docs/metrics.md#effective-toolchain",
    ),
    (
        gettext_noop("unused call"),
        gettext_noop("gray"),
        gettext_noop("A call whose result doesn't reach the final output."),
    ),
    (
        gettext_noop("replay"),
        "",
        gettext_noop("The recorded tool calls, run again by the toolbox on the stored image."),
        "docs/metrics.md#scores-from-a-replay",
    ),
)
_TOOL_CHOICE = (
    Term(
        slug="tool-precision",
        name=gettext_noop("tool precision"),
        sign="%",
        group=REPLAYS,
        definition=gettext_noop(
            "Share of the samples on which a tool is called whose reference toolchain contains it."
        ),
        formula=gettext_noop("both / (both + called only)"),
        range=gettext_noop("0 to 100%"),
        direction=gettext_noop("higher"),
        undefined=gettext_noop("the tool is never called"),
        document="docs/metrics.md#statistics",
    ),
    Term(
        slug="tool-recall",
        name=gettext_noop("tool recall"),
        sign="%",
        group=REPLAYS,
        definition=gettext_noop(
            "Share of the samples whose reference toolchain contains a tool on which it is called."
        ),
        formula=gettext_noop("both / (both + reference only)"),
        range=gettext_noop("0 to 100%"),
        direction=gettext_noop("higher"),
        undefined=gettext_noop("no reference toolchain contains the tool"),
        document="docs/metrics.md#statistics",
    ),
)
_STATE: tuple[Row, ...] = (
    (gettext_noop("slice"), "", gettext_noop("A subset of trajectories: one facet value, or the result of a query.")),
    (gettext_noop("saved slice"), "", gettext_noop("A query saved under a name; its contents follow the data.")),
    (
        gettext_noop("query"),
        "field:value",
        gettext_noop("A search expression, the same on pages, in URLs, in the API and on the command line."),
        "docs/query.md#fields",
    ),
    (
        gettext_noop("interval"),
        "[a, b]",
        gettext_noop("95% confidence interval, with its method."),
        "docs/metrics.md#intervals",
    ),
    (
        gettext_noop("image cluster"),
        "",
        gettext_noop("Samples that share an image. They aren't independent, so tests treat them together."),
        "docs/metrics.md#intervals",
    ),
    (
        gettext_noop("p (clustered)"),
        "p",
        gettext_noop("Exact sign-flip test over image clusters; McNemar's test if each image has one sample."),
        "docs/metrics.md#two-runs",
    ),
    (
        gettext_noop("Holm-adjusted p"),
        "p",
        gettext_noop("p corrected for its family, which is named next to it: “vs reference, Holm over 4”."),
        "docs/metrics.md#many-runs",
    ),
    (
        gettext_noop("tie"),
        "≈",
        gettext_noop("Adjusted p of .05 or more: the data don't separate the runs."),
        "docs/metrics.md#many-runs",
    ),
    (
        gettext_noop("rank range"),
        "3 [2–6]",
        gettext_noop("Ranks that the data don't rule out."),
        "docs/metrics.md#many-runs",
    ),
    (
        gettext_noop("minimum detectable difference"),
        "pp",
        gettext_noop("The smallest difference these samples can detect with 80% power."),
        "docs/metrics.md#many-runs",
    ),
    (gettext_noop("reference run"), "", gettext_noop("The run that differences are relative to.")),
    (gettext_noop("baseline"), "", gettext_noop("A scripted agent, not ranked.")),
    (
        gettext_noop("detector"),
        "",
        gettext_noop("An object detector that is given all tool names: a ceiling of tool recognition, not ranked."),
        "docs/metrics.md#detectors",
    ),
    (
        gettext_noop("human study"),
        "",
        gettext_noop("People take a stratified sample of a benchmark, blind, as a run of their own, not ranked."),
        "docs/metrics.md#people",
    ),
    (
        gettext_noop("stratum"),
        "",
        gettext_noop("Samples that are drawn from together, such as those with one facet value."),
        "docs/metrics.md#people",
    ),
    (
        gettext_noop("published row"),
        "",
        gettext_noop("A result copied from a paper, on other samples and settings, not ranked."),
    ),
    (gettext_noop("pp"), "", gettext_noop("Percentage points: the difference of two percentages.")),
    (
        gettext_noop("n/a"),
        "",
        gettext_noop("Undefined: there is nothing to count. Never shown as 0."),
        "docs/metrics.md#evaluated-samples",
    ),
    (
        gettext_noop("metric settings"),
        "",
        gettext_noop("Choices that the papers leave open, such as the IoA threshold. Every score records them."),
        "docs/metrics.md#settings",
    ),
    (
        gettext_noop("stale"),
        gettext_noop("tag"),
        gettext_noop(
            "Computed before the latest change to trajectories, gold, metric settings or Sightline. Rescore to update."
        ),
    ),
    (gettext_noop("dry run"), "", gettext_noop("The file is read and checked; nothing is saved.")),
    (gettext_noop("import record"), "", gettext_noop("The permanent record of one import.")),
    (
        gettext_noop("mapping"),
        "",
        gettext_noop("Which column or key of a file each field is read from."),
        "docs/formats.md#other-json-a-mapping-of-keys",
    ),
    (gettext_noop("repaired"), "", gettext_noop("The row was corrected and kept.")),
    (gettext_noop("rejected"), "", gettext_noop("The row was not imported; the issue gives the reason.")),
)


def _quadrants() -> Iterator[Term]:
    for slug, (sign, name) in QUADRANT_NAMES.items():
        yield Term(
            slug=slug,
            name=name,
            sign=sign,
            group=QUADRANTS,
            definition=_QUADRANT_WORDS[slug],
            undefined=gettext_noop("the trajectory is outside the grounding population"),
            document="docs/metrics.md#quadrants",
            source=PAPERS["B"] + ", 3.2",
        )


def _failures() -> Iterator[Term]:
    for name in ORDER:
        yield Term(
            slug=failure_slug(name),
            name=LABELS[name],
            sign=name,
            group=FAILED,
            definition=RULES[name],
            document="docs/query.md#failures",
        )


def _metrics() -> Iterator[Term]:
    for metric in METRICS.values():
        yield Term(
            slug=metric.name,
            name=metric.label.replace("-A", "−A").replace("A-", "A−"),
            sign=metric.name,
            group=METRIC_GROUPS[metric.group],
            definition=metric.definition,
            formula=metric.formula.text,
            range=metric.range,
            direction=DIRECTIONS.get(metric.better, gettext_noop("neither; it describes")),
            undefined=metric.formula.undefined,
            document=metric.formula.document,
            source=source_words(metric),
        )


def _settings() -> Iterator[Term]:
    defaults = MetricSettings().as_dict()
    for name, effect in SETTINGS_HELP.items():
        if name in SETTING_RANGES:
            low, high = SETTING_RANGES[name]
            allowed = f"{low:g} to {high:g}"
        else:
            allowed = ", ".join(CHOICES[name])
        yield Term(
            slug=setting_slug(name),
            name=name,
            group=SETTINGS,
            definition=effect.sentence,
            range=f"{allowed}; default {defaults[name]}",
            document="docs/metrics.md#settings",
        )


def failure_slug(name: str) -> str:
    """Return the entry of a failure: its code alone could be the name of another term."""
    return f"failure-{name}"


def setting_slug(name: str) -> str:
    """Return the entry of a metric setting."""
    return f"setting-{name}"


def outcome_slug(name: str) -> str:
    """Return the entry of an outcome of a tool plan: that of the metric of its share."""
    return name if name in METRICS else f"outcome_{name}"


def quadrant_slug(name: str) -> str:
    """Return the entry of a quadrant: ``gpam`` for ``G+A-``."""
    return name.lower().replace("+", "p").replace("-", "m")


def source_words(metric: Metric) -> str:
    """Return the paper and its section as text; our own metrics have the source "Sightline"."""
    if metric.extra:
        return "Sightline"
    letter, section = metric.source.strip("[]").split(" ", 1)
    return f"{PAPERS[letter]}, {section}"


TERMS: tuple[Term, ...] = (
    *words(RUNS, *_RUNS[:12]),
    *_MEASURED,
    *words(RUNS, *_RUNS[12:]),
    *_quadrants(),
    *_failures(),
    *words(REPLAYS, *_REPLAYS),
    *_TOOL_CHOICE,
    *words(STATE, *_STATE),
    *_metrics(),
    *_settings(),
)
