"""A search for a Java that Spark can run on.

Standard library only: the set-up scripts use this module before anything is installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

OLDEST = 17
"""The oldest feature release that Spark 4.2 runs on."""

NEEDED_MODULE = "jdk.incubator.vector"
"""A module that Spark's launcher adds to every start; a trimmed Java without it does not start."""

_PLACES = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/opt/jdk*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    "/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
)


@dataclass(frozen=True, slots=True)
class JavaHome:
    """A Java installation: its folder (the value for JAVA_HOME) and its feature release."""

    path: Path
    release: int

    @property
    def executable(self) -> Path:
        """The ``java`` program of this installation."""
        return self.path / "bin" / "java"


def find_java(environment: Mapping[str, str] | None = None) -> JavaHome | None:
    """Return a Java that Spark can run on, or None if there is none.

    Looks at ``JAVA_HOME``, then at ``java`` on the ``PATH``, then in the usual places. The first
    two are somebody's choice and are taken as they are; in the usual places the oldest that is
    new enough wins, since Spark is tested with that one most.
    """
    environment = os.environ if environment is None else environment
    for home in _chosen(environment):
        java = _inspect(home)
        if java:
            return java
    installed = [java for home in _usual_places(environment) if (java := _inspect(home))]
    return min(installed, key=lambda java: (java.release, str(java.path)), default=None)


def missing_java() -> str:
    """One line: there is no usable Java, and the command that installs one on this system."""
    return f"no Java {OLDEST} or newer found; install one with: {_install_command()}"


def _install_command() -> str:
    if sys.platform == "darwin":
        return "brew install openjdk@17"
    for program, command in (
        ("apt-get", "apt-get update && sudo apt-get install openjdk-17-jre-headless"),
        ("dnf", "dnf install java-17-openjdk-headless"),
        ("zypper", "zypper install java-17-openjdk-headless"),
        ("pacman", "pacman -S jre17-openjdk-headless"),
        ("apk", "apk add openjdk17-jre-headless"),
    ):
        if shutil.which(program):
            return f"sudo {command}"
    return "your package manager (OpenJDK 17), then set JAVA_HOME"


def _chosen(environment: Mapping[str, str]) -> Iterator[Path]:
    if environment.get("JAVA_HOME"):
        yield Path(environment["JAVA_HOME"])
    program = shutil.which("java", path=environment.get("PATH", ""))
    if program:
        home = Path(program).resolve().parent.parent
        # A version manager's or the platform's stand-in lies outside the installation.
        yield home if (home / "release").is_file() else _ask_for_home(program) or home


def _usual_places(environment: Mapping[str, str]) -> Iterator[Path]:
    user = environment.get("HOME")
    for place in _PLACES:
        if place.startswith("~/"):
            if user:
                yield from sorted(Path(user).glob(place.removeprefix("~/")))
        else:
            yield from sorted(Path("/").glob(place.removeprefix("/")))


def _inspect(home: Path) -> JavaHome | None:
    """Return the installation at ``home`` if Spark can run on it."""
    java = home / "bin" / "java"
    if not os.access(java, os.X_OK):
        return None
    facts = _release_file(home)
    version = facts.get("JAVA_VERSION") or _ask(str(java)).get("java.version", "")
    release = _feature_release(version)
    modules = facts.get("MODULES", "").split()
    if release < OLDEST or (modules and NEEDED_MODULE not in modules):
        return None
    return JavaHome(home.resolve(), release)


def _release_file(home: Path) -> dict[str, str]:
    """Read the file in which an installation describes itself; quicker than starting it."""
    path = home / "release"
    if not path.is_file():
        return {}
    text = path.read_text(encoding="utf-8", errors="replace")
    return dict(re.findall(r'^(\w+)="([^"]*)"', text, re.MULTILINE))


def _ask_for_home(program: str) -> Path | None:
    home = _ask(program).get("java.home")
    return Path(home) if home else None


def _ask(program: str) -> dict[str, str]:
    """Start ``program`` and read its properties; empty if it is not a working Java."""
    try:
        answer = subprocess.run(
            [program, "-XshowSettings:properties", "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return dict(re.findall(r"^\s+([\w.]+) = (.*)$", answer.stderr, re.MULTILINE))


def _feature_release(version: str) -> int:
    """Return 17 for ``17.0.15`` and 8 for the old way of counting, ``1.8.0_402``; 0 if unclear."""
    match = re.match(r"(?:1\.)?(\d+)", version)
    return int(match.group(1)) if match else 0
