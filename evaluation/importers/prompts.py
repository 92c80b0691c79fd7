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
