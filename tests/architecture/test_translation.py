"""Text that people read goes through gettext, in whole sentences with named placeholders.

What is asked here can be decided from the code: labels, help texts, messages and errors. Words of presenters (titles,
states, notices) look like any other string; ``tests/common/test_translation.py`` reads pages in a made-up language.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path

import pytest
from django.utils.translation.template import templatize

from tests.architecture import source
from webapp.common import errors
from webapp.common.glossary import all_terms

AT_RUN_TIME = {"gettext", "ngettext", "pgettext", "npgettext"}
MARKERS = AT_RUN_TIME | {f"{name}_lazy" for name in AT_RUN_TIME} | {"gettext_noop"}
TEXTS = {"gettext": 1, "ngettext": 2, "pgettext": 2, "npgettext": 3, "gettext_noop": 1}
"""How many arguments of each are text; with a context, that is the first."""
KEYWORDS = {"label", "help_text", "empty_label"}
ERRORS = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, Exception)} | {
    "StaleDraft", "Http404", "go_on_at",
}  # fmt: skip
ENGLISH = re.compile(
    r"(?:^|/)(?:migrations|management|api|publish|models|querysets)/|/(?:api\w*|api_\w+|models|openapi)\.py$"
    r"|^webapp/(?:common/(?:backups|audit|bucket|objects)|jobs/registry|accounts/tokens)\.py$"
)
"""The API, commands and jobs; ``help_text`` of models, which only developers read."""
PURE = re.compile(
    r"^annotation/(?:extras|schema|spreadsheets|workflow|marking|blindness|chain_answers|agreement|validation"
    r"|work_rules|statistics|imaging|tool_bank|toolbox|importers|exporters)(?:/|\.py)"
    r"|^evaluation/(?:schema|metrics|query|importers|exporters|replay|agents|runner)(?:/|\.py)"
)
LEFT = {
    "evaluation/compare/present/export.py": 1,
    "evaluation/compare/present/links.py": 2,
    "evaluation/leaderboard/present/address.py": 2,
    "evaluation/leaderboard/views/macro.py": 1,
}
"""File -> how many unmarked texts it may have. The numbers may only fall."""


def pages() -> list[Path]:
    """The modules whose text people read on pages."""
    return [path for path in source.product_files() if not ENGLISH.search(str(path)) and not PURE.search(str(path))]


def name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def shown_in(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """The expressions of a module that are text for people."""
    for node in nodes:
        if isinstance(node, ast.Call):
            yield from _shown_by(node)
        elif isinstance(node, ast.ClassDef) and node.name == "Meta":
            for one in node.body:
                if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) in ("labels", "help_texts"):
                    yield from one.value.values if isinstance(one.value, ast.Dict) else ()
        elif isinstance(node, ast.ClassDef) and any("TextChoices" in ast.unparse(base) for base in node.bases):
            values = [one.value for one in node.body if isinstance(one, ast.Assign)]
            yield from (value.elts[1] for value in values if isinstance(value, ast.Tuple))


def _shown_by(call: ast.Call) -> Iterator[ast.expr]:
    name, whole = name_of(call), ast.unparse(call.func)
    if re.fullmatch(r"messages\.(?:success|error|info|warning)", whole):
        yield call.args[1]
    elif name == "go_on_at":
        yield call.args[-1]
    elif name in ERRORS or (name == "ValidationError" and "serializers" not in whole):
        yield from call.args[:1]
    elif name == "add_error" or name in ("Tab", "Section"):
        yield from call.args[1:2]
    for keyword in call.keywords if "erializer" not in whole else ():
        if keyword.arg in KEYWORDS:
            yield keyword.value
        elif keyword.arg == "error_messages" and isinstance(keyword.value, ast.Dict):
            yield from keyword.value.values
        elif keyword.arg == "choices" and isinstance(keyword.value, ast.List) and name.endswith("Field"):
            yield from (pair.elts[1] for pair in keyword.value.elts if isinstance(pair, ast.Tuple))


def unmarked_in(expression: ast.expr) -> bool:
    """Whether words of an expression are not given to gettext. What is not written here cannot be decided."""
    match expression:
        case ast.Constant(value=str() as text):
            return re.search(r"[A-Za-z]{2}", text) is not None
        case ast.JoinedStr(values=parts):
            return any(unmarked_in(part) for part in parts if isinstance(part, ast.Constant))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return unmarked_in(left) or unmarked_in(right)
        case ast.BinOp(left=left, op=ast.Mod()):
            return unmarked_in(left)
        case ast.IfExp(body=body, orelse=orelse):
            return unmarked_in(body) or unmarked_in(orelse)
        case ast.Call(func=ast.Attribute(value=text, attr="format" | "join")):
            return unmarked_in(text)
    return False


def texts_of(call: ast.Call) -> list[ast.expr]:
    """The texts that a call marks, and its context."""
    return call.args[: TEXTS[name_of(call).removesuffix("_lazy")]]


def marking_calls(nodes: Iterable[ast.AST]) -> list[ast.Call]:
    return [node for node in nodes if isinstance(node, ast.Call) and name_of(node) in MARKERS]


def problem_with(call: ast.Call) -> str:
    """What keeps a text from being translated; "" where nothing does."""
    for text in texts_of(call):
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            if re.search(r"%\d*\.?\d*[sdifgr]\b|\{\d*\}", text.value):
                return "Name its placeholders: %(count)s"
        elif isinstance(text, ast.Name | ast.Attribute | ast.Subscript):
            if name_of(call) not in AT_RUN_TIME | {"gettext_lazy"}:
                return "Mark the text where it is written"
        elif not (isinstance(text, ast.Call) and name_of(text) in ("get", "getattr")):
            return "Give it one text, without values"
    return ""


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("forms.CharField(label='Name')", 1),
        ("forms.CharField(label=gettext_lazy('Name'))", 0),
        ("forms.CharField(error_messages={'required': 'Enter a name.'})", 1),
        ("forms.ChoiceField(choices=[('a', 'by id'), ('b', gettext_lazy('random'))])", 1),
        ("messages.success(request, f'{name} saved.')", 1),
        ("messages.success(request, gettext('%(name)s saved.') % {'name': name})", 0),
        ("messages.success(request, 'Saved.' if done else gettext('Nothing to save.'))", 1),
        ("raise Conflict('It is in use. ' + advice)", 1),
        ("raise Conflict('{} is in use.'.format(name), code='in_use')", 1),
        ("raise Conflict(f'{name}: {reason}')", 0),
        ("raise forms.ValidationError('Choose one.')", 1),
        ("raise serializers.ValidationError('Choose one.')", 0),
        ("form.add_error('name', 'Choose one.')", 1),
        ("class State(models.TextChoices):\n    DRAFT = 'draft', 'Draft'\n    DONE = 'done', gettext_lazy('Done')", 1),
        ("class Meta:\n    labels = {'slug': 'Address'}", 1),
    ],
)
def test_unmarked_text_is_found(code: str, count: int) -> None:
    assert sum(map(unmarked_in, shown_in(ast.walk(ast.parse(code))))) == count


def test_labels_messages_and_errors_are_marked() -> None:
    found = {str(path): sum(map(unmarked_in, shown_in(source.nodes(path)))) for path in pages()}
    assert sum(len(list(shown_in(source.nodes(path)))) for path in pages()) > 500
    assert not {path: count for path, count in found.items() if count > LEFT.get(path, 0)}, "Mark them"


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("gettext('%(count)s samples') % {'count': n}", False),
        ("gettext('0 to 100% of the image')", False),
        ("gettext(CONSTANT)", False),
        ("gettext(f'{n} samples')", True),
        ("gettext('%s samples') % n", True),
        ("gettext('{} samples').format(n)", True),
        ("gettext('one ' + 'sample')", True),
        ("gettext('%(n)s samples' % {'n': n})", True),
        ("ngettext('%(count)s sample', f'{n} samples', n)", True),
        ("pgettext('state', f'{word}')", True),
        ("gettext_noop(WORDS[name])", True),
    ],
)
def test_text_that_cannot_be_translated_is_found(code: str, wrong: bool) -> None:
    [call] = marking_calls(ast.walk(ast.parse(code)))
    assert bool(problem_with(call)) is wrong


def test_marked_text_can_be_translated() -> None:
    calls = [(path, call) for path in source.product_files() for call in marking_calls(source.nodes(path))]
    assert len(calls) > 1000
    assert not [f"{path}:{call.lineno}: {said}" for path, call in calls if (said := problem_with(call))]


def at_import(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls that are made while a module is imported, when no language is known."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call) and name_of(node) in AT_RUN_TIME:
            yield node
        yield from at_import(node)


def test_calls_at_import_are_told_from_those_in_functions() -> None:
    code = (
        "A = gettext('a')\nclass B:\n    c = ngettext('a', 'b', 1)\ndef d():\n    gettext('a')\nE = gettext_lazy('a')"
    )
    assert [call.lineno for call in at_import(ast.parse(code))] == [1, 3]


def test_nothing_is_translated_while_modules_are_imported() -> None:
    assert not [f"{path}:{call.lineno}" for path in source.product_files() for call in at_import(source.tree(path))]


def filled_at_once(tree: ast.AST) -> list[int]:
    """The lines where a lazy text gets its values by %, which translates it there and then."""
    mods = (node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod))
    return [one.lineno for one in mods if isinstance(one.left, ast.Call) and name_of(one.left).endswith("_lazy")]


def test_values_of_lazy_texts_are_filled_in_lazily() -> None:
    assert filled_at_once(ast.parse("a = gettext_lazy('%(n)s files') % {'n': 1}\nb = gettext('%(n)s') % {'n': 1}")) == [
        1
    ]
    found = [f"{path}:{line}" for path in source.product_files() for line in filled_at_once(source.tree(path))]
    assert not found, "Use format_lazy"


def marked() -> set[str]:
    """Every text that code marks."""
    calls = (call for path in source.product_files() for call in marking_calls(source.nodes(path)))
    return {text.value for call in calls for text in texts_of(call) if isinstance(text, ast.Constant)}


def test_entries_of_the_glossary_are_marked_where_they_are_written() -> None:
    """Names of metrics in symbols, such as G+A+, and of settings, which files have, stay as they are."""
    known = marked()
    for term in all_terms().values():
        fields = (term.group, term.definition, term.formula, term.direction, term.undefined)
        assert not [text for text in fields if text and text not in known], term.slug
    names = Counter(term.name in known for term in all_terms().values() if not term.slug.startswith("setting-"))
    assert names[True] > 10 * names[False]


TAG = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}", re.DOTALL)
MARKED = re.compile(
    r"{%\s*blocktranslate\b.*?{%\s*endblocktranslate\s*%}|{%\s*comment\b.*?{%\s*endcomment\s*%}"
    r"|{% block body_class %}.*?{% endblock %}",
    re.DOTALL,
)
CODE = re.compile(r"<(code|kbd|script|style|pre)\b.*?</\1>|<!--.*?-->", re.DOTALL)
ATTRIBUTE = re.compile(r"\s(?:title|alt|aria-label|placeholder|data-label|data-key-label)=\"([^\"]*)\"")
SENT = re.compile(r"<input\b[^>]*type=\"submit\"[^>]*\svalue=\"([^\"]*)\"")
WORD = re.compile(r"[A-Za-z]{2,}")
GIVEN = re.compile(r"""_\((?:"[^"]*"|'[^']*')\)|\b(?:url|static|include|fragment)\s+["'][^"']*["']""")
"""Of a tag: texts that are marked, and strings that name a file, an address or a value."""
NAMES = {
    "Sightline",
    "IoA",
    "IoU",
    "AC",
    "CSV",
    "JSON",
    "API",
    "MCP",
    "JSONL",
    "Markdown",
    "LaTeX",
    "Parquet",
    "SVG",
    "PNG",
    "ID",
    "px",
    "sha",
}
"""Words that are the same in every language."""
GALLERY = "templates/ui/gallery.html"
"""The page of the components, which developers read: what it gives to them is an example."""


def unmarked_of(template: str) -> list[str]:
    """The texts and read-aloud attributes of a template that no tag translates, and the words that it gives to one."""
    text = CODE.sub(" ", MARKED.sub(" ", template))
    tags = [tag for tag in TAG.findall(text) if not tag.startswith("{#")]
    text = unescape(TAG.sub(lambda tag: " " if "\n" not in tag[0] else "\n", text))
    parts = [*ATTRIBUTE.findall(text), *SENT.findall(text), *re.split(r"<[^>]*>", text)]
    return [" ".join(part.split()) for part in parts if set(WORD.findall(part)) - NAMES] + [
        words for tag in tags for words in _given(tag)
    ]


def _given(tag: str) -> list[str]:
    """The strings of a tag that are words for people: those with a space or a capital, and what stands for no value."""
    if re.match(r"{%\s*(?:blocktranslate|translate|if|elif|load|extends|block|url|regroup)\b", tag):
        return []
    strings = re.findall(r"(default(?:_if_none)?:)?[\"']([^\"']*)[\"']", GIVEN.sub(" ", tag))
    return [
        text
        for default, text in strings
        if set(WORD.findall(text)) - NAMES - {"Enter"}
        and (" " in text.strip() or text[0].isupper() or (default and text not in ("n/a", "none", "submit", "lines")))
    ]


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("<p>Two words</p>", ["Two words"]),
        ("<p>{% translate 'Two words' %} {{ count }}</p>", []),
        ("{% blocktranslate trimmed %}Two words{% endblocktranslate %}", []),
        ('<a title="Open it" href="/about">G+A−</a>', ["Open it"]),
        ("<kbd>Enter</kbd> <code>--all</code> CSV&nbsp;", []),
        ("<td data-label='x' data-label=\"When\">{{ n }} of</td>", ["When", "of"]),
        ('<input type="submit" name="go" value="Go on"><input type="text" value="go">', ["Go on"]),
        ('{% include "ui/_empty.html" with title="No runs" text=_("Import one.") kind="bad" only %}', ["No runs"]),
        ('{% status_icon "needs" "Failed" %}{{ by|default:"nobody" }}{{ n|default:"n/a" }}', ["Failed", "nobody"]),
        ('{% url "evaluation:run" run.pk as "run" %}{% if kind == "Review" %}{% endif %}', []),
        ("{% block body_class %}fill{% endblock %}", []),
    ],
)
def test_unmarked_text_of_a_template_is_found(template: str, found: list[str]) -> None:
    assert unmarked_of(template) == found


def unfound_in(fragment: str) -> list[str]:
    """The marked texts of a fragment that are not collected for translation."""
    collected = templatize(fragment)
    return [
        text for text in re.findall(r"""\b_\(((?:"[^"]*")|(?:'[^']*'))""", fragment) if f"_({text})" not in collected
    ]


def test_marked_texts_of_fragments_are_collected() -> None:
    assert unfound_in('{{ name or _("none") }}{{ _("all") }}') == ['"none"']
    fragments = source.files(".jinja")
    assert fragments
    assert not {str(path): found for path in fragments if (found := unfound_in(source.text(path)))}


def templates() -> list[Path]:
    found = [path for path in source.files(".html", ".txt", ".jinja") if path.parts[0] == "templates"]
    assert len(found) > 300
    return [path for path in found if str(path) != GALLERY]


def test_every_text_of_templates_is_marked() -> None:
    assert not [f"{path}: {text}" for path in templates() for text in unmarked_of(source.text(path))]


def test_no_plural_of_templates_is_an_ending() -> None:
    assert not [path for path in templates() if "pluralize" in source.text(path)], "Use blocktranslate count"


COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
TRANSLATED = re.compile(r"(?<![\w.#])(?:t|tn|tp|gettext_noop)\((?:\"[^\"\n]*\"(?:,\s*)?)+")
SHOWN = re.compile(
    r"(?:\.(?:textContent|title|placeholder|ariaLabel|alt)\s*=(?!=)|setAttribute\(\"(?:aria-label|title|placeholder|alt)\",)"
    r"([^;\n]*)"
)
"""What a script writes where people read it."""
WORDS = re.compile(r"[A-Za-z]{3,}")


def unmarked_in_script(code: str) -> list[str]:
    """The words that a script writes into a page without ``t``, and each string that is a sentence."""
    text = TRANSLATED.sub("t(", COMMENT.sub(" ", code))
    written = {part for found in SHOWN.findall(text) for part in _strings(found)}
    return [
        part
        for part in dict.fromkeys(_strings(text))
        if WORDS.search(part) and (part in written or re.match(r"[A-Z][a-z']+ .*[a-z].*[.?!…]$", part))
    ]


NO_TEXT = re.compile(
    r"(?:querySelector(?:All)?|closest|matches|part|get|startsWith)\([^()]*\)|\[\"[^\"]*\"\]|[!=]==? \"[^\"]*\""
    r"|\"\w+\" in |, \"(?:second|clock|minute|time|day)\"\)"
)
"""Of a script: selectors, names that are compared, and forms of moments."""


def _strings(code: str) -> list[str]:
    """The strings of a piece of code, without the values in them and without names."""
    code = NO_TEXT.sub(" ", code)
    strings = re.findall(r"\"([^\"\n]*)\"|`([^`\n]*)`", code)
    return [re.sub(r"\$\{[^}]*\}", " ", plain or filled) for plain, filled in strings]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('note.textContent = done ? "Copied" : t("Not copied");', ["Copied"]),
        ('pin.setAttribute("aria-label", `Box ${name}`);', ["Box  "]),
        ('pin.setAttribute("aria-label", t("Box %(name)s", { name }));', []),
        ('const AWAY = "No response from the server.";', ["No response from the server."]),
        ('list.querySelector("[data-part=name]").textContent = `${number}`; // "It is."', []),
        ('words.textContent = tn("%(count)s box", "%(count)s boxes", n);', []),
    ],
)
def test_unmarked_text_of_a_script_is_found(code: str, found: list[str]) -> None:
    assert unmarked_in_script(code) == found


def test_every_text_of_scripts_is_marked() -> None:
    scripts = [path for path in source.files(".js") if path.parts[:2] == ("static", "js")]
    assert len(scripts) > 100
    assert not [f"{path}: {text}" for path in scripts for text in unmarked_in_script(source.text(path))]
