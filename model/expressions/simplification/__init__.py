"""Simplification of conditions by Spark's optimizer, as far as it shows in a footprint.

The engine splits a condition into a part over partition values and the rest only after the
optimizer has simplified it, so ``NOT (p = 1 OR v = 2)`` does name a partition, and ``v = NULL``
reads no file at all. Each function here is one optimizer rule, named as in Spark's source
(package catalyst.optimizer), as far as it concerns the expressions of the model; all preserve the
meaning of the condition, in a query's WHERE up to the difference between FALSE and NULL.
"""

from __future__ import annotations

from functools import lru_cache

from model.expressions.simplification.arithmetic import reorder_associative_operator
from model.expressions.simplification.booleans import boolean_simplification
from model.expressions.simplification.comparisons import simplify_binary_comparison, unwrap_cast
from model.expressions.simplification.conditionals import (
    false_where_not_true,
    push_foldable_into_branches,
    simplify_conditionals,
)
from model.expressions.simplification.constants import (
    constant_folding,
    null_propagation,
    optimize_in,
)
from model.expressions.simplification.filters import (
    constant_propagation,
    infer_filters,
    simplify_known_comparisons,
)
from model.expressions.simplification.likes import like_simplification
from model.expressions.simplification.moments import unwrap_moment_cast
from model.expressions.simplification.shape import everywhere, plain_negations
from model.expressions.syntax import Expression

_RULES = (
    constant_folding,
    null_propagation,
    reorder_associative_operator,
    like_simplification,
    optimize_in,
    unwrap_cast,
    unwrap_moment_cast,
    simplify_binary_comparison,
    boolean_simplification,
    push_foldable_into_branches,
    simplify_conditionals,
)


@lru_cache(maxsize=4096)
def simplify(condition: Expression) -> Expression:
    """The condition as the optimizer leaves it in any statement."""
    condition = everywhere(condition, plain_negations)
    while True:
        simpler = everywhere(condition, _rules)
        if simpler == condition:
            return condition
        condition = simpler


@lru_cache(maxsize=4096)
def simplify_filter(condition: Expression) -> Expression:
    """The condition as the optimizer leaves it in a query's WHERE, where more rules apply.

    There NULL means the same as FALSE, and implied conditions are added.
    """
    condition = _simplify_filter(condition)
    return _simplify_filter(infer_filters(condition))


def _simplify_filter(condition: Expression) -> Expression:
    while True:
        simpler = simplify(condition)
        for rule in (
            constant_propagation,
            false_where_not_true,
            simplify_known_comparisons,
        ):
            simpler = simplify(rule(simpler))
        if simpler == condition:
            return condition
        condition = simpler


def _rules(expression: Expression) -> Expression:
    for rule in _RULES:
        expression = rule(expression)
    return expression
