"""Where the scenario collection is: beside the packages in a checkout, inside an installed one."""

from __future__ import annotations

from pathlib import Path

from isodelta.exits import BadInput


def collection_files() -> list[Path]:
    """The files of the collection, by name. Raises BadInput where there are none."""
    package = Path(__file__).parent
    for folder in (package.parent / "scenarios", package / "scenarios"):
        if files := sorted(folder.glob("*.yaml")):
            return files
    raise BadInput(f"no scenario collection beside {package}")
