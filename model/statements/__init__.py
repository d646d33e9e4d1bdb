"""SQL statements, one module per kind: their reads and writes, as rows and as files."""

from model.statements.alter.statement import AddConstraint, AlterTable, Refused, SyncIdentity
from model.statements.base import Execution, Statement
from model.statements.create import CreateTable, ReplaceTable
from model.statements.delete import Delete, Truncate
from model.statements.idempotent import Idempotent
from model.statements.insert.select import InsertSelect
from model.statements.insert.values import InsertValues
from model.statements.maintenance.optimize import Optimize
from model.statements.maintenance.reorg import Reorg
from model.statements.maintenance.restore import Restore
from model.statements.maintenance.vacuum import Vacuum
from model.statements.merge.statement import Merge
from model.statements.overwrite import DynamicOverwrite, Overwrite
from model.statements.select import Select
from model.statements.update import Update

__all__ = [
    "AddConstraint",
    "AlterTable",
    "CreateTable",
    "Delete",
    "DynamicOverwrite",
    "Execution",
    "Idempotent",
    "InsertSelect",
    "InsertValues",
    "Merge",
    "Optimize",
    "Overwrite",
    "Refused",
    "Reorg",
    "ReplaceTable",
    "Restore",
    "Select",
    "Statement",
    "SyncIdentity",
    "Truncate",
    "Update",
    "Vacuum",
]
