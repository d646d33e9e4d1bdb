"""The facts as z3 terms: files that hold row versions, two footprints, the live files.

Sorts: row versions, files, partitions. A row version never changes; an update takes one out of
the table and puts another one in. ``matches`` are the row versions that the attempt's statement
reads or would have read, by its logical predicates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3


class SymbolicFacts:
    """``checker.proofs.rule_formulas.facts.Facts`` with z3 terms."""

    def __init__(self) -> None:
        self.File = z3.DeclareSort("File")
        self.Row = z3.DeclareSort("Row")
        self.Partition = z3.DeclareSort("Partition")
        self.partition = z3.Function("partition", self.File, self.Partition)
        self.holds = z3.Function("holds", self.File, self.Row, z3.BoolSort())
        self.matches = self._on_rows("matches")
        self.live = self._on_files("live")
        self.at_snapshot = self._on_files("live_at_snapshot")
        self.t_reads = self._on_files("t_reads")
        self.t_removes = self._on_files("t_removes")
        self.w_adds = self._on_files("w_adds")
        self.w_removes = self._on_files("w_removes")
        self.appended = self._on_files("appended_unseen")
        self.covered = z3.Function("t_covers", self.Partition, z3.BoolSort())
        for name in (
            *("t_whole", "t_predicate", "t_next_only", "t_metadata", "t_protocol"),
            *("t_restates", "w_restates"),
            *("t_drops_constraints", "unpartitioned", "w_blind", "w_protocol", "w_drops"),
            *("w_metadata", "w_identity_only", "w_schema", "w_property_removed", "w_harmful"),
            *(
                "w_constraint",
                "w_enables_dropped",
                "mark_moved",
                "shared_domain",
                "shared_application",
            ),
        ):
            setattr(self, name, z3.Bool(name))
        self.t_blind = z3.And(
            z3.Not(self.t_next_only),
            z3.Not(self.t_predicate),
            self.no_file(self.t_reads),
            self.no_file(self.t_removes),
        )

    t_whole: Any
    t_restates: Any
    w_restates: Any
    t_predicate: Any
    t_next_only: Any
    t_metadata: Any
    t_protocol: Any
    t_drops_constraints: Any
    unpartitioned: Any
    w_blind: Any
    w_protocol: Any
    w_drops: Any
    w_metadata: Any
    w_identity_only: Any
    w_schema: Any
    w_property_removed: Any
    w_harmful: Any
    w_constraint: Any
    w_enables_dropped: Any
    mark_moved: Any
    shared_domain: Any
    shared_application: Any

    def _on_files(self, name: str) -> Any:
        return z3.Function(name, self.File, z3.BoolSort())

    def _on_rows(self, name: str) -> Any:
        return z3.Function(name, self.Row, z3.BoolSort())

    def t_covers(self, file: Any) -> Any:
        return z3.And(self.t_predicate, self.covered(self.partition(file)))

    def some_file(self, condition: Callable[[Any], Any]) -> Any:
        file = z3.Const("some_f", self.File)
        return z3.Exists([file], condition(file))

    def no_file(self, condition: Callable[[Any], Any]) -> Any:
        return z3.Not(self.some_file(condition))

    def every_file(self, condition: Callable[[Any], Any]) -> Any:
        file = z3.Const("f", self.File)
        return z3.ForAll([file], condition(file))

    def every_held(self, condition: Callable[[Any, Any], Any]) -> Any:
        """For every row version that matches, in every file that holds it."""
        file, row = z3.Const("f", self.File), z3.Const("r", self.Row)
        given = z3.And(self.holds(file, row), self.matches(row))
        return z3.ForAll([file, row], z3.Implies(given, condition(file, row)))

    def all_of(self, *parts: Any) -> Any:
        return z3.And(*parts)

    def any_of(self, *parts: Any) -> Any:
        return z3.Or(*parts)

    def no(self, part: Any) -> Any:
        return z3.Not(part)

    def live_after(self, file: Any) -> Any:
        """Whether a file is live once the winner has committed."""
        return z3.Or(self.w_adds(file), z3.And(self.live(file), z3.Not(self.w_removes(file))))

    def in_table(self, row: Any) -> Any:
        """Whether a row version is in the table before the winner's commit."""
        return self.some_file(lambda f: z3.And(self.live(f), self.holds(f, row)))

    def in_table_after(self, row: Any) -> Any:
        """Whether a row version is in the table after the winner's commit."""
        return self.some_file(lambda f: z3.And(self.live_after(f), self.holds(f, row)))

    def read_row_changes(self) -> Any:
        """Whether a row version that the attempt reads comes or goes with the winner's commit."""
        row = z3.Const("r", self.Row)
        differs = self.in_table(row) != self.in_table_after(row)
        return z3.Exists([row], z3.And(self.matches(row), differs))
