"""People read about tools in the language of their page. Models, the API and files get the English texts."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from annotation.marking import Sentence
from annotation.models import Benchmark
from annotation.toolbox.offer import offered_tools
from annotation.toolbox.results import ToolError
from annotation.toolbox.table import TOOLS, Module
from annotation.toolbox.uses import USES
from annotation.toolbox.vtc import Profile
from annotation.workbench.present import toolbox_modules, tools_json
from evaluation.management.toolbox_server import ToolboxDesk
from tests.architecture.tables import tools
from tests.architecture.test_translation import marked
from tests.conftest import signed_in
from tests.pseudo_locale import END, START, pseudo_locale
from webapp.accounts.models import User


def sent() -> dict[str, Any]:
    """What models, documents and errors get, as bytes of JSON."""
    with pytest.raises(ToolError) as refused:
        TOOLS["crop"].function(None)
    return {
        **{profile: json.dumps(offered_tools(profile)) for profile in Profile},
        "server": json.dumps(ToolboxDesk(Benchmark(), "model", "setting").tools()),
        "documents": tools(),
        "error": str(refused.value),
    }


def templates_of(text: str) -> Iterator[str]:
    """The marked texts that a sentence consists of."""
    assert isinstance(text, Sentence), text
    yield text.template
    for value in text.values.values():
        if isinstance(value, Sentence):
            yield from templates_of(value)


def test_what_is_sent_is_the_same_in_every_language() -> None:
    english = sent()
    with pseudo_locale():
        assert sent() == english


@pytest.mark.endurance
def test_every_text_of_a_tool_is_marked() -> None:
    known = marked()
    texts = {module.value for module in Module} | {USES[name] for name in TOOLS}
    for spec in TOOLS.values():
        texts |= {spec.title, spec.description}
        for one in spec.parameters:
            texts |= {*templates_of(one.allowed), *(templates_of(one.description) if one.description else ())}
    assert not texts - known


def test_the_workbench_gets_tools_in_the_language_of_the_page() -> None:
    english = {tool["name"]: tool for tool in tools_json()}
    assert english["canny"]["summary"] == "Edges one pixel wide, white on black"
    assert english["blur"]["uses"] == ["smooth", "remove specks"]
    with pseudo_locale():
        for tool in tools_json():
            assert tool["summary"].startswith(START)
            assert all(one["allowed"].startswith(START) and one["allowed"].endswith(END) for one in tool["parameters"])
            assert all(tool[name] == english[tool["name"]][name] for name in ("title", "aliases", "pictures"))
    assert tools_json() == [*english.values()]


@pytest.mark.one_database
@pytest.mark.django_db
def test_the_page_of_the_toolbox_is_in_the_language_of_its_reader(ana: User) -> None:
    anchors = [anchor for anchor, _, _ in toolbox_modules()]
    with pseudo_locale():
        page = signed_in(ana).get("/toolbox/").content.decode()
    assert f"{START}Draw Circle{END}" in page
    assert all(f'href="#{anchor}"' in page and f'id="{anchor}"' in page for anchor in anchors)


def test_a_copied_sentence_can_be_translated() -> None:
    """Errors of tools are copied to other processes."""
    allowed = TOOLS["blur"].parameters[1].allowed
    assert isinstance(allowed, Sentence)
    copied = copy.deepcopy(allowed)
    assert (copied, copied.template, copied.values) == (allowed, allowed.template, allowed.values)
