"""Downloads of the leaderboard as the page shows it: tidy rows, a table for a paper, a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.common.provenance import settings_words
from evaluation.exporters.documents import Band, Document
from evaluation.leaderboard.present.address import View
from evaluation.leaderboard.present.cells import Cell, ShownPublished, ShownRow
from evaluation.leaderboard.present.columns import ACCURACY, DIFFERENCE, GROUNDED, GROUPS, QUADRANT_BAR, QUADRANTS
from evaluation.leaderboard.read.rows import PLACE, Leaderboard, LeaderboardRow
from evaluation.metrics.catalogue import METRICS
from evaluation.metrics.faithfulness import ARMS
from evaluation.metrics.families import ALL_PAIRS, family_words
from evaluation.metrics.ranking import TESTED
from evaluation.metrics.selection import BOUNDED, ENDED
from evaluation.metrics.settings_help import UNCERTAIN, counting_words
from webapp.common.formatting import NOT_AVAILABLE, decimal, p_value, percent, percentage_points, range_of

COUNTS = ("trajectories", "missing", "failed", *UNCERTAIN)
AGAINST = (
    "difference", "low", "high", "n", "row_only", "reference_only", "p_value", "p_holm", "p_cluster", "p_family",
    "p_family_size", "detectable", "difference_low", "difference_high", "could_turn",
)  # fmt: skip


def view_metrics(view: View) -> list[str]:
    """The metrics of this view in the order of its columns."""
    return [ACCURACY.metric, GROUNDED.metric, *QUADRANTS, *view.names]


def view_columns(view: View, board: Leaderboard) -> list[str]:
    """The columns of the tidy rows: who, place, counts, each metric with its interval, difference to the reference."""
    metrics = [f"{name}{end}" for name in view_metrics(view) for end in _ends(name)]
    against = [f"against_{name}" for name in ("reference", *AGAINST)] if board.whole else []
    who = ["band", "slice_by", "slice", "model", "setting", "familiarity", "run", "stale", "provisional"]
    return [*who, *(f"rank_{name}" if name in ("low", "high") else name for name in PLACE), *COUNTS, *metrics, *against]


def _ends(metric: str) -> tuple[str, ...]:
    """Return the suffixes of a metric's columns; a metric that undecided answers could change also has its range."""
    return ("", "_ci_low", "_ci_high", "_ci_method", *(("_low", "_high") if metric in BOUNDED else ()))


def view_rows(view: View, board: Leaderboard, published: Sequence[ShownPublished]) -> Iterator[dict[str, Any]]:
    """One row for each row of the page, in its order, papers last."""
    bands = {
        "ranked": board.ranked, "baseline": board.baselines, "detector": board.detectors, "people": board.people,
        "failed": board.failed, "unscored": board.unscored,
    }  # fmt: skip
    for band, rows in bands.items():
        for row in rows:
            yield {"band": band} | _row(row, view, board)
    for shown in published:
        who = {"model": shown.row.model, "setting": f"{shown.row.benchmark} {shown.row.setting}".strip()}
        values = {name: value.value for name, value in shown.row.values.items()}
        yield {"band": "published", "slice_by": view.by, "slice": view.slice} | who | values


def _row(row: LeaderboardRow, view: View, board: Leaderboard) -> dict[str, Any]:
    found: dict[str, Any] = {
        "slice_by": view.by, "slice": view.slice, "model": row.run.model.name, "setting": row.run.setting,
        "familiarity": row.familiarity,
        "run": row.run.pk, "stale": row.stale, "provisional": row.provisional,
    }  # fmt: skip
    found |= {name: row.counts.get(name) for name in COUNTS}
    if row.standing:
        found |= {f"rank_{n}" if n in ("low", "high") else n: getattr(row.standing, n) for n in PLACE}
    for name in view_metrics(view):
        if metric := row.metrics.get(name):
            values = metric.value, metric.ci_low, metric.ci_high, metric.ci_method, metric.low, metric.high
            found |= {f"{name}{end}": value for end, value in zip(_ends(name), values, strict=False)}
    if row.against and board.reference:
        found |= {f"against_{name}": getattr(row.against, name) for name in AGAINST}
        found["against_reference"] = str(board.reference.run)
    return found


def view_document(
    view: View, board: Leaderboard, bands: Sequence[tuple[str, Sequence[ShownRow]]],
    published: Sequence[ShownPublished], title: str,
) -> Document:  # fmt: skip
    """The page's table as texts: each number with its interval, the difference with its adjusted p."""
    wide = GROUNDED.metric in view.drawn
    against = board.whole and DIFFERENCE in view.drawn and board.reference is not None
    heads = [
        "Rank",
        "Model",
        "n",
        " / ".join(UNCERTAIN.values()).capitalize(),
        "Accuracy",
        *(["Difference"] if against else []),
        *(["Grounded"] if wide else []),
    ]
    heads += QUADRANTS.values() if QUADRANT_BAR in view.drawn else []
    fixed = len(heads) - 4
    heads += [column.label for column, _ in view.columns]
    groups = ["", "", "", "", *["Grounding"] * fixed]
    groups += ["" if column.metric in view.pinned else str(GROUPS[column.group]) for column, _ in view.columns]
    found = [Band(name, [_texts(row, wide, against) for row in rows]) for name, rows in bands if rows]
    dead = [[NOT_AVAILABLE, str(row.run), *[NOT_AVAILABLE] * (len(heads) - 2)] for row in board.failed]
    found += [Band("Failed runs: n/a, not 0%", dead)] if dead else []
    papers = [_printed(row, view, against) for row in published]
    found += [Band("Published: other samples and settings, not compared", papers)] if papers else []
    slice = f", {view.by} {view.slice}" if view.by else ""
    return Document(f"Leaderboard of {title}{slice}", heads, groups, found, _notes(view, board), frozenset({0, 1}))


def _texts(row: ShownRow, wide: bool, against: bool) -> list[str]:
    place = row.row.standing
    rank = "provisional" if row.row.provisional else "–"
    if place and place.rank:
        rank = f"{place.rank} [{place.low}–{place.high}]" if place.low else f"{place.rank} [{NOT_AVAILABLE}]"
    uncertain = " / ".join(decimal(row.row.counts.get(name, 0)) for name in UNCERTAIN)
    who = f"{row.row.run} ({row.people_words})" if row.row.by_people else str(row.row.run)
    texts = [rank, who, row.n.text, uncertain, _spread(row.accuracy)]
    texts += [_difference(row)] if against else []
    texts += [_spread(row.grounded)] if wide else []
    quadrants = row.quadrants if QUADRANT_BAR in row.drawn else []
    return [*texts, *(_spread(cell) for cell in (*quadrants, *row.cells))]


def _spread(cell: Cell) -> str:
    return f"{cell.whole} [{cell.spread}]" if cell.spread else cell.whole


def _difference(row: ShownRow) -> str:
    if row.is_reference:
        return "reference"
    if row.row.by_people:
        return row.against.range if row.against and row.against.range else NOT_AVAILABLE
    d = row.row.against
    if d is None or d.difference is None:
        return NOT_AVAILABLE
    turn = ", could change sign" if d.could_turn else ""
    if row.row.provisional:
        return f"{percentage_points(d.difference_low)} to {percentage_points(d.difference_high)}{turn}"
    ends = f" [{percentage_points(d.low)} to {percentage_points(d.high)}]" if d.low is not None else ""
    return f"{percentage_points(d.difference)}{ends}, p {p_value(d.p_holm)}{turn}"


def _printed(shown: ShownPublished, view: View, against: bool) -> list[str]:
    who = f"{shown.row.model}, {shown.row.benchmark} {shown.row.setting}".strip()
    cells = [Cell("")] if against else []
    cells += [shown.grounded] if GROUNDED.metric in view.drawn else []
    cells += shown.quadrants if QUADRANT_BAR in view.drawn else []
    cells += shown.cells
    return ["–", who, "", "", shown.accuracy.text, *(cell.text for cell in cells)]


def range_notes(board: Leaderboard) -> list[str]:
    """Notes on the values in parentheses and on provisional runs, if the leaderboard has any."""
    notes = []
    if any(range_of(m.low, m.high) for row in board.rows() for name in ENDED if (m := row.metrics.get(name))):
        notes.append("In parentheses: with every undecided answer incorrect, and with every one correct.")
    if any(range_of(m.low, m.high) for row in board.rows() for name in ARMS if (m := row.metrics.get(name))):
        notes.append(
            "In parentheses, of a Δ accuracy: the lowest and the highest that undecided answers under either condition "
            "allow."
        )
    if any(row.could_turn for row in (one.against for one in board.rows()) if row):
        notes.append("Could change sign: undecided answers could change the sign of the difference.")
    if any(row.provisional for row in board.rows()):
        notes.append(
            f"Provisional: more than {percent(board.settings.unread_alarm)}% of answers are unread. Affected rates are "
            "ranges, and the run has no rank."
        )
    return notes


def _notes(view: View, board: Leaderboard) -> list[str]:
    """Return the basis of the numbers; every table contains it."""
    words = ", ".join(settings_words(board.settings))
    notes = [f"Percent with 95% intervals. IoA above {board.settings.ioa_threshold:g}; {words}."]
    notes.append(counting_words(board.settings))
    notes += range_notes(board)
    if replaced := [f"{row.image_replaced} of {row.run}" for row in board.rows() if row.image_replaced]:
        notes.append(
            "Trajectories without grounding, because their image was replaced after they were recorded: "
            f"{'; '.join(replaced)}."
        )
    used = {name for row in board.rows() for name in view_metrics(view) if row.metrics.get(name)}
    methods = {m.ci_method for row in board.rows() for n in used if (m := row.metrics.get(n)) and m.ci_method}
    if methods:
        notes.append(f"Interval methods: {', '.join(sorted(methods))}.")
    against = next((row.against for row in board.rows() if row.against), None)
    if board.reference and board.whole:
        notes.append(
            f"Difference: accuracy minus that of {board.reference.run} on the samples both answered, Newcombe’s "
            "interval, unadjusted; exact sign-flip p over image clusters (McNemar’s with one sample per image)"
            + (f", {against.family_words}." if against else ".")
        )
    if board.reference and board.reference.scoring:
        scoring = board.reference.scoring
        notes.append(f"{scoring.samples_n} samples, scored {scoring.computed_at:%Y-%m-%d}.")
    if board.ranked and board.whole:
        standings = (row.standing.detail for row in board.ranked if row.standing)
        pairs = next((detail["pairs"] for detail in standings if detail.get("method") == TESTED), 0)
        tested = f"range by exact tests ({family_words(ALL_PAIRS, pairs)})"
        made = tested if pairs else "95% range over joint draws of image clusters"
        notes.append(f"Rank by {METRICS[board.ranked_by].label}, with its {made}.")
    return notes
