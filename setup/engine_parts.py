"""Sees to what the real engine needs besides Python packages: a Java and the Delta JARs.

Where one of them cannot be had, one line says so and what to do; that is no failure of the set-up,
since the model and its tests need neither.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conformance.spark.startup.jars import SetupError, ensure_jars
from conformance.spark.startup.java import find_java, missing_java

HERE = Path(__file__).parent
# Debian's current release no longer has 17, which is the one that Spark is tested with most.
JAVA_PACKAGES = ("openjdk-17-jre-headless", "openjdk-21-jre-headless")


def install_java() -> bool:
    """Install a Java where that is ours to do (Debian and Ubuntu, as root); tell whether it is."""
    command = ["sh", str(HERE / "apt_install.sh"), "for the real engine", *JAVA_PACKAGES]
    return subprocess.run(command, check=False).returncode == 0


def main() -> None:
    """Look for each part, and get what is missing."""
    if find_java() is None:
        install_java()
    try:
        if find_java() is None:
            raise SetupError(missing_java())
        ensure_jars()
    except SetupError as missing:
        sys.stderr.write(f"setup: no real engine here, only the model will run: {missing}\n")


if __name__ == "__main__":
    main()
