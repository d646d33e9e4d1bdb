"""Theorems without a bound, proved lemma by lemma with z3: one module for each theorem."""

from __future__ import annotations

from checker.proofs.theorems import (
    every_transaction,
    induction,
    jobs,
    key_value_definitions,
    log_order,
    repair,
    running_rules,
    snapshot_levels,
    unseen_append,
)

THEOREMS = (
    running_rules.THEOREM,
    induction.THEOREM,
    log_order.THEOREM,
    unseen_append.THEOREM,
    every_transaction.THEOREM,
    jobs.THEOREM,
    repair.THEOREM,
    snapshot_levels.THEOREM,
    key_value_definitions.THEOREM,
)
