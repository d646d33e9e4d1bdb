"""The mutants of a module: one small change each, made on its syntax tree.

Conditions, operators, constants of data and single statements are changed. Words are not: nothing
inside of an f-string, a docstring, an annotation, an import or the arguments of an exception.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Change = tuple[str, Callable[[ast.AST], ast.AST]]
"""How a node is changed: in words, and the node in its place."""

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
}
NEGATED = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
OTHER_NAME = {"any": "all", "all": "any", "min": "max", "max": "min"}


@dataclass(frozen=True)
class Mutant:
    """A module's source with one change in ``scope``: a function, class or table by its name.

    ``name`` identifies the mutant within its module.
    """

    name: str
    scope: str
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    tree = ast.parse(source)
    above = {id(child): (node, field) for node, field, child in _children(tree)}
    names: Counter[str] = Counter()
    for node, scope in places(tree):
        parent, field = above[id(node)]
        for words, change in changes(node):
            name = f"{scope}: {_short(node)}: {words}"
            names[name] += 1
            if names[name] > 1:
                name += f" ({names[name]})"
            new = change(node)
            _put(parent, field, node, new)
            text = ast.unparse(tree)
            _put(parent, field, new, node)
            yield Mutant(name, scope, text)


def _children(tree: ast.AST) -> Iterator[tuple[ast.AST, str, ast.AST]]:
    """Every node but the first, with its parent and the parent's field."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield node, field, child


def _put(parent: ast.AST, field: str, old: ast.AST, new: ast.AST) -> None:
    """Puts a node in the place of another one."""
    value = getattr(parent, field)
    if isinstance(value, list):
        value[next(place for place, child in enumerate(value) if child is old)] = new
    else:
        setattr(parent, field, new)


def places(tree: ast.Module) -> list[tuple[ast.AST, str]]:
    """The nodes that may be changed, each with the function, class or table that it is in."""
    found: list[tuple[ast.AST, str]] = []
    passed_over: list[ast.AST] = []

    def walk(node: ast.AST, scope: tuple[str, ...]) -> None:
        if isinstance(node, ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom | ast.Assert):
            if isinstance(node, ast.Raise | ast.Assert):
                found.append((node, _dotted(scope)))
            return
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return
        if isinstance(node, ast.keyword) and node.arg == "strict":
            return  # zip's own check that its parts are equally long, as they are.
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inner = (*scope, node.name)
            for part in _without_docstring(node.body):
                walk(part, inner)
            return
        if isinstance(node, ast.Assign | ast.AnnAssign) and not scope:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if ast.unparse(target) == "__all__" or _is_type(node.value):
                return
            scope = (ast.unparse(target),)
        found.append((node, _dotted(scope)))
        if isinstance(node, ast.If | ast.While) and isinstance(node.test, ast.Compare):
            # Its opposite is noticed by whatever notices the condition's two constant values.
            only = node.test.ops if len(node.test.ops) == 1 else []
            passed_over.extend([node.test] if any(type(o) in NEGATED for o in only) else [])
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "type_comment", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    walk(child, scope)

    for part in _without_docstring(tree.body):
        walk(part, ())
    return [(node, scope) for node, scope in found if not any(node is n for n in passed_over)]


def _dotted(scope: tuple[str, ...]) -> str:
    return ".".join(scope) or "module"


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    return [part for part in body if not _is_text(part)]


def _is_text(part: ast.AST) -> bool:
    return (
        isinstance(part, ast.Expr)
        and isinstance(part.value, ast.Constant)
        and isinstance(part.value.value, str)
    )


def _is_type(value: ast.expr | None) -> bool:
    """Whether a value at the top of a module is a type: ``X = tuple[str, int]``."""
    match value:
        case ast.Subscript(value=ast.Name()):
            return True
        case ast.BinOp(op=ast.BitOr()):
            return True
        case ast.Call(func=ast.Name(id="TypeVar")):
            return True
    return False


def _is_about_text(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.JoinedStr)
        or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in (node.left, node.right)
    )


def changes(node: ast.AST) -> Iterator[Change]:
    """How a node may be changed."""
    match node:
        case ast.Compare(ops=[operator]):
            for other in COMPARISONS.get(type(operator), ()):
                yield _symbol(other()), lambda n, other=other: _with(n, ops=[other()])
        case ast.BoolOp(values=values):
            for place in range(len(values)):
                yield f"without part {place + 1}", lambda n, place=place: _without_value(n, place)
        case ast.UnaryOp(op=ast.Not()):
            yield "without not", lambda n: n.operand
        case ast.IfExp():
            yield "the first value", lambda n: n.body
            yield "the second value", lambda n: n.orelse
        case ast.If() | ast.While():
            if ast.unparse(node.test) != "True":
                yield "as if true", lambda n: _with(n, test=ast.Constant(True))
            yield "as if false", lambda n: _with(n, test=ast.Constant(False))
        case ast.comprehension(ifs=[_, *_]):
            yield "without its condition", lambda n: _with(n, ifs=[])
        case ast.BinOp(op=operator) if type(operator) in OPERATORS and not _is_about_text(node):
            other = OPERATORS[type(operator)]()
            yield _symbol(other), lambda n, other=other: _with(n, op=other)
        case ast.Constant(value=bool() as value):
            yield str(not value), lambda n, value=value: ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield str(value + 1), lambda n, value=value: ast.Constant(value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in OTHER_NAME:
            yield (
                OTHER_NAME[name],
                lambda n, name=name: _with(n, func=ast.Name(OTHER_NAME[name], ast.Load())),
            )
        case ast.Tuple(elts=elements, ctx=ast.Load()) | ast.Set(elts=elements) if len(elements) > 1:
            if all(isinstance(e, ast.Attribute | ast.Name | ast.Call) for e in elements):
                for place, element in enumerate(elements):
                    yield (
                        f"without {_short(element)}",
                        lambda n, place=place: _with(
                            n, elts=[*n.elts[:place], *n.elts[place + 1 :]]
                        ),
                    )
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield "None", lambda n: _with(n, value=ast.Constant(None))
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            yield "left out", lambda n: ast.Pass()


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _without_value(node: ast.AST, place: int) -> ast.AST:
    assert isinstance(node, ast.BoolOp)
    rest = [*node.values[:place], *node.values[place + 1 :]]
    return rest[0] if len(rest) == 1 else _with(node, values=rest)


def _symbol(operator: ast.AST) -> str:
    name = type(operator).__name__
    symbols = {
        "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Is": "is",
        "IsNot": "is not", "In": "in", "NotIn": "not in", "And": "and", "Or": "or", "Add": "+",
        "Sub": "-", "BitOr": "|", "BitAnd": "&",
    }  # fmt: skip
    return symbols[name]


def _short(node: ast.AST) -> str:
    """The first line of a node, cut to a readable length."""
    if isinstance(node, ast.comprehension):
        node = node.ifs[0]
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= 70 else f"{text[:67]}..."
