"""The checks, one module for each topic of the documents. Importing this registers them all."""

from isodelta.commands.claims.checks import (
    acid,
    appends,
    exceptions,
    files_and_log,
    isolation,
    matrices,
    metadata,
    row_level,
)

__all__ = [
    "acid",
    "appends",
    "exceptions",
    "files_and_log",
    "isolation",
    "matrices",
    "metadata",
    "row_level",
]
