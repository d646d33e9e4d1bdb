"""Statements with the names that the model uses: ``t`` for the target, plain names for others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from isodelta.commands.robust.sources.schemas import safe
from isodelta.commands.robust.sources.statements import Name, name_of
from model.workload import TARGET

MOST_NESTED = 8
"""The greatest depth of views nested in each other."""


@dataclass
class Names:
    """The plain names of the tables beside the target, by their names as written."""

    target: Name
    plain: dict[Name, str] = field(default_factory=dict)

    def of(self, name: Name) -> str:
        """The plain name of a table; ``t`` for the target."""
        if name.means(self.target):
            return TARGET
        for other, plain in self.plain.items():
            if name.means(other):
                return plain
        base = safe(name.parts[-1].strip("/").rsplit("/", 1)[-1]).lower() or "source"
        made, number = base, 1
        while made == TARGET or made in self.plain.values():
            number += 1
            made = f"{base}_{number}"
        self.plain[name] = made
        return made


def normalised(tree: exp.Expr, names: Names, views: Mapping[str, exp.Expr]) -> exp.Expr:
    """A copy of a statement with plain names; views are replaced by their queries."""
    tree = tree.copy()
    # A shared wrapper, so that the root itself can be replaced.
    with_names = _rename_ctes(tree)
    _inline_views(tree, views, with_names, names)
    with_names |= _rename_ctes(tree)
    written = _written(tree)
    for table in list(tree.find_all(exp.Table)):
        if isinstance(table.this, exp.Identifier):
            _rename(table, names, with_names, table is written)
    for column in tree.find_all(exp.Column):
        column.set("db", None)
        column.set("catalog", None)
    for node in tree.find_all(exp.Identifier):
        if isinstance(node.this, str):
            plain = safe(node.this)
            if plain != node.this:
                node.set("this", plain)
    return tree


def _written(tree: exp.Expr) -> exp.Expr | None:
    node = tree.expressions[0] if isinstance(tree, exp.TruncateTable) else tree.args.get("this")
    return node.this if isinstance(node, exp.Schema) else node


def _rename(table: exp.Table, names: Names, with_names: set[str], written: bool) -> None:
    own = table.name
    if own.lower() in with_names and not table.db:
        return
    plain = names.of(name_of(table))
    aliased = isinstance(table.parent, exp.From | exp.Join | exp.Merge | exp.Update | exp.Delete)
    if not table.alias and aliased and (not written or plain != own):
        shown = safe(own.strip("/").rsplit("/", 1)[-1])
        table.set("alias", exp.TableAlias(this=exp.to_identifier(shown)))
    table.set("this", exp.to_identifier(plain))
    table.set("db", None)
    table.set("catalog", None)


def _rename_ctes(tree: exp.Expr) -> set[str]:
    """Gives the names of WITH a prefix, so that none is taken for a table; returns them."""
    made: set[str] = set()
    for with_ in list(tree.find_all(exp.With)):
        scope = with_.parent
        for part in with_.expressions:
            old = part.alias
            if old.startswith("with_") or scope is None:
                made.add(old.lower())
                continue
            new = f"with_{safe(old)}"
            for table in scope.find_all(exp.Table):
                if table.name.lower() == old.lower() and not table.db:
                    if not table.alias:
                        table.set("alias", exp.TableAlias(this=exp.to_identifier(safe(old))))
                    table.set("this", exp.to_identifier(new))
            part.args["alias"].set("this", exp.to_identifier(new))
            made.add(new.lower())
    return made


def _inline_views(
    tree: exp.Expr, views: Mapping[str, exp.Expr], with_names: set[str], names: Names
) -> None:
    for _ in range(MOST_NESTED):
        written, changed = _written(tree), False
        for table in list(tree.find_all(exp.Table)):
            query = views.get(table.name.lower())
            if query is None or table is written or table.name.lower() in with_names:
                continue
            if name_of(table).means(names.target):
                continue
            alias = exp.TableAlias(this=exp.to_identifier(safe(table.alias_or_name)))
            table.replace(exp.Subquery(this=query.copy(), alias=alias))
            changed = True
        if not changed:
            return
