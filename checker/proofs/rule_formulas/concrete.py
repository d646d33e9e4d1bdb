"""The facts about an attempt and a winner as the simulator has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from model.physical.files import DataFile
from model.physical.log import Commit
from model.physical.skipping import stops_at
from model.rules.base import Attempt
from model.rules.delta_spark import HARMLESS_PROPERTIES
from model.tables.protocol import ENABLING
from model.tables.table import CHECK_PREFIX


class ConcreteFacts:
    """``checker.proofs.rule_formulas.facts.Facts`` with truth values."""

    def __init__(self, attempt: Attempt, winner: Commit) -> None:
        mine, theirs = attempt.footprint, winner.footprint
        self.attempt, self.winner = attempt, winner
        self.files = {
            file.key: file
            for file in (*mine.read_files, *mine.adds, *mine.removes, *theirs.adds, *theirs.removes)
        }
        self.read = {file.path for file in mine.read_files}
        self.removed = {file.path for file in mine.removes}
        change, protocol = theirs.metadata, theirs.protocol
        self.t_whole = mine.read_whole_table
        self.t_predicate = bool(mine.read_predicates)
        self.t_next_only = mine.next_version_only
        self.t_metadata = mine.metadata is not None
        self.t_protocol = mine.protocol is not None
        self.t_drops_constraints = (
            mine.protocol is not None and "checkConstraints" in mine.protocol.dropped
        )
        self.t_blind = mine.blind_append
        self.t_restates = mine.restates
        self.unpartitioned = not attempt.table.partitions
        self.w_blind = winner.blind
        self.w_restates = theirs.restates
        self.w_protocol = protocol is not None
        self.w_drops = protocol is not None and bool(protocol.dropped)
        self.w_metadata = change is not None
        self.w_identity_only = change is not None and change.identity_only
        self.w_schema = change is not None and change.schema_changed
        self.w_property_removed = change is not None and change.properties_removed
        self.w_harmful = change is not None and bool(
            (change.properties - HARMLESS_PROPERTIES) | change.turned_off
        )
        self.w_constraint = change is not None and any(
            key.startswith(CHECK_PREFIX) for key in change.properties
        )
        enabling = set() if change is None else change.properties - change.turned_off
        dropped = frozenset() if mine.protocol is None else mine.protocol.dropped
        self.w_enables_dropped = any(
            feature in dropped and key in enabling for feature, (key, _) in ENABLING.items()
        )
        self.mark_moved = any(_moved(w) for w in attempt.winners if w.version < winner.version)
        self.shared_domain = bool(mine.domains & theirs.domains)
        written = {application for application, _ in theirs.applications_written}
        self.shared_application = bool(mine.applications_read & written)

    def t_reads(self, file: DataFile) -> bool:
        return file.path in self.read

    def t_removes(self, file: DataFile) -> bool:
        return file.path in self.removed

    def t_covers(self, file: DataFile) -> bool:
        table = self.attempt.table
        if len(file.partition) != len(table.partitions):
            return False  # A new file of the attempt itself, which replaces the table.
        predicates = self.attempt.footprint.read_predicates
        return any(stops_at(predicate, file, table) for predicate in predicates)

    def w_adds(self, file: DataFile) -> bool:
        return any(file is added for added in self.winner.footprint.adds)

    def w_removes(self, file: DataFile) -> bool:
        return any(file.key == gone.key for gone in self.winner.footprint.removes)

    def some_file(self, condition: Callable[[Any], Any]) -> bool:
        # Added files are other objects than files of one key that were read.
        files = (*self.files.values(), *self.winner.footprint.adds)
        return any(condition(file) for file in files)

    def all_of(self, *parts: bool) -> bool:
        return all(parts)

    def any_of(self, *parts: bool) -> bool:
        return any(parts)

    def no(self, part: bool) -> bool:
        return not part


def _moved(commit: Commit) -> bool:
    change = commit.footprint.metadata
    return change is not None and change.identity_only and change.schema_changed
