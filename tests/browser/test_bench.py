"""The bench of the studio drives a browser of its own; here it runs at a tiny size."""

import subprocess
import sys

import pytest

from bench.workers import ROOT
from tests import lanes

pytestmark = pytest.mark.browser


@pytest.mark.skipif(lanes.find_chromium() is None, reason="no Chromium on PATH")
def test_the_studio_is_measured_and_loses_nothing() -> None:
    command = [sys.executable, "-m", "bench", "studio", "--small"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    rows = {cells[1].strip(): cells[2].strip() for line in said.splitlines() if len(cells := line.split("|")) > 6}
    assert rows["studio: boxes lost with line and tab after 0.3 s"] == "0 boxes"
    assert rows["studio: second visit, bytes of pictures"] == "0 bytes"
    assert "studio: the rest" not in rows
