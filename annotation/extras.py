"""What is said where an optional library is not installed."""

from __future__ import annotations


def missing(what: str, library: str, extra: str, otherwise: str = "") -> str:
    """The sentence: what needs which library, how to get it, what else can be done.

    >>> missing("Parquet", "pyarrow", "parquet", "export as CSV")
    "Parquet needs pyarrow: run .venv/bin/python -m pip install '.[parquet]' in Sightline's folder, or export as CSV."
    """
    other = f", or {otherwise}" if otherwise else ""
    return f"{what} needs {library}: run .venv/bin/python -m pip install '.[{extra}]' in Sightline's folder{other}."
