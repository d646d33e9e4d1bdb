"""The project's own code on the executors of a cluster.

The libraries that it imports have to be installed there; its own packages are sent along, so that
executors run the code of the driver.
"""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path

_HERE = Path(__file__).resolve()


def project_folder() -> Path:
    """The folder that the project is imported from: the checkout, or site-packages."""
    return _HERE.parents[len(__name__.split(".")) - 1]


def project_packages() -> tuple[Path, ...]:
    """The folders of the packages on top of ``project_folder`` that are the project's own.

    In a checkout they stand side by side; in an installed wheel all are below one.
    """
    folder = project_folder()
    if len(__name__.split(".")) > len(("pipeline", "cluster", "shipping")):
        return (folder / __name__.partition(".")[0],)
    return tuple(sorted(path.parent for path in folder.glob("*/__init__.py")))


def project_archive(folder: Path) -> Path:
    """A ZIP file of the packages, compiled, below ``folder``."""
    path, root = folder / "isodelta.zip", project_folder()
    with warnings.catch_warnings(), zipfile.PyZipFile(str(path), "w") as archive:
        warnings.simplefilter("ignore")
        for package in project_packages():
            archive.writepy(str(package))
            for file in sorted(package.rglob("*")):
                # The sources are for what looks at them: the names of a rule's branches.
                if file.is_file() and file.suffix != ".pyc" and "__pycache__" not in file.parts:
                    archive.write(file, str(file.relative_to(root)))
    return path
