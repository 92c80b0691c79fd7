"""The task of a benchmark as data: the facets, question, answer, evidence, toolchain and tool plan of a sample, the
reasons of reviewers and the help of each field. Pure.

A schema is read from the JSON that leads edit (``TaskSchema.parse``) and written back (``as_json``); what is omitted
has its default. ``NO_SCHEMA`` describes a benchmark without a schema of its own. Shares are of the image's area, 0 to
1; sides are in pixels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, TypeVar

from annotation.marking import Sentence, gettext_noop

LONGEST_NAME, LONGEST_VALUE, LONGEST_TEXT = 60, 200, 2000
MOST_FACETS, MOST_VALUES, MOST_REASONS = 60, 200, 100
MOST_OPTIONS, MOST_BOXES, MOST_STEPS, MOST_TARGETS, MOST_DISTRACTORS, MOST_ANY = 26, 500, 100, 100, 200, 10_000
CODE = re.compile(r"[a-z][a-z0-9_]*")
T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


class Kind(StrEnum):
    """The number of values of a facet: one, or any number."""

    SINGLE = "single"
    MULTIPLE = "multiple"


class Required(StrEnum):
    """The step that a facet without a value blocks. Accepting has all blocks of submitting."""

    NO = "no"
    SUBMIT = "submit"
    ACCEPT = "accept"


class FacetAuthor(StrEnum):
    """The person who gives a facet its values."""

    ANNOTATOR = "annotator"
    REVIEWER = "reviewer"
    IMPORT = "import"


class QuestionAuthor(StrEnum):
    """The source of questions: people who annotate, or imported files, whose questions they cannot change."""

    ANNOTATOR = "annotator"
    IMPORT = "import"


class Forbidden(StrEnum):
    """Words a question must not contain."""

    NOTHING = "nothing"
    BANK_NAMES = "bank_names"
    """Names and aliases of the benchmark's tool bank."""


class AnswerKind(StrEnum):
    """The form of answers. Samples that only have a tool plan have none."""

    MULTIPLE_CHOICE = "mc"
    OPEN = "open"
    NONE = "none"


class Shape(StrEnum):
    """The shapes of evidence."""

    BOX = "box"
    POLYGON = "polygon"
    POINT = "point"


class Use(StrEnum):
    """Whether a part of a sample is required, optional, or absent from the form."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    OFF = "off"


class About(StrEnum):
    """The part of a sample a reason refers to."""

    SAMPLE = "sample"
    IMAGE = "image"
    QUESTION = "question"
    ANSWER = "answer"
    EVIDENCE = "evidence"
    FACETS = "facets"
    TOOLCHAIN = "toolchain"
    PLAN = "plan"


class ReasonFor(StrEnum):
    """The decisions that offer a reason."""

    FIX_AND_ACCEPT = "fix_and_accept"
    RETURN = "return"
    DISCARD = "discard"


@dataclass(frozen=True, slots=True)
class Range:
    """Whole numbers from ``least`` to ``most``, both included."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class FacetOption:
    """One listed value of a facet, and its help."""

    value: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Facet:
    """``closed``: unlisted values are rejected; else ``values`` are suggestions."""

    name: str
    kind: Kind = Kind.MULTIPLE
    required: Required = Required.NO
    who: FacetAuthor = FacetAuthor.ANNOTATOR
    closed: bool = False
    values: tuple[FacetOption, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """``who``: with ``import``, annotators cannot change the question, its answer type and its options.
    ``most_words`` and ``per_image`` (questions of one image): None = no limit."""

    who: QuestionAuthor = QuestionAuthor.ANNOTATOR
    most_words: int | None = None
    forbid: Forbidden = Forbidden.NOTHING
    per_image: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """``default``: the type a new sample begins with. ``options``: how many multiple choice needs."""

    types: tuple[AnswerKind, ...] = (AnswerKind.MULTIPLE_CHOICE, AnswerKind.OPEN)
    default: AnswerKind = AnswerKind.OPEN
    options: Range = Range(2, MOST_OPTIONS)


@dataclass(frozen=True, slots=True)
class Evidence:
    """``warn_share``, ``refuse_share``: larger evidence causes a warning or is rejected; None = never rejected."""

    shapes: tuple[Shape, ...] = (Shape.BOX,)
    count: Range = Range(1, MOST_BOXES)
    smallest_side: float = 2.0
    warn_share: float = 0.05
    refuse_share: float | None = None

    @property
    def only_boxes(self) -> bool:
        return self.shapes == (Shape.BOX,)

    @property
    def has_polygons(self) -> bool:
        return Shape.POLYGON in self.shapes


@dataclass(frozen=True, slots=True)
class Toolchain:
    """``end_verified``: accepting requires a toolchain whose end is verified to give the answer."""

    use: Use = Use.OPTIONAL
    steps: Range = Range(1, MOST_STEPS)
    end_verified: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The allowed numbers of target tools and distractors in a tool plan."""

    use: Use = Use.OPTIONAL
    targets: Range = Range(1, MOST_TARGETS)
    distractors: Range = Range(0, MOST_DISTRACTORS)


@dataclass(frozen=True, slots=True)
class Reason:
    """``retired``: no longer offered, but still explains the decisions that use it."""

    code: str
    label: str
    about: About = About.SAMPLE
    decisions: tuple[ReasonFor, ...] = tuple(ReasonFor)
    retired: bool = False


OTHER = "other"
"""The reason of decisions that name none; every schema offers it."""
REASONS = (
    Reason("ambiguous_box", gettext_noop("box is ambiguous"), About.EVIDENCE),
    Reason("not_verifiable", gettext_noop("not verifiable"), About.ANSWER),
    Reason("wrong_answer", gettext_noop("incorrect answer"), About.ANSWER),
    Reason("more_than_minimal_evidence", gettext_noop("box too large"), About.EVIDENCE),
    Reason("answerable_without_the_picture", gettext_noop("guessable"), About.QUESTION),
    Reason("typo", gettext_noop("typo"), About.QUESTION),
    Reason("box_misses_evidence", gettext_noop("box misses evidence"), About.EVIDENCE),
    Reason("wrong_category", gettext_noop("incorrect category"), About.FACETS),
    Reason("duplicate_question", gettext_noop("duplicate question"), About.QUESTION),
    Reason("image_quality", gettext_noop("poor image"), About.IMAGE),
    Reason("personal_data", gettext_noop("personal data"), About.IMAGE),
    Reason("toolchain_end_incorrect", gettext_noop("toolchain ends at another answer"), About.TOOLCHAIN),
    Reason("toolchain_not_minimal", gettext_noop("toolchain has needless steps"), About.TOOLCHAIN),
    Reason("target_missing", gettext_noop("target missing"), About.PLAN),
    Reason("target_not_needed", gettext_noop("target not needed"), About.PLAN),
    Reason("distractor_substitutes", gettext_noop("distractor does the job"), About.PLAN),
    Reason("step_order_wrong", gettext_noop("incorrect order of steps"), About.PLAN),
    Reason("instruction_names_tool", gettext_noop("instruction names a tool"), About.PLAN),
    Reason("scene_unrealistic", gettext_noop("unrealistic scene"), About.PLAN),
    Reason("tool_not_visible", gettext_noop("tool not visible"), About.PLAN),
    Reason("artificial_cue", gettext_noop("artificial cue"), About.PLAN),
    Reason(OTHER, gettext_noop("other")),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One invalid entry. ``where`` is its path in the JSON: "facets[0].values[2].value"."""

    where: str
    text: str


class InvalidSchemaError(ValueError):
    """The JSON is no schema; ``problems`` has all invalid entries, in the order of the blocks."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{one.where}: {one.text}" for one in self.problems))


@dataclass(frozen=True, slots=True)
class TaskSchema:
    """The content of one schema. ``help``: the text under the label of a block, such as ``question``."""

    facets: tuple[Facet, ...] = ()
    question: Question = Question()
    answer: Answer = Answer()
    evidence: Evidence = Evidence()
    toolchain: Toolchain = Toolchain()
    plan: Plan = Plan()
    reasons: tuple[Reason, ...] = REASONS
    help: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, given: object) -> TaskSchema:
        """Return the schema that the JSON describes. Raises ``InvalidSchemaError`` with all problems."""
        problems: list[Problem] = []
        entry = _Entry(given, "", problems)
        schema = cls(
            facets=entry.many("facets", _facet, (), MOST_FACETS),
            question=_question(entry.one("question")),
            answer=_answer(entry.one("answer")),
            evidence=_evidence(entry.one("evidence")),
            toolchain=_toolchain(entry.one("toolchain")),
            plan=_plan(entry.one("plan")),
            reasons=entry.many("reasons", _reason, REASONS, MOST_REASONS),
            help=_help(entry.one("help")),
        )
        entry.finish()
        if not problems:
            problems.extend(_contradictions(schema))
        if problems:
            raise InvalidSchemaError(problems)
        return schema

    def as_json(self) -> dict[str, Any]:
        """Return the JSON that ``parse`` reads as this schema, with every default written out."""
        return {one.name: _json(getattr(self, one.name)) for one in fields(self)}


def _json(value: Any) -> Any:
    match value:
        case Range(least, most):
            return [least, most]
        case Reason():
            names = {one.name: _json(getattr(value, one.name)) for one in fields(value)}
            return {"for" if name == "decisions" else name: entry for name, entry in names.items()}
        case tuple():
            return [_json(one) for one in value]
        case Mapping():
            return dict(value)
        case StrEnum():
            return value.value
        case None | str() | bool() | int() | float():
            return value
    return {one.name: _json(getattr(value, one.name)) for one in fields(value)}


class _Entry:
    """One object of the JSON while it is read. Invalid entries become problems and count as omitted."""

    def __init__(self, given: object, where: str, problems: list[Problem]) -> None:
        self.where, self.problems = where, problems
        self.read: set[str] = set()
        self.valid = isinstance(given, Mapping)
        self.given: Mapping[Any, Any] = given if isinstance(given, Mapping) else {}
        if not self.valid:
            self.problem("", Sentence(gettext_noop("This must be an object. Write its keys and values in braces.")))

    def path(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where and key else self.where or key

    def problem(self, key: str, text: str) -> None:
        self.problems.append(Problem(self.path(key), text))

    def finish(self) -> None:
        """Every key that was not read is unknown."""
        for key in self.given:
            if key not in self.read:
                known = ", ".join(sorted(self.read))
                text = Sentence(gettext_noop("This key is unknown. Remove it, or use one of: %(known)s."), known=known)
                self.problem(str(key), text)

    def take(self, key: str, default: Any) -> Any:
        self.read.add(key)
        return self.given.get(key, default)

    def one(self, key: str) -> _Entry:
        return _Entry(self.take(key, {}), self.path(key), self.problems)

    def listed(self, key: str, most: int) -> list[Any] | None:
        value = self.take(key, None)
        if key not in self.given:
            return None
        if not isinstance(value, list) or len(value) > most:
            self.problem(key, Sentence(gettext_noop("This must be a list of at most %(most)s entries."), most=most))
            return None
        return value

    def many(self, key: str, make: Callable[[_Entry], T], default: tuple[T, ...], most: int) -> tuple[T, ...]:
        value = self.listed(key, most)
        if value is None:
            return default
        entries = [_Entry(one, f"{self.path(key)}[{index}]", self.problems) for index, one in enumerate(value)]
        return tuple(make(entry) for entry in entries if entry.valid)

    def text(self, key: str, longest: int, default: str | None = None) -> str:
        """The text without spaces around it; without a ``default``, it must not be empty."""
        value = self.take(key, default)
        if not isinstance(value, str) or len(value) > longest or (default is None and not value.strip()):
            self.problem(key, Sentence(gettext_noop("Enter a text of at most %(most)s characters."), most=longest))
            return ""
        return value.strip()

    def flag(self, key: str, default: bool) -> bool:
        value = self.take(key, default)
        if not isinstance(value, bool):
            self.problem(key, Sentence(gettext_noop("This must be true or false.")))
            return default
        return value

    def choice(self, key: str, default: E) -> E:
        return self.chosen(type(default), self.take(key, default.value), key) or default

    def choices(self, key: str, default: tuple[E, ...]) -> tuple[E, ...]:
        """Different choices in their order, at least one."""
        kind = type(default[0])
        value = self.listed(key, MOST_VALUES)
        if value is None:
            return default
        if not value:
            self.problem(key, Sentence(gettext_noop("Name at least one: %(known)s."), known=", ".join(kind)))
        found = (self.chosen(kind, one, f"{key}[{index}]") for index, one in enumerate(value))
        return tuple(dict.fromkeys(one for one in found if one is not None)) or default

    def chosen(self, kind: type[E], value: object, key: str) -> E | None:
        if isinstance(value, str) and value in {one.value for one in kind}:
            return kind(value)
        text = Sentence(gettext_noop("“%(found)s” is not allowed. Use one of: %(known)s."), found=str(value)[:60],
                        known=", ".join(kind))  # fmt: skip
        self.problem(key, text)
        return None

    def limit(self, key: str, default: int | None) -> int | None:
        value: int | None = self.take(key, default)
        if value is None or _whole(value, 1, MOST_ANY):
            return value
        self.problem(
            key,
            Sentence(
                gettext_noop("This must be a whole number from 1 to %(most)s, or null for no limit."), most=MOST_ANY
            ),
        )
        return default

    def span(self, key: str, default: Range, least: int, most: int) -> Range:
        value = self.take(key, [default.least, default.most])
        pair = isinstance(value, list) and len(value) == 2 and all(_whole(one, least, most) for one in value)
        if pair and value[0] <= value[1]:
            return Range(*value)
        text = gettext_noop(
            "This must be two whole numbers from %(least)s to %(most)s, the smaller one first, such as [%(least)s, "
            "%(most)s]."
        )
        self.problem(key, Sentence(text, least=least, most=most))
        return default

    def number(self, key: str, default: float, least: float, most: float) -> float:
        value = self.take(key, default)
        if not isinstance(value, bool) and isinstance(value, int | float) and least <= value <= most:
            return float(value)
        text = gettext_noop("This must be a number from %(least)s to %(most)s.")
        self.problem(key, Sentence(text, least=f"{least:g}", most=f"{most:g}"))
        return default


def _whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _facet(entry: _Entry) -> Facet:
    facet = Facet(
        name=entry.text("name", LONGEST_NAME),
        kind=entry.choice("kind", Kind.MULTIPLE),
        required=entry.choice("required", Required.NO),
        who=entry.choice("who", FacetAuthor.ANNOTATOR),
        closed=entry.flag("closed", False),
        values=entry.many("values", _option, (), MOST_VALUES),
    )
    entry.finish()
    return facet


def _option(entry: _Entry) -> FacetOption:
    option = FacetOption(value=entry.text("value", LONGEST_VALUE), help=entry.text("help", LONGEST_TEXT, ""))
    entry.finish()
    return option


def _question(entry: _Entry) -> Question:
    question = Question(
        who=entry.choice("who", QuestionAuthor.ANNOTATOR),
        most_words=entry.limit("most_words", None),
        forbid=entry.choice("forbid", Forbidden.NOTHING),
        per_image=entry.limit("per_image", None),
    )
    entry.finish()
    return question


def _answer(entry: _Entry) -> Answer:
    types = entry.choices("types", Answer().types)
    likely = Answer().default if Answer().default in types else types[0]
    answer = Answer(
        types=types,
        default=entry.choice("default", likely),
        options=entry.span("options", Answer().options, 2, MOST_OPTIONS),
    )
    entry.finish()
    return answer


def _evidence(entry: _Entry) -> Evidence:
    usual = Evidence()
    evidence = Evidence(
        shapes=entry.choices("shapes", usual.shapes),
        count=entry.span("count", usual.count, 0, MOST_BOXES),
        smallest_side=entry.number("smallest_side", usual.smallest_side, 1, MOST_ANY),
        warn_share=entry.number("warn_share", usual.warn_share, 0, 1),
        refuse_share=None if entry.take("refuse_share", None) is None else entry.number("refuse_share", 1, 0, 1),
    )
    entry.finish()
    return evidence


def _toolchain(entry: _Entry) -> Toolchain:
    toolchain = Toolchain(
        use=entry.choice("use", Use.OPTIONAL),
        steps=entry.span("steps", Toolchain().steps, 1, MOST_STEPS),
        end_verified=entry.flag("end_verified", False),
    )
    entry.finish()
    return toolchain


def _plan(entry: _Entry) -> Plan:
    plan = Plan(
        use=entry.choice("use", Use.OPTIONAL),
        targets=entry.span("targets", Plan().targets, 1, MOST_TARGETS),
        distractors=entry.span("distractors", Plan().distractors, 0, MOST_DISTRACTORS),
    )
    entry.finish()
    return plan


def _reason(entry: _Entry) -> Reason:
    reason = Reason(
        code=entry.text("code", LONGEST_NAME),
        label=entry.text("label", LONGEST_VALUE),
        about=entry.choice("about", About.SAMPLE),
        decisions=entry.choices("for", tuple(ReasonFor)),
        retired=entry.flag("retired", False),
    )
    entry.finish()
    if reason.code and not CODE.fullmatch(reason.code):
        entry.problem("code", Sentence(gettext_noop("Use small letters, digits and _, with a letter first.")))
    return reason


def _help(entry: _Entry) -> dict[str, str]:
    blocks = ("facets", "question", "answer", "evidence", "toolchain", "plan", "reasons")
    texts = {block: entry.text(block, LONGEST_TEXT, "") for block in blocks}
    entry.finish()
    return {block: text for block, text in texts.items() if text}


def _contradictions(schema: TaskSchema) -> Iterable[Problem]:
    """Problems of entries that are valid alone but not together."""
    yield from _repeated(f"facets[{number}].name" for number in _again(one.name for one in schema.facets))
    for index, facet in enumerate(schema.facets):
        yield from _repeated(
            f"facets[{index}].values[{number}].value" for number in _again(one.value for one in facet.values)
        )
        if facet.closed and not facet.values:
            text = Sentence(gettext_noop("A closed facet without values can't be filled in. List values or open it."))
            yield Problem(f"facets[{index}].values", text)
    yield from _repeated(f"reasons[{number}].code" for number in _again(one.code for one in schema.reasons))
    if not any(
        one.code == OTHER and not one.retired and len(one.decisions) == len(ReasonFor) for one in schema.reasons
    ):
        text = Sentence(
            gettext_noop("Every decision needs the reason “%(code)s”. Add it for all decisions."), code=OTHER
        )
        yield Problem("reasons", text)
    answer, evidence = schema.answer, schema.evidence
    if answer.default not in answer.types:
        yield Problem(
            "answer.default", Sentence(gettext_noop("The default is not one of the types. Choose one of them."))
        )
    if AnswerKind.NONE in answer.types and len(answer.types) > 1:
        text = Sentence(gettext_noop("“none” excludes the other types. Remove “none” or all others."))
        yield Problem("answer.types", text)
    if AnswerKind.NONE in answer.types and schema.plan.use is not Use.REQUIRED:
        text = Sentence(gettext_noop("Samples without an answer need a tool plan. Set its use to “required”."))
        yield Problem("plan.use", text)
    if evidence.refuse_share is not None and evidence.refuse_share < evidence.warn_share:
        text = Sentence(gettext_noop("Evidence is refused before it is doubted. Use at least the value of warn_share."))
        yield Problem("evidence.refuse_share", text)
    if schema.toolchain.end_verified and schema.toolchain.use is not Use.REQUIRED:
        text = Sentence(gettext_noop("An end can be verified only if there is a toolchain. Set its use to “required”."))
        yield Problem("toolchain.end_verified", text)


def _again(names: Iterable[str]) -> Iterable[int]:
    """Positions of names that occurred before, ignoring case and repeated spaces."""
    seen: set[str] = set()
    for number, name in enumerate(names):
        key = " ".join(name.casefold().split())
        if key in seen:
            yield number
        seen.add(key)


def _repeated(paths: Iterable[str]) -> Iterable[Problem]:
    for path in paths:
        yield Problem(path, Sentence(gettext_noop("This is listed already. Remove it or enter another.")))


NO_SCHEMA = TaskSchema()
"""The task of a benchmark whose lead has not defined one."""


def with_retired(task: TaskSchema, before: TaskSchema) -> TaskSchema:
    """The schema with the reasons that only the one before has, retired: decisions may name them."""
    codes = {reason.code for reason in task.reasons}
    retired = (replace(reason, retired=True) for reason in before.reasons if reason.code not in codes)
    return replace(task, reasons=(*task.reasons, *retired))


Meanings = Mapping[tuple[str, str], str]
"""The current meaning of a word of a facet: the new value by facet and old value; "" if it has none."""


def renamed(facets: Mapping[str, Iterable[Any]], meanings: Meanings) -> dict[str, tuple[Any, ...]]:
    """The facets with the values that their words mean today, each once in the order of its first word. A facet whose
    values all mean nothing is left out."""
    current: dict[str, tuple[Any, ...]] = {}
    for name, values in facets.items():
        words = (meanings.get((name, str(value)), value) for value in values)
        if kept := tuple(dict.fromkeys(word for word in words if word != "")):
            current[name] = kept
    return current


TEMPLATES: Mapping[str, TaskSchema] = {
    "blank": NO_SCHEMA,
    "grounded_question": TaskSchema(
        question=Question(most_words=40),
        answer=Answer(default=AnswerKind.MULTIPLE_CHOICE, options=Range(2, 6)),
        evidence=Evidence(count=Range(1, 5), refuse_share=0.25),
        toolchain=Toolchain(use=Use.OFF),
        plan=Plan(use=Use.OFF),
        help={"question": "Ask for one fact. Do not give the position away."},
    ),
    "toolchain": TaskSchema(
        toolchain=Toolchain(use=Use.REQUIRED, steps=Range(1, 12), end_verified=True), plan=Plan(use=Use.OFF)
    ),
    "tool_plan": TaskSchema(
        question=Question(forbid=Forbidden.BANK_NAMES),
        answer=Answer(types=(AnswerKind.NONE,), default=AnswerKind.NONE),
        evidence=Evidence(count=Range(0, MOST_BOXES)),
        toolchain=Toolchain(use=Use.OFF),
        plan=Plan(use=Use.REQUIRED, targets=Range(1, 3), distractors=Range(3, 10)),
    ),
}
"""The templates for leads: *Blank*, *Grounded question*, *Toolchain* and *Tool plan*."""
