"""The fields of a table of runs and their column names. For mappings, see ``annotation.importers.mapping``."""

from __future__ import annotations

import re

from annotation.importers.mapping import Field, TableFields, plain
from annotation.importers.sample_columns import PREDICTIONS

_GOLD = re.compile(r"(?:^|_)(?:gt|gold|golden|truth|ground|groundtruth|reference|ref|expected)(?:_|$)")
"""Words that only the name of a correct answer has."""
_LABEL = re.compile(r"(?:^|_)(?:target|label|solution)s?(?:_|$)|^(?:correct_|right_)?answers?(?:_text|_letter|_key)?$")
"""Names of columns with a correct answer, if no word marks it as a model's:"""
_OF_MODEL = re.compile(r"(?:^|_)(?:pred|predicted|prediction|model|outputs?|generated|response)(?:_|$)")

RUN_FIELDS = TableFields((
    Field("sample", "Sample: its id", (
        "sample_id", "sample", "sample_key", "question_id", "qid", "item_id", "example_id", "doc_id", "id", "index",
        "idx", "pid", "uid", "key", "custom_id", "image_id", "img_id", "folder", "file", "folder_2",
    )),
    Field("image", "Sample: image file name", (
        "image", "image_path", "image_name", "image_file", "img", "picture", "file_name", "filename",
    )),
    Field("question", "Sample: its question", ("question", "query", "problem", "prompt")),
    Field("answer", "Answer of the model", (
        *PREDICTIONS, "output", "value",
    ), beside={"text": frozenset({"answer_id", "model_id"})}),
    Field("file_reading", "Answer as read by the file", ("extraction", "extracted_answer")),
    Field("correct", "Verdict: correct or not", (
        "judge_correct", "is_correct", "correct", "hit", "verdict", "match", "acc", "score", "true_false",
    )),
    Field("error", "Error: why there is no answer", ("error", "error_message", "exception")),
    Field("boxes", "Crops: all boxes in one cell", (
        "crops", "crop_boxes", "pred_boxes", "predicted_boxes", "pred_bboxes", "bboxes", "boxes", "pred_bbox",
        "bbox_2d", "bbox", "crop", "box", "regions",
    )),
    Field("box_1", "Crop: 1st number of the box", ("x1", "xmin", "x_min", "left", "cx", "x")),
    Field("box_2", "Crop: 2nd number of the box", ("y1", "ymin", "y_min", "top", "cy", "y")),
    Field("box_3", "Crop: 3rd number of the box", ("x2", "xmax", "x_max", "right", "w", "width", "box_w")),
    Field("box_4", "Crop: 4th number of the box", ("y2", "ymax", "y_max", "bottom", "h", "height", "box_h")),
    Field("model", "Model", ("model", "model_name", "model_id")),
    Field("setting", "Setting", ("setting", "config", "mode")),
    Field("condition", "Condition of an intervention", ("condition", "intervention")),
    Field("rollout", "Rollout: 0, 1, 2 …", ("rollout", "rollout_id", "attempt", "trial", "repeat")),
    Field("input_tokens", "Tokens taken in", ("input_tokens", "prompt_tokens", "tokens_in")),
    Field("output_tokens", "Tokens given out", ("output_tokens", "completion_tokens", "tokens_out", "tokens")),
    Field("seconds", "Seconds", ("seconds", "latency", "latency_s", "duration", "time", "elapsed")),
    Field("usd", "Cost in US dollars", ("usd", "cost_usd", "cost", "price")),
), (
    (("sample", "image", "question"),
     "No column is mapped to a sample. Choose the column with its id, image or question."),
    (("answer", "correct", "error", "boxes", "box_1"),
     "No column is mapped to a model answer, verdict, error or crop. Choose at least one."),
), never={"answer": lambda column: is_gold(column)})  # fmt: skip


def is_gold(column: str) -> bool:
    """Whether a column has the name of one with the correct answers: none is proposed as the model's, but one may be
    chosen.

    >>> is_gold("meta.GT answer"), is_gold("expected.value"), is_gold("prediction"), is_gold("predicted label")
    (True, True, False, False)
    """
    names = [plain(part) for part in column.split(".")]
    if any(_GOLD.search(name) for name in names):
        return True
    return bool(_LABEL.search(names[-1])) and not any(_OF_MODEL.search(name) for name in names)
