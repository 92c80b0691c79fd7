"""Parsing texts: JSON, Python literals and calls, tags, and the turns of a ReAct log. Nothing is ever executed.

Tags and ReAct give a list of rounds, which are objects with the parts. A round ends before a part that it already has.
A text of another kind is returned unchanged.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from annotation.importers.decoding import MAX_DEPTH
from annotation.importers.storable import storable

MAX_TEXT = 2 << 20
"""Characters of a text that is taken apart; a longer one is left."""
MAX_LITERAL = 20_000
MAX_ROUNDS = 1000
_DECODER = json.JSONDecoder(strict=False)
_FENCE = re.compile(r"\A\s*```[a-zA-Z0-9_+-]{0,20}\s*\n(.*?)(?:```\s*\Z|\Z)", re.DOTALL)
_TAG = re.compile(r"<([A-Za-z][\w.-]{0,60})((?:\s+[\w-]{1,40}\s*=\s*(?:\"[^\"<]{0,2000}\"|'[^'<]{0,2000}'))*)\s*(/?)>")
_ATTRIBUTE = re.compile(r"([\w-]{1,40})\s*=\s*(?:\"([^\"<]*)\"|'([^'<]*)')")
_FORMATTING = frozenset({"a", "b", "br", "code", "div", "em", "i", "li", "ol", "p", "pre", "span", "strong", "u", "ul"})
"""Tags that only format words."""
_ANSWERS = frozenset({"answer", "final_answer", "conclusion"})
_THOUGHTS = frozenset({"think", "thinking", "thought", "reasoning", "reflection"})
"""A text whose only tags are an answer and thinking is an answer and stays unchanged."""
_LABEL = re.compile(
    r"^[ \t*#]{0,8}(thought|action input|action|observation|final answer|answer)[ \t*]{0,8}(?:\d{1,4}[ \t*]{0,8})?:",
    re.IGNORECASE | re.MULTILINE,
)
_CALLED = re.compile(r"\s*([A-Za-z_][\w.-]{0,80})\s*([(\[].*[)\]])\s*", re.DOTALL)


def as_json(text: str) -> Any:
    """The first JSON value of a text, in a code fence or not; None without one."""
    text = _unfenced(text)
    if text.count("[") + text.count("{") > MAX_DEPTH * 200 or _too_deep(text):
        return None
    try:
        value, _ = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return storable(value)


def as_python(text: str) -> Any:
    """A Python literal; or calls with literal arguments, each as ``{"name": .., "arguments": {..}}``, one call alone
    as that object. Arguments without a name are listed as ``args``. None when it is neither.

    >>> as_python("crop(bbox=[1, 2, 3, 4])")
    {'name': 'crop', 'arguments': {'bbox': [1, 2, 3, 4]}}
    """
    text = _unfenced(text)
    if len(text) > MAX_LITERAL or text.count("[") + text.count("{") + text.count("(") > MAX_DEPTH * 20:
        return None
    try:
        body = ast.parse(text).body
        if len(body) == 1 and isinstance(body[0], ast.Expr) and not isinstance(body[0].value, ast.Call):
            return storable(ast.literal_eval(body[0].value))
        calls = [_call(line) for line in body[:MAX_ROUNDS]]
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    found = [call for call in calls if call is not None]
    if not found:
        return None
    return storable(found[0] if len(found) == 1 else found)


def as_tags(text: str) -> Any:
    """Rounds of the contents of tags, by tag; other text is ``text``. JSON or a literal in a tag is parsed; a tag with
    attributes is an object of these and ``text``.

    >>> as_tags("<think>small</think><crop>[1, 2, 3, 4]</crop>")
    [{'think': 'small', 'crop': [1, 2, 3, 4]}]
    """
    rounds: list[dict[str, Any]] = [{}]
    unclosed: set[str] = set()
    at = 0

    def put(name: str, value: Any) -> None:
        if name in rounds[-1] and len(rounds) < MAX_ROUNDS:
            rounds.append({})
        rounds[-1][name] = value

    while match := _TAG.search(text, at):
        _between(rounds, text[at : match.start()])
        name, begin = match[1], match.end()
        if match[3]:
            put(name, _with_attributes(match[2], ""))
            at = begin
            continue
        close = -1 if name in unclosed else text.find(f"</{name}>", begin)
        if close < 0:
            unclosed.add(name)
            following = _TAG.search(text, begin)
            stop = at = following.start() if following else len(text)
        else:
            stop, at = close, close + len(name) + 3
        put(name, _with_attributes(match[2], text[begin:stop].strip()))
    _between(rounds, text[at:])
    return rounds if rounds != [{}] else None


def as_react(text: str) -> Any:
    """Rounds of a ReAct log: ``thought``, ``action`` (the tool), ``action_input``, ``observation``, ``final_answer``.

    ``Action: crop[1, 2, 3, 4]`` and ``Action: crop(bbox=[..])`` give the input too.

    >>> as_react("Thought: small\\nAction: crop[1, 2, 3, 4]")
    [{'thought': 'small', 'action': 'crop', 'action_input': [1, 2, 3, 4]}]
    """
    marks = list(_LABEL.finditer(text))
    rounds: list[dict[str, Any]] = [{}]
    if before := text[: marks[0].start() if marks else len(text)].strip():
        rounds[-1]["text"] = before
    for place, match in enumerate(marks):
        name = match[1].lower().replace(" ", "_")
        name = "final_answer" if name == "answer" else name
        stop = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        said = text[match.end() : stop].strip().removesuffix("**").removeprefix("**").strip()
        begun = rounds[-1]
        ends = name in begun or (name == "thought" and ("action" in begun or "observation" in begun))
        if ends and len(rounds) < MAX_ROUNDS:
            rounds.append({})
        rounds[-1] |= _acted(said) if name == "action" else {name: _value(said) if name == "action_input" else said}
    return rounds


READERS: Mapping[str, Callable[[str], Any]] = {
    "json": as_json,
    "python": as_python,
    "tags": as_tags,
    "react": as_react,
}
"""The methods of parsing a text, by their names in mappings."""


def taken_apart(text: str, how: str) -> Any:
    """Return ``text`` parsed by the method ``how``; None if it is invalid or too long."""
    return READERS[how](text) if len(text) <= MAX_TEXT else None


def kind_of(text: str) -> str:
    """Return the kind of structure in a text, judged cautiously by its content; "" for plain words."""
    begin = text[:4000].lstrip()
    if len(text) > MAX_TEXT or not begin:
        return ""
    if begin[:1] in "{[" or begin.startswith("```"):
        if isinstance(as_json(text), dict | list):
            return "json"
        return "python" if isinstance(as_python(text), dict | list) else ""
    labels = {match[1].lower() for match in _LABEL.finditer(text)}
    if "action" in labels and labels & {"thought", "action input", "observation"}:
        return "react"
    names = {match[1] for match in _TAG.finditer(begin)} - _FORMATTING
    closed = {name.casefold() for name in names if f"</{name}>" in text}
    if closed and not (closed & _ANSWERS and closed <= _ANSWERS | _THOUGHTS):
        return "tags"
    if _CALLED.fullmatch(begin) and isinstance(as_python(text), dict):
        return "python"
    return ""


def _unfenced(text: str) -> str:
    match = _FENCE.match(text)
    return (match[1] if match else text).strip()


def _too_deep(text: str) -> bool:
    depth = 0
    for match in re.finditer(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?|[\[\]{}]', text, re.DOTALL):
        depth += 1 if match[0] in "[{" else -1 if match[0] in "]}" else 0
        if depth > MAX_DEPTH:
            return True
    return False


def _value(text: str) -> Any:
    """A text as the JSON or literal it is, else itself."""
    if text[:1] not in ("{", "[", "(", "`"):
        return text
    value = as_json(text)
    if not isinstance(value, dict | list):
        value = as_python(text)
    return value if isinstance(value, dict | list) else text


def _acted(said: str) -> dict[str, Any]:
    """An action as its tool and its input, if it contains both."""
    value = _value(said)
    if isinstance(value, dict):
        inner = value.get("arguments", value.get("args", value.get("action_input")))
        name = value.get("name", value.get("action"))
        return {"action": name, "action_input": inner} if isinstance(name, str) else {"action": value}
    match = _CALLED.fullmatch(said) if isinstance(value, str) else None
    if match is None:
        return {"action": value}
    if match[2].startswith("("):
        call = as_python(said)
        if isinstance(call, dict) and "arguments" in call:
            given = call["arguments"]
            alone = given["args"] if set(given) == {"args"} else given
            return {"action": call["name"], "action_input": alone[0] if _is_single(alone) else alone}
    inner = _value(match[2])
    inner = inner[1:-1].strip() if isinstance(inner, str) else inner
    return {"action": match[1], "action_input": inner[0] if _is_single(inner) else inner}


def _is_single(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1


def _call(line: ast.stmt) -> dict[str, Any] | None:
    """A statement that is a call, or the assignment of one, as its name and arguments; None for any other."""
    value = line.value if isinstance(line, ast.Expr | ast.Assign | ast.AnnAssign) else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name | ast.Attribute):
        return None
    name = value.func.id if isinstance(value.func, ast.Name) else value.func.attr
    arguments = {word.arg: _literal(word.value) for word in value.keywords if word.arg}
    if value.args:
        arguments["args"] = [_literal(item) for item in value.args]
    return {"name": name, "arguments": arguments}


def _literal(node: ast.expr) -> Any:
    """The value of a literal; of anything else its source."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return ast.unparse(node)


def _with_attributes(attributes: str, content: str) -> Any:
    value = _value(content)
    given = {name: double or single for name, double, single in _ATTRIBUTE.findall(attributes)}
    if not given:
        return value
    return {**given, **({"text": value} if content else {})}


def _between(rounds: list[dict[str, Any]], text: str) -> None:
    if text := text.strip():
        before = rounds[-1].get("text")
        rounds[-1]["text"] = f"{before}\n{text}" if isinstance(before, str) else text
