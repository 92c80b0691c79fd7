"""The runner of the lanes: what cannot run is named, and is a failure where nothing may be skipped."""

import sys

import pytest

from tests import lanes, postgres


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
    assert "'sqlight'. Lanes are sqlite, architecture, js, postgres, browser" in capsys.readouterr().err


def test_a_given_server_is_used_as_it_is():
    with postgres.server({"DATABASE_URL": "postgres://me@elsewhere/tests"}) as address:
        assert address == "postgres://me@elsewhere/tests"


def test_without_any_server_the_reason_is_given(monkeypatch):
    monkeypatch.setattr(postgres, "find_programs", lambda: None)
    with pytest.raises(postgres.NoServer, match="no initdb and pg_ctl"), postgres.server({}):
        pytest.fail("there is no server")
