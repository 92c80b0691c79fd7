"""Question and options out of a prompt: ``Question: ...``, ``Options:``, then ``A. ...`` line by line."""

from __future__ import annotations

import re
from collections.abc import Mapping

_OPTION = re.compile(r"([A-Z])[.)][ \t]*(.*)")


def question_and_options_in(text: str) -> tuple[str, Mapping[str, str]]:
    """The question without its heading, and the options by letter; none where the prompt has no ``Options:``."""
    question, found, rest = text.partition("\nOptions:")
    options: dict[str, str] = {}
    last = ""
    for line in rest.split("\n") if found else ():
        match = _OPTION.match(line)
        if match and match[1] == chr(ord("A") + len(options)):
            last = match[1]
            options[last] = match[2].strip()
        elif not line.strip() and options:
            break
        elif last:
            options[last] += "\n" + line
    return question.removeprefix("Question:").strip(), options


def question_before_options(text: str) -> tuple[str, Mapping[str, str]]:
    """Split a prompt in which nothing announces the options: the question ends before the first line that begins with
    ``A.``."""
    lines = text.strip().split("\n")
    first = next((n for n, line in enumerate(lines) if (m := _OPTION.match(line.strip())) and m[1] == "A"), None)
    if first is None:
        return text.strip(), {}
    options: dict[str, str] = {}
    for line in lines[first:]:
        match = _OPTION.match(line.strip())
        if not match or match[1] != chr(ord("A") + len(options)):
            break
        options[match[1]] = match[2].strip()
    return "\n".join(lines[:first]).strip(), options
