"""What releases did, kept in a folder: one file for each release."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.releases.catalogue import Release
from conformance.releases.table import Cell, Fate, ReleaseRow
from isodelta.exits import BadInput
from isodelta.files.scenario_writer import scenario_mapping


def stored(folder: Path, release: Release, cells: Sequence[Cell]) -> ReleaseRow | None:
    """The row of a release if the folder has it for just these cells; else None.

    Raises BadInput for a file that is damaged.
    """
    file = _file(folder, release)
    if not file.is_file():
        return None
    try:
        kept = json.loads(file.read_text("utf-8"))
        if kept["cells"] != _digest(cells):
            return None
        fates = {name: _fate(fate) for name, fate in kept["fates"].items()}
        return ReleaseRow(release, fates, float(kept["seconds"]))
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{file}: not what `releases --store` writes ({error})") from error


def keep(folder: Path, row: ReleaseRow, cells: Sequence[Cell]) -> None:
    """Writes the row of a release, under its name only once it is complete."""
    fates = {
        name: {
            "outcomes": fate.outcomes,
            "verdict": fate.verdict,
            "because": fate.because,
            "why": fate.why,
        }
        for name, fate in row.fates.items()
    }
    text = json.dumps({"cells": _digest(cells), "fates": fates, "seconds": row.seconds}, indent=1)
    file = _file(folder, row.release)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(text, "utf-8")
        part.rename(file)
    except OSError as error:
        raise BadInput(f"--store: cannot write {file}: {error}") from error


def _file(folder: Path, release: Release) -> Path:
    return folder / f"{release.name}.json"


def _fate(kept: dict[str, Any]) -> Fate:
    outcomes = tuple((str(name), str(outcome)) for name, outcome in kept["outcomes"])
    return Fate(outcomes, str(kept["verdict"]), str(kept["because"]), str(kept["why"]))


def _digest(cells: Sequence[Cell]) -> str:
    """A digest of the scenarios: a collection that has changed is run again."""
    told = [(cell.subject, cell.level, scenario_mapping(cell.scenario)) for cell in cells]
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()
