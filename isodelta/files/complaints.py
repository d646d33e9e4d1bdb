"""Complaints about the shape of a file: pydantic's errors in this project's words."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from isodelta.files.scenario_schema import (
    ExpectShape,
    ScenarioShape,
    TableExpectShape,
    TableShape,
)
from isodelta.files.yaml_source import Number, Path


def value_kind(value: object) -> str:
    """The kind of a YAML value, in words for a message."""
    match value:
        case None:
            return "nothing"
        case bool():
            return f"the boolean {str(value).lower()}"
        case Number():
            return f"the number {value.text}"
        case int():
            return f"the number {value}"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "a mapping"


@dataclass(frozen=True, slots=True)
class Shapes:
    """The schema of a file, and the schemas of the mappings in it, by their key."""

    whole: type[BaseModel]
    parts: Mapping[str, type[BaseModel]]


SCENARIO = Shapes(ScenarioShape, {"table": TableShape, "expect": ExpectShape})

_WANTED = {
    "string_type": "a string",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def complaints(error: ValidationError, shape: Shapes = SCENARIO) -> list[tuple[Path, str]]:
    """pydantic's errors, each with its place, in this project's words."""
    errors = error.errors(include_url=False)
    # A misspelt key is unknown, and the right one is missing: one mistake, one line.
    meant = {
        (*details["loc"][:-1], near)
        for details in errors
        if details["type"] == "extra_forbidden"
        for near in nearest(str(details["loc"][-1]), keys_beside(details, shape))
    }
    return [
        (tuple(details["loc"]), reason_of(details, shape))
        for details in errors
        if details["type"] != "missing" or details["loc"] not in meant
    ]


def reason_of(error: ErrorDetails, shape: Shapes) -> str:
    """One of pydantic's errors in this project's words."""
    kind, value = error["type"], error["input"]
    last = error["loc"][-1] if error["loc"] else ""
    if kind == "extra_forbidden":
        return f"unknown key {last!r}" + hint(str(last), keys_beside(error, shape), "known: ")
    if kind == "missing":
        return f"the key {last!r} is missing"
    if kind in _WANTED:
        quote = ""
        if kind == "string_type" and isinstance(value, bool | int | float):
            quote = "; quote it if it is meant as one"
        elif value is None and str(last).endswith(")"):
            quote = "; between { and }, quote a type with a comma: 'decimal(10,2)'"
        return f"should be {_WANTED[kind]}, but is {value_kind(value)}{quote}"
    if kind in ("string_too_short", "too_short"):
        return "is empty"
    if kind == "literal_error":
        return f"should be {error['ctx']['expected']}, but is {value!r}"
    return error["msg"].removeprefix("Value error, ")


def keys_beside(error: ErrorDetails, shape: Shapes) -> tuple[str, ...]:
    """The valid keys at the place of an unknown one."""
    place = error["loc"][:-1]
    here = shape.whole
    if place:
        here = TableShape if place[0] == "tables" else shape.parts[str(place[0])]
        if "jobs" in place[1:] or (place[0] == "jobs" and shape.parts.get("jobs") is not None):
            here = shape.parts.get("jobs", here)
        if place[:2] == ("expect", "tables"):
            here = TableExpectShape
    return tuple(here.model_fields)


def nearest(word: str, valid: Sequence[str]) -> list[str]:
    """The valid word that was probably meant, if any is close enough."""
    return difflib.get_close_matches(word, valid, 1)


def hint(word: str, valid: Sequence[str], prefix: str) -> str:
    """The end of a message about an unknown word: the closest valid one, or all of them."""
    for near in nearest(word, valid):
        return f", did you mean {near}?"
    return f" ({prefix}{', '.join(valid)})"
