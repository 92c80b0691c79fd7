"""R17: rows are written by commands, stored files by the object store alone. And: an asserted count of queries counts
something."""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.source import files, nodes, product_files, text

READING_ROOMS = {"views", "api", "jobs", "tasks", "forms", "present", "read"}
CREATING = {"bulk_create", "bulk_update", "get_or_create", "update_or_create", "acreate", "asave", "adelete"}
QUERY_COUNTS = {"assertNumQueries", "django_assert_num_queries", "django_assert_max_num_queries"}


def is_reading_room(path: Path) -> bool:
    """Whether a module only reads. ``webapp.jobs`` is an app, not a feature's module of jobs."""
    inner = path.parts[2:-1] if path.parts[0] == "webapp" else path.parts[1:-1]
    return bool(READING_ROOMS & {*inner, path.stem})


def called_name(call: ast.Call) -> str:
    target = call.func
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def is_write(call: ast.Call) -> bool:
    """Whether a call looks like a write of rows. Files and caches are told apart by their positional arguments."""
    if not isinstance(call.func, ast.Attribute):
        return False
    name, receiver = call.func.attr, ast.unparse(call.func.value)
    if name in CREATING:
        return True
    if name in {"save", "delete"}:
        return not call.args
    if name in {"create", "update"}:
        return ".objects" in receiver or receiver.endswith(")")
    return False


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("sample.save()", True),
        ("sample.save(update_fields=['state'])", True),
        ("Sample.objects.create(name='a')", True),
        ("Sample.objects.filter(pk=1).update(state='draft')", True),
        ("Sample.objects.visible_to(user).delete()", True),
        ("Sample.objects.bulk_create(rows)", True),
        ("picture.save(stream, 'PNG')", False),
        ("context.update(page=1)", False),
        ("cache.delete('key')", False),
        ("accept_annotation(actor=user)", False),
    ],
)
def test_a_write_is_told_from_what_only_looks_like_one(code, expected):
    assert is_write(ast.parse(code, mode="eval").body) is expected


def test_who_writes_samples_facets_or_gold_raises_the_change_number():
    """D11.1: what is kept by change number would show an earlier state for ever."""
    writes = re.compile(
        r"\b(Gold|FacetValue)\.objects[^\n]{0,80}\.(delete|update|update_or_create|create|bulk_create)\("
        r"|(Gold|FacetValue)\.objects\.(create|bulk_create)\("
        r"|insert_rows\(\s*(Sample|FacetValue|Gold)\b"
    )
    raises = re.compile(r"\b(content|facets)_changed\(")
    found = {path for path in product_files() if "migrations" not in path.parts and writes.search(text(path))}
    assert len(found) >= 6
    assert [str(path) for path in sorted(found) if not raises.search(text(path))] == []


def test_what_reads_shows_or_is_asked_writes_no_rows():
    writes = [
        f"{path}:{node.lineno} {ast.unparse(node)[:80]}"
        for path in product_files()
        if is_reading_room(path)
        for node in nodes(path)
        if isinstance(node, ast.Call) and is_write(node)
    ]
    assert not writes, "Writes belong into a module called write:\n" + "\n".join(writes)


def test_stored_files_have_one_door():
    """D6.3: whatever goes round the object store is seen by one host alone."""
    door = Path("webapp/common/objects.py")
    other = [
        f"{path}:{node.lineno}"
        for path in product_files()
        for node in nodes(path)
        if (isinstance(node, ast.Name) and node.id == "default_storage" and path != door)
        or (isinstance(node, ast.Attribute) and node.attr == "HOME" and path.stem != "demo")
    ]
    assert not other, "Use webapp.common.objects: " + ", ".join(other)


def test_a_counted_query_is_counted_around_something():
    bare = [
        f"{path}:{node.lineno}"
        for path in files(".py")
        if path.parts[0] == "tests"
        for node in nodes(path)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and called_name(node.value) in QUERY_COUNTS
        and len(node.value.args) < 2
    ]
    assert not bare, "Without `with` it asserts nothing: " + ", ".join(bare)
