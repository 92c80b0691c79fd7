"""The message for an optional library that is not installed."""

from __future__ import annotations


def missing(what: str, library: str, extra: str, otherwise: str = "") -> str:
    """Return the message: which feature needs which library, how to install it, and an alternative.

    >>> missing("Parquet", "pyarrow", "parquet", "export as CSV")
    "Parquet needs pyarrow: run .venv/bin/python -m pip install '.[parquet]' in Sightline's folder, or export as CSV."
    """
    other = f", or {otherwise}" if otherwise else ""
    checkout = __name__.startswith("annotation")
    command, where = (".venv/bin/python -m pip install '.", " in Sightline's folder") if checkout else _INSTALLED
    return f"{what} needs {library}: run {command}[{extra}]'{where}{other}."


_INSTALLED = ("pip install 'sightline", "")
