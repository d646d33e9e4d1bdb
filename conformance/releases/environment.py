"""The packages and JARs of a release, in the user's cache: made once, all of them or nothing.

A release runs on this Python with the packages of this environment, except for those that it
brings: they lie in a folder that comes first on the path of its process. So the driver and its
libraries are the same for every release.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.engine import EngineError
from conformance.releases.catalogue import Release
from conformance.spark.startup.jars import (
    SetupError,
    cache_folder,
    ensure_locked,
    only_one,
)

_LONGEST = 900.0
"""Seconds for pip; PySpark is 400 MB."""


def packages_of(release: Release) -> Path:
    """The folder with the packages of a release, installed there if they are not there yet.

    Raises EngineError if they cannot be had. Several processes may call this at once.
    """
    folder = cache_folder() / "packages" / "+".join(sorted(map(_plain, release.packages)))
    if folder.is_dir():
        return folder
    try:
        with only_one(cache_folder()):
            if not folder.is_dir():
                _install(release, folder)
    except OSError as error:
        raise EngineError(f"cannot use the cache folder {cache_folder()}: {error}") from error
    return folder


def jars_of(release: Release) -> list[Path]:
    """The JARs of a release, fetched if they are not there yet. Raises EngineError."""
    assert release.artifact is not None
    assert release.lock is not None
    try:
        return ensure_locked(release.lock, release.artifact, release.name)
    except SetupError as error:
        raise EngineError(f"{release.name}: {error}") from error


def _plain(requirement: str) -> str:
    return requirement.replace("==", "-")


def _install(release: Release, folder: Path) -> None:
    """Installs into a folder beside the final one, which gets its name last."""
    sys.stderr.write(f"isodelta: fetching the packages of {release.name} (once) into {folder}\n")
    sys.stderr.flush()
    folder.parent.mkdir(parents=True, exist_ok=True)
    # The lock is held, so anything under this name was left by a run that was killed.
    for left_over in folder.parent.glob("installing-*"):
        shutil.rmtree(left_over)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="installing-") as incoming:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", incoming]
        if not release.with_dependencies:
            command.append("--no-deps")
        try:
            answer = subprocess.run(
                [*command, "--no-input", *release.packages],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise EngineError(
                f"{release.name}: installing its packages took more than {_LONGEST / 60:g} minutes"
            ) from error
        if answer.returncode != 0:
            raise EngineError(
                f"{release.name}: its packages cannot be had: {_reason(answer.stderr)}"
            )
        finished = Path(incoming) / "packages"
        finished.mkdir()
        for part in list(Path(incoming).iterdir()):
            if part != finished:
                part.rename(finished / part.name)
        finished.rename(folder)


def _reason(said: str) -> str:
    """The line of pip's output that says most."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["pip said nothing"])[-1].removeprefix("ERROR: ")[:200]
