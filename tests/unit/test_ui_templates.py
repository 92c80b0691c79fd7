"""The pieces of templates/ui/, drawn as a page draws them."""

import re
from types import SimpleNamespace

import pytest
from django import forms
from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Paginator
from django.template import Context, Template, TemplateSyntaxError
from django.template.loader import render_to_string
from django.test import RequestFactory

from webapp.common.status_icons import STATES
from webapp.common.templatetags import ui


class ExampleForm(forms.Form):
    model = forms.CharField(help_text="As it stands on the leaderboard.")
    setting = forms.CharField(max_length=3)
    space = forms.ChoiceField(choices=[("pixel", "Pixels of the input picture")], required=False)
    remark = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), required=False)
    share = forms.FloatField(required=False)
    score = forms.BooleanField(label="Score when done", required=False)


def example_context(picture="/static/img/street.svg"):
    cells = [("G+A+", 0.572, 682), ("G+A-", 0.083, 99), ("G-A+", 0.135, 161), ("G-A-", None, 250)]
    return {
        "crumbs": [("Benchmarks", "/benchmarks/"), ("Street", None)],
        "form": ExampleForm({"model": "Model E", "setting": "interface", "share": "0.5"}),
        "quadrants": [name for name, _, _ in cells],
        "states": list(STATES),
        "picture": picture,
        "gold": [[560, 555, 600, 607]],
        "crops": [
            {"box": [400, 470, 592, 608], "turn": 1},
            {"box": [540, 550, 625, 625], "turn": 2, "focused": True},
        ],
        "asked": [[560, 560, 640, 640]],
        "old": [[700, 500, 760, 560]],
        "cells": [
            {"name": name, "share": share, "low": 0.05, "high": 0.6, "count": count, "href": f"?quadrant={name}"}
            for name, share, count in cells
        ],
        "tabs": [
            {"label": "Samples", "href": "#samples", "count": 1240, "current": True},
            {"label": "Leaderboard", "href": "#leaderboard"},
        ],
        "page": Paginator(range(372), 50).page(2),
        "values": [
            {"label": "Robust OCR", "count": 312, "href": "#ocr"},
            {"label": "Accepted", "state": "accepted", "count": 171, "href": "#accepted", "current": True},
        ],
        "rows": [("Coverage", "1.00"), ("Concentration", "0.12")],
        "tokens": [{"name": "calls", "value": ">4", "without": "?"}],
        "messages": [SimpleNamespace(message="Scored", level=25), SimpleNamespace(message="Failed", level=40)],
    }


def request(query="", **cookies):
    made = RequestFactory().get(f"/list/?{query}")
    made.COOKIES.update(cookies)
    made.user = AnonymousUser()
    return made


def drawn(source, query="", **context):
    values = {"request": request(query), **context}
    return re.sub(r">\s+<", "><", Template("{% load ui %}" + source).render(Context(values)).strip())


@pytest.fixture(scope="module")
def gallery():
    return render_to_string("ui/gallery.html", example_context(), request=request(theme="dark"))


def test_the_gallery_holds_no_style_script_or_handler_of_its_own(gallery):
    assert not re.search(r"\sstyle\s*=|\son[a-z]+\s*=|<style", gallery)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", gallery))


def test_the_theme_of_the_cookie_stands_on_the_root(gallery):
    assert '<html lang="en" data-theme="dark">' in gallery


@pytest.mark.parametrize(("cookie", "expected"), [("light", "light"), ("", ""), ("x onload=1", "")])
def test_only_a_known_theme_is_taken_from_the_cookie(cookie, expected):
    assert drawn("{% theme %}", request=request(theme=cookie)) == expected


def test_each_id_stands_once(gallery):
    ids = re.findall(r'\sid="([^"]+)"', gallery)
    assert len(ids) == len(set(ids))


def test_every_icon_that_is_named_is_drawn(gallery, settings):
    sprite = (settings.BASE_DIR / "static/img/icons.svg").read_text()
    for name in set(re.findall(r"icons\.svg#([\w-]+)", gallery)):
        assert f'id="{name}"' in sprite


def test_an_error_is_named_by_its_field(gallery):
    field = re.search(r'<input[^>]*name="setting"[^>]*>', gallery)[0]
    assert 'aria-invalid="true"' in field
    described = re.search(r'aria-describedby="([^"]+)"', field)[1]
    assert all(f'id="{name}"' in gallery for name in described.split())


def test_a_control_takes_the_class_of_its_kind():
    form = ExampleForm()
    classes = {name: re.search(r'class="([^"]*)"', ui.control(form[name])) for name in form.fields}
    assert {name: found and found[1] for name, found in classes.items()} == {
        "model": "input",
        "setting": "input",
        "space": "select",
        "remark": "textarea",
        "share": "input input--num",
        "score": None,
    }


@pytest.mark.parametrize("name", ["G+A-", "G+A−", "gpam", "GPAM"])
def test_a_quadrant_is_known_by_each_of_its_names(name):
    assert ui.quadrant_code(name) == "gpam"
    assert "q--gpam" in drawn("{% quadrant name %}", name=name)


def test_what_is_no_quadrant_is_refused():
    with pytest.raises(ValueError, match="not a quadrant"):
        ui.quadrant_code("G?A+")


def test_a_state_without_a_word_of_its_own_has_the_usual_one():
    assert "In review" in drawn('{% status_icon "review" %}')
    assert "as asked" in drawn('{% status_icon "done" "as asked" %}')
    assert "is-bad" in drawn('{% status_icon "needs" %}')


def test_an_icon_alone_is_read_aloud():
    assert 'role="img" aria-label="Download"' in drawn('{% icon "download" "Download" %}')
    assert 'aria-hidden="true"' in drawn('{% icon "download" %}')


def test_an_interval_stands_on_its_axis():
    svg = drawn("{% interval 0.55 0.5 0.6 axis_low=0.3 axis_high=0.8 %}")
    assert 'x="40%"' in svg
    assert 'width="20%"' in svg
    assert 'class="ci__point" x="50%"' in svg


def test_an_undefined_value_draws_no_point_and_no_whisker():
    svg = drawn("{% interval None None None %}")
    assert "ci__point" not in svg
    assert "ci__range" not in svg


@pytest.mark.parametrize(("low", "high", "tie"), [(-0.01, 0.02, True), (0.01, 0.02, False), (None, None, False)])
def test_a_difference_is_a_tie_when_its_interval_holds_nought(low, high, tie):
    assert ("tie" in drawn("{% difference 0.015 low high p=0.2 %}", low=low, high=high)) is tie


def test_a_stack_says_its_shares_aloud_and_keeps_the_order():
    svg = drawn("{% stack 1 1 2 0 numbers=True %}")
    assert 'aria-label="G+A+ 25.0%, G+A− 25.0%, G−A+ 50.0%, G−A− 0.0%"' in svg
    assert re.findall(r"fill-(g\w+)", svg) == ["gpap", "gpam", "gmap"]


def test_a_stack_of_nothing_says_so():
    assert 'aria-label="n/a"' in drawn("{% stack 0 0 0 None %}")


def test_a_failure_in_a_stack_of_shares_is_rose():
    svg = drawn('{% stack_of "read" 8 "!refused" 2 %}')
    assert "fill-bad" in svg
    assert 'aria-label="read 80.0%, refused 20.0%"' in svg


def test_progress_without_a_total_has_no_value():
    assert "value=" not in drawn("{% progress 3 None %}")
    assert 'value="3" max="8"' in drawn("{% progress 3 8 %}")


@pytest.mark.parametrize(("count", "largest", "width"), [(171, 342, "50%"), (0, 342, "0%"), (3, 0, "0%")])
def test_a_facet_bar_is_relative_to_the_largest(count, largest, width):
    assert ui.facet_width(count, largest) == width


@pytest.mark.parametrize(
    ("before", "tag", "after"),
    [
        ("page=2&tool=zoom", "{% query page=3 %}", "?page=3&amp;tool=zoom"),
        ("page=2&tool=zoom", "{% query tool=None %}", "?page=2"),
        ("tool=a&tool=b", "{% query page=1 %}", "?tool=a&amp;tool=b&amp;page=1"),
        ("", '{% query text="a & b" %}', "?text=a+%26+b"),
    ],
)
def test_an_address_keeps_its_other_terms(before, tag, after):
    assert drawn(tag, query=before) == after


def test_marks_lie_on_what_is_seen_of_a_cut_picture():
    svg = drawn(
        '{% annotated_thumbnail "/p.jpg" 2000 900 gold=gold ratio="16x9" tags=True %}', gold=[[1000, 450, 1100, 500]]
    )
    assert 'viewBox="200 0 1600 900"' in svg
    assert 'class="gold" x="1000"' in svg
    assert 'x="50%"' in svg


def test_the_loupe_makes_way_for_the_evidence():
    shot = '{% annotated_thumbnail "/p.jpg" 1600 900 gold=gold ratio="16x9" loupe="/l.jpg" %}'
    assert "loupe--left" in drawn(shot, gold=[[1500, 800, 1550, 850]])
    assert "loupe--left" not in drawn(shot, gold=[[100, 100, 150, 150]])


def test_crops_carry_their_turn_and_the_one_in_focus_is_marked():
    svg = drawn('{% annotated_thumbnail "/p.jpg" 1600 900 crops=crops tags=True %}', crops=example_context()["crops"])
    assert svg.count('class="crop is-on"') == 1
    assert "<text>1</text>" in svg


def test_of_many_crops_the_share_of_each_place_is_shaded_and_only_the_focused_one_is_outlined():
    crops = [{"box": (0, 0, 320, 320), "turn": turn} for turn in range(1, 61)]
    crops += [{"box": (160, 0, 640, 320), "turn": 61, "focused": True}]
    svg = drawn('{% annotated_thumbnail "/p.jpg" 640 320 crops=crops tags=True %}', crops=crops)
    layers = re.findall(r'<path class="dense" fill-opacity="([^"]+)" d="M(\d+) 0h(\d+)', svg)
    assert layers == [("0.1", "320", "320"), ("0.6", "0", "320")]
    assert re.findall(r"<text>(\d+)</text>", svg) == ["61"]


def test_untrusted_words_stay_words():
    found = drawn('{% include "ui/_tag.html" with label=label %}', label="<script>go()</script>")
    assert "<script>" not in found


@pytest.mark.parametrize("status", [400, 403, 404, 409, 500])
def test_a_stop_page_is_drawn_without_a_request(status):
    context = {"status": status, "title": "It <broke>", "message": "Try", "path": "/here", "reference": "8f2c"}
    page = render_to_string(f"errors/{status}.html", context)
    assert "It &lt;broke&gt;</h1>" in page
    assert f"{status} · /here · ref 8f2c" in page


def test_an_unknown_ratio_is_refused():
    with pytest.raises((KeyError, TemplateSyntaxError)):
        drawn('{% annotated_thumbnail "/p.jpg" 1600 900 ratio="3x1" %}')
