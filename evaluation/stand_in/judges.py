"""A judge whose verdicts are true with known rates, on answers, their reliability and sufficient evidence; it also
writes mistakes and paraphrases for arms."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import numpy as np

from annotation.imaging.crops import Picture, crop, scaled
from annotation.imaging.decoding import decode
from annotation.importers.fields import Number4
from annotation.schema import Box
from evaluation.metrics.answers import judge_answer
from evaluation.metrics.columns import TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.settings import MetricSettings
from evaluation.runner.arms.text import facts_in
from evaluation.runner.dialects.zoom import Response
from evaluation.stand_in.brains import UNKNOWN as NOT_KNOWN
from evaluation.stand_in.brains import drawn
from evaluation.stand_in.chat import Chat
from evaluation.stand_in.moves import evidence_moves, recorded_moves
from evaluation.stand_in.recorded import Known, Recorded

_PAIR = re.compile(r"First answer: (.*?)\nSecond answer: (.*?)\n\s*\n", re.DOTALL)
_GIVEN = re.compile(r"Answer given: (.*?)\n\s*\n", re.DOTALL)
_SUFFICIENT = "If the images do not show enough"
_MISTAKE, _PARAPHRASE = "Change exactly one fact in this reasoning", "Write this reasoning again in other words"
_REASONING = re.compile(r"\nReasoning:\n(.*?)\n\nRespond with one JSON object", re.DOTALL)
_SIZES = {"small": "large", "large": "small", "tiny": "huge", "far": "near", "near": "far"}
_SIZE = re.compile(rf"\b({'|'.join(_SIZES)})\b", re.IGNORECASE)
_SIDE = 24
_NEAR = 14.0
_LEAST = 0.5
"""Share of the gold area that sufficient images cover."""


@dataclass(frozen=True)
class Judge:
    """Says yes to what is true with probability ``tpr``, and no to what is not with probability ``tnr``.

    What is true: an answer is the gold; two answers are both or neither the gold; images cover half of the gold area.
    """

    recorded: Recorded
    seed: int
    tpr: float
    tnr: float

    def respond(self, chat: Chat) -> Response:
        if written := _written(chat.opening):
            return Response(written)
        known = self.recorded.sample_of(chat.opening, chat.images, planning=False)
        if known is None:
            return Response(NOT_KNOWN)
        text = f"{chat.opening}\n\n"
        rng = drawn(known.id, chat.seed, self.seed)
        if _SUFFICIENT in text:
            found = known.answers[0] if self._says(self._covers(known, chat), rng.random()) else "none"
            return Response(f"<answer>{found}</answer>")
        if pair := _PAIR.search(text):
            true = pair[1].strip() == pair[2].strip() or self._is_gold(known, pair[1]) is self._is_gold(known, pair[2])
        elif given := _GIVEN.search(text):
            true = self._is_gold(known, given[1])
        else:
            return Response("The stand-in knows no such question of a judge.")
        return Response("yes" if self._says(true, rng.random()) else "no")

    def _says(self, true: bool, level: float) -> bool:
        return level < self.tpr if true else level >= self.tnr

    @staticmethod
    def _is_gold(known: Known, answer: str) -> bool:
        key = AnswerKey(bool(known.row.get("options")), dict(known.row.get("options") or {}), known.answers)
        return judge_answer(answer.strip(), key, UNKNOWN, MetricSettings()).correct == TRUE

    def _covers(self, known: Known, chat: Chat) -> bool:
        """Whether an image shows a zoom of a recorded run, or of the evidence, that covers enough of the gold."""
        regions = {move.region for move in evidence_moves(known.gold_boxes, known.size, "")}
        for rows in self.recorded.runs.values():
            regions |= {move.region for move in recorded_moves(rows.get(known.id) or {}, known.size)}
        good = [region for region in regions if region and _coverage(known, region) >= _LEAST]
        whole = decode(known.image.read_bytes())
        looks = [_small(crop(whole, Box(*region))) for region in good]
        seen = [_small(decode(image.data)) for image in chat.all_images]
        return any(float(np.abs(one.astype(float) - look).mean()) <= _NEAR for one in seen for look in looks)


def _written(opening: str) -> str:
    """The reasoning of an injector with its first fact changed, or that of a paraphrase in another order of words; ""
    for another question."""
    asked = next((one for one in (_MISTAKE, _PARAPHRASE) if one in opening), "")
    found = _REASONING.search(opening)
    if not asked or found is None:
        return ""
    said = found[1].strip()
    if asked == _PARAPHRASE:
        first, comma, rest = said.partition(", ")
        return json.dumps({"text": f"{rest[:1].upper()}{rest[1:].rstrip('.')}: {first}." if comma else f"So: {said}"})
    facts = [(fact.start, fact.end, fact.new) for fact in facts_in(said, "")]
    facts += [(at.start(), at.end(), _SIZES[at.group().casefold()]) for at in _SIZE.finditer(said)]
    if not facts:
        return "There is no fact in this reasoning."
    start, end, new = min(facts)
    return json.dumps({"text": said[:start] + new + said[end:], "old": said[start:end], "new": new})


def _coverage(known: Known, region: Number4) -> float:
    area = shown = 0.0
    for box in (Box(*edges) for edges in known.gold_boxes):
        area += box.width * box.height
        wide = min(box.x2, region[2]) - max(box.x1, region[0])
        high = min(box.y2, region[3]) - max(box.y1, region[1])
        shown += max(0.0, wide) * max(0.0, high)
    return shown / area if area else 0.0


def _small(picture: Picture) -> Picture:
    colored = picture if picture.ndim == 3 else np.repeat(picture[:, :, None], 3, axis=2)
    return scaled(colored, _SIDE, _SIDE)
