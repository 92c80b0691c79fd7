"""Questions about a trajectory to a judge model, and parsing of its response. Source: docs/experiments.md#judges.

A judge never receives the name of the model. Only the question ``answer`` shows it gold. Positions alternate by vote:
the options of ``sufficiency`` are rotated, and the two answers of ``answer`` are swapped. A response in another form
than requested is unread: it is counted, and not guessed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from annotation.imaging.crops import Picture
from evaluation.importers.dialogue import answer_in
from evaluation.runner.canonical import digest_of
from evaluation.runner.dialects.zoom import spoken
from evaluation.runner.images import ImagePolicy, SentImage, sent_picture
from evaluation.runner.replies import Reply
from evaluation.runner.sampling import seeded
from evaluation.runner.single import SingleTurn
from evaluation.runner.templates import Prompt, load_prompt
from evaluation.runner.transcript import Transcript
from evaluation.runner.turns import Request

VOTES = (1, 3, 5)
YES, NO = "yes", "no"
MOST_TEXT = 4000
"""The maximum number of characters of a response that a vote keeps; its exchange keeps all."""


class Question(StrEnum):
    """A question to a judge: do the crops support the answer, can one answer from them alone, do two answers mean the
    same, which tools do the names of a list mean, or how does the reasoning read with one fact changed, or in other
    words.
    """

    RELIABILITY = "reliability"
    SUFFICIENCY = "sufficiency"
    ANSWER = "answer"
    TOOL_MAP = "tool-map"
    MISTAKE = "mistake"
    PARAPHRASE = "paraphrase"


PROMPTS: Mapping[Question, str] = {
    Question.RELIABILITY: "reliability",
    Question.SUFFICIENCY: "sufficiency",
    Question.ANSWER: "answer-judge",
    Question.TOOL_MAP: "tool-map",
    Question.MISTAKE: "injector",
    Question.PARAPHRASE: "paraphrase",
}
"""Question to the slug of its prompt."""
WITH_CROPS = (Question.RELIABILITY, Question.SUFFICIENCY)
"""Questions that show the crops of the trajectory to the judge."""


class JudgeError(ValueError):
    """An unusable recipe of a judge. The message states what is allowed."""


@dataclass(frozen=True)
class JudgeRecipe:
    """Everything about a judge that can change a verdict. ``images``: an image policy; ``votes``: number of votes per
    trajectory. Raises ``JudgeError``, and ``PolicyError`` for an unknown image policy.
    """

    question: Question
    model: str
    base_url: str
    prompt: Prompt
    sampling: Mapping[str, Any] = field(default_factory=dict)
    images: str = "original"
    votes: int = 1
    dropped: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        ImagePolicy(self.images)
        if self.votes not in VOTES:
            raise JudgeError(f"A judge votes {', '.join(map(str, VOTES[:-1]))} or {VOTES[-1]} times.")

    @classmethod
    def of(
        cls, question: Question, model: str, base_url: str, prompt: Prompt | None = None, **more: Any
    ) -> JudgeRecipe:
        """Return a recipe. Without a prompt, it uses the default prompt of the question."""
        return cls(question, model, base_url, prompt or load_prompt(PROMPTS[question]), **more)

    def sampled(self, vote: int) -> dict[str, Any]:
        """Return the parameters of a vote as sent: its seed is the recipe's plus the number of the vote."""
        return seeded(self.sampling, self.dropped, vote)

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``from_json``."""
        return {
            "question": self.question.value,
            "model": self.model,
            "base_url": self.base_url,
            "prompt": self.prompt.to_json(),
            "sampling": dict(self.sampling),
            "images": self.images,
            "votes": self.votes,
            "dropped": sorted(self.dropped),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> JudgeRecipe:
        """Return the recipe of ``to_json``. Raises ``JudgeError`` for a missing part or an unknown value."""
        try:
            return cls(
                question=Question(data["question"]),
                model=data["model"],
                base_url=data["base_url"],
                prompt=Prompt.from_json(data["prompt"]),
                sampling=dict(data["sampling"]),
                images=data["images"],
                votes=data["votes"],
                dropped=tuple(data["dropped"]),
            )
        except JudgeError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise JudgeError(f"The recipe can't be read: {error}") from error

    def digest(self) -> str:
        """Return the SHA-256 of everything that can change a verdict. A prompt counts by its digest. The number of
        votes doesn't count, because three votes contain the first one.
        """
        prompt = [self.prompt.slug, self.prompt.version, self.prompt.digest]
        return digest_of(
            {name: value for name, value in self.to_json().items() if name != "votes"} | {"prompt": prompt}
        )


@dataclass(frozen=True)
class Subject:
    """The subject of a judgment. ``answer``: of the model, without its reasoning; ``accepted``: the first accepted
    answer, shown only by the question ``answer``. ``crops``: those that the model received, in order.
    """

    sample: str
    question: str
    options: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    accepted: str = ""
    reasoning: str = ""
    predicted: Sequence[str] = ()
    targets: Sequence[str] = ()
    distractors: Sequence[str] = ()
    crops: Sequence[Callable[[], Picture]] = ()
    crops_digest: str = ""

    def about(self, question: Question) -> list[Any]:
        """Return everything that a verdict on this question depends on."""
        match question:
            case Question.RELIABILITY:
                return [self.question, dict(self.options), self.answer, self.crops_digest]
            case Question.SUFFICIENCY:
                return [self.question, dict(self.options), self.crops_digest]
            case Question.ANSWER:
                return [self.question, self.answer, self.accepted]
            case Question.TOOL_MAP:
                return [list(self.predicted), list(self.targets), list(self.distractors)]
        return [self.question, self.reasoning]


def verdict_digest(recipe: JudgeRecipe, subject: Subject, vote: int) -> str:
    """Return the digest of a vote; an equal one is not requested again. Raises ``PromptError`` if the prompt uses a
    value that the trajectory does not have.
    """
    recipe.prompt.rendered(judge_values(recipe.question, subject, vote))
    return digest_of([recipe.digest(), *subject.about(recipe.question), vote])


class JudgeTurn(SingleTurn):
    """One vote of a judge. Its row has ``verdict``: yes, no, an option, an answer or a JSON object, None if it is
    unread; and ``text``, the response. ``family``: of the model, for the tokens of images."""

    def __init__(self, recipe: JudgeRecipe, subject: Subject, vote: int = 0, *, family: str = "") -> None:
        self._recipe, self._subject, self._vote = recipe, subject, vote
        crops = subject.crops if recipe.question in WITH_CROPS else ()
        images = [("", _sent(crop, recipe, family)) for crop in crops]
        transcript = Transcript()
        transcript.say("user", recipe.prompt.rendered(judge_values(recipe.question, subject, vote)), images)
        body = {"model": recipe.model, "messages": transcript.messages} | recipe.sampled(vote)
        super().__init__(Request(body, transcript.images))

    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        read = None if cut else read_verdict(self._recipe.question, reply.text, self._subject, self._vote)
        return {"verdict": read, "text": reply.said[:MOST_TEXT], "vote": self._vote}

    def failure(self) -> dict[str, Any]:
        return {"verdict": None, "text": "", "vote": self._vote}


def read_verdict(question: Question, text: str, subject: Subject, vote: int) -> Any:
    """Return the verdict of a response, None if it is unread.

    ``reliability`` and ``answer``: yes or no, the first word after the thoughts. ``sufficiency``: the letter of the
    option before the rotation, the answer, or no if the images do not show enough. ``tool-map``: from predicted name to
    target or None. ``mistake``: the object with text, old and new. ``paraphrase``: the new text.
    """
    said = spoken(text).strip()
    match question:
        case Question.RELIABILITY | Question.ANSWER:
            first = _FIRST.match(said)
            word = first[1].casefold() if first else ""
            return word if word in (YES, NO) else None
        case Question.SUFFICIENCY:
            answer = answer_in(said) or ""
            if answer.casefold().strip(" .") == "none":
                return NO
            letters = {shown: letter for letter, shown in _rotation(subject.options, vote).items()}
            return (letters.get(answer.strip(" .()").upper(), answer) if letters else answer) or None
        case Question.TOOL_MAP:
            return _read_map(_object(said), subject)
    found = _object(said)
    if question is Question.PARAPHRASE:
        words = found.get("text")
        return words if isinstance(words, str) and words.strip() else None
    parts = {name: found.get(name) for name in ("text", "old", "new")}
    return parts if all(isinstance(part, str) and part.strip() for part in parts.values()) else None


def majority(votes: Sequence[Any], asked: int) -> Any:
    """Return the verdict of more than half of the ``asked`` votes; None (undecided) if there is none. Unread votes
    count as asked. Example: yes, yes, None of 3: yes; yes, None of 2 asked: None.
    """
    counted = Counter(json.dumps(one, sort_keys=True) for one in votes if one is not None)
    (first, n), *_ = counted.most_common(1) or [("null", 0)]
    return json.loads(first) if 2 * n > asked else None


_FIRST = re.compile(r"\W*(\w+)")
_DECODER = json.JSONDecoder()


def judge_values(question: Question, subject: Subject, vote: int) -> dict[str, str | None]:
    """Return the values of a trajectory for the prompt of a vote; None for a value that it does not have."""
    options = subject.options
    if question is Question.SUFFICIENCY:
        shown = _rotation(options, vote)
        options = {shown[letter]: text for letter, text in options.items()}
        options = dict(sorted(options.items()))
    listed = "".join(f"\n{letter}. {text}" for letter, text in options.items())
    pair = [subject.answer, subject.accepted]
    first, second = reversed(pair) if vote % 2 else pair
    return {
        "question": subject.question,
        "options": f"Options:{listed}\n" if listed else "",
        "answer": subject.answer or None,
        "first": first or None,
        "second": second or None,
        "reasoning": subject.reasoning or None,
        "predicted": ", ".join(subject.predicted) or None,
        "targets": ", ".join(subject.targets) or None,
        "distractors": ", ".join(subject.distractors) or "none",
    }


def _rotation(options: Mapping[str, str], vote: int) -> dict[str, str]:
    """Return, for each letter, the letter under which a vote shows its text: moved on by the number of the vote."""
    letters = list(options)
    return {letter: letters[(place + vote) % len(letters)] for place, letter in enumerate(letters)}


def _read_map(found: Mapping[str, Any], subject: Subject) -> dict[str, str | None] | None:
    """Return a map of predicted names in which each target occurs once; None for any other map."""
    made = {name: found[name] for name in subject.predicted if name in found}
    used = [target for target in made.values() if target is not None]
    known = all(isinstance(target, str) and target in subject.targets for target in used)
    return made if made and known and len(set(used)) == len(used) else None


def _object(text: str) -> Mapping[str, Any]:
    """Return the first JSON object of a text, empty if there is none."""
    start = text.find("{")
    while start >= 0:
        try:
            found, _ = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        return found if isinstance(found, Mapping) else {}
    return {}


def _sent(crop: Callable[[], Picture], recipe: JudgeRecipe, family: str) -> SentImage:
    return sent_picture(crop(), ImagePolicy(recipe.images), family)
