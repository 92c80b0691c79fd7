"""Common descriptions of all addresses of the API: the form of errors, and of texts."""

from typing import Any

_NAME = "Error"
_TEXT: dict[str, Any] = {"type": "string"}
_FIELD: dict[str, Any] = {"type": "string", "nullable": True, "description": "The name of the invalid field."}
_DETAIL: dict[str, Any] = {
    "type": "object",
    "properties": {"field": _FIELD, "message": _TEXT},
    "required": ["field", "message"],
}
_SAID: dict[str, Any] = {
    "type": "object",
    "properties": {
        "code": {**_TEXT, "description": "Stable error code, for programs."},
        "message": {**_TEXT, "description": "What happened and what to do, for people."},
        "field": _FIELD,
        "details": {"type": "array", "items": _DETAIL, "description": "All problems of the input."},
        "reference": {**_TEXT, "description": "Reference of this request in the server log."},
    },
    "required": ["code", "message", "field", "details", "reference"],
}
NUMBER: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": 10**18 - 1}
"""The number of a row, as a part of a query."""
WITHOUT_NUL = r"^[^\u0000]*$"
"""No address may hold the character NUL."""
RULES = "x-rules"
_BLANK = {"type": "string", "maxLength": 0}
ERROR: dict[str, Any] = {"type": "object", "properties": {"error": _SAID}, "required": ["error"]}


def with_errors(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """The description, with the error that each address may answer instead of what it names itself."""
    _described(result["components"]["schemas"])
    result["components"]["schemas"][_NAME] = ERROR
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{_NAME}"}}}
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["responses"]["default"] = {"description": "Error.", "content": content}
            body = operation.get("requestBody", {})
            if any(one["schema"].get("required") for one in body.get("content", {}).values()):
                # The generator sees it of forms alone, not of an object that is described by hand.
                body["required"] = True
            for parameter in operation.get("parameters", ()):
                _without_nul(parameter["schema"])
    return result


def _without_nul(schema: dict[str, Any]) -> None:
    if schema.get("type") == "array":
        _without_nul(schema["items"])
    elif schema.get("type") == "string" and not {"enum", "format", "pattern"} & schema.keys():
        schema["pattern"] = WITHOUT_NUL


def _described(schema: Any) -> None:
    """Add the rules of forms, which the generator would treat as additional choices of a field. Describe a text that
    may be blank by one schema if possible: the generator requires exactly one of its pattern and the blank text, which
    a blank text violates if the pattern allows it.
    """
    for one in schema if isinstance(schema, list) else schema.values():
        if isinstance(one, dict | list):
            _described(one)
    if isinstance(schema, dict):
        schema.update(schema.pop(RULES, {}))
        match schema.get("oneOf"):
            case [{"pattern": pattern} as text, blank] if blank == _BLANK:
                schema.update({name: schema.get(name, text[name]) for name in text if name == "default"})
                text.pop("default", None)
                del schema["oneOf"]
                schema.update(text if pattern == WITHOUT_NUL else {"anyOf": [text, blank]})
