"""The writer of a report's folder; readers never see a half-written file."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from isodelta.exits import BadInput
from isodelta.report.data import Report


def write_report(folder: Path, data: Report) -> Path:
    """Write index.html, report.json, junit.xml and findings/NAME.yaml; return the page's path.

    May be called repeatedly during a run: each file is replaced as a whole, the page last, so
    that its links work. Finding files that an earlier call or run
    wrote (its report.json names them) and that this report does not have are removed; other
    files in the folder are left alone.

    Raises ``ValueError`` if two findings share a name, ``OSError`` if the folder cannot be
    written.
    """
    # The page's libraries are not needed to import the data types.
    from isodelta.report.files.findings import finding_yaml
    from isodelta.report.files.json import report_json
    from isodelta.report.files.junit import junit_xml
    from isodelta.report.html import report_html

    names = [finding.name for finding in data.findings]
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(f"two findings are named {twice[0]!r}")
    findings = folder / "findings"
    findings.mkdir(parents=True, exist_ok=True)
    gone = _earlier_findings(folder) - set(names)
    for finding in data.findings:
        replace_file(findings / f"{finding.name}.yaml", finding_yaml(finding, data.engine).encode())
    replace_file(folder / "junit.xml", junit_xml(data))
    page = report_html(data).encode()
    replace_file(folder / "report.json", report_json(data).encode())
    index = folder / "index.html"
    replace_file(index, page)
    for name in gone:
        (findings / f"{name}.yaml").unlink(missing_ok=True)
    return index


def _earlier_findings(folder: Path) -> set[str]:
    try:
        earlier = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        names = {finding["name"] for finding in earlier["findings"]}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        # Not a report of ours, so it has no finding files of ours either.
        return set()
    return {name for name in names if isinstance(name, str) and Path(name).name == name}


def replace_file(path: Path, content: bytes) -> None:
    """Replaces a file as a whole, so that nobody reads half of it; raises ``OSError``."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # mkstemp creates private files; others are meant to read a report.
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_page(folder: Path, page: str, data: Mapping[str, object]) -> Path:
    """Writes a page and its data into a folder; returns the page's path. Raises BadInput."""
    index = folder / "index.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / "report.json", (json.dumps(data, indent=1) + "\n").encode())
        replace_file(index, page.encode())
    except OSError as error:
        raise BadInput(f"--report: {folder}: cannot be written: {error.strerror}") from error
    return index
