"""The words of benchmarks and of annotating them, explained (``webapp.common.glossary``)."""

from __future__ import annotations

from webapp.common.glossary import words

BENCHMARK, WORK, TOOLS = "Benchmark, sample, gold", "Annotation, review, people", "Toolchains and plans"


TERMS = (
    *words(
        BENCHMARK,
        ("benchmark", "", "A set of samples with gold that models are scored on."),
        ("sample", "id", "One image, one question and its gold."),
        ("image", "", "The image file of a sample, stored once and shown upright."),
        (
            "answer type",
            "mc, open",
            "Multiple choice: the answer is an option letter. Open-ended: the answer is text.",
            "docs/metrics.md#answers",
        ),
        (
            "facet",
            "name:value",
            "A named property of samples, such as category, used to filter lists and break down scores.",
        ),
        ("evidence", "", "The smallest image region a person must see to answer the question."),
        ("evidence box", "", "A rectangle around evidence, drawn by an annotator in whole pixels."),
        ("gold", "", "The accepted content of a sample. Models are scored against it."),
        ("gold box", "G1, solid amber", "An evidence box of the gold."),
        ("gold region", "", "All gold boxes of a sample together; overlaps count once.", "docs/metrics.md#ioa"),
        ("gold answer", "", "The accepted answer, or answers, of a sample."),
        (
            "evidence area",
            "%",
            "Share of the image covered by the gold region.",
            "docs/metrics.md#benchmark-statistics",
        ),
        ("version", "v3", "A frozen, numbered state of a benchmark. Scores refer to a version."),
        ("working state", "", "The current gold, which can still change."),
    ),
    *words(
        WORK,
        ("annotation", "", "One annotator's work on one sample. A sample can have several annotations."),
        ("draft", "dashed ring", "Work that is saved but not submitted."),
        ("revision", "r1", "A submitted state of an annotation. It never changes."),
        (
            "review",
            "half disc",
            "A reviewer's decision on a revision: accept, fix and accept, return, or discard.",
        ),
        ("guidelines", "", "The written rules for annotating this benchmark, with examples."),
        ("blind answer", "", "The reviewer's own answer, given before the gold is shown."),
        ("adjudication", "", "Combining several annotations of a sample into one gold."),
        ("audit", "", "A second, blind review of a random share of accepted samples. It never changes gold."),
        (
            "gold check",
            "",
            "An accepted sample assigned as if it were new, to measure an annotator's accuracy (a honeypot).",
        ),
        (
            "validation",
            "octagon, triangle",
            "Automatic rules for a draft. Errors block submission; warnings don't.",
        ),
        ("overlap", "n", "Number of annotators who annotate the same sample independently."),
        (
            "disputed",
            "",
            "The annotations of a sample differ: box IoU below the threshold (default 0.5), or different answers.",
        ),
        ("extra annotator", "", "One more annotator, requested because the first ones disagree."),
        (
            "agreement",
            "κ, α, AC1",
            "How often independent people or judges give the same result.",
            "docs/metrics.md#judges",
        ),
        (
            "reservation",
            "",
            "The sample is reserved for one person for a limited time, renewed while they work.",
        ),
        ("annotator", "", "Annotates samples: evidence, question, answer, toolchain, tool plan."),
        ("reviewer", "", "Reviews submissions of other people, never their own."),
        ("lead", "", "Manages one benchmark: members, queue, quality, settings, versions."),
        ("researcher", "", "Imports and scores runs, and analyzes results."),
    ),
    *words(
        TOOLS,
        ("toolbox", "", "OpenCV tools for toolchains, replays and agents."),
        ("tool bank", "", "Physical tools a benchmark knows, with names and segments."),
        ("toolchain", "", "A sequence of tool calls that leads to the answer."),
        ("reference toolchain", "", "The toolchain of the gold.", "docs/metrics.md#toolchains"),
        (
            "accepted toolchain",
            "",
            "An alternative; scores use the closest one.",
            "docs/metrics.md#several-accepted-toolchains",
        ),
        ("tool plan", "", "The physical tools that a task needs, in order.", "docs/metrics.md#plans"),
        ("target", "gold", "A tool that the task needs.", "docs/metrics.md#matching"),
        ("distractor", "dashed", "A tool in the image that the task doesn't need."),
        (
            "step",
            "1, 2 …",
            "Position in a toolchain or tool plan. In a plan, tools of one step can come in any order.",
            "docs/metrics.md#plan-outcome",
        ),
    ),
)
