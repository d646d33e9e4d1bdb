"""The project's own code on the executors of a cluster.

The libraries that it imports have to be installed there; its own packages are sent along, so that
executors run the code of the driver.
"""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path

import model

PACKAGES = ("model", "checker", "conformance", "pipeline", "isodelta")
"""What an executor may import; the front door for the text of scenario files."""


def project_folder() -> Path:
    """The folder that the packages are in."""
    return Path(model.__file__).resolve().parents[1]


def project_archive(folder: Path) -> Path:
    """A ZIP file of the packages, compiled, below ``folder``."""
    path = folder / "isodelta.zip"
    with (
        warnings.catch_warnings(),
        zipfile.PyZipFile(str(path), "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        warnings.simplefilter("ignore")
        for package in PACKAGES:
            archive.writepy(str(project_folder() / package))
            for source in sorted((project_folder() / package).rglob("*.py")):
                archive.write(source, str(source.relative_to(project_folder())))
    return path
