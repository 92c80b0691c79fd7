"""The words of benchmarks and of annotating them, explained (``webapp.common.glossary``)."""

from __future__ import annotations

from annotation.marking import gettext_noop
from webapp.common.glossary import Term, words

BENCHMARK, WORK, QUALITY, TOOLS = (
    gettext_noop("Benchmark, sample, gold"),
    gettext_noop("Annotation, review, people"),
    gettext_noop("Quality of annotations and judges"),
    gettext_noop("Toolchains and plans"),
)
PERCENT, COEFFICIENT = gettext_noop("0 to 100%"), gettext_noop("−1 to 1")

_MEASURED = (
    Term(
        slug="raw-agreement",
        name=gettext_noop("raw agreement"),
        sign="%",
        group=QUALITY,
        definition=gettext_noop("Share of the labels or verdicts given by both that are equal."),
        formula=gettext_noop("equal / given by both"),
        range=PERCENT,
        direction=gettext_noop("higher"),
        undefined=gettext_noop("none is given by both"),
        document="docs/metrics.md#judges",
    ),
    Term(
        slug="kappa",
        name=gettext_noop("Cohen's kappa"),
        sign="κ",
        group=QUALITY,
        definition=gettext_noop(
            "Agreement of two raters beyond chance. Chance follows from how often each rater gives each label."
        ),
        formula=gettext_noop("(p_o − p_e) / (1 − p_e)"),
        range=COEFFICIENT,
        direction=gettext_noop("higher"),
        undefined=gettext_noop("all labels are equal"),
        document="docs/metrics.md#statistics",
    ),
    Term(
        slug="alpha",
        name=gettext_noop("Krippendorff's alpha"),
        sign="α",
        group=QUALITY,
        definition=gettext_noop("Agreement beyond chance of two or more raters, some of whom may have skipped items."),
        formula=gettext_noop("1 − D_o / D_e: observed and expected disagreement"),
        range=COEFFICIENT,
        direction=gettext_noop("higher"),
        undefined=gettext_noop("all labels are equal"),
        document="docs/metrics.md#statistics",
    ),
    Term(
        slug="ac1",
        name=gettext_noop("Gwet's AC1"),
        sign="AC1",
        group=QUALITY,
        definition=gettext_noop(
            "Agreement of two raters beyond chance. It stays informative if one label is much more frequent."
        ),
        formula=gettext_noop("(p_o − p_e) / (1 − p_e), p_e = Σ_c π_c (1 − π_c) / (q − 1)"),
        range=COEFFICIENT,
        direction=gettext_noop("higher"),
        undefined=gettext_noop("only one label occurs"),
        document="docs/metrics.md#judges",
    ),
    Term(
        slug="sensitivity",
        name=gettext_noop("sensitivity"),
        group=QUALITY,
        definition=gettext_noop("Share of a person's “yes” verdicts with “yes” by the judge."),
        formula=gettext_noop("both yes / yes by the person"),
        range=PERCENT,
        direction=gettext_noop("higher"),
        undefined=gettext_noop("the person says yes to none"),
        document="docs/metrics.md#judges",
    ),
    Term(
        slug="specificity",
        name=gettext_noop("specificity"),
        group=QUALITY,
        definition=gettext_noop("Share of a person's “no” verdicts with “no” by the judge."),
        formula=gettext_noop("both no / no by the person"),
        range=PERCENT,
        direction=gettext_noop("higher"),
        undefined=gettext_noop("the person says no to none"),
        document="docs/metrics.md#judges",
    ),
    Term(
        slug="corrected-rate",
        name=gettext_noop("corrected rate"),
        group=QUALITY,
        definition=gettext_noop(
            "The “yes” rate that people would give, estimated from the rate and the errors of a judge."
        ),
        formula=gettext_noop("(rate + specificity − 1) / (sensitivity + specificity − 1)"),
        range=PERCENT,
        direction=gettext_noop("neither; it describes"),
        undefined=gettext_noop("the judge is no better than chance"),
        source="Rogan and Gladen",
    ),
    Term(
        slug="drawn-labels",
        name=gettext_noop("drawn labels"),
        group=QUALITY,
        definition=gettext_noop(
            "Labels of people on items that were drawn from what a judge said. Items on which its votes differ are "
            "more likely, and each label is weighted by the inverse of its probability."
        ),
        formula=gettext_noop("mean of λ · verdict + (label − λ · verdict) / probability if labeled"),
        range=PERCENT,
        direction=gettext_noop("neither; it describes"),
        undefined=gettext_noop("people labeled fewer than two items of a batch"),
        document="docs/metrics.md#drawn-labels",
    ),
    Term(
        slug="powered-rate",
        name=gettext_noop("prediction-powered rate"),
        group=QUALITY,
        definition=gettext_noop(
            "The “yes” rate that people would give, estimated by PPI++ from their labels of some items and the "
            "verdicts of a judge on all. It assumes that the labeled items were drawn at random."
        ),
        formula=gettext_noop("λ · judge's rate on the others + mean(label − λ · verdict)"),
        range=PERCENT,
        direction=gettext_noop("neither; it describes"),
        undefined=gettext_noop("people labeled fewer than two items"),
        document="docs/metrics.md#judges",
    ),
    Term(
        slug="first-pass-acceptance",
        name=gettext_noop("first-pass acceptance"),
        sign="%",
        group=QUALITY,
        definition=gettext_noop("Share of reviewed samples whose first submission was accepted."),
        formula=gettext_noop("accepted at once / reviewed"),
        range=PERCENT,
        direction=gettext_noop("higher"),
        undefined=gettext_noop("no sample is reviewed"),
    ),
    Term(
        slug="returned-share",
        name=gettext_noop("returned share"),
        sign="%",
        group=QUALITY,
        definition=gettext_noop("Share of reviewed annotations that were returned at least once."),
        formula=gettext_noop("returned / reviewed"),
        range=PERCENT,
        direction=gettext_noop("lower"),
        undefined=gettext_noop("no annotation is reviewed"),
    ),
    Term(
        slug="check-accuracy",
        name=gettext_noop("gold check accuracy"),
        sign="%",
        group=QUALITY,
        definition=gettext_noop("Share of decided gold checks that a person passed."),
        formula=gettext_noop("passed / (passed + failed)"),
        range=PERCENT,
        direction=gettext_noop("higher"),
        undefined=gettext_noop("no gold check is decided"),
    ),
    Term(
        slug="audit-disagreement",
        name=gettext_noop("audit disagreement"),
        sign="%",
        group=QUALITY,
        definition=gettext_noop("Share of audits that disagree with the gold. Superseded audits are not counted."),
        formula=gettext_noop("disagreed / (agreed + disagreed)"),
        range=PERCENT,
        direction=gettext_noop("lower"),
        undefined=gettext_noop("no audit is decided"),
    ),
    Term(
        slug="blind-accuracy",
        name=gettext_noop("blind accuracy"),
        sign="%",
        group=QUALITY,
        definition=gettext_noop(
            "Share of blind answers that match the gold answer, scored by the same rules as model answers."
        ),
        formula=gettext_noop("correct / evaluated"),
        range=PERCENT,
        direction=gettext_noop("higher"),
        undefined=gettext_noop("no blind answer is evaluated"),
        document="docs/metrics.md#verdicts",
    ),
)

TERMS = (
    *words(
        BENCHMARK,
        (gettext_noop("benchmark"), "", gettext_noop("A set of samples with gold that models are scored on.")),
        (gettext_noop("sample"), "id", gettext_noop("One image, one question and its gold.")),
        (gettext_noop("image"), "", gettext_noop("The image file of a sample, stored once and shown upright.")),
        (
            gettext_noop("answer type"),
            gettext_noop("mc, open"),
            gettext_noop("Multiple choice: the answer is an option letter. Open-ended: the answer is text."),
            "docs/metrics.md#answers",
        ),
        (
            gettext_noop("facet"),
            "name:value",
            gettext_noop("A named property of samples, such as category, used to filter lists and break down scores."),
        ),
        (
            gettext_noop("evidence"),
            "",
            gettext_noop("The smallest image region a person must see to answer the question."),
        ),
        (
            gettext_noop("evidence box"),
            "",
            gettext_noop("A rectangle around evidence, drawn by an annotator in whole pixels."),
        ),
        (
            gettext_noop("evidence shape"),
            "",
            gettext_noop("A box, a polygon or a point of evidence, as the task allows."),
            "docs/task.md#shapes-of-evidence",
        ),
        (gettext_noop("gold"), "", gettext_noop("The accepted content of a sample. Models are scored against it.")),
        (gettext_noop("gold box"), gettext_noop("G1, solid amber"), gettext_noop("An evidence box of the gold.")),
        (
            gettext_noop("gold region"),
            "",
            gettext_noop("All gold boxes and polygons of a sample together; overlaps count once."),
            "docs/metrics.md#ioa",
        ),
        (gettext_noop("gold answer"), "", gettext_noop("The accepted answer, or answers, of a sample.")),
        (
            gettext_noop("evidence area"),
            "%",
            gettext_noop("Share of the image covered by the gold region."),
            "docs/metrics.md#benchmark-statistics",
        ),
        (
            gettext_noop("version"),
            "v3",
            gettext_noop("A frozen, numbered state of a benchmark. Scores refer to a version."),
        ),
        (gettext_noop("working state"), "", gettext_noop("The current gold, which can still change.")),
    ),
    *words(
        WORK,
        (
            gettext_noop("annotation"),
            "",
            gettext_noop("One annotator's work on one sample. A sample can have several annotations."),
        ),
        (gettext_noop("draft"), gettext_noop("dashed ring"), gettext_noop("Work that is saved but not submitted.")),
        (gettext_noop("revision"), "r1", gettext_noop("A submitted state of an annotation. It never changes.")),
        (
            gettext_noop("review"),
            gettext_noop("half disc"),
            gettext_noop("A reviewer's decision on a revision: accept, fix and accept, return, or discard."),
        ),
        (
            gettext_noop("guidelines"),
            "",
            gettext_noop("The written rules for annotating this benchmark, with examples."),
        ),
        (gettext_noop("blind answer"), "", gettext_noop("The reviewer's own answer, given before the gold is shown.")),
        (gettext_noop("adjudication"), "", gettext_noop("Combining several annotations of a sample into one gold.")),
        (
            gettext_noop("audit"),
            "",
            gettext_noop("A second, blind review of a random share of accepted samples. It never changes gold."),
        ),
        (
            gettext_noop("gold check"),
            "",
            gettext_noop(
                "An accepted sample assigned as if it were new, to measure an annotator's accuracy (a honeypot)."
            ),
        ),
        (
            gettext_noop("qualification test"),
            "",
            gettext_noop("Samples with known gold that a person annotates before the queue assigns anything else."),
        ),
        (
            gettext_noop("validation"),
            gettext_noop("octagon, triangle"),
            gettext_noop("Automatic rules for a draft. Errors block submission; warnings don't."),
        ),
        (
            gettext_noop("overlap"),
            "n",
            gettext_noop("Number of annotators who annotate the same sample independently."),
        ),
        (
            gettext_noop("disputed"),
            "",
            gettext_noop(
                "The annotations of a sample differ: box IoU below the threshold (default 0.5), or different answers."
            ),
        ),
        (
            gettext_noop("extra annotator"),
            "",
            gettext_noop("One more annotator, requested because the first ones disagree."),
        ),
        (
            gettext_noop("agreement"),
            "κ, α, AC1",
            gettext_noop("How often independent people or judges give the same result."),
            "docs/metrics.md#judges",
        ),
        (
            gettext_noop("reservation"),
            "",
            gettext_noop("The sample is reserved for one person for a limited time, renewed while they work."),
        ),
        (
            gettext_noop("active time"),
            gettext_noop("seconds"),
            gettext_noop("Time in which a person uses the page of a sample; a minute without activity ends it."),
            "docs/planning.md#active-time",
        ),
        (
            gettext_noop("work package"),
            "",
            gettext_noop("Samples that are to be annotated until a date, and the people who do it."),
            "docs/planning.md#the-plan",
        ),
        (
            gettext_noop("annotator"),
            "",
            gettext_noop("Annotates samples: evidence, question, answer, toolchain, tool plan."),
        ),
        (gettext_noop("reviewer"), "", gettext_noop("Reviews submissions of other people, never their own.")),
        (gettext_noop("lead"), "", gettext_noop("Manages one benchmark: members, queue, quality, settings, versions.")),
        (gettext_noop("researcher"), "", gettext_noop("Imports and scores runs, and analyzes results.")),
    ),
    *_MEASURED,
    *words(
        QUALITY,
        (
            gettext_noop("superseded"),
            "",
            gettext_noop("The gold of the sample changed before the audit had a verdict."),
        ),
    ),
    *words(
        TOOLS,
        (gettext_noop("toolbox"), "", gettext_noop("OpenCV tools for toolchains, replays and agents.")),
        (gettext_noop("tool bank"), "", gettext_noop("Physical tools a benchmark knows, with names and segments.")),
        (
            gettext_noop("segment"),
            gettext_noop("two digits"),
            gettext_noop("The product segment of a tool: the first two digits of its UNSPSC code."),
        ),
        (gettext_noop("toolchain"), "", gettext_noop("A sequence of tool calls that leads to the answer.")),
        (
            gettext_noop("reference toolchain"),
            "",
            gettext_noop("The toolchain of the gold."),
            "docs/metrics.md#toolchains",
        ),
        (
            gettext_noop("accepted toolchain"),
            "",
            gettext_noop("An alternative; scores use the closest one."),
            "docs/metrics.md#several-accepted-toolchains",
        ),
        (
            gettext_noop("tool plan"),
            "",
            gettext_noop("The physical tools that a task needs, in order."),
            "docs/metrics.md#plans",
        ),
        (gettext_noop("target"), "gold", gettext_noop("A tool that the task needs."), "docs/metrics.md#matching"),
        (gettext_noop("distractor"), "dashed", gettext_noop("A tool in the image that the task doesn't need.")),
        (
            gettext_noop("step"),
            "1, 2 …",
            gettext_noop("Position in a toolchain or tool plan. In a plan, tools of one step can come in any order."),
            "docs/metrics.md#plan-outcome",
        ),
    ),
)
