"""The table properties that the model knows, and what each of them decides.

A property that is not here could change what the engine does, so a scenario that sets it is
refused.
"""

from __future__ import annotations

KNOWN = {
    "delta.isolationLevel": "the isolation level of the table's transactions",
    "delta.enableDeletionVectors": "whether statements mark rows instead of rewriting files",
}
"""Meaning by name, as Delta spells the name."""
