"""The first messages of an attempt, and the digest by which an attempt is known again."""

from __future__ import annotations

from evaluation.runner.canonical import digest_of
from evaluation.runner.offers import CODE_OPERATIONS, CODE_PATH, Offer, image_name, offer_of
from evaluation.runner.protocols import Result
from evaluation.runner.recipe import Recipe, RecipeError, Task
from evaluation.runner.templates import PromptError


class Opening:
    """The system prompt ("" without one) and the user prompt of a task, and what the model is offered.

    Raises ``RecipeError`` if the tools are not those that the recipe was made with, and ``PromptError`` if a prompt
    uses a value that the sample does not have, or does not show the options of the sample.
    """

    def __init__(self, recipe: Recipe, task: Task) -> None:
        self.offer = _offer(recipe)
        if self.offer.digest != recipe.offer:
            raise RecipeError("The tools have changed since the recipe was made. Make the recipe again.")
        values = task.values() | {
            "image": image_name(recipe.dialect, task.sample),
            "tool": self.offer.name or None,
            "path": CODE_PATH,
            "operations": CODE_OPERATIONS,
        }
        prompts = [prompt for prompt in (recipe.system, recipe.user) if prompt is not None]
        if task.options and recipe.task.result is Result.ANSWER and not any("options" in one.fields for one in prompts):
            raise PromptError(
                f"{recipe.user.slug}@{recipe.user.version} has no field {{{{ options }}}}, and this sample has options."
            )
        self.shown = {name: values.get(name) for prompt in prompts for name in sorted(prompt.fields)}
        system = recipe.system.rendered(values) if recipe.system else ""
        self.system = "\n\n".join(part for part in (system, self.offer.instructions) if part)
        self.user = recipe.user.rendered(values)


def attempt_digest(recipe: Recipe, task: Task, rollout: int, arm_digest: str = "") -> str:
    """Return the digest of an attempt: the recipe, the image, question and options, what else the prompts say, the
    rollout and the digest of the arm. Raises as ``Opening`` does."""
    about = [task.image.sha256, task.question, dict(task.options), Opening(recipe, task).shown]
    return digest_of([recipe.digest(), *about, rollout, arm_digest])


def _offer(recipe: Recipe) -> Offer:
    return offer_of(recipe.protocol, recipe.dialect, recipe.profile, recipe.frame, recipe.omit)
