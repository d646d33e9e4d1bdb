"""Theorem: the rules in the proofs are the rules that run.

``rule_formulas.facts`` states each rule as a formula, to be read beside a proof. Here the code of
``model.rules.delta_spark`` is translated (``checker.proofs.translation``), and a lemma for each
rule says that code and formula agree on all footprints: whatever files, predicates, metadata and
protocols are in them.
So a change of the code that changes what a rule refuses is a change of what is proved.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

import z3

from checker.proofs.lemma import Assumption, Claim, Formula, Lemma, Theorem
from checker.proofs.rule_formulas import facts
from checker.proofs.theorems.log_order import level_formula
from checker.proofs.translation.translator import Translation
from checker.proofs.translation.values import Collection, Perhaps, Record, Texts, Words
from model.expressions import syntax as expressions
from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.footprint import Footprint
from model.physical.skipping import partition_matches
from model.profiles import DEFAULT

HARMLESS = (
    "delta.enableRowTracking",
    "delta.rowTracking.materializedRowIdColumnName",
    "delta.rowTracking.materializedRowCommitVersionColumnName",
    "delta.columnMapping.mode",
    "delta.columnMapping.maxColumnId",
    "delta.enableDeletionVectors",
    "delta.checkpointPolicy",
    "delta.enableInCommitTimestamps",
)
"""The properties that a statement may take over (a premise of "the definition stands")."""

ENABLED_BY = {
    "appendOnly": "delta.appendOnly",
    "changeDataFeed": "delta.enableChangeDataFeed",
    "columnMapping": "delta.columnMapping.mode",
    "deletionVectors": "delta.enableDeletionVectors",
    "icebergCompatV1": "delta.enableIcebergCompatV1",
    "icebergCompatV2": "delta.enableIcebergCompatV2",
    "inCommitTimestamp": "delta.enableInCommitTimestamps",
    "rowTracking": "delta.enableRowTracking",
    "typeWidening": "delta.enableTypeWidening",
    "v2Checkpoint": "delta.checkpointPolicy",
}
"""The property that puts each feature to use."""

REARRANGING = (
    *("Deletion Vector Tombstones", "Empty Commit", "OPTIMIZE", "REORG", "ROW TRACKING BACKFILL"),
    *("ROW TRACKING UNBACKFILL", "VACUUM START", "VACUUM END"),
)
"""The operations that never change data (the premise of that name)."""


class Transactions:
    """An attempt and winners with their footprints, all unknown: what the code may look at."""

    def __init__(self) -> None:
        self.Txn, self.File, self.Path, self.Partition, self.Predicate, self.Time = (
            z3.DeclareSort(name)
            for name in ("Txn", "File", "Path", "Partition", "Predicate", "Time")
        )
        self.texts = Texts()
        self.path = z3.Function("path", self.File, self.Path)
        self.partition = z3.Function("partition", self.File, self.Partition)
        self.true_of = z3.Function("true_of", self.Predicate, self.Partition, z3.BoolSort())
        self.Width = z3.DeclareSort("Width")
        self.version = z3.Function("version", self.Txn, self.Time)
        self.read_version = z3.Function("read_version", self.Txn, self.Time)
        self.earlier = z3.Function("earlier", self.Time, self.Time, z3.BoolSort())
        self.unpartitioned = z3.Bool("unpartitioned")
        self.level = z3.Const("level", self.texts.Text)
        self.t, self.w = z3.Consts("t w", self.Txn)

    def truth(self, name: str, txn: Any) -> Formula:
        """A truth value that a footprint or a commit has."""
        return z3.Function(name, self.Txn, z3.BoolSort())(txn)

    def has(self, name: str, txn: Any, element: Any) -> Formula:
        """Whether a set of a footprint has an element."""
        return z3.Function(name, self.Txn, element.sort(), z3.BoolSort())(txn, element)

    def of(
        self, name: str, txn: Any, sort: Any, element: Callable[[Any], Any] | None = None
    ) -> Collection:
        """A set of a footprint."""
        return Collection((sort,), partial(self.has, name, txn), element or (lambda x: x))

    def footprint(self, txn: Any) -> Record:
        """``model.physical.footprint.Footprint``."""
        truth, text = partial(self.truth, txn=txn), self.texts.Text
        names = ("read_whole_table", "next_version_only", "restates", "data_changed")
        written = Collection(
            (text,),
            partial(self.has, "applications_written", txn),
            lambda application: (application, None),
        )
        return Record(
            {
                **{name: truth(name) for name in names},
                **{name: self.files(name, txn) for name in ("read_files", "adds", "removes")},
                **{n: self.of(n, txn, text) for n in ("domains", "applications_read")},
                "applications_written": written,
                "read_predicates": self.of(
                    "read_predicates",
                    txn,
                    self.Predicate,
                    lambda p: Record({"term": p, "partition": None}),
                ),
                "metadata": Perhaps(truth("metadata"), self._metadata(txn)),
                "protocol": Perhaps(truth("protocol"), self._protocol(txn)),
                "operation": z3.Function("operation", self.Txn, text)(txn),
                "term": txn,
            },
            Footprint,
        )

    def _metadata(self, txn: Any) -> Record:
        truths = ("schema_changed", "properties_removed", "identity_only")
        sets = ("properties", "turned_off")
        return Record(
            {name: self.truth(name, txn) for name in truths}
            | {name: self.of(name, txn, self.texts.Text) for name in sets}
        )

    def _protocol(self, txn: Any) -> Record:
        text = self.texts.Text
        return Record({n: self.of(f"features_{n}", txn, text) for n in ("added", "dropped")})

    def files(self, name: str, txn: Any) -> Collection:
        """A set of files."""
        return self.of(name, txn, self.File, self._file)

    def _file(self, file: Any) -> Record:
        partition = Record({"length": z3.Function("columns_of", self.File, self.Width)(file)})
        return Record(
            {
                "path": self.path(file),
                "key": z3.Function("key", self.File, self.Path)(file),
                "partition": partition,
                "term": file,
            }
        )

    def commit(self, txn: Any) -> Record:
        """``model.physical.log.Commit``."""
        return Record(
            {
                "footprint": self.footprint(txn),
                "version": self.version(txn),
                "read_version": self.read_version(txn),
                "level": z3.Function("checked_at", self.Txn, self.texts.Text)(txn),
                "term": txn,
                "blind": self.truth("says_blind", txn),
            }
        )

    def attempt(self) -> Record:
        """``model.rules.base.Attempt``."""
        winners = Collection((self.Txn,), lambda w: self.truth("is_winner", w), self.commit)
        return Record(
            {
                "footprint": self.footprint(self.t),
                "level": self.level,
                "table": Record({"partitions": z3.Not(self.unpartitioned)}),
                "term": self.t,
                "winners": winners,
            }
        )

    def translation(self) -> Translation:
        """A translation that knows predicates over partitions, and the order of versions."""

        def matches(predicate: Record, file: Record, _: Record) -> Formula:
            partition = self.partition(file.attributes["term"])
            return self.true_of(predicate.attributes["term"], partition)

        primitives = {partition_matches: matches, ast.Lt: self.earlier, expressions.sql: _in_words}
        return Translation(self.texts, primitives)

    def some(self, sort: Any, condition: Callable[[Any], Formula]) -> Formula:
        """Whether something has a property."""
        x = z3.Const("x", sort)
        return z3.Exists([x], condition(x))


def _in_words(_: Any) -> Words:
    return Words()


class RunningFacts:
    """``rule_formulas.facts.Facts`` in terms of the footprints that the code looks at."""

    def __init__(self, s: Transactions) -> None:
        self._s = s
        t, w, text = s.t, s.w, s.texts.Text
        given, has, some = s.truth, s.has, s.some

        def any_of(name: str, txn: Any, sort: Any) -> Formula:
            return some(sort, lambda x: has(name, txn, x))

        self.t_whole, self.t_next_only = given("read_whole_table", t), given("next_version_only", t)
        self.t_predicate = any_of("read_predicates", t, s.Predicate)
        self.t_metadata, self.t_protocol = given("metadata", t), given("protocol", t)
        self.t_restates, self.w_restates = given("restates", t), given("restates", w)
        self.t_blind = z3.Not(
            z3.Or(
                self.t_next_only,
                self.t_predicate,
                any_of("read_files", t, s.File),
                any_of("removes", t, s.File),
            )
        )
        self.unpartitioned = s.unpartitioned
        self.w_blind = given("says_blind", w)
        self.w_protocol = given("protocol", w)
        self.w_drops = any_of("features_dropped", w, text)
        self.w_metadata = given("metadata", w)
        self.w_identity_only = given("identity_only", w)
        self.w_schema = given("schema_changed", w)
        self.w_property_removed = given("properties_removed", w)
        harmless = [s.texts.constant(name) for name in HARMLESS]
        self.w_harmful = some(
            text,
            lambda x: z3.Or(
                z3.And(has("properties", w, x), *(x != name for name in harmless)),
                has("turned_off", w, x),
            ),
        )

        def constraint(x: Any) -> Formula:
            return z3.And(has("properties", w, x), s.texts.starts_with(x, "delta.constraints."))

        self.w_constraint = z3.And(self.w_metadata, some(text, constraint))
        drops = {
            name: has("features_dropped", t, s.texts.constant(name))
            for name in ("checkConstraints", *ENABLED_BY)
        }
        self.t_drops_constraints = z3.And(self.t_protocol, drops["checkConstraints"])

        def enabled(feature: str) -> Formula:
            key = s.texts.constant(ENABLED_BY[feature])
            turned_off = has("turned_off", w, key)
            return z3.And(drops[feature], has("properties", w, key), z3.Not(turned_off))

        self.w_enables_dropped = z3.And(
            self.t_protocol, self.w_metadata, z3.Or(*map(enabled, ENABLED_BY))
        )
        self.mark_moved = some(
            s.Txn,
            lambda c: z3.And(
                *(given("is_winner", c), s.earlier(s.version(c), s.version(w))),
                *(given("metadata", c), given("identity_only", c), given("schema_changed", c)),
            ),
        )
        self.shared_domain = some(
            text, lambda x: z3.And(has("domains", t, x), has("domains", w, x))
        )
        self.shared_application = some(
            text,
            lambda x: z3.And(has("applications_read", t, x), has("applications_written", w, x)),
        )

    def _same_path(self, name: str, file: Any) -> Formula:
        s = self._s
        g = z3.Const("g", s.File)
        return z3.Exists([g], z3.And(s.has(name, s.t, g), s.path(g) == s.path(file)))

    def t_reads(self, file: Any) -> Formula:
        return self._same_path("read_files", file)

    def t_removes(self, file: Any) -> Formula:
        return self._same_path("removes", file)

    def t_covers(self, file: Any) -> Formula:
        s = self._s
        p = z3.Const("p", s.Predicate)
        true = s.true_of(p, s.partition(file))
        return z3.Exists([p], z3.And(s.has("read_predicates", s.t, p), true))

    def w_adds(self, file: Any) -> Formula:
        return self._s.has("adds", self._s.w, file)

    def w_removes(self, file: Any) -> Formula:
        return self._s.has("removes", self._s.w, file)

    def some_file(self, condition: Callable[[Any], Any]) -> Formula:
        return self._s.some(self._s.File, condition)

    def all_of(self, *parts: Any) -> Formula:
        return z3.And(*parts)

    def any_of(self, *parts: Any) -> Formula:
        return z3.Or(*parts)

    def no(self, part: Any) -> Formula:
        return z3.Not(part)


CODE: dict[str, Callable[..., Any]] = {
    **{rule.name: rule.check for rule in DEFAULT.rules},
    "level in force": DEFAULT.level_in_force,
    "empty commits are skipped": DEFAULT.skips_empty_commit,
}
"""The functions that run, by the names of the rules."""


def refusal(rule: str, s: Transactions) -> tuple[Formula, list[Formula]]:
    """Where the code of a rule gives a reason, and what has to hold for it not to fail.

    Raises ``Untranslatable``.
    """
    translation = s.translation()
    value = translation.call(CODE[rule], s.attempt(), s.commit(s.w))
    return z3.simplify(translation.truth(value)), translation.obligations


def _levels(s: Transactions) -> dict[str, Formula]:
    names = (SERIALIZABLE, WRITE_SERIALIZABLE, SNAPSHOT_ISOLATION)
    return {name: s.level == s.texts.constant(name) for name in names}


def _stated(rule: str, s: Transactions) -> Formula:
    """The formula of a rule, over the footprints that the code looks at."""
    f = RunningFacts(s)
    if rule != "added files":
        return facts.RULES[rule](f)
    at = _levels(s)
    return z3.Or(
        z3.And(at[SERIALIZABLE], facts.added_files(f)),
        z3.And(at[WRITE_SERIALIZABLE], facts.added_files_but_appends(f)),
    )


def _premises(rule: str, s: Transactions) -> tuple[Assumption, ...]:
    if rule == "added files":
        words = "A commit is checked at Serializable, WriteSerializable or SnapshotIsolation."
        one_of_them = z3.Or(*_levels(s).values())
        return (Assumption("the levels", words, one_of_them, premise=True),)
    if rule == "feature in use":
        words = "No property has an empty name."
        named = z3.Not(s.has("properties", s.w, s.texts.constant("")))
        return (Assumption("properties have names", words, named, premise=True),)
    return ()


def _same(rule: str) -> Claim:
    s = Transactions()
    code, obligations = refusal(rule, s)
    stated, premises = _stated(rule, s), _premises(rule, s)
    return Claim(
        premises,
        goal=z3.And(code == stated, *obligations),
        witness=z3.And(code, stated),
        background=s.texts.axioms(),
    )


def _level_in_force(table_level: str) -> Claim:
    s = Transactions()
    translation = s.translation()
    level = translation.call(
        CODE["level in force"], s.texts.constant(table_level), s.footprint(s.t)
    )

    def some(name: str, sort: Any) -> Formula:
        return s.some(sort, lambda x: s.has(name, s.t, x))

    files = z3.Or(some("adds", s.File), some("removes", s.File))
    changed = s.truth("data_changed", s.t)
    besides = z3.Or(
        s.truth("metadata", s.t),
        s.truth("protocol", s.t),
        some("domains", s.texts.Text),
        some("applications_written", s.texts.Text),
    )
    only = s.truth("next_version_only", s.t)
    operation = z3.Function("operation", s.Txn, s.texts.Text)(s.t)
    rearranging = z3.Or(*(operation == s.texts.constant(name) for name in REARRANGING))
    if table_level == SERIALIZABLE:
        kept = level_formula(changed, files, besides, only, z3.Or, z3.And)
        other = SNAPSHOT_ISOLATION
        goal = z3.If(kept, translation.equal(level, SERIALIZABLE), translation.equal(level, other))
    else:
        kept = z3.Or(z3.And(changed, files), besides, z3.Not(rearranging))
        goal = z3.If(
            only,
            translation.equal(level, SERIALIZABLE),
            z3.If(
                kept,
                translation.equal(level, WRITE_SERIALIZABLE),
                translation.equal(level, SNAPSHOT_ISOLATION),
            ),
        )
    return Claim(
        (),
        goal=z3.And(goal, *translation.obligations),
        witness=z3.And(z3.Not(kept), files),
        background=s.texts.axioms(),
    )


def _empty_commits() -> Claim:
    s = Transactions()
    translation = s.translation()
    skipped = translation.truth(translation.call(CODE["empty commits are skipped"], s.level))
    stated = z3.Or(*(s.level == s.texts.constant(x) for x in (SERIALIZABLE, SNAPSHOT_ISOLATION)))
    kept = s.level == s.texts.constant(WRITE_SERIALIZABLE)
    return Claim((), z3.And(skipped == stated), witness=z3.And(kept), background=s.texts.axioms())


LEMMAS = (
    *(
        Lemma(
            f"as it runs: {rule}",
            f'The code of the rule "{rule}" gives a reason for a conflict for just the footprints '
            "for which the formula in the proofs says so, and never fails.",
            partial(_same, rule),
            {},
        )
        for rule in facts.RULES
    ),
    *(
        Lemma(
            f"as it runs: level in force, {level}",
            f"On a table of level {level} the code gives every commit the level that the formula "
            "in the proofs gives it.",
            partial(_level_in_force, level),
            {},
        )
        for level in (SERIALIZABLE, WRITE_SERIALIZABLE)
    ),
    Lemma(
        "as it runs: empty commits are skipped",
        "The code leaves commits without actions out of the log at Serializable and "
        "SnapshotIsolation, and at no other level.",
        _empty_commits,
        {},
    ),
)

THEOREM = Theorem(
    "The rules in the proofs are the rules that run",
    "Of all footprints, the code of each rule of delta-spark-4.4 refuses just those that its "
    "formula in the other theorems refuses.",
    LEMMAS,
    also=("delta-spark-4.4-repaired",),
    of_histories=False,
)
