"""A translation of conflict rules from Python into formulas.

The rules of ``model.rules`` are short functions: conditions over footprints, loops that look for
a file, comprehensions. Their source is read here as it stands and becomes a formula that is true
where the function gives a reason for a conflict. Anything else in a rule (a loop that counts, an
exception, a call of something unknown) raises :class:`Untranslatable`, so that nothing is left
out in silence.

A loop over unknown files is a quantifier: if its body returns for some file, the loop returns.
That holds as long as every return in one loop gives the same answer, which is asked for.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

import z3

from checker.proofs.translation.values import (
    Cases,
    Collection,
    Formula,
    Perhaps,
    Record,
    Texts,
    Untranslatable,
    Value,
    Words,
)

Primitive = Callable[..., Value]


@dataclass(frozen=True, slots=True)
class _Block:
    """The result of some statements: values returned, each under a condition."""

    returned: tuple[tuple[Formula, Value], ...]
    falls: Formula
    names: dict[str, Value]


class Translation:
    """Translates functions of rules, given what some functions of the model mean.

    ``obligations`` collects what has to hold for the code not to fail: that an object is there
    whose attribute is looked at.
    """

    def __init__(self, texts: Texts, primitives: Mapping[Any, Primitive]) -> None:
        self.texts, self._primitives = texts, primitives
        self.obligations: list[Formula] = []
        self._path: list[Formula] = []
        self._bound: list[Any] = []
        self._fresh = 0
        self._globals: Mapping[str, Any] = {}
        self._where = ""

    def knowing(self, primitives: Mapping[Any, Primitive]) -> Translation:
        """A new translation that knows more functions of the model."""
        return Translation(self.texts, {**self._primitives, **primitives})

    def call(self, function: Callable[..., Any], *arguments: Value) -> Value:
        """The value that a function of Python returns. Raises ``Untranslatable``."""
        if not isinstance(function, FunctionType):
            raise Untranslatable(f"{function!r} has no source")
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise Untranslatable(f"{function!r} is not a plain function")
        return self.body(tree, function.__globals__, arguments)

    def body(
        self, tree: ast.FunctionDef, names: Mapping[str, Any], arguments: tuple[Value, ...]
    ) -> Value:
        """The same of a definition in source form, with the global names of its module."""
        kept = self._globals, self._where
        self._globals, self._where = names, tree.name
        parameters = [argument.arg for argument in tree.args.args]
        if len(parameters) != len(arguments):
            raise self._unknown(tree, "arguments")
        block = self._statements(tree.body, dict(zip(parameters, arguments, strict=True)))
        self._globals, self._where = kept
        return Cases((*block.returned, (block.falls, None)))

    def truth(self, value: Value) -> Formula:
        """The condition that a value counts as true."""
        match value:
            case Perhaps():
                return value.present
            case Collection():
                return self._some(value, lambda _: z3.BoolVal(True))
            case Words() | Record():
                return z3.BoolVal(True)
            case Cases():
                return _either(z3.And(given, self.truth(result)) for given, result in value.cases)
        if isinstance(value, z3.BoolRef):
            return value
        if isinstance(value, z3.ExprRef):
            raise Untranslatable(f"{self._where}: a text taken for a condition")
        return z3.BoolVal(bool(value))

    def equal(self, one: Value, other: Value) -> Formula:
        """The condition that two values are equal; None is equal to itself alone."""
        for this, that in ((one, other), (other, one)):
            if isinstance(this, Cases):
                return _either(
                    z3.And(given, self.equal(result, that)) for given, result in this.cases
                )
            if this is None:
                if isinstance(that, Perhaps):
                    return z3.Not(that.present)
                return z3.BoolVal(that is None)
            if isinstance(this, str) and isinstance(that, z3.ExprRef):
                return self.texts.constant(this) == that
        if isinstance(one, Record) and isinstance(other, Record):
            one, other = one.attributes.get("term"), other.attributes.get("term")
        both_terms = isinstance(one, z3.ExprRef) and isinstance(other, z3.ExprRef)
        if both_terms and one.sort() == other.sort():
            return one == other
        if isinstance(one, str | int) and isinstance(other, str | int):
            return z3.BoolVal(one == other)
        raise Untranslatable(f"{self._where}: a comparison of {one!r} and {other!r}")

    # Statements.

    def _statements(self, statements: list[ast.stmt], names: dict[str, Value]) -> _Block:
        returned: list[tuple[Formula, Value]] = []
        falls: Formula = z3.BoolVal(True)
        depth = len(self._path)
        for statement in statements:
            block = self._statement(statement, names)
            returned += [(z3.And(falls, given), value) for given, value in block.returned]
            falls, names = z3.And(falls, block.falls), block.names
            self._path.append(block.falls)
        del self._path[depth:]
        return _Block(tuple(returned), falls, names)

    def _statement(self, statement: ast.stmt, names: dict[str, Value]) -> _Block:
        goes_on, never = z3.BoolVal(True), z3.BoolVal(False)
        match statement:
            case ast.Expr(value=ast.Constant(value=str())):
                return _Block((), goes_on, names)
            case ast.Return(value=None):
                return _Block(((goes_on, None),), never, names)
            case ast.Return(value=ast.expr() as expression):
                return _Block(((goes_on, self._value(expression, names)),), never, names)
            case ast.Assign(targets=[target], value=expression):
                return _Block((), goes_on, self._bind(target, expression, names))
            case ast.If():
                return self._if(statement, names)
            case ast.For(orelse=[], target=ast.Name(id=name)):
                return self._for(statement, name, names)
        raise self._unknown(statement, "a statement")

    def _bind(
        self, target: ast.expr, expression: ast.expr, names: dict[str, Value]
    ) -> dict[str, Value]:
        match target, expression:
            case ast.Name(id=name), _:
                return {**names, name: self._value(expression, names)}
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                bound = dict(names)
                for one, value in zip(targets, values, strict=True):
                    bound |= self._bind(one, value, names)
                return bound
        raise self._unknown(target, "an assignment")

    def _if(self, statement: ast.If, names: dict[str, Value]) -> _Block:
        names = dict(names)  # ``:=`` adds to it.
        test = self.truth(self._value(statement.test, names))
        with self._given(test):
            then = self._statements(statement.body, dict(names))
        with self._given(z3.Not(test)):
            other = self._statements(statement.orelse, dict(names))
        returned = [(z3.And(test, given), value) for given, value in then.returned]
        returned += [(z3.And(z3.Not(test), given), value) for given, value in other.returned]
        falls = z3.If(test, then.falls, other.falls)
        if z3.is_false(z3.simplify(then.falls)):
            after = other.names
        elif z3.is_false(z3.simplify(other.falls)):
            after = then.names
        else:  # Only what both ways agree on has a value afterwards.
            after = {n: v for n, v in then.names.items() if other.names.get(n) is v}
        return _Block(tuple(returned), falls, after)

    def _for(self, statement: ast.For, name: str, names: dict[str, Value]) -> _Block:
        collection = self._collection(self._value(statement.iter, names), statement)
        with self._each(collection) as (variables, guard, element):
            inner = self._statements(statement.body, {**names, name: element})
        answers = {repr(value) for _, value in inner.returned}
        if len(answers) != 1 or not all(isinstance(v, Words | bool) for _, v in inner.returned):
            raise self._unknown(statement, "a loop with other answers than one")
        stops = z3.Exists(variables, z3.And(guard, _either(g for g, _ in inner.returned)))
        return _Block(((stops, inner.returned[0][1]),), z3.Not(stops), names)

    # Expressions.

    def _value(self, expression: ast.expr, names: dict[str, Value]) -> Value:
        match expression:
            case ast.Constant(value=value):
                return value
            case ast.JoinedStr():
                return Words()
            case ast.Name(id=name):
                return self._named(name, names, expression)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                names[name] = self._value(value, names)
                return names[name]
            case ast.Attribute(value=owner, attr=attribute):
                return self._attribute(self._value(owner, names), attribute, expression)
            case ast.BoolOp(op=operator, values=values):
                return self._bool_op(isinstance(operator, ast.And), values, names)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return z3.Not(self.truth(self._value(operand, names)))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                given = self.truth(self._value(test, names))
                with self._given(given):
                    then = self._value(body, names)
                with self._given(z3.Not(given)):
                    other = self._value(orelse, names)
                return Cases(((given, then), (z3.Not(given), other)))
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                one, other = self._value(left, names), self._value(right, names)
                return self._compare(operator, one, other, expression)
            case ast.BinOp(left=left, op=operator, right=right):
                one, other = self._value(left, names), self._value(right, names)
                return self._set_operation(operator, one, other, expression)
            case ast.Tuple(elts=elements) if any(isinstance(e, ast.Starred) for e in elements):
                return self._joined(elements, names)
            case ast.Tuple(elts=elements):
                return tuple(self._value(element, names) for element in elements)
            case ast.Subscript(value=owner, slice=ast.Constant(value=int() as place)):
                return self._at(self._value(owner, names), place, expression)
            case ast.SetComp() | ast.ListComp() | ast.GeneratorExp():
                return self._comprehension(expression, names)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="join")):
                return Words()
            case ast.Call(keywords=[]):
                return self._call(expression, names)
        raise self._unknown(expression, "an expression")

    def _named(self, name: str, names: dict[str, Value], place: ast.expr) -> Value:
        if name in names:
            return names[name]
        if name in self._globals:
            return self._globals[name]
        if name in ("any", "bool", "frozenset", "len"):
            return getattr(builtins, name)
        raise self._unknown(place, "a name")

    def _attribute(self, owner: Value, attribute: str, place: ast.expr) -> Value:
        if isinstance(owner, Perhaps):
            obligation = z3.Implies(z3.And(*self._path), owner.present)
            if self._bound:
                obligation = z3.ForAll(list(self._bound), obligation)
            self.obligations.append(obligation)
            owner = owner.value
        if isinstance(owner, ModuleType):
            return getattr(owner, attribute)
        if not isinstance(owner, Record):
            raise self._unknown(place, "an attribute")
        if attribute in owner.attributes:
            return owner.attributes[attribute]
        own = getattr(owner.cls, attribute, None)
        if isinstance(own, property) and isinstance(own.fget, FunctionType):
            return self.call(own.fget, owner)
        raise self._unknown(place, "an attribute")

    def _bool_op(self, both: bool, values: list[ast.expr], names: dict[str, Value]) -> Formula:
        parts: list[Formula] = []
        depth = len(self._path)
        for value in values:
            parts.append(self.truth(self._value(value, names)))
            self._path.append(parts[-1] if both else z3.Not(parts[-1]))
        del self._path[depth:]
        return z3.And(*parts) if both else z3.Or(*parts)

    def _compare(self, operator: ast.cmpop, one: Value, other: Value, place: ast.expr) -> Formula:
        match operator:
            case ast.Eq() | ast.Is():
                return self.equal(one, other)
            case ast.NotEq() | ast.IsNot():
                return z3.Not(self.equal(one, other))
            case ast.In():
                return self._contains(other, one)
            case ast.NotIn():
                return z3.Not(self._contains(other, one))
        primitive = self._primitives.get(type(operator))
        if primitive is None:
            raise self._unknown(place, "a comparison")
        return primitive(one, other)

    def _contains(self, container: Value, value: Value) -> Formula:
        if isinstance(container, Collection):
            return self._some(container, lambda element: self.equal(element, value))
        if isinstance(container, tuple | frozenset):
            return _either(self.equal(element, value) for element in _in_order(container))
        raise Untranslatable(f"{self._where}: in {container!r}")

    def _set_operation(
        self, operator: ast.operator, one: Value, other: Value, place: ast.expr
    ) -> Collection:
        if not isinstance(one, Collection):
            raise self._unknown(place, "an operation")
        if isinstance(operator, ast.BitOr):
            more = self._collection(other, place)
            if one.sorts != more.sorts:
                raise self._unknown(place, "a union of different things")

            def either(*x: Any) -> Formula:
                same = self.equal(one.element(*x), more.element(*x))
                self.obligations.append(z3.ForAll(list(x), same))
                return z3.Or(one.guard(*x), more.guard(*x))

            return Collection(one.sorts, either, one.element)
        if isinstance(operator, ast.Sub | ast.BitAnd):
            keep = isinstance(operator, ast.BitAnd)

            def kept(*x: Any) -> Formula:
                there = self._contains(other, one.element(*x))
                return z3.And(one.guard(*x), there if keep else z3.Not(there))

            return Collection(one.sorts, kept, one.element)
        raise self._unknown(place, "an operation")

    def _joined(self, elements: list[ast.expr], names: dict[str, Value]) -> Collection:
        """The collections of which a tuple is made, one after the other."""
        parts = []
        for element in elements:
            if not isinstance(element, ast.Starred):
                raise self._unknown(element, "a part of a tuple")
            parts.append(self._collection(self._value(element.value, names), element))
        first = parts[0]
        (sort,) = first.sorts

        def either(x: Any) -> Formula:
            return _either(self._contains(part, first.element(x)) for part in parts)

        return Collection((sort,), either, first.element)

    def _at(self, owner: Value, place: int, where: ast.expr) -> Value:
        if isinstance(owner, Cases):
            return Cases(tuple((g, self._at(result, place, where)) for g, result in owner.cases))
        if isinstance(owner, tuple):
            return owner[place]
        raise self._unknown(where, "a subscript")

    def _comprehension(
        self, expression: ast.SetComp | ast.ListComp | ast.GeneratorExp, names: dict[str, Value]
    ) -> Collection:
        loop, *inner_loops = expression.generators
        over = self._collection(self._value(loop.iter, names), expression)
        if inner_loops:
            return self._nested(expression, over, names)
        kept_globals, kept_where = self._globals, self._where

        def inner(x: tuple[Any, ...]) -> dict[str, Value]:
            element = over.element(*x)
            match loop.target:
                case ast.Name(id=name):
                    return {**names, name: element}
                case ast.Tuple(elts=targets) if isinstance(element, tuple):
                    pairs = zip(targets, element, strict=True)
                    return {**names, **{t.id: v for t, v in pairs if isinstance(t, ast.Name)}}
            raise self._unknown(expression, "a comprehension")

        def guard(*x: Any) -> Formula:
            bound = inner(x)
            with self._in(kept_globals, kept_where), self._given(over.guard(*x), x):
                tests = [self.truth(self._value(test, bound)) for test in loop.ifs]
            return z3.And(over.guard(*x), *tests)

        def element(*x: Any) -> Value:
            with self._in(kept_globals, kept_where), self._given(over.guard(*x), x):
                return self._value(expression.elt, inner(x))

        return Collection(over.sorts, guard, element)

    def _nested(
        self,
        expression: ast.SetComp | ast.ListComp | ast.GeneratorExp,
        over: Collection,
        names: dict[str, Value],
    ) -> Collection:
        """A comprehension of two loops, the second over what belongs to an element of the first."""
        outer, *rest = expression.generators
        if len(rest) != 1 or not isinstance(outer.target, ast.Name):
            raise self._unknown(expression, "a comprehension of several loops")
        name, (inner,) = outer.target.id, rest
        plain = ast.GeneratorExp(expression.elt, [inner])
        width = len(over.sorts)

        def within(x: tuple[Any, ...]) -> Collection:
            return self._comprehension(plain, {**names, name: over.element(*x)})

        def guard(*x: Any) -> Formula:
            first, second = x[:width], x[width:]
            bound = {**names, name: over.element(*first)}
            with self._given(over.guard(*first), first):
                tests = [self.truth(self._value(test, bound)) for test in outer.ifs]
            return z3.And(over.guard(*first), *tests, within(first).guard(*second))

        def element(*x: Any) -> Value:
            return within(x[:width]).element(*x[width:])

        some = tuple(z3.FreshConst(sort) for sort in over.sorts)
        return Collection((*over.sorts, *within(some).sorts), guard, element)

    def _call(self, expression: ast.Call, names: dict[str, Value]) -> Value:
        arguments = [self._value(argument, names) for argument in expression.args]
        if isinstance(expression.func, ast.Attribute):
            owner = self._value(expression.func.value, names)
            match expression.func.attr, owner, arguments:
                case "startswith", z3.ExprRef(), [str() as prefix]:
                    return self.texts.starts_with(owner, prefix)
                case "get", dict(), [z3.ExprRef() as key, default]:
                    entries = [(self.texts.constant(k) == key, v) for k, v in sorted(owner.items())]
                    none = z3.Not(_either(given for given, _ in entries))
                    return Cases((*entries, (none, default)))
        function = self._value(expression.func, names)
        if function is any and len(arguments) == 1:
            return self._some(self._collection(arguments[0], expression), self.truth)
        if function is bool and len(arguments) == 1:
            return self.truth(arguments[0])
        if function in self._primitives:
            return self._primitives[function](*arguments)
        if function is frozenset and len(arguments) == 1:
            return self._collection(arguments[0], expression)
        if isinstance(function, FunctionType):
            return self.call(function, *arguments)
        raise self._unknown(expression, "a call")

    # Quantifiers and places.

    def _collection(self, value: Value, place: ast.AST) -> Collection:
        if isinstance(value, Collection):
            return value
        raise self._unknown(place, "what is gone through")

    def _some(self, collection: Collection, condition: Callable[[Value], Formula]) -> Formula:
        with self._each(collection) as (variables, guard, element):
            satisfied = condition(element)
        return z3.Exists(variables, z3.And(guard, satisfied))

    @contextmanager
    def _each(self, collection: Collection) -> Iterator[tuple[list[Any], Formula, Value]]:
        self._fresh += 1
        variables = [
            z3.Const(f"{sort.name().lower()}{self._fresh}_{place}", sort)
            for place, sort in enumerate(collection.sorts)
        ]
        guard = collection.guard(*variables)
        with self._given(guard, tuple(variables)):
            yield variables, guard, collection.element(*variables)

    @contextmanager
    def _given(self, condition: Formula, variables: tuple[Any, ...] = ()) -> Iterator[None]:
        path, bound = len(self._path), len(self._bound)
        self._path.append(condition)
        self._bound += variables
        try:
            yield
        finally:
            del self._path[path:]
            del self._bound[bound:]

    @contextmanager
    def _in(self, names: Mapping[str, Any], where: str) -> Iterator[None]:
        kept = self._globals, self._where
        self._globals, self._where = names, where
        try:
            yield
        finally:
            self._globals, self._where = kept

    def _unknown(self, place: ast.AST, what: str) -> Untranslatable:
        return Untranslatable(f"{self._where}: {what} that is not known: {ast.unparse(place)}")


def _either(parts: Iterable[Formula]) -> Formula:
    return z3.Or(*parts)


def _in_order(container: tuple[Value, ...] | frozenset[Value]) -> list[Value]:
    return sorted(container) if isinstance(container, frozenset) else list(container)
