"""The form of a recipe: one kind with its choice, the first and the last dose, and how many in between."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from annotation.imaging.variants.recipes import (
    CHOICES,
    LARGEST_SEED,
    MOST_VARIANTS,
    Form,
    Recipe,
    RecipeError,
    ladder,
    recipes_of,
)


class RecipeForm(forms.Form):
    """``recipes`` after it was checked: one for each dose."""

    first = forms.FloatField(label=gettext_lazy("First dose"))
    last = forms.FloatField(label=gettext_lazy("Last dose"))
    count = forms.IntegerField(
        label=gettext_lazy("Variants"), min_value=1, max_value=MOST_VARIANTS, initial=MOST_VARIANTS,
        help_text=gettext_lazy("Doses in equal steps. With 1, only the first dose."),
    )  # fmt: skip
    choice = forms.ChoiceField(label=gettext_lazy("Applied to"))
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"), min_value=0, max_value=LARGEST_SEED, initial=0,
        help_text=gettext_lazy("The same seed gives the same noise."),
    )  # fmt: skip

    def __init__(self, form: Form, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.recipe = form
        self.recipes: list[Recipe] = []
        if form.dose:
            for name, start in (("first", form.ladder[0]), ("last", form.ladder[1])):
                self.fields[name].initial = f"{start:g}"
                self.fields[name].widget.attrs |= {"step": "1" if form.whole else "any", "inputmode": "decimal"}
            self.fields["first"].help_text = gettext("%(dose)s, %(low)s to %(high)s.") % {
                "dose": gettext(form.dose), "low": f"{form.low:g}", "high": f"{form.high:g}",
            }  # fmt: skip
        else:
            for name in ("first", "last", "count"):
                del self.fields[name]
        if form.choices:
            self.fields["choice"].choices = [(one, gettext(CHOICES[one])) for one in form.choices]  # type: ignore[attr-defined]
        else:
            del self.fields["choice"]
        if not form.seeded:
            del self.fields["seed"]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if self.errors:
            return said
        doses = ladder(self.recipe, said["first"], said["last"], said["count"]) if self.recipe.dose else []
        try:
            self.recipes = recipes_of(self.recipe.kind, doses, said.get("choice", ""), said.get("seed", 0))
        except RecipeError as error:
            field = {"dose": "first"}.get(error.field, error.field)
            self.add_error(field if field in self.fields else None, gettext(error.template) % error.values)
        return said
