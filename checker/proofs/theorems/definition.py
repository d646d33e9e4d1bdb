"""The table's definition is read too: the rules about metadata, protocol and applications.

What a definition consists of are *aspects*: columns, properties, features, domains such as the
clustering columns, the newest version that an application wrote, and the high-water mark of an
identity column. A statement depends on some of them; a commit changes some.
"""

from __future__ import annotations

from typing import Any

import z3

from checker.proofs.lemma import Assumption, Claim, Lemma
from checker.proofs.rule_formulas import facts
from checker.proofs.rule_formulas.symbols import SymbolicFacts

KINDS = (
    "schema",
    "property_set",
    "property_removed",
    "harmless",
    "mark",
    "feature_added",
    "feature_dropped",
    "domain",
    "application",
)


def _claim() -> Claim:
    f = SymbolicFacts()
    aspect = z3.DeclareSort("Aspect")
    a = z3.Const("a", aspect)

    def predicate(name: str) -> Any:
        return z3.Function(name, aspect, z3.BoolSort())

    kind = {name: predicate(name) for name in KINDS}
    depends, writes = predicate("t_depends"), predicate("t_writes")
    changes = predicate("w_changes")

    def of(*names: str) -> Any:
        return z3.Or(*(kind[name](a) for name in names))

    def every(given: Any, then: Any) -> Any:
        return z3.ForAll([a], z3.Implies(given, then))

    changed = changes(a)
    in_metadata = ("schema", "property_set", "property_removed", "mark")
    allowed = z3.And(kind["harmless"](a), kind["property_set"](a))
    # The clauses of the metadata rule, so that each can be left out.
    clauses = {
        "a changed schema": f.w_schema,
        "a removed property": f.w_property_removed,
        "a property that is not harmless": f.w_harmful,
        "metadata written after a mark that moved": f.mark_moved,
    }

    def metadata_rule(*left: Any) -> Any:
        alone = z3.And(z3.Not(f.w_identity_only), z3.Or(*left))
        return z3.And(f.w_metadata, z3.Or(f.t_metadata, alone))

    return Claim(
        (
            Assumption(
                "every aspect has its kind",
                "A change sets or removes a property, changes columns, moves a mark, adds or "
                "drops a feature, or writes a domain or for an application.",
                z3.ForAll([a], z3.Or(*(kind[k](a) for k in KINDS if k != "harmless"))),
            ),
            Assumption(
                "what a metadata action says",
                "A winner that changes columns, properties or a mark writes metadata, and the "
                "action tells which; one of a mark alone tells that.",
                z3.And(
                    every(z3.And(changed, of(*in_metadata)), f.w_metadata),
                    every(
                        z3.And(changed, of("schema")),
                        z3.And(f.w_schema, z3.Not(f.w_identity_only)),
                    ),
                    every(
                        z3.And(changed, of("property_removed")),
                        z3.And(f.w_property_removed, z3.Not(f.w_identity_only)),
                    ),
                    every(
                        z3.And(changed, of("property_set"), z3.Not(allowed)),
                        z3.And(f.w_harmful, z3.Not(f.w_identity_only)),
                    ),
                ),
            ),
            Assumption(
                "what a protocol action says",
                "A winner that adds or drops features writes a protocol, which tells of drops.",
                z3.And(
                    every(z3.And(changed, of("feature_added", "feature_dropped")), f.w_protocol),
                    every(z3.And(changed, of("feature_dropped")), f.w_drops),
                ),
            ),
            Assumption(
                "domains and applications",
                "What both write of domains, and what one reads and the other writes of "
                "applications, is what the rules compare.",
                z3.And(
                    every(z3.And(changed, of("domain"), writes(a)), f.shared_domain),
                    every(z3.And(changed, of("application"), depends(a)), f.shared_application),
                ),
            ),
            Assumption(
                "what a statement may take over",
                "A property on the list of harmless ones, an added feature and a mark matter "
                "only to a statement that itself writes metadata or a protocol; a domain to one "
                "that writes it.",
                every(
                    depends(a),
                    z3.And(
                        z3.Implies(z3.Or(allowed, of("mark")), f.t_metadata),
                        z3.Implies(of("feature_added"), f.t_protocol),
                        z3.Implies(of("domain"), writes(a)),
                    ),
                ),
                premise=True,
            ),
            Assumption(
                "a new constraint is metadata",
                "A winner that adds a CHECK constraint sets a property that is not harmless.",
                z3.Implies(
                    f.w_constraint,
                    z3.And(f.w_metadata, f.w_harmful, z3.Not(f.w_identity_only)),
                ),
            ),
            Assumption(
                "protocol changed",
                "Not both change the protocol, and the winner drops no feature.",
                z3.Not(facts.protocol_changed(f)),
                rule="protocol changed",
                weakened={
                    "dropped features alone": z3.Not(z3.And(f.w_protocol, f.w_drops)),
                    "both change it alone": z3.Not(z3.And(f.w_protocol, f.t_protocol)),
                },
            ),
            Assumption(
                "one feature at a time",
                "A statement drops one feature, so not constraints and another one.",
                z3.Not(z3.And(f.t_drops_constraints, f.w_enables_dropped)),
                premise=True,
            ),
            Assumption(
                "feature in use",
                "No winner put a feature to use, by a constraint or by the property that enables "
                "it, while the attempt drops it.",
                z3.Not(facts.feature_in_use(f)),
                rule="feature in use",
                weakened={
                    "properties are left out": z3.Not(
                        z3.And(f.t_drops_constraints, f.w_constraint)
                    ),
                    "constraints are left out": z3.Not(
                        z3.And(z3.Not(f.t_drops_constraints), f.w_enables_dropped)
                    ),
                },
            ),
            Assumption(
                "metadata changed",
                "Not both change metadata, and the winner's change is harmless.",
                z3.Not(facts.metadata_changed(f)),
                rule="metadata changed",
                weakened={
                    "both change it alone": z3.Not(z3.And(f.w_metadata, f.t_metadata)),
                    "not when both change it": z3.Not(
                        z3.And(f.w_metadata, z3.Not(f.w_identity_only), z3.Or(*clauses.values()))
                    ),
                    **{
                        f"without {left_out}": z3.Not(
                            metadata_rule(*(c for name, c in clauses.items() if name != left_out))
                        )
                        for left_out in clauses
                    },
                },
            ),
            Assumption(
                "domain metadata",
                "Not both write one domain.",
                z3.Not(facts.domain_metadata(f)),
                rule="domain metadata",
            ),
            Assumption(
                "application transaction",
                "No winner wrote for an application that the attempt read.",
                z3.Not(facts.application_transaction(f)),
                rule="application transaction",
            ),
        ),
        goal=z3.And(
            z3.Not(z3.Exists([a], z3.And(depends(a), changed))),
            z3.Not(z3.And(f.t_drops_constraints, f.w_constraint)),
            z3.Not(f.w_enables_dropped),
        ),
        witness=z3.And(
            z3.Exists([a], z3.And(changed, of("property_set"))),
            z3.Exists([a], z3.And(changed, of("feature_added"))),
            z3.Exists([a], z3.And(depends(a), of("schema"))),
            z3.Not(f.t_metadata),
        ),
    )


DEFINITION = Lemma(
    "the definition stands",
    "When the rules let an attempt pass a winner, that winner changed nothing of the table's "
    "definition that the attempt depends on, and put no feature to use that it drops.",
    _claim,
    {
        "feature in use: constraints are left out": "A constraint is a property that is not "
        "harmless, so the rule about metadata refuses the same attempts. The rule gives the "
        "failure a name of its own.",
        "metadata changed: without metadata written after a mark that moved": "Nothing that a "
        "statement depends on is touched: the engine is stricter here than the level needs.",
    },
)
