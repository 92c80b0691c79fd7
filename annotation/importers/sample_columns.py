"""The fields of a table of samples and their column names. For mappings, see ``annotation.importers.mapping``."""

from __future__ import annotations

from annotation.importers.mapping import Field, TableFields, names_of

LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

SAMPLE_FIELDS = TableFields((
    Field("id", "Id of the sample", (
        "sample_id", "id", "question_id", "qid", "item_id", "example_id", "uid", "index", "idx", "pid",
        "key", "sample", "custom_id", "image_id", "img_id",
    )),
    Field("image", "Image: file name", (
        "image", "image_path", "image_name", "image_file", "img", "img_path", "picture", "file", "file_name",
        "filename",
    )),
    Field("question", "Question", ("question", "query", "problem", "prompt", "text")),
    Field("answer", "Gold answer", (
        "answer", "gold_answer", "correct_answer", "ground_truth", "gt", "gt_answer", "target", "label", "solution",
    )),
    Field("options", "Options: all in one cell", ("options", "choices", "candidates", "alternatives")),
    *(
        Field(f"option_{letter.lower()}", f"Option {letter}", (
            letter.lower(), f"option_{letter.lower()}", f"choice_{letter.lower()}", f"option_{number}",
            f"choice_{number}",
        ), after=f"option_{LETTERS[number - 2].lower()}" if number > 1 else "")
        for number, letter in enumerate(LETTERS, 1)
    ),
    Field("boxes", "Evidence: all boxes in one cell", (
        "gold_boxes", "evidence_boxes", "gt_boxes", "gt_bbox", "bboxes", "boxes", "bbox", "bbox_2d", "box", "evidence",
        "target_bbox", "regions",
    )),
    Field("box_1", "Evidence: 1st number of the box", ("x1", "xmin", "x_min", "left", "cx", "x")),
    Field("box_2", "Evidence: 2nd number of the box", ("y1", "ymin", "y_min", "top", "cy", "y")),
    Field("box_3", "Evidence: 3rd number of the box", ("x2", "xmax", "x_max", "right", "w", "box_w", "box_width")),
    Field("box_4", "Evidence: 4th number of the box", ("y2", "ymax", "y_max", "bottom", "h", "box_h", "box_height")),
    Field("width", "Image: width", ("width", "image_width", "img_width", "img_w")),
    Field("height", "Image: height", ("height", "image_height", "img_height", "img_h")),
    Field("category", "Category", ("category", "question_type", "task", "type", "subject", "class")),
    Field("tier", "Tier", ("tier", "level", "difficulty")),
    Field("dimension", "Dimension: perception or reasoning", ("dimension", "ability", "skill")),
    Field("split", "Split", ("split", "subset")),
    Field("image_group", "Images that belong together", ("image_group", "group", "scene", "scene_id")),
), (
    (("question", "image"), "No column is mapped to a question. Choose the column with the question or the image."),
), free="facet.")  # fmt: skip
PREDICTIONS = (
    "prediction", "predicted_answer", "pred_answer", "model_answer", "pred", "predicted", "response", "model_output",
    "model_prediction", "model_response", "full_prediction", "raw_prediction", "generation", "generated_text",
    "generated_answer", "hypothesis", "completion", "answer_pred", "answer_predicted", "predicted_label", "pred_label",
    "llm_output", "llm_response", "llm_answer", "vlm_output", "vlm_response", "vlm_answer", "model_reply",
)  # fmt: skip
"""Names of columns with a model's answer, the most likely first."""
RESULTS = frozenset({
    *PREDICTIONS, "extraction", "extracted_answer", "answer_id",
    "judge_correct", "is_correct", "correct", "hit", "verdict", "crops", "pred_boxes", "model", "model_name",
})  # fmt: skip
"""Names of columns with the output of a model: a table with one of them contains runs."""


def of_results(column: str) -> bool:
    """Return whether a column contains the output of a model."""
    return bool(names_of(column) & RESULTS)
