"""Random statements about files and versions: OPTIMIZE, REORG, VACUUM and RESTORE."""

from __future__ import annotations

from sqlglot import exp

from checker.generators.tables import Pick, known, readable, values
from model.scenario import TableSpec
from model.sql.dialect import Optimize, Reorg, Restore, Vacuum
from model.sql.trees import Where, column, equal, literal, named


def optimize(pick: Pick, spec: TableSpec) -> exp.Expr:
    """OPTIMIZE t, in a partitioned table sometimes with WHERE."""
    return Optimize(this=named("t"), where=_partition(pick, spec))


def optimize_all(pick: Pick, spec: TableSpec) -> exp.Expr:
    """OPTIMIZE of files that were optimized before: FULL in a clustered table, else ZORDER BY."""
    if spec.cluster_by:
        return Optimize(this=named("t"), full=True)
    tree = optimize(pick, spec)
    tree.set("zorder", [exp.to_identifier("v")])
    return tree


def reorg(pick: Pick, spec: TableSpec) -> exp.Expr:
    """REORG TABLE t, in a partitioned table sometimes with WHERE."""
    return Reorg(this=named("t"), where=_partition(pick, spec))


def vacuum(pick: Pick) -> exp.Expr:
    """VACUUM t: plain, as a dry run, or retaining nothing."""
    plain = Vacuum(this=named("t"))
    dry = Vacuum(this=named("t"), dry_run=True)
    return pick((plain, plain, dry, Vacuum(this=named("t"), hours=exp.Literal.number(0))))


def restore(pick: Pick, spec: TableSpec) -> exp.Expr:
    """RESTORE to a version of the set-up: the empty table, one in between, or the last."""
    version = pick(range(len(spec.setup) + 1))
    return Restore(this=named("t"), version=exp.Literal.number(version))


def _partition(pick: Pick, spec: TableSpec) -> Where:
    """A WHERE clause that names a partition, or none."""
    if not spec.partition_by or pick((True, False)):
        return None
    name = spec.partition_by[0]
    value = pick(known(values(name, readable(spec))))
    return exp.Where(this=equal(column(name), literal(value)))
