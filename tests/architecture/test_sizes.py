"""Functions stay as small as a person reads at once; the size of a file is a question for its reviewer."""

import ast
import re

from tests.architecture.source import files, nodes, text

FUNCTION_LINES = 60


def test_functions_are_short():
    long = {
        f"{path}:{node.lineno} {node.name}": size
        for path in files(".py")
        if "migrations" not in path.parts
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (size := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES
    }
    assert long == {}


def test_nothing_is_left_unfinished():
    marks = re.compile("|".join((r"\bTO" + r"DO\b", r"\bFIX" + r"ME\b", r"raise Not" + "ImplementedError")))
    assert [str(path) for path in files(".py", ".js") if marks.search(text(path))] == []


def test_no_exception_is_caught_whole_and_dropped():
    dropped = [
        f"{path}:{node.lineno}"
        for path in files(".py")
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"})
        and all(isinstance(step, ast.Pass | ast.Continue | ast.Return) for step in node.body)
    ]
    assert not dropped


def test_no_pattern_holds_a_possessive_group():
    """Before 3.11.5, Python goes on behind a try of such a group that failed halfway: a JSON document whose first
    mebibyte ended within a text was read as cut off there. A possessive class, as in ``[^"]*+``, is right."""
    group = re.compile(r"\)[*+?]\+|\(\?>")
    patterns = [
        f"{path}:{node.lineno}"
        for path in files(".py")
        if "tests" not in path.parts
        for node in nodes(path)
        if isinstance(node, ast.Constant)
        and group.search(node.value.decode("latin-1") if isinstance(node.value, bytes) else str(node.value))
    ]
    assert patterns == []
