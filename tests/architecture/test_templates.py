"""R15 and the content policy: pieces know no app, and no page holds script, style or handlers of its own."""

import ast
import re
from pathlib import Path

import pytest
from django.contrib import admin

from tests.architecture.source import ROOT, files, nodes, product_files, text
from webapp.common.glossary import all_terms

TEMPLATES = Path("templates")
DJANGO_ADMIN = Path(admin.__file__).parent / "templates"
INCLUDE = re.compile(r"""(?:{%\s*(?:include|extends|fragment|from)\s+|\bpiece\()["']([^"']+)["']""")
COMMENT = re.compile(r"{#.*?#}|{%\s*comment.*?endcomment\s*%}|<!--.*?-->", re.S)
INLINE = {
    "an inline script": re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*\btype=[\"']application/json)", re.I),
    "a style element": re.compile(r"<style\b", re.I),
    "a style attribute": re.compile(r"\sstyle\s*=", re.I),
    "a handler": re.compile(r"<[^>]*\son[a-z]+\s*=", re.I),
    "a script address": re.compile(r"""=\s*["']\s*javascript:""", re.I),
    "an htmx handler": re.compile(r"\shx-on[:=-]", re.I),
    "text passed as markup": re.compile(r"\|\s*safe\b|{%\s*autoescape\s+off"),
}
SHARED = {"ui", "base.html", "benchmark.html"}
TEMPLATE_TAG = re.compile(r"{%.*?%}|{{.*?}}", re.S)
TITLE = re.compile(r"<[a-zA-Z][^<>]*?\stitle=([\"'])(.*?)\1", re.S)
TITLES = {"templates": 106, "Python": 1, "scripts": 6}
"""Where a ``title`` is set -> how many times it may be. Keys and fingers do not reach it: it may repeat what is cut off
or name a button without words, and explains nothing. The numbers may only fall."""


def pages() -> list[Path]:
    return [path for path in files(".html", ".jinja") if path.is_relative_to(TEMPLATES)]


@pytest.mark.parametrize(
    ("markup", "fault"),
    [
        ("<script>go()</script>", "an inline script"),
        ("<style>a{}</style>", "a style element"),
        ('<p style="color: red">', "a style attribute"),
        ('<button type="button" onclick="go()">', "a handler"),
        ('<a href="javascript:go()">', "a script address"),
        ('<div hx-on:click="go()">', "an htmx handler"),
        ("{{ note|safe }}", "text passed as markup"),
    ],
)
def test_each_kind_of_inline_code_is_found(markup, fault):
    assert INLINE[fault].search(markup)


@pytest.mark.parametrize(
    "markup",
    [
        '<script type="module" src="main.js"></script>',
        '<script type="application/json" id="boxes">[]</script>',
        '<link rel="stylesheet" href="app.css">',
        '<option value="1" selected>',
        "<p>one = two</p>",
    ],
)
def test_markup_without_inline_code_passes(markup):
    assert not any(pattern.search(markup) for pattern in INLINE.values())


def test_no_page_holds_script_style_or_handlers():
    assert pages()
    found = [
        f"{path}: {fault}"
        for path in pages()
        for fault, pattern in INLINE.items()
        if pattern.search(COMMENT.sub("", text(path)))
    ]
    assert not found


def test_every_moment_is_written_by_one_tag():
    """D7.18: ``{% when %}`` names the zone, and scripts put it into the visitor's."""
    found = [str(path) for path in pages() if re.search(r"\|\s*(date|time)\s*(:|\||}})", COMMENT.sub("", text(path)))]
    assert not found


def titles_of_templates() -> list[tuple[Path, str]]:
    """Every ``title`` of an element, with what it says; a template tag is its own words without quotes."""
    found = []
    for path in pages():
        markup = TEMPLATE_TAG.sub(lambda tag: re.sub(r"[<>\"']", " ", tag[0]), COMMENT.sub("", text(path)))
        found += [(path, said) for _, said in TITLE.findall(markup)]
    return found


def test_titles_become_fewer():
    markup = [
        node.value
        for path in product_files()
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    scripts = [text(path) for path in files(".js") if path.parts[:2] == ("static", "js")]
    found = {
        "templates": len(titles_of_templates()),
        "Python": sum(len(TITLE.findall(one)) for one in markup),
        "scripts": sum(len(re.findall(r"(?<!document)\.title = ", one)) for one in scripts),
    }
    assert found == TITLES, "Lower the numbers of TITLES if there are fewer; explain with {% term %} if there are more."


def test_no_title_explains_a_word_of_the_glossary():
    """``{% term %}`` does, by mouse, key and touch."""
    definitions = {term.definition for term in all_terms().values()}
    for path, said in titles_of_templates():
        assert not re.search(r"\.(?:definition|about|help_text)\b", said), f"{path}: {said}"
        assert not any(definition in said for definition in definitions), f"{path}: {said}"


def test_shared_pieces_name_no_app():
    apps = re.compile(r"""["'](annotation|evaluation)[:/]""")
    found = [str(path) for path in pages() if path.parts[1] == "ui" and apps.search(text(path))]
    assert not found


def own_folder(name: str) -> str:
    """The app of a template, with its feature where the app has folders for features: ``evaluation/runs``."""
    return "/".join(Path(name).parts[:-1][:2])


def test_pages_include_only_shared_pieces_and_their_own_folder():
    """A feature includes what is its own, or common to its app."""
    for path in pages():
        own = own_folder(str(path.relative_to(TEMPLATES)))
        for name in INCLUDE.findall(text(path)):
            top = name.split("/")[0]
            if top not in SHARED:
                assert own_folder(name) in {own, f"{path.parts[1]}/common", "admin"}, f"{path} includes {name}"
            # Pages of the admin site extend those of Django, of which there are no copies here.
            there = (ROOT / TEMPLATES / name).is_file() or (DJANGO_ADMIN / name).is_file()
            assert there, f"{path} includes {name}, which does not exist"


def test_an_icon_that_a_page_names_exists():
    there = set(re.findall(r'id="([a-z-]+)"', (ROOT / "static/img/icons.svg").read_text()))
    named = {
        (name, path.as_posix())
        for path in files(".html", ".jinja")
        for name in re.findall(r"""{%\s*icon\s+["']([^"']+)["']""", COMMENT.sub("", text(path)))
    }
    assert len(named) > 50
    assert {one for one in named if one[0] not in there} == set()


@pytest.mark.django_db
def classes_of(sheet: str) -> set[str]:
    """Classes that a style sheet defines on their own, not within another."""
    plain = re.sub(r"/\*.*?\*/|\([^()]*\)", "", sheet, flags=re.S)
    selectors = ",".join(re.findall(r"([^{}]+)\{", plain)).split(",")
    return {one.strip() for one in selectors if re.fullmatch(r"\s*\.[a-z][\w-]*\s*", one)}


def test_two_pages_define_no_class_of_one_name():
    """All sheets are in every page: the layout of one page would change another."""
    owners: dict[str, list[str]] = {}
    for path in files(".css"):
        if path.parent == Path("static/css/pages") and path.name != "print.css":
            for name in classes_of(text(path)):
                owners.setdefault(name, []).append(path.name)
    assert len(owners) > 500
    assert {name: found for name, found in owners.items() if len(found) > 1} == {}


def test_every_answer_carries_a_policy_without_inline_code(client):
    policy = client.get("/live").headers["Content-Security-Policy"]
    rules = {words[0]: words[1:] for words in (rule.split() for rule in policy.split(";")) if words}
    assert rules["default-src"] in (["'self'"], ["'none'"])
    assert "'unsafe-inline'" not in policy
    assert "'unsafe-eval'" not in policy
    assert rules["frame-ancestors"] == ["'none'"]
