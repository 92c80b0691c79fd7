"""The runner of the lanes: what cannot run is named, and is a failure where nothing may be skipped."""

import ast
import sys

import pytest

from tests import lanes, postgres
from tests.architecture.source import files, tree


def cannot_run(_):
    raise lanes.Skip("no such program")


def printing(*lines, code=0):
    script = "; ".join([f"print({line!r})" for line in lines] + [f"raise SystemExit({code})"])
    return lanes.Lane("one", "a lane", lambda _: ([sys.executable, "-c", script], {}))


@pytest.mark.parametrize(("must_run", "status"), [(False, "skipped"), (True, "failed")])
def test_a_lane_that_cannot_run_says_why(must_run, status):
    result = lanes.run(lanes.Lane("one", "a lane", cannot_run), must_run=must_run)
    assert (result.status, result.closing) == (status, "no such program")


@pytest.mark.parametrize(
    ("printed", "code", "status", "closing"),
    [
        (["....", "4 passed in 0.10s"], 0, "passed", "4 passed in 0.10s"),
        (["F", "== 1 failed, 3 passed, 1 warning in 61.20s (0:01:01) =="], 1, "failed", "1 failed, 3 passed"),
        (["# tests 3", "# suites 0", "# pass 3", "# fail 0"], 0, "passed", "tests 3, pass 3, fail 0"),
        (["ℹ tests 3", "ℹ pass 2", "ℹ fail 1"], 1, "failed", "tests 3, pass 2, fail 1"),
        (["nothing of the kind"], 3, "failed", ""),
    ],
)
def test_the_result_is_the_exit_code_and_the_closing_line(printed, code, status, closing):
    result = lanes.run(printing(*printed, code=code), must_run=False)
    assert result.status == status
    assert result.closing.startswith(closing)
    assert closing in lanes.summary([result])


def test_an_unknown_lane_is_refused_with_the_known_ones(capsys):
    assert lanes.main(["sqlight"]) == 2
    assert (
        "'sqlight'. Lanes are sqlite, architecture, js, postgres, browser, properties, endurance"
        in capsys.readouterr().err
    )


def test_long_lanes_run_when_asked_for_and_the_others_without_being_named(monkeypatch):
    ran = []
    monkeypatch.setattr(lanes, "run", lambda lane, **_: ran.append(lane) or lanes.Result(lane, "passed", 0, ""))
    assert lanes.main([]) == lanes.main(["--long"]) == 0
    assert sorted(lane.name for lane in ran) == sorted(lane.name for lane in lanes.LANES)
    assert not any(lane.long for lane in ran[: sum(not lane.long for lane in lanes.LANES)])


def test_a_given_server_is_used_as_it_is():
    with postgres.server({"DATABASE_URL": "postgres://me@elsewhere/tests"}) as address:
        assert address == "postgres://me@elsewhere/tests"


def test_without_any_server_the_reason_is_given(monkeypatch):
    monkeypatch.setattr(postgres, "find_programs", lambda: None)
    with pytest.raises(postgres.NoServer, match="no initdb and pg_ctl"), postgres.server({}):
        pytest.fail("there is no server")


ON_BOTH = {"Thread", "Barrier", "ThreadPoolExecutor", "IntegrityError", "OperationalError", "select_for_update"}
"""Names of what databases do each in their own way: locks, races and constraints."""


def says(marker: str, node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == marker for part in ast.walk(node))


def on_one_database(module: ast.Module) -> list[ast.AST]:
    """What is marked: functions of a module, or all of it but what is marked as of both."""
    marks: dict[ast.AST, list[ast.expr]] = {
        line: line.decorator_list if isinstance(line, ast.FunctionDef) else [] for line in module.body
    }
    if any(isinstance(line, ast.Assign) and says("one_database", line.value) for line in module.body):
        return [line for line in module.body if not any(says("both_databases", mark) for mark in marks[line])]
    return [line for line in module.body if any(says("one_database", mark) for mark in marks[line])]


def needs_both(node: ast.AST) -> bool:
    if isinstance(node, ast.keyword):
        return node.arg == "transaction"
    return (node.id if isinstance(node, ast.Name) else getattr(node, "attr", None)) in ON_BOTH


def test_locks_races_constraints_and_jobs_are_tested_on_both_databases():
    marked = {path: on_one_database(tree(path)) for path in files(".py") if path.match("tests/**/test_*.py")}
    assert sum(map(bool, marked.values())) > 5
    wrong = [str(path) for path, parts in marked.items() if parts and path.parts[1] == "jobs"]
    wrong += [
        f"{path}:{node.lineno}"
        for path, parts in marked.items()
        for part in parts
        for node in ast.walk(part)
        if needs_both(node)
    ]
    assert not wrong, f"marked one_database: {wrong}"


def test_a_lane_that_waits_runs_beside_the_others_and_is_shown_in_its_place(monkeypatch, capsys, tmp_path):
    begun = tmp_path / "begun"
    script = f"import pathlib, time; there = pathlib.Path({str(begun)!r})\n"
    busy = script + "while not there.exists(): time.sleep(0.01)\nprint('1 passed in 0.10s')"
    waiting = script + "there.touch(); print('2 passed in 0.10s')"
    monkeypatch.setattr(
        lanes,
        "LANES",
        (
            lanes.Lane("busy", "works", lambda _: ([sys.executable, "-c", busy], {})),
            lanes.Lane("waiting", "waits", lambda _: ([sys.executable, "-c", waiting], {}), beside=True),
        ),
    )
    assert lanes.main([]) == 0
    said = capsys.readouterr().out
    places = [said.index(words) for words in ("── busy", "1 passed", "── waiting", "2 passed", "── lanes")]
    assert places == sorted(places)
