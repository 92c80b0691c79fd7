r"""The grammar of queries, parsed by precedence::

    query  = either
    either = all ("or" all)*
    all    = scope ("and" scope)*
    scope  = one+                     adjacent terms belong together, to one run
    one    = "not" one | "(" query ")" | term | flag | "text"
    term   = field (":" | "=" | "!=" | "<" | "<=" | ">" | ">=") value

A flag is a word such as ``correct``, ``wrong``, ``grounded``: short for ``correct:yes``. The value of a comparison may
be a range (``calls:2..5``), "3+", ``none`` (undefined) or ``any`` (defined). See ``syntax.both`` for two runs.
"""

from __future__ import annotations

from annotation.marking import Sentence, gettext_noop
from evaluation.query.fields import FIELDS, FLAGS, nearest
from evaluation.query.syntax import And, Node, Not, Or, QueryError, Term, Text, conjunction
from evaluation.query.tokens import Token, tokens

DEEPEST = 50
"""Brackets within brackets."""


def parse(text: str) -> Node:
    """Parse a query into a tree; a blank one matches everything. Raises ``QueryError`` with the column of the error."""
    reader = _Reader(text)
    if not reader.left:
        return And()
    found = reader.either(0)
    if reader.left:
        raise reader.error(
            Sentence(gettext_noop("Unmatched “)”. Remove it, or add “(” before it.")), reader.left[0].column
        )
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.left = list(tokens(text))

    def error(self, message: str, column: int, proposals: tuple[str, ...] = ()) -> QueryError:
        return QueryError(message, column, self.text, proposals)

    def _take(self, kind: str) -> Token | None:
        return self.left.pop(0) if self.left and self.left[0].kind == kind else None

    def either(self, depth: int) -> Node:
        parts = [self._all(depth)]
        while self._take("or"):
            parts.append(self._all(depth))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _all(self, depth: int) -> Node:
        parts = self._scopes(depth)
        while self._take("and"):
            parts += self._scopes(depth)
        return conjunction(tuple(parts))

    def _scopes(self, depth: int) -> list[Node]:
        """Adjacent terms. A second ``run:`` among them begins the terms of that run."""
        scopes: list[list[Node]] = [[]]
        while self.left and self.left[0].kind not in (")", "and", "or"):
            part = self._one(depth)
            if _names_run(part) and any(_names_run(other) for other in scopes[-1]):
                scopes.append([])
            scopes[-1].append(part)
        if not scopes[0]:
            raise self._nothing()
        return [parts[0] if len(parts) == 1 else And(tuple(parts)) for parts in scopes]

    def _nothing(self) -> QueryError:
        if not self.left:
            return self.error(Sentence(gettext_noop("The query is incomplete.")), len(self.text))
        found = self.left[0]
        return self.error(
            Sentence(gettext_noop("Expected a term before %(text)s."), text=repr(found.text)), found.column
        )

    def _one(self, depth: int) -> Node:
        token = self.left.pop(0)
        if token.kind == "not":
            if not self.left or self.left[0].kind in (")", "and", "or"):
                raise self._nothing()
            return Not(self._one(depth))
        if token.kind == "(":
            return self._bracket(token, depth)
        if token.kind == "text":
            return Text(token.text, token.column)
        return self._term(token) if token.kind == "term" else self._flag(token)

    def _bracket(self, opened: Token, depth: int) -> Node:
        if depth >= DEEPEST:
            raise self.error(
                Sentence(gettext_noop("More than %(limit)s nested brackets."), limit=DEEPEST), opened.column
            )
        inner = self.either(depth + 1)
        if not self._take(")"):
            raise self.error(Sentence(gettext_noop("This bracket is not closed.")), opened.column)
        return inner

    def _term(self, token: Token) -> Node:
        name = FIELDS[token.name].name if token.name in FIELDS else token.name
        if token.sign == "!=":
            return Not(Term(name, ":", token.text, token.column))
        return Term(name, ":" if token.sign == "=" else token.sign, token.text, token.column)

    def _flag(self, token: Token) -> Node:
        name = token.text.casefold()
        if name not in FLAGS:
            near = tuple(f"{field}:" if field not in FLAGS else field for field in nearest(name, [*FLAGS, *FIELDS]))
            message = Sentence(
                gettext_noop('Unknown field "%(field)s". To search for text, use quotes.'), field=token.text
            )
            raise self.error(message, token.column, near)
        return Term(FIELDS[name].name, ":", FLAGS[name], token.column)


def _names_run(part: Node) -> bool:
    return isinstance(part, Term) and part.field == "run"
