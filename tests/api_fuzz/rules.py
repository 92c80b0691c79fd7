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


ANY = ""
"""Of a request: any of its fields."""
UNSAID: dict[str, dict[str, str]] = {
    "adjudicate": {
        "reasons": "The task of the benchmark has their codes. Without one, some comment has words.",
        "letters": "The annotations of the sample have letters.",
        "comments": "The annotations of the sample have letters.",
        "content": "The task says what gold has to be, and the image where its boxes are.",
    },
    "board_audit": {
        "endpoint": "It must be of a model that chats.",
        "items": "The board has the items, at the stage that is asked about.",
    },
    "board_sample_pair": {"origin": "The sample may have a facet origin, and needs one without it."},
    "board_images": {
        "endpoint": "It must generate images.",
        "items": "The board has the items, at the stage that is asked about.",
    },
    "ask_evidence": {
        "conditions": "The purpose has its conditions.",
        "endpoint": "It must not be a detector.",
        "prompt": "It has to exist, with the role user.",
        "samples": "The samples say which terms select some.",
    },
    "benchmark_delete": {"title": "The benchmark has its title."},
    "click": {"x": "The image has a size.", "y": "The image has a size."},
    "detect": {"endpoint": "It has to be a detector.", "samples": "The samples say which terms select some."},
    "draft": {
        "fields_drafted": "The task and the kind of endpoint have the fields that can be drafted.",
        "label_config": "It is XML with one image.",
        "names": "The gold of the benchmark may name tools.",
        "samples": "The samples say which terms select some.",
    },
    "endpoint_add": {"base_url": "Numbers and networks are compared, and the site allows addresses."},
    "endpoint_change": {"base_url": "Numbers and networks are compared, and the site allows addresses."},
    "experiment_create": {
        "dialect": "The protocol has its dialects.",
        "endpoint": "It must not be a detector.",
        "prompt": "It has to exist, with a role that the protocol needs.",
        "protocol": "Code needs a sandbox, which the machine may lack.",
        "samples": "The samples say which terms select some.",
        "user_prompt": "It has to exist, with a role that the protocol needs.",
    },
    "files_compare": {"first": "A file has at least one byte.", "second": "A file has at least one byte."},
    "facet_set": {
        "facet": "The task has the facets.",
        "ids": "The benchmark has the samples.",
        "value": "A closed facet lists its values.",
    },
    "guidelines_publish": {"body": "Markdown has rules, and the text has to differ from the last one."},
    "import_choose": {ANY: "Which formats, columns and keys a file can be read with, its bytes say."},
    "import_upload": {ANY: "What a file is, its bytes say."},
    "package_create": {
        "people": "They are members who can annotate.",
        "query": "The samples say which terms select some.",
    },
    "placeholder_invite": {"email": "An address has rules, and it must have no account."},
    "portable_compare": {"file": "A file has at least one byte.", "version": "The benchmark has the version."},
    "portable_update": {"conflicts": "The file and the benchmark have the conflicts."},
    "portable_update_upload": {"file": "A file has at least one byte."},
    "portable_upload": {"file": "A file has at least one byte."},
    "priorities_set": {"ids": "The benchmark has the samples."},
    "planted_withdraw": {ANY: "The drafts of the benchmark have their planted errors."},
    "prompt_change": {"text": "The role of the prompt has fields that it needs, and others that it can have."},
    "prompt_create": {"text": "The role of the prompt has fields that it needs, and others that it can have."},
    "reward_group": {"rollouts": "Their names differ, and without gold boxes each has a verdict."},
    "run_arms": {
        "arms": "A list in words, whose doses depend on the arm and the estimand.",
        "confirm": "It names some of the arms.",
        "endpoint": "It must not be a detector.",
        "injector": "It has to exist, and to have written mistakes in this run.",
        "samples": "The samples say which terms select some.",
    },
    "run_judge": {
        "endpoint": "It must not be a detector.",
        "prompt": "It has to exist, with the role of the question.",
        "samples": "The samples say which terms select some.",
    },
    "study_create": {
        "conditions": "Some of them need samples with gold boxes.",
        "facets": "The samples have facets.",
        "n": "At most the number of samples with gold and an image.",
    },
    "task_draft_save": {ANY: "docs/task.md has the rules of a schema, many of them between its parts."},
    "variants_make": {
        "choice": "Each kind has its sides or axes.",
        "doses": "Each kind has a range, and some none.",
    },
    "webhook_add": {"url": "Numbers and networks are compared, and the site allows addresses."},
    "tool_call": {ANY: "An image is known by its bytes, and each tool has arguments of its own."},
}
"""What no schema says of an operation: the fields that a valid request can be refused for, and why."""


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
