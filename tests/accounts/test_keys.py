"""A person's own keys: kept for them alone, never one key for two things, and back to the usual ones."""

from __future__ import annotations

import pytest

from annotation.common.keys import REVIEW, STUDIO, keys_json
from tests.conftest import signed_in
from webapp.accounts.keys import problems_of
from webapp.accounts.keys_actions import change_keys, own_keys
from webapp.common.errors import InvalidInput
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ADDRESS = "/account/keys/"


def posted(**changed: str) -> dict[str, str]:
    usual = {f"annotate.{key.name}": key.default for key in STUDIO.keys}
    return usual | {f"annotate.{name.replace('_', '-')}": key for name, key in changed.items()}


def keys_for(user):
    return {row["name"]: list(row["keys"]) for row in keys_json(user, STUDIO)}


def test_the_usual_keys_are_all_possible_and_different():
    assert problems_of(STUDIO, {}) == {}
    assert problems_of(STUDIO, {key.name: key.default for key in STUDIO.keys}) == {}


def test_a_changed_key_is_this_persons_alone_and_takes_the_further_ones_with_it(ana, rui):
    assert change_keys(actor=ana, table=STUDIO, keys={"delete": "N", "box": "B"}) == 1
    assert keys_for(ana)["delete"] == ["N"]
    assert keys_for(ana)["box"] == ["B"]
    assert keys_for(rui)["delete"] == ["Delete", "Backspace"]
    assert own_keys(ana, STUDIO) == {"delete": "N"}
    entry = AuditEntry.objects.get(action="keys.change")
    assert entry.data == {"table": "annotate", "from": {}, "to": {"delete": "N"}}


def test_two_keys_are_swapped_and_changed_again(ana):
    change_keys(actor=ana, table=STUDIO, keys={"box": "H", "hand": "B"})
    assert (keys_for(ana)["box"], keys_for(ana)["hand"]) == (["H"], ["B"])
    change_keys(actor=ana, table=STUDIO, keys={"box": "B", "hand": "H"})
    assert own_keys(ana, STUDIO) == {}
    assert change_keys(actor=ana, table=STUDIO, keys={}) == 0
    assert AuditEntry.objects.filter(action="keys.change").count() == 2


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("H", "also used for “pan”"),
        ("Backspace", "also used for “delete the box”"),
        ("Ctrl+Z", "also used for “undo”"),
        ("7", "reserved for “value of the first facet”"),
        ("?", "reserved for “keyboard shortcuts”"),
        ("Ctrl+W", "used by the browser"),
        ("Enter", "activates the focused button"),
        ("", "Press one key"),
        ("BB", "Press one key"),
        ("Hyper+B", "Press one key"),
        ("b", "Press one key"),
    ],
)
def test_a_key_that_cannot_be_one_says_why(ana, key, said):
    with pytest.raises(InvalidInput, match=said) as refused:
        change_keys(actor=ana, table=STUDIO, keys={"box": key})
    assert refused.value.field in ("box", "hand", "delete", "undo")
    assert own_keys(ana, STUDIO) == {}


@pytest.mark.parametrize("key", ["N", "Ä", "Shift+B", "Alt+B", "Ctrl+Alt+Shift+B", "F2", "Ctrl+Space", "Insert", "/"])
def test_other_keys_are_possible(key):
    assert problems_of(STUDIO, {"box": key}) == {}


def test_the_page_keeps_what_is_chosen_and_goes_back(ana):
    client = signed_in(ana)
    assert client.post(ADDRESS, posted(box="n", adopt_all="Alt+S")).status_code == 302
    assert own_keys(ana, STUDIO) == {"box": "N", "adopt-all": "Alt+S"}
    assert 'name="annotate.box" value="N"' in client.get(ADDRESS).content.decode()
    client.post(ADDRESS, {"defaults": "1"})
    assert own_keys(ana, STUDIO) == {}


def test_a_collision_is_told_at_both_keys_and_nothing_is_kept(ana):
    answer = signed_in(ana).post(ADDRESS, posted(box="H"))
    text = answer.content.decode()
    assert answer.status_code == 400
    assert "H is also used for “pan”" in text
    assert "H is also used for “draw a box; again: box in the center”" in text
    assert 'name="annotate.box" value="H"' in text
    assert own_keys(ana, STUDIO) == {}


def test_reviewing_has_keys_of_its_own_on_the_same_page(ana):
    """One key may do something while annotating and something else while reviewing."""
    client = signed_in(ana)
    assert client.post(ADDRESS, posted() | {"review.accept": "Shift+Y", "review.comment": "E"}).status_code == 400
    assert client.post(ADDRESS, posted() | {"review.accept": "Shift+Y", "review.gold": "H"}).status_code == 302
    assert (own_keys(ana, REVIEW), own_keys(ana, STUDIO)) == ({"accept": "Shift+Y", "gold": "H"}, {})
    assert keys_json(ana, REVIEW)[0]["keys"] == ("Shift+Y",)


def test_what_is_typed_is_shown_as_text(ana):
    text = signed_in(ana).post(ADDRESS, posted(box='"><script>alert(1)</script>')).content.decode()
    assert "<script>alert" not in text
