"""Checks that a report of `isodelta verify` found what must be found.

usage: check_report.py REPORT_FOLDER

A green run that looked at nothing, or an engine that silently was not there, must not pass.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def complaints(folder: Path) -> list[str]:
    """Return what is wrong with the report in ``folder``; nothing when all is as it must be."""
    absent = [
        f"{name} is missing or empty"
        for name in ("index.html", "report.json", "junit.xml")
        if not (folder / name).is_file() or not (folder / name).stat().st_size
    ]
    if absent:
        return absent
    summary = json.loads((folder / "report.json").read_text(encoding="utf-8"))["summary"]
    wrong = []
    if not summary["replays"] > 0:
        wrong.append("nothing was replayed on the real engine")
    if summary["unexplained"] != 0:
        wrong.append(f"{summary['unexplained']} differences have no explanation")
    if not summary["violations"] > 0:
        wrong.append("no violation found, though WriteSerializable is known to have some")
    if not any((folder / "findings").glob("*.yaml")):
        wrong.append("no finding was written as a scenario that can be replayed")
    return wrong


def main() -> None:
    """Check the folder named on the command line; exit 1 with one line per complaint."""
    wrong = complaints(Path(sys.argv[1]))
    for complaint in wrong:
        sys.stderr.write(f"report: {complaint}\n")
    if wrong:
        sys.exit(1)
    print("report: found what must be found")


if __name__ == "__main__":
    main()
