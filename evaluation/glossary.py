"""The words of runs and their scores, explained (``webapp.common.glossary``).

Metrics, failures and metric settings are those of their registries; their sentences are written there.
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.metrics.catalogue import HIGHER, LOWER, METRICS, PAPERS, Metric
from evaluation.metrics.failures import FAILURES, LABELS, RULES
from evaluation.metrics.settings import CHOICES, MetricSettings
from evaluation.metrics.settings import RANGES as SETTING_RANGES
from evaluation.metrics.settings_help import SETTINGS_HELP
from webapp.common.glossary import Row, Term, words
from webapp.common.svg import QUADRANTS as QUADRANT_NAMES

RUNS, QUADRANTS, FAILED, REPLAYS, STATE, SETTINGS = (
    "Runs, answers, grounding",
    "Quadrants",
    "Failures",
    "Toolchains and plans",
    "Statistics and state",
    "Metric settings",
)
DIRECTIONS = {HIGHER: "higher", LOWER: "lower"}
"""Which values of a metric are better; the others only describe."""

_RUNS: tuple[Row, ...] = (
    ("model", "", "The system that was evaluated."),
    ("run", "letter A–F", "One model's trajectories on one benchmark under one setting."),
    (
        "setting",
        "base, code …",
        "How the model was run: tools, prompt or interface. Not the same as metric settings.",
    ),
    ("trajectory", "", "Everything a run recorded for one sample: turns, tool calls, images and answer."),
    (
        "rollout",
        "#0",
        "One of several trajectories of a run on the same sample. Scores use the lowest number.",
        "docs/metrics.md#repeated-rollouts",
    ),
    ("turn", "blue round number", "One exchange of a trajectory: text, at most one tool call, and its result."),
    ("tool call", "", "One request of the model to run a tool, successful or not."),
    ("zoom call", "", "A call of a crop or zoom tool.", "docs/metrics.md#crops"),
    (
        "crop",
        "dashed blue",
        "The region of the original image that a zoom call returned.",
        "docs/metrics.md#crops",
    ),
    ("requested box", "dotted", "The region the model asked for.", "docs/metrics.md#crops"),
    ("executed box", "dashed", "The region the tool returned.", "docs/metrics.md#crops"),
    (
        "scored crop",
        "",
        "The crop that decides IoA: by default, the one with the highest IoA.",
        "docs/metrics.md#ioa",
    ),
    ("correct", "A+", "The answer matches the gold answer, by rule or by judgment.", "docs/metrics.md#verdicts"),
    ("incorrect", "A−", "The answer does not match the gold answer.", "docs/metrics.md#verdicts"),
    (
        "undecided",
        "",
        "No rule can decide the answer and there is no judgment. Metric settings determine how it counts.",
        "docs/metrics.md#from-reading-to-verdict",
    ),
    (
        "unread",
        "",
        "No answer could be read from the output. It is never guessed; metric settings determine how it counts.",
        "docs/metrics.md#reading-the-letter",
    ),
    (
        "provisional",
        "",
        "Too many unread answers: the run has a range instead of a rank.",
        "docs/metrics.md#verdicts",
    ),
    (
        "range",
        "(a–b)",
        "The rate if all undecided answers are incorrect, to the rate if all are correct.",
        "docs/metrics.md#verdicts",
    ),
    (
        "confidence",
        "exact, stated, inferred",
        "How directly a rule read the answer. Metric settings exclude readings below a class.",
        "docs/metrics.md#reading-the-letter",
    ),
    ("unanswered", "", "No answer was given."),
    ("failed", "", "The trajectory ended in an error."),
    ("missing", "", "The run has no trajectory for this sample.", "docs/metrics.md#evaluated-samples"),
    (
        "intervention",
        "",
        "The trajectory was repeated with one deliberate change, to test whether that part matters.",
        "docs/metrics.md#interventions",
    ),
    (
        "condition",
        "none, text, visual, placebo",
        "The kind of intervention: none, corrupted text, noise crops or placebo crops.",
        "docs/metrics.md#interventions",
    ),
    (
        "placebo crops",
        "",
        "Crops of equal size from random places: the control for noise crops.",
        "docs/metrics.md#interventions",
    ),
    (
        "effect",
        "Δ, pp",
        "Accuracy with the intervention minus accuracy without it, on the same samples (ATE).",
        "docs/metrics.md#effects",
    ),
    ("flipped", "", "The verdict changed: became incorrect, or became correct.", "docs/metrics.md#effects"),
    (
        "judge",
        "",
        "A model that gives judgments; a person who does is a human judge.",
        "docs/metrics.md#judges",
    ),
    ("judgment", "", "A verdict on an answer, or on the reliability or sufficiency of its crops."),
    (
        "failure",
        "nine codes",
        "What went wrong in a trajectory, by rule or as corrected by a person.",
        "docs/query.md#failures",
    ),
)
_MEASURED = (
    Term(
        slug="coverage",
        name="coverage",
        sign="IoA(pred, gt)",
        group=RUNS,
        definition="Share of the gold region inside the crop. 1 means all evidence is visible.",
        formula="area(crop ∩ gold) / area(gold)",
        range="0 to 1",
        direction="higher",
        undefined="the trajectory is outside the grounding population",
        document="docs/metrics.md#ioa",
        source=PAPERS["B"] + ", 3.2",
    ),
    Term(
        slug="concentration",
        name="concentration",
        sign="IoA(gt, pred)",
        group=RUNS,
        definition="Share of the crop that is gold region. Low values mean a wide crop.",
        formula="area(crop ∩ gold) / area(crop)",
        range="0 to 1",
        direction="higher",
        undefined="the trajectory is outside the grounding population",
        document="docs/metrics.md#ioa",
        source=PAPERS["B"] + ", 3.2",
    ),
    Term(
        slug="ioa",
        name="IoA",
        group=RUNS,
        definition="Intersection over area: the larger of coverage and concentration. A crop of the full image "
        "scores 1.",
        formula="max(coverage, concentration)",
        range="0 to 1",
        direction="higher",
        undefined="the trajectory is outside the grounding population",
        document="docs/metrics.md#ioa",
        source=PAPERS["B"] + ", 3.2",
    ),
    Term(
        slug="iou",
        name="IoU",
        group=RUNS,
        definition="Intersection over union of two boxes.",
        formula="area(a ∩ b) / area(a ∪ b)",
        range="0 to 1",
        direction="higher",
        undefined="one of the boxes is missing",
        document="docs/metrics.md#statistics",
    ),
    Term(
        slug="grounded",
        name="grounded",
        sign="G+",
        group=RUNS,
        definition="The IoA of the scored crop is above the threshold (default 0.5).",
        formula="IoA > ioa_threshold",
        undefined="the trajectory is outside the grounding population",
        document="docs/metrics.md#population",
        source=PAPERS["B"] + ", 3.2",
    ),
    Term(
        slug="grounding-population",
        name="grounding population",
        sign="n",
        group=RUNS,
        definition="Trajectories with a gold box and at least one zoom call. Quadrants are shares of this group.",
        document="docs/metrics.md#population",
    ),
)
_QUADRANT_WORDS = {
    "gpap": "The scored crop is grounded and the answer is correct.",
    "gpam": "The scored crop is grounded, but the answer is incorrect.",
    "gmap": "The answer is correct, but the scored crop is not grounded.",
    "gmam": "The scored crop is not grounded and the answer is incorrect.",
}
_REPLAYS: tuple[Row, ...] = (
    (
        "effective toolchain",
        "bold path",
        "The calls that produced the final output.",
        "docs/metrics.md#effective-toolchain",
    ),
    ("unused call", "gray", "A call whose result doesn't reach the final output."),
    (
        "replay",
        "",
        "The recorded tool calls, run again by the toolbox on the stored image.",
        "docs/metrics.md#scores-from-a-replay",
    ),
)
_TOOL_CHOICE = (
    Term(
        slug="tool-precision",
        name="tool precision",
        sign="%",
        group=REPLAYS,
        definition="Share of the samples on which a tool is called whose reference toolchain contains it.",
        formula="both / (both + called only)",
        range="0 to 100%",
        direction="higher",
        undefined="the tool is never called",
        document="docs/metrics.md#statistics",
    ),
    Term(
        slug="tool-recall",
        name="tool recall",
        sign="%",
        group=REPLAYS,
        definition="Share of the samples whose reference toolchain contains a tool on which it is called.",
        formula="both / (both + reference only)",
        range="0 to 100%",
        direction="higher",
        undefined="no reference toolchain contains the tool",
        document="docs/metrics.md#statistics",
    ),
)
_STATE: tuple[Row, ...] = (
    ("slice", "", "A subset of trajectories: one facet value, or the result of a query."),
    ("saved slice", "", "A query saved under a name; its contents follow the data."),
    (
        "query",
        "field:value",
        "A search expression, the same on pages, in URLs, in the API and on the command line.",
        "docs/query.md#fields",
    ),
    ("interval", "[a, b]", "95% confidence interval, with its method.", "docs/metrics.md#intervals"),
    (
        "image cluster",
        "",
        "Samples that share an image. They aren't independent, so tests treat them together.",
        "docs/metrics.md#intervals",
    ),
    (
        "p (clustered)",
        "p",
        "Exact sign-flip test over image clusters; McNemar's test if each image has one sample.",
        "docs/metrics.md#two-runs",
    ),
    (
        "Holm-adjusted p",
        "p",
        "p corrected for its family, which is named next to it: “vs reference, Holm over 4”.",
        "docs/metrics.md#many-runs",
    ),
    ("tie", "≈", "Adjusted p of .05 or more: the data don't separate the runs.", "docs/metrics.md#many-runs"),
    ("rank range", "3 [2–6]", "Ranks that the data don't rule out.", "docs/metrics.md#many-runs"),
    (
        "minimum detectable difference",
        "pp",
        "The smallest difference these samples can detect with 80% power.",
        "docs/metrics.md#many-runs",
    ),
    ("reference run", "", "The run that differences are relative to."),
    ("baseline", "", "A scripted agent, not ranked."),
    ("published row", "", "A result copied from a paper, on other samples and settings, not ranked."),
    ("pp", "", "Percentage points: the difference of two percentages."),
    (
        "n/a",
        "",
        "Undefined: there is nothing to count. Never shown as 0.",
        "docs/metrics.md#evaluated-samples",
    ),
    (
        "metric settings",
        "",
        "Choices that the papers leave open, such as the IoA threshold. Every score records them.",
        "docs/metrics.md#settings",
    ),
    (
        "stale",
        "tag",
        "Computed before the latest change to trajectories, gold, metric settings or Sightline. Rescore to update.",
    ),
    ("dry run", "", "The file is read and checked; nothing is saved."),
    ("import record", "", "The permanent record of one import."),
    (
        "mapping",
        "",
        "Which column or key of a file each field is read from.",
        "docs/formats.md#other-json-a-mapping-of-keys",
    ),
    ("repaired", "", "The row was corrected and kept."),
    ("rejected", "", "The row was not imported; the issue gives the reason."),
)


def _quadrants() -> Iterator[Term]:
    for slug, (sign, name) in QUADRANT_NAMES.items():
        yield Term(
            slug=slug,
            name=name,
            sign=sign,
            group=QUADRANTS,
            definition=_QUADRANT_WORDS[slug],
            undefined="the trajectory is outside the grounding population",
            document="docs/metrics.md#quadrants",
            source=PAPERS["B"] + ", 3.2",
        )


def _failures() -> Iterator[Term]:
    for name in FAILURES:
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
            group=f"Metrics: {metric.group}",
            definition=metric.definition,
            formula=metric.formula.text,
            range=metric.range,
            direction=DIRECTIONS.get(metric.better, "neither; it describes"),
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
    """The entry of a failure: its code alone could be the name of a word."""
    return f"failure-{name}"


def setting_slug(name: str) -> str:
    """The entry of a metric setting."""
    return f"setting-{name}"


def outcome_slug(name: str) -> str:
    """The entry of an outcome of a tool plan: that of the metric of its share."""
    return name if name in METRICS else f"outcome_{name}"


def quadrant_slug(name: str) -> str:
    """The entry of a quadrant: ``G+A-`` has ``gpam``."""
    return name.lower().replace("+", "p").replace("-", "m")


def source_words(metric: Metric) -> str:
    """The paper and its section in words; ours have the name of the site."""
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
