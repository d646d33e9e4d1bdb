"""Theorems without a bound, proved lemma by lemma with z3.

``lemma`` has the parts of a proof and its check, ``theorems`` has one module for each theorem.
``rule_formulas`` has the rules as the lemmas use them, and ``translation`` reads the code of the
rules, for the theorem that both say the same. ``premises`` holds what the lemmas take for granted
against runs, ``shapes`` finds in histories what the theorems say is there, and ``certificates``
has the lemmas for other solvers.
"""

from __future__ import annotations

from checker.proofs.theorems import (
    every_transaction,
    induction,
    jobs,
    log_order,
    proposals,
    readings,
    repair,
    segments,
    snapshot_levels,
    unseen_append,
)
from checker.proofs.theorems.key_value import definitions
from checker.proofs.theorems.running_code import rules

THEOREMS = (
    rules.THEOREM,
    induction.THEOREM,
    readings.THEOREM,
    log_order.THEOREM,
    unseen_append.THEOREM,
    every_transaction.THEOREM,
    jobs.THEOREM,
    repair.THEOREM,
    snapshot_levels.THEOREM,
    definitions.THEOREM,
    segments.THEOREM,
    proposals.SKIPPING,
    proposals.ROWS,
)
