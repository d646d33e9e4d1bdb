"""The conflict rules as formulas over an attempt and one winner.

Each function here states one rule of ``model.rules.delta_spark`` in terms of :class:`Facts`, and
can be read in two ways: with z3's terms it is the formula that the proofs use, with an attempt and
a winner from the simulator (``checker.proofs.rule_formulas.concrete``) it is a truth value.
``checker.proofs.theorems.running_code.rules`` proves that each formula says what the code of its
rule says, so what is proved is about the code that runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Truth = Any
"""A z3 formula, or a bool."""


class Facts(Protocol):
    """The facts that the rules look at. ``t`` is the attempt, ``w`` the winner."""

    t_whole: Truth
    t_predicate: Truth
    t_next_only: Truth
    t_metadata: Truth
    t_protocol: Truth
    t_drops_constraints: Truth
    t_blind: Truth
    t_restates: Truth
    unpartitioned: Truth
    w_blind: Truth
    w_restates: Truth
    w_protocol: Truth
    w_drops: Truth
    w_metadata: Truth
    w_identity_only: Truth
    w_schema: Truth
    w_property_removed: Truth
    w_harmful: Truth
    w_constraint: Truth
    w_enables_dropped: Truth
    mark_moved: Truth
    shared_domain: Truth
    shared_application: Truth

    def t_reads(self, file: Any) -> Truth: ...
    def t_removes(self, file: Any) -> Truth: ...
    def t_covers(self, file: Any) -> Truth:
        """Whether the partition part of some predicate read is TRUE of the file's values."""
        ...

    def w_adds(self, file: Any) -> Truth: ...
    def w_removes(self, file: Any) -> Truth: ...
    def some_file(self, condition: Callable[[Any], Truth]) -> Truth: ...
    def all_of(self, *parts: Truth) -> Truth: ...
    def any_of(self, *parts: Truth) -> Truth: ...
    def no(self, part: Truth) -> Truth: ...


def sees_added(facts: Facts, file: Any) -> Truth:
    """Whether a file that is added would have been read, as the engine's check sees it."""
    return facts.any_of(facts.t_whole, facts.unpartitioned, facts.t_covers(file))


def added_files(facts: Facts) -> Truth:
    """``model.rules.delta_spark.added_files`` at Serializable: whether it refuses the attempt."""
    return facts.all_of(
        facts.no(facts.t_blind),
        facts.no(facts.t_restates),
        facts.no(facts.w_restates),
        facts.some_file(lambda f: facts.all_of(facts.w_adds(f), sees_added(facts, f))),
    )


def added_files_but_appends(facts: Facts) -> Truth:
    """The same at WriteSerializable, where blind appends are left out.

    They count for an attempt that changes metadata.
    """
    counted = facts.any_of(facts.t_metadata, facts.no(facts.w_blind))
    return facts.all_of(counted, added_files(facts))


def delete_read(facts: Facts) -> Truth:
    """``model.rules.delta_spark.delete_read``."""
    return facts.all_of(
        facts.no(facts.t_restates),
        facts.some_file(
            lambda f: facts.all_of(
                facts.w_removes(f), facts.any_of(facts.t_reads(f), facts.t_whole)
            )
        ),
    )


def delete_delete(facts: Facts) -> Truth:
    """``model.rules.delta_spark.delete_delete``."""
    return facts.some_file(lambda f: facts.all_of(facts.w_removes(f), facts.t_removes(f)))


def next_version(facts: Facts) -> Truth:
    """``model.rules.delta_spark.next_version``: any winner is one too many."""
    return facts.t_next_only


def protocol_changed(facts: Facts) -> Truth:
    """``model.rules.delta_spark.protocol_changed``."""
    return facts.all_of(facts.w_protocol, facts.any_of(facts.t_protocol, facts.w_drops))


def feature_in_use(facts: Facts) -> Truth:
    """``model.rules.delta_spark.feature_in_use``: by a constraint, or the enabling property."""
    return facts.any_of(
        facts.all_of(facts.t_drops_constraints, facts.w_constraint),
        facts.all_of(facts.no(facts.t_drops_constraints), facts.w_enables_dropped),
    )


def metadata_changed(facts: Facts) -> Truth:
    """``model.rules.delta_spark.metadata_changed``."""
    harmful = facts.any_of(
        facts.w_schema, facts.w_property_removed, facts.w_harmful, facts.mark_moved
    )
    return facts.all_of(
        facts.w_metadata,
        facts.any_of(facts.t_metadata, facts.all_of(facts.no(facts.w_identity_only), harmful)),
    )


def domain_metadata(facts: Facts) -> Truth:
    """``model.rules.delta_spark.domain_metadata``."""
    return facts.shared_domain


def application_transaction(facts: Facts) -> Truth:
    """``model.rules.delta_spark.application_transaction``."""
    return facts.shared_application


RULES: dict[str, Callable[[Facts], Truth]] = {
    "next version": next_version,
    "protocol changed": protocol_changed,
    "feature in use": feature_in_use,
    "metadata changed": metadata_changed,
    "domain metadata": domain_metadata,
    "application transaction": application_transaction,
    "added files": added_files,
    "delete read": delete_read,
    "delete delete": delete_delete,
}
"""The rules of delta-spark-4.4 at Serializable, by their names."""
