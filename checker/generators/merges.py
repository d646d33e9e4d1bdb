"""Random MERGE statements, as a grammar over choices (see ``checker.generators.scenarios``)."""

from __future__ import annotations

from checker.generators.queries import qualified
from checker.generators.scenarios import by_use, new_value, predicate, where
from checker.generators.tables import Columns, Pick, given, hands_out, readable, values
from model.scenario import TableSpec
from model.values.types import sql_literal


def merge(pick: Pick, spec: TableSpec, origin: str | None) -> str:
    """MERGE INTO t: an upsert, or any other combination of clauses.

    ``origin`` is another table with the columns of ``t``, if there is one. Rows of the target
    may match several source rows, which fails the statement: the one way in which a drawn
    statement can fail by itself.
    """
    types = readable(spec)
    source = _source(pick, types, origin)
    return f"MERGE INTO t USING {source} ON {_condition(pick, types)}{_clauses(pick, spec)}"


def _source(pick: Pick, types: Columns, origin: str | None) -> str:
    shapes = ["row", "row", "rows", "values", "self"]
    if origin is not None:
        shapes += ["table", "query"]
    match pick(shapes):
        case "row":
            return f"({_selected(pick, types, 0)}) s"
        case "rows":
            return f"({_selected(pick, types, 0)} UNION ALL {_selected(pick, types, 1)}) s"
        case "values":
            lines = ", ".join(f"({', '.join(_constants(pick, types, n))})" for n in (0, 1))
            return f"(SELECT * FROM VALUES {lines} AS x({', '.join(types)})) s"
        case "self":
            return f"(SELECT {_outputs(pick, types)} FROM t{where(pick, types)}) s"
        case "query":
            return f"(SELECT {_outputs(pick, types)} FROM {origin}{where(pick, types)}) s"
        case _:
            return f"{origin} AS s"


def _selected(pick: Pick, types: Columns, number: int) -> str:
    pairs = zip(_constants(pick, types, number), types, strict=True)
    return "SELECT " + ", ".join(f"{value} AS {name}" for value, name in pairs)


def _constants(pick: Pick, types: Columns, number: int) -> list[str]:
    """Values for every column; of ``k`` others for each number, so that keys differ."""
    return [
        sql_literal(pick(values(name, types)[number::2] if name == "k" else values(name, types)))
        for name in types
    ]


def _outputs(pick: Pick, types: Columns) -> str:
    changed = pick((None, None, pick(by_use(types))))
    return ", ".join(
        f"{new_value(pick, name, types)} AS {name}" if name == changed else name for name in types
    )


def _condition(pick: Pick, types: Columns) -> str:
    literal = sql_literal(pick([v for v in values("p", types) if v is not None]))
    match pick(("key", "key", "key", "literal", "partition", "both", "target", "other")):
        case "literal":
            return f"t.k = s.k AND t.p = {literal}"
        case "partition":
            return "t.p = s.p"
        case "both":
            return "t.p = s.p AND t.k = s.k"
        case "target":
            return f"t.k = s.k AND ({_of_target(predicate(pick, types, 1), types)})"
        case "other":
            others = ("t.k <=> s.k", f"t.p = {literal}", "t.k < s.k", "FALSE", "t.k = s.k + 1")
            return pick(others)
        case _:
            return "t.k = s.k"


def _of_target(text: str, types: Columns) -> str:
    return qualified(text, "t", types)


_SHAPES = (
    *("insert", "update insert", "update", "delete", "update update", "delete insert"),
    *("insert insert", "by source", "update insert by source", "insert by source"),
)
"""Clauses by what they do, in their order; those before "insert" are for matches."""


def _clauses(pick: Pick, spec: TableSpec) -> str:
    types = readable(spec)
    # What an INSERT of MERGE makes of identity columns is not modelled.
    shape = pick([each for each in _SHAPES if "insert" not in each or not hands_out(spec)])
    matched = shape.count("update") + shape.count("delete")
    text, inserts = "", shape.count("insert")
    for word in shape.replace("by source", "bysource").split():
        if word == "bysource":
            text += f" WHEN NOT MATCHED BY SOURCE{_and(pick, types, 't')} THEN "
            text += pick(("DELETE", _updated(pick, spec, False)))
        elif word == "insert":
            inserts -= 1
            needed = inserts > 0
            text += f" WHEN NOT MATCHED{_and(pick, types, 's', needed)} THEN {_insert(pick, spec)}"
        else:
            matched -= 1
            text += f" WHEN MATCHED{_and(pick, types, pick('ts'), matched > 0)} THEN "
            text += "DELETE" if word == "delete" else _updated(pick, spec, True)
    return text


def _and(pick: Pick, types: Columns, table: str, needed: bool = False) -> str:
    """A clause's condition; only the last clause of a kind goes without."""
    if not needed and not pick((False, False, True)):
        return ""
    return f" AND {qualified(predicate(pick, types, 1), table, types)}"


def _updated(pick: Pick, spec: TableSpec, source: bool) -> str:
    types, settable = readable(spec), given(spec)
    name = pick(("v", "v", *(("p",) if "p" in settable else ()), *settable))
    value = _of_target(new_value(pick, name, types), types)
    if not source:
        return f"UPDATE SET {name} = {value}"
    shapes = [f"UPDATE SET {name} = s.{name}", f"UPDATE SET {name} = {value}"]
    return pick([*shapes, "UPDATE SET *"] if settable == types else shapes)


def _insert(pick: Pick, spec: TableSpec) -> str:
    types = given(spec)
    if types == readable(spec) and pick((True, True, False)):
        return "INSERT *"
    left = [name for name in types if name in "kp" or pick((True, False))]
    return f"INSERT ({', '.join(left)}) VALUES ({', '.join(f's.{name}' for name in left)})"
