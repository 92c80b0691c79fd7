"""The brains: what they call, in which words, and how often they are correct."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from annotation.imaging.crops import crop
from annotation.imaging.decoding import decode
from annotation.imaging.encoding import encode
from annotation.schema import Box
from evaluation.importers.zooming import Size
from evaluation.runner.dialects.thyme import Thyme
from evaluation.runner.dialects.zoom import Response, ZoomImage
from evaluation.runner.templates import load_prompt
from evaluation.stand_in.catalogue import brain_of
from evaluation.stand_in.chat import BadRequest, Chat, chat_of
from evaluation.stand_in.evidence import intact_share
from evaluation.stand_in.faults import FAULTS
from evaluation.stand_in.forms import Shown, next_call, past_of
from evaluation.stand_in.forms import form_of as form_and_offer
from evaluation.stand_in.moves import evidence_moves, recorded_moves
from evaluation.stand_in.server import Options, StandIn
from tests.evaluation.stand_in.attempts import RECORDED, recorded, row_of

CHOICES = [one for one in RECORDED.samples if one.row.get("options")]
NESTED = next(
    one for one in RECORDED.samples
    if any(step["image_in"] == "crop1" and "bbox" in step for step in recorded(one, "contrast zoom").get("steps", ()))
)  # fmt: skip
ENHANCED = next(
    one for one in RECORDED.samples
    if any(step["tool"] == "convertscaleabs" for step in recorded(one, "contrast zoom").get("steps", ()))
)  # fmt: skip
QWEN = "Tool: image_zoom_in_tool, from 0 to 1000 across and down the image."


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    with StandIn(RECORDED) as running:
        yield running


def chat(known: Any, *more: dict[str, Any], before: str = "", **values: Any) -> Chat:
    """A request about a sample, without its image."""
    options = "Options:\n" + "\n".join(f"{letter}. {text}" for letter, text in (known.row.get("options") or {}).items())
    first = {"role": "user", "content": f"{before}\nQuestion: {known.question}\n{options}"}
    return chat_of(json.dumps({"model": "m", "messages": [first, *more], **values}).encode())


def share_correct(name: str, make: Any, seeds: int = 40) -> float:
    brain = brain_of(name, RECORDED, 7)
    found = [brain.respond(make(known, seed)).text for known in CHOICES for seed in range(seeds)]
    gold = [f"<answer>{known.answers[0]}</answer>" for known in CHOICES for _ in range(seeds)]
    return float(np.mean([want in text for want, text in zip(gold, found, strict=True)]))


@pytest.mark.endurance
@pytest.mark.slow
def test_the_oracle_gives_its_recorded_answer_on_all_62_samples(stand_in: StandIn) -> None:
    rows = {one.id: row_of(stand_in, one, "base") for one in RECORDED.samples}
    assert len(rows) == 62
    assert {key: row["answer"] for key, row in rows.items()} == {
        one.id: recorded(one)["answer"] for one in RECORDED.samples
    }


@pytest.mark.parametrize("dialect", ["tools", "json"])
def test_a_zoom_into_a_crop_shows_the_recorded_part_of_the_original(stand_in: StandIn, dialect: str) -> None:
    row = row_of(stand_in, NESTED, "zoom", "contrast zoom", dialect=dialect)
    image = images(row["steps"], NESTED.size)
    wanted = [move.region for move in recorded_moves(recorded(NESTED, "contrast zoom"), NESTED.size) if move.region]
    assert len(wanted) == len(image) > 1
    for got, want in zip(image, wanted, strict=True):
        assert got == pytest.approx(want, abs=5)


def images(steps: list[dict[str, Any]], size: Size) -> list[Any]:
    """The part of the original that each step shows."""
    made = {"original": ZoomImage(size, (0, 0, *size))}
    for step in steps:
        source = made[step["image_in"]]
        made[step["image_out"]] = ZoomImage(step["out_size"], source.to_original(step["bbox"]))
    return [image.region for name, image in made.items() if name != "original"]


def test_tools_run_on_the_crop_that_they_ran_on(stand_in: StandIn) -> None:
    row = row_of(stand_in, ENHANCED, "interface", "contrast zoom")
    wanted = recorded(ENHANCED, "contrast zoom")["steps"]
    assert [step["ok"] for step in row["steps"]] == [True] * len(wanted)
    named = {step["image_out"]: made["image_out"] for step, made in zip(wanted, row["steps"], strict=True)}
    inputs = [named.get(step["image_in"], "original") for step in wanted]
    assert [step["image_in"] for step in row["steps"]] == inputs


def test_a_spoiled_call_is_made_again() -> None:
    known, spoiled = CHOICES[0], 0
    for seed in range(8):
        with StandIn(RECORDED, Options(faults=[FAULTS["tool"]], rate=0.4, seed=seed)) as running:
            row = row_of(running, known, "interface")
            spoiled += running.counts.faults["tool"]
        assert row["answer"] == recorded(known)["answer"]
        assert sum(step["ok"] for step in row["steps"]) == len(recorded(known)["steps"])
    assert spoiled > 0


def test_code_cuts_the_recorded_region_and_goes_on_with_the_saved_file() -> None:
    before = "The image is /in/image.png. Write code between <code> and </code>."
    brain, size = brain_of("contrast zoom", RECORDED, 7), ENHANCED.size
    data = base64.b64encode(encode(np.zeros((8, 8, 3), np.uint8))).decode()
    shown = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}]
    turns: list[dict[str, Any]] = []
    cells = []
    for _ in recorded_moves(recorded(ENHANCED, "contrast zoom"), size):
        text = brain.respond(chat(ENHANCED, *turns, before=before)).text
        cells += [cell.code for cell in Thyme().parse(Response(text))]
        turns += [{"role": "assistant", "content": text}, {"role": "user", "content": shown}]
    assert "'/in/image.png'" in cells[0]
    assert [cell for cell in cells if "'/out/crop" in cell and "cv2.LUT" in cell]
    assert len(set(cells)) == len(cells)
    final = brain.respond(chat(ENHANCED, *turns, before=before)).text
    assert final == recorded(ENHANCED, "contrast zoom")["answer"]


@pytest.mark.parametrize(
    ("prefix", "after"),
    [("<think>Seen.</think>\n<answer>", "{}</answer>"), ("<think>Seen.</think>\n", "<answer>{}</answer>"), ("", "{}")],
)
def test_a_prefix_is_continued_with_the_answer_and_without_a_call(prefix: str, after: str) -> None:
    known = CHOICES[0]
    said = [{"role": "assistant", "content": prefix}]
    flags = {"continue_final_message": True, "add_generation_prompt": False}
    text = brain_of("oracle zoom", RECORDED, 7).respond(chat(known, *said, before=QWEN, **flags)).text
    assert text == after.format(recorded(known)["answer"])


@pytest.mark.parametrize("dose", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.endurance
def test_noise_leaves_the_share_of_evidence_that_was_not_replaced(dose: float) -> None:
    rng = np.random.default_rng(1)
    for known in CHOICES[:6]:
        whole, album = decode(known.image.read_bytes()), [Shown("original", ZoomImage(known.size, (0, 0, *known.size)))]
        for move in evidence_moves(known.gold_boxes, known.size, ""):
            assert move.region
            pixels = crop(whole, Box(*move.region)).astype(float)
            noise = rng.uniform(0, 255, pixels.shape)
            data = encode(((1 - dose) * pixels + dose * noise).astype(np.uint8))
            album.append(with_image(move.region, data))
        assert intact_share(known, album) == pytest.approx(1 - dose, abs=0.12)


def with_image(region: Any, data: bytes) -> Shown:
    url = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    part = [{"type": "image_url", "image_url": {"url": url}}]
    [sent] = chat_of(json.dumps({"model": "m", "messages": [{"role": "user", "content": part}]}).encode()).images
    return Shown("image_1", ZoomImage(sent.size, region), sent)


@pytest.mark.endurance
def test_rates_are_those_of_the_brains() -> None:
    def bare(known: Any, seed: int) -> Chat:
        return chat(known, seed=seed)

    def told(known: Any, seed: int, fact: str = "") -> Chat:
        text = {"role": "assistant", "content": f"The evidence shows: {fact or known.fact}."}
        return chat(known, text, {"role": "user", "content": "Answer."}, seed=seed)

    assert share_correct("reader:p=.9,q=.4", bare) == pytest.approx(0.4, abs=0.04)
    assert share_correct("ignorer:p=.7", bare) == pytest.approx(0.7, abs=0.04)
    assert share_correct("text:p=.9,q=.3", told) == pytest.approx(0.9, abs=0.03)
    assert share_correct("text:p=.9,q=.3", lambda *given: told(*given, fact="nothing")) == pytest.approx(0.3, abs=0.04)


@pytest.mark.parametrize(("right", "rate"), [(True, 0.8), (False, 0.7)])
def test_a_judge_finds_true_and_false_answers_with_its_two_rates(right: bool, rate: float) -> None:
    judge, verdicts = brain_of("judge:tpr=.8,tnr=.7", RECORDED, 7), []
    for known in CHOICES:
        answer = known.answers[0] if right else next(one for one in "ABCD" if one != known.answers[0])
        for seed in range(40):
            message = {
                "role": "user",
                "content": f"Answer given: {answer}\n\nDo they support it? Begin with yes or no.",
            }
            verdicts.append(judge.respond(chat(known, message, seed=seed)).text == ("yes" if right else "no"))
    assert float(np.mean(verdicts)) == pytest.approx(rate, abs=0.04)


def test_a_judge_knows_which_crops_show_the_evidence() -> None:
    judge = brain_of("judge:tpr=1,tnr=1", RECORDED, 7)
    known = CHOICES[0]
    whole = decode(known.image.read_bytes())
    [move] = evidence_moves(known.gold_boxes, known.size, "")
    assert move.region
    for region, found in ((Box(*move.region), known.answers[0]), (Box(3000, 100, 3400, 300), "none")):
        url = f"data:image/png;base64,{base64.b64encode(encode(crop(whole, region))).decode()}"
        text = {"type": "text", "text": "If the images do not show enough, write <answer>none</answer>."}
        message = {"role": "user", "content": [text, {"type": "image_url", "image_url": {"url": url}}]}
        assert judge.respond(chat(known, message)).text == f"<answer>{found}</answer>"


def test_a_judge_writes_mistakes_and_paraphrases_of_a_reasoning() -> None:
    judge = brain_of("judge:tpr=1,tnr=1", RECORDED, 7)

    said = {"role": "user"}

    def written(slug: str, reasoning: str) -> str:
        text = load_prompt(slug).rendered({"question": "How many?", "reasoning": reasoning})
        return judge.respond(
            chat_of(json.dumps({"model": "judge", "messages": [said | {"content": text}]}).encode())
        ).text

    for reasoning, changed in (
        ("There are 2 red shapes on the left.", "There are 4 red shapes on the left."),
        ("The evidence is small, so I enlarge it.", "The evidence is large, so I enlarge it."),
    ):
        found = json.loads(written("injector", reasoning))
        assert found["text"] == changed
        assert reasoning.replace(found["old"], found["new"], 1) == changed
        assert json.loads(written("paraphrase", reasoning))["text"] not in (reasoning, "")
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(written("injector", "I look."))


def test_arms_share_the_draws_of_a_sample_and_a_seed() -> None:
    brain = brain_of("ignorer:p=.7", RECORDED, 7)
    for seed in range(20):
        texts = {brain.respond(chat(CHOICES[0], before=arm, seed=seed)).text for arm in ("", "Another arm.")}
        assert len(texts) == 1


def test_rules_with_known_rates_zoom_into_the_evidence_first() -> None:
    known = CHOICES[0]
    asked = chat(known, before=QWEN)
    form, offered = form_and_offer(asked, known.id)
    assert form
    assert offered
    found = next_call(
        form, evidence_moves(known.gold_boxes, known.size, ""), past_of(form, asked, known.size, known.id)
    )
    assert found
    assert brain_of("reader", RECORDED, 7).respond(asked).text.endswith(form.write(found[1]).text)


@pytest.mark.parametrize("fault", ["arguments", "tool", "image", "frame", "reversed", "outside", "ten", "both"])
def test_faults_of_calls_also_change_calls_in_the_text(fault: str) -> None:
    asked = chat(CHOICES[0], before=QWEN)
    response = brain_of("oracle zoom", RECORDED, 7).respond(asked)
    change = FAULTS[fault].change
    assert change
    assert change(response, asked) != response
    assert change(Response("The answer is A."), asked) == Response("The answer is A.")


@pytest.mark.parametrize("name", ["reader:p=2", "reader:x=.5", "judge:tpr", "gpt"])
def test_an_unknown_brain_or_rate_is_refused(name: str) -> None:
    with pytest.raises(BadRequest):
        brain_of(name, RECORDED, 7)
