"""What OpenAPI 3.0 cannot say: which texts are queries, and which parts of an address go together."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st

from evaluation.query.check import Vocabulary, read
from evaluation.query.fields import FIELDS, Kind
from evaluation.query.syntax import QueryError
from evaluation.query.tokens import quoted

BOTH = {"leaderboard": ("by", "slice"), "run_charts": ("by", "slice"), "judges": ("a", "b")}
"""Of these two of an operation both are given, or neither."""
NEEDS = {"toolchains": ("value", "by")}
"""The first of these needs the second."""
EITHER = {"leaderboard": ("q", "by")}
"""One of these is given at most."""


def go_together(operation: str, given: Collection[str]) -> bool:
    """Whether an operation takes these parts of an address together; what does not is answered with 400."""
    one, other = ({name in given for name in rule.get(operation, ())} for rule in (BOTH, EITHER))
    first, second = NEEDS.get(operation, ("", ""))
    return len(one) < 2 and (not other or False in other) and (first not in given or second in given)


def queries() -> st.SearchStrategy[str]:
    """Queries of docs/query.md: every field that needs no name from the benchmark, words, and their combinations."""
    return st.recursive(
        _terms(),
        lambda inner: st.one_of(
            st.builds("{} {} {}".format, inner, st.sampled_from(["and", "or", ""]), inner),
            inner.map("not ({})".format),
        ),
        max_leaves=4,
    )


def _terms() -> st.SearchStrategy[str]:
    worded = [f"{name}:{word}" for name, field in FIELDS.items() for word in field.choices]
    numbers = [name for name, field in FIELDS.items() if field.kind is Kind.NUMBER]
    signs = st.sampled_from([":", "=", "!=", "<", "<=", ">", ">="])
    values = st.integers(0, 10**6) | st.floats(0, 10**6).map("{:.6f}".format)
    return st.one_of(
        st.sampled_from(worded),
        st.builds("{}{}{}".format, st.sampled_from(numbers), signs, values),
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12).map(quoted),
    ).filter(_means_something)


def _means_something(text: str) -> bool:
    try:
        read(text, Vocabulary())
    except QueryError:
        return False
    return True
