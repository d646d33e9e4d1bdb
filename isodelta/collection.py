"""Where the scenario collection is: beside the packages, or within an installed one."""

from __future__ import annotations

from pathlib import Path

from isodelta.exits import BadInput


def collection_files() -> list[Path]:
    """The files of the collection, by name. Raises BadInput where there are none."""
    folder = Path(__file__).parent.parent / "scenarios"
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise BadInput(f"{folder}: no scenario files")
    return files
