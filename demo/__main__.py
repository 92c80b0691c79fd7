"""``python -m demo [FOLDER]``: writes the data of the demo anew, which takes some minutes."""

from __future__ import annotations

import argparse
from pathlib import Path

from demo.data import FOLDER, write_data

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m demo", description="Write the data of the demo.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help=f"where to write; {FOLDER} by default")
    write_data(parser.parse_args().folder, say=print)
