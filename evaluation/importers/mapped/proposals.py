"""A first mapping for a file, proposed from its values.

Four numbers are a box, a name with arguments is a call, image data or a suffix is an image. The sample, question and
answer follow from the names of keys.

People see the proposal and can change it; nothing is read before they confirm. A key that may hold the gold answer is
never proposed as the model's answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from annotation.importers.column_mapping import BoxForm
from annotation.importers.mapping import plain
from annotation.importers.sample_columns import PREDICTIONS
from evaluation.importers.mapped.mapping import MODEL, PROMPT, ROLES, KeyMapping
from evaluation.importers.mapped.outline import Node, Outline
from evaluation.importers.mapped.paths import EVERY, KEY, KeyPath, Step
from evaluation.importers.mapping import RUN_FIELDS, is_gold

MOSTLY = 0.5
"""Minimum share of similar values under a key."""
_NAMES = {
    "sample": (*RUN_FIELDS.fields["sample"].names, "dataset_item_id", "sid", "task_id", "task", "name"),
    "question": (*RUN_FIELDS.fields["question"].names, "instruction", "user_query", "input_text"),
    "image": RUN_FIELDS.fields["image"].names,
    "answer": (
        "final_answer", *PREDICTIONS, "final_response", "final", "final_output", "output", "reply", "result", "out",
        "value", "answer",
    ),
    "model": (*RUN_FIELDS.fields["model"].names, "engine", "agent", "llm", "vlm", "run", "run_name"),
    "setting": RUN_FIELDS.fields["setting"].names[:2],
    "rollout": RUN_FIELDS.fields["rollout"].names,
    "verdict": ("judge_correct", "is_correct", "correct", "hit", "verdict", "acc", "score"),
    "failed": ("error", "error_message", "exception", "failure", "failed"),
}  # fmt: skip
"""Names of keys of a row that mean a field, the likeliest first."""
_SAID_LAST = frozenset({"answer", "final_answer", "final", "final_response", "final_output", "reply"})
"""Names of keys of a turn that mean an answer."""
_CALL_NAMES = {
    "tool": ("tool", "tool_name", "api_name", "function", "function_name", "fn", "op", "operation", "command", "name",
             "action", "act", "type", "kind"),
    "arguments": ("arguments", "args", "params", "parameters", "api_params", "action_input", "kwargs", "tool_input",
                  "input", "inputs"),
    "observation": ("observation", "obs", "result", "output", "response", "return", "returned", "tool_output",
                    "tool_response", "tool_result", "value", "feedback"),
    "said": ("thought", "thoughts", "reasoning", "reasoning_content", "think", "thinking", "rationale", "reflection",
             "said", "note", "content", "text", "utterance"),
    "image_in": ("image_in", "input_image", "image", "image_path", "img", "img_idx", "image_index", "image_idx",
                 "target_image", "source", "src", "on"),
    "image_out": ("image_out", "output_image", "edited_image", "new_image", "made", "saved_as", "save_path"),
}  # fmt: skip
_SURE = frozenset(_NAMES["sample"]) - {"key", "name", "task", "index", "idx"}
"""Names of samples that nothing else is called."""
_ABOUT = frozenset({"model", "config", "args", "settings", "usage", "run"})
"""Names of objects that say nothing of a sample."""
_ROLE_NAMES = ("role", "from", "speaker", "sender", "author", "who", "source")


_EVENTS = {
    **dict.fromkeys(("tool", "span", "tool_call", "function", "function_call", "action"), MODEL),
    **dict.fromkeys(
        ("generation", "llm", "chat", "chat_model", "chain", "agent", "event", "message", "reasoning"), PROMPT
    ),
}
"""Kinds of events in a trace, by whether they are calls of tools."""
_KIND_NAMES = ("type", "run_type", "kind", "event_type", "observation_type")


def propose(
    outline: Outline, saved_rows: KeyPath | None = None, is_sample: Callable[[str], bool] | None = None
) -> KeyMapping:
    """Return the mapping that the values suggest, without fields for which there is no suggestion.

    ``is_sample``: recognizes ids of samples. The key with the most of them is suggested, whatever its name.
    """
    tree = outline.tree()
    rows = saved_rows if saved_rows is not None else _rows(tree, lines=outline.lines)
    texts: dict[KeyPath, str] = {}
    for _ in range(3):  # what is in a text may be a text to take apart
        found = _texts(_row_node(outline.tree(rows, texts), rows), rows)
        if not found.keys() - texts.keys():
            break
        texts = found | texts
    tree = outline.tree(rows, texts)
    row = _row_node(tree, rows)
    if row is None:
        return KeyMapping({"rows": rows} if rows.steps else {})
    mapping = KeyMapping(texts=texts, paths={"rows": rows} if rows.steps else {})
    return _Proposal(tree, row, rows, mapping, outline.lines, is_sample).made()


def _rows(tree: Node, *, lines: bool) -> KeyPath:
    """Return the path of the rows: the list, or object by id, of the objects that are most similar to rows; else each
    line or the document itself.
    """
    best, most = tree, _likeness(tree) - 0.5
    for node in tree.walk():
        listed = node.path.steps[-1:] == (EVERY,) and node.types["object"] >= MOSTLY * node.count
        inner = node.path.steps.count(EVERY) - (not lines)
        if listed and (score := _likeness(node) - 1.5 * inner) > most:
            best, most = node, score
    return best.path


def _likeness(node: Node) -> float:
    """Return how similar an object is to a row: it names a sample, contains a question, an answer or calls."""
    if _is_call(node) and not _holds_calls(node):
        return -1
    names = {plain(child.name) for child in _near(node)}
    score = 2.0 * bool(names & set(_SURE)) + bool(names & set(_NAMES["question"]))
    score += 1.5 * bool(names & set(_NAMES["answer"])) + bool(names & set(_NAMES["image"]))
    below = any(inner is not node and (inner.marks["box"] or _is_call(inner)) for inner in node.walk())
    return score + below + (0.5 if node.path.steps[-1:] == (EVERY,) and node.count > 1 else 0)


def _near(node: Node) -> Iterator[Node]:
    """The children of an object, and those of objects in it."""
    for child in node.children.values():
        yield child
        if child.types["object"] and EVERY not in child.children and plain(child.name) not in _ABOUT:
            yield from child.children.values()


def _row_node(tree: Node, rows: KeyPath) -> Node | None:
    return _down(tree, rows.steps)


def _down(node: Node | None, steps: Sequence[Step]) -> Node | None:
    for step in steps:
        node = node.children.get(step) if node else None
    return node


def _texts(row: Node | None, rows: KeyPath) -> dict[KeyPath, str]:
    """Texts of a row that ask to be taken apart, and how."""
    found: dict[KeyPath, str] = {}
    for node in row.walk() if row else ():
        for how in ("json", "python", "tags", "react"):
            if node.types["text"] and node.marks[how] >= MOSTLY * node.types["text"]:
                found[node.path.behind(rows)] = how
    return found


def _is_word(node: Node) -> bool:
    return node.types["text"] + node.types["number"] >= MOSTLY * max(1, node.count - node.types["null"])


def _is_call(node: Node) -> bool:
    """A name with arguments, or a name or arguments with a box."""
    if not node.types["object"]:
        return False
    named = any(plain(c.name) in _CALL_NAMES["tool"] and c.marks["word"] for c in node.children.values())
    given = any(
        plain(c.name) in _CALL_NAMES["arguments"] and (c.types["object"] or c.marks["json"] or c.marks["python"])
        for c in node.children.values()
    )
    boxed = any(c.marks["box"] for c in (node, *_near(node)))
    return (named and (given or boxed)) or (given and boxed)


def _is_box(node: Node) -> bool:
    """Return whether most values under a key are boxes; rows without a box may have null."""
    return bool(node.marks["box"]) and node.marks["box"] >= MOSTLY * (node.count - node.types["null"])


def _holds_calls(node: Node) -> bool:
    """Whether an object contains calls in a list. Then it is their dialogue or row, whatever else it contains."""
    depth = len(node.path.steps)
    return any(EVERY in inner.path.steps[depth:] and _is_call(inner) for inner in node.walk() if inner is not node)


@dataclass
class _Proposal:
    """Proposes the fields of one file, whose rows and texts are known."""

    tree: Node
    row: Node
    rows: KeyPath
    mapping: KeyMapping
    lines: bool = False
    is_sample: Callable[[str], bool] | None = None

    def made(self) -> KeyMapping:
        paths = dict(self.mapping.paths)
        calls = self._calls()
        if calls is not None:
            paths |= self._of_calls(calls)
        for name in _NAMES:
            if node := self._named(name, calls):
                paths[name] = node.path if name == "model" and not self._in_row(node) else self._inside(node)
        if "sample" not in paths and self._is_by_id():
            paths["sample"] = KeyPath((KEY,))
        if "sample" not in paths and not self.rows.steps and not self.lines:
            # One file for each record: it is called by its name, or by that of its folder.
            paths["sample"] = KeyPath((KEY,))
        if node := self._of_samples(paths.get("sample")):
            paths = {name: path for name, path in paths.items() if path != self._inside(node)}
            paths["sample"] = self._inside(node)
        if "answer" not in paths and calls is not None and (said := self._last_answer(calls)):
            paths["answer"] = said
        form, space, first = BoxForm.XYXY, "pixel", 0
        if "box" in paths and calls is not None and (box := _down(calls, paths["box"].steps)):
            form, space = _written(box)
        if "image_in" in paths and calls is not None and (image := _down(calls, paths["image_in"].steps)):
            first = int("0" not in image.different and "1" in image.different)
        roles = self._events(calls, paths) if calls is not None else {}
        return replace(self.mapping, paths=paths, box_form=form, coordinates=space, images_from=first, roles=roles)

    def _events(self, calls: Node, paths: dict[str, KeyPath]) -> dict[str, str]:
        """The kinds of events in a trace that also contains other events than calls. The kind distinguishes them."""
        for child in calls.children.values() if "role" not in paths and calls.path.steps[-1] is EVERY else ():
            known = {kind: _EVENTS[kind.casefold()] for kind in sorted(child.different) if kind.casefold() in _EVENTS}
            if plain(child.name) in _KIND_NAMES and {*known.values()} == {MODEL, PROMPT}:
                paths |= {"turns": paths["calls"], "role": self._inside(child)}
                return known
        return {}

    def _of_samples(self, chosen: KeyPath | None) -> Node | None:
        """The key of a row that holds most ids of samples, if it is another than the ``chosen`` one."""
        if self.is_sample is None:
            return None
        nodes = [node for node in self.row.walk() if EVERY not in self._inside(node).steps and _is_word(node)]
        found = {id(node): sum(map(self.is_sample, node.different)) for node in nodes}
        of_chosen = max((found[id(node)] for node in nodes if self._inside(node) == chosen), default=0)
        best = max(nodes, key=lambda node: found[id(node)], default=None)
        return best if best is not None and found[id(best)] > of_chosen else None

    def _in_row(self, node: Node) -> bool:
        return node.path.starts_with(self.rows)

    def _inside(self, node: Node) -> KeyPath:
        return node.path.behind(self.rows)

    def _is_by_id(self) -> bool:
        parent = _down(self.tree, self.rows.steps[:-1])
        return bool(self.rows.steps) and parent is not None and parent.types["object"] > 0

    def _calls(self) -> Node | None:
        """The node of calls: the shallowest that is a name with arguments; else what holds a box in a list."""
        found = [node for node in self.row.walk() if node is not self.row and _is_call(node)]
        if not found:
            found = [
                node for node in self.row.walk()
                if node is not self.row and node.types["object"] and EVERY in node.path.behind(self.rows).steps
                and any(child.marks["box"] for child in _near(node))
            ]  # fmt: skip
        return min(found, key=lambda node: len(node.path.steps), default=None)

    def _of_calls(self, calls: Node) -> dict[str, KeyPath]:
        """The fields of calls: those in a call begin there, those of its turn in the row."""
        path = self._inside(calls)
        paths = {"calls": path}
        turn = self._turn(calls)
        if turn is not None:
            paths["turns"] = self._inside(turn)
            if role := self._role(turn):
                paths["role"] = self._inside(role)
        beside = [c for c in turn.children.values() if not calls.path.starts_with(c.path)] if turn is not None else []
        for name, names in _CALL_NAMES.items():
            also = beside if name in ("said", "observation") else []
            if node := _by_name([*calls.children.values(), *also], names, name):
                inner = node.path.starts_with(calls.path)
                paths[name] = node.path.behind(calls.path) if inner else self._inside(node)
        if "role" in paths and "said" in paths:
            paths["observation"] = paths["said"]
        if box := next((node for node in calls.walk() if _is_box(node)), None):
            paths["box"] = box.path.behind(calls.path)
        for name in ("said", "observation"):
            if name not in paths and (listed := self._beside(calls, _CALL_NAMES[name])):
                paths[name] = self._inside(listed)
        if paths.get("image_in") == paths.get("box") or self._is_number_of_nothing(calls, paths):
            paths.pop("image_in", None)
        given = _down(calls, paths["arguments"].steps) if "arguments" in paths else None
        named = _by_name(given.children.values() if given else (), _CALL_NAMES["image_in"], "image_in")
        if "image_in" not in paths and named:
            paths["image_in"] = named.path.behind(calls.path)
        return paths

    def _beside(self, calls: Node, names: Sequence[str]) -> Node | None:
        """The items of a list that is next to the list of the calls and has a name of these, or their plural."""
        around = _down(self.tree, calls.path.steps[:-2]) if calls.path.steps[-1] is EVERY else None
        for child in around.children.values() if around else ():
            single = plain(child.name).removesuffix("s")
            if child.types["list"] and EVERY in child.children and {single, plain(child.name)} & {*names}:
                return None if calls.path.starts_with(child.path) else child.children[EVERY]
        return None

    def _is_number_of_nothing(self, calls: Node, paths: dict[str, KeyPath]) -> bool:
        node = _down(calls, paths["image_in"].steps) if "image_in" in paths else None
        return node is not None and not (node.marks["image"] or node.types["number"] or node.marks["word"])

    def _turn(self, calls: Node) -> Node | None:
        """The turn that calls are in: the item of a list above them, or they themselves."""
        steps = list(self._inside(calls).steps)
        while steps and steps[-1] is not EVERY:
            steps.pop()
        inner = steps[:-1]
        while inner and inner[-1] is not EVERY:
            inner.pop()
        chosen = inner or (steps if not isinstance(calls.path.steps[-1], type(EVERY)) else [])
        return _down(self.row, chosen) if chosen else None

    def _role(self, turn: Node) -> Node | None:
        for child in turn.children.values():
            if plain(child.name) in _ROLE_NAMES and any(word.casefold() in ROLES for word in child.different):
                return child
        return None

    def _last_answer(self, calls: Node) -> KeyPath | None:
        """An answer in the last turn."""
        turn = self._turn(calls)
        for node in turn.children.values() if turn is not None else ():
            if plain(node.name) in _SAID_LAST and _is_word(node):
                return KeyPath((*self._inside(node).steps,))
        return None

    def _named(self, name: str, calls: Node | None) -> Node | None:
        """The shallowest key of a row, outside its calls, that by its name is a field."""
        outside = [
            node
            for node in self.row.walk()
            if EVERY not in self._inside(node).steps
            and not (calls and node.path.starts_with(calls.path))
            and (name in ("model", "setting") or not _ABOUT.intersection(map(str, self._inside(node).steps[:-1])))
        ]
        if name == "answer":
            outside = [node for node in outside if not is_gold(".".join(map(str, self._inside(node).steps)))]
        outside.sort(key=lambda node: len(node.path.steps))
        found = _by_name([node for node in outside if _is_word(node)], _NAMES[name], name)
        if found is None and name == "model":
            found = _by_name([n for n in self._around() if _is_word(n)], _NAMES[name], name)
        return found

    def _around(self) -> list[Node]:
        return [node for node in self.tree.walk() if EVERY not in node.path.steps and not self._in_row(node)]


def _by_name(nodes: Iterable[Node], names: Sequence[str], field: str) -> Node | None:
    """Return the node with the likeliest name among those that may be the field."""
    found: dict[str, Node] = {}
    for node in nodes:
        found.setdefault(plain(node.name), node)
    usable = {name: node for name, node in found.items() if _may_be(field, node)}
    return next((usable[name] for name in names if name in usable), None)


def _may_be(field: str, node: Node) -> bool:
    """Whether the values under a key can be this field at all."""
    if field == "tool":
        return bool(node.marks["word"]) and not node.children
    if field == "arguments":
        return node.types["object"] > 0
    if field == "image_in":
        return bool(node.marks["image"] or node.types["number"] or node.marks["word"]) and not node.children
    if field == "said":
        return node.types["text"] > 0 and not node.marks["box"]
    if field in ("sample", "model", "setting"):
        return not node.types["boolean"] and not node.types["object"]
    return True


def _written(box: Node) -> tuple[BoxForm, str]:
    """Return the notation of boxes that their numbers suggest: sizes if a second corner would be before the first,
    fractions if all are up to 1.
    """
    numbers = [four for four in box.numbers if any(four)]
    if not numbers:
        return BoxForm.XYXY, "pixel"
    reversed_ = sum(c <= a or d <= b for a, b, c, d in numbers)
    form = BoxForm.XYWH if reversed_ > 0.1 * len(numbers) else BoxForm.XYXY
    largest = max(max(map(abs, four)) for four in numbers)
    return form, "norm1" if largest <= 1 else "pixel"
