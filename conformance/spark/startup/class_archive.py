"""An archive of the classes that Spark and Delta load, with which a JVM starts faster.

Reading and verifying thousands of classes takes a JVM seconds of processor time at each start. Java
can keep them in a file (class data sharing): one JVM writes it when it ends, others map it into
their memory. The name of the file says which Java and which JARs it fits, and Java checks both
again. An engine without the file, or with one that Java refuses, starts more slowly and does the
same.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path

from conformance.spark.startup.jars import cache_folder

_SILENT = ("-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off")
"""Java says nothing about a file that does not fit, and goes on without it."""


def archive_for(jars: Sequence[Path], java_home: Path) -> Path:
    """The place of the archive for these JARs and this Java, whether there is one or not."""
    spec = importlib.util.find_spec("pyspark")
    places = (spec.submodule_search_locations if spec else None) or []
    bundled = [jar for place in places for jar in (Path(place) / "jars").glob("*.jar")]
    told = hashlib.sha256(f"{java_home}\n".encode())
    for file in (java_home / "release", *sorted(bundled), *jars):
        if file.exists():
            facts = file.stat()
            told.update(f"{file} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return cache_folder() / f"classes-{told.hexdigest()[:16]}.jsa"


def options_to_use(archive: Path) -> tuple[str, ...]:
    """The options of a JVM that starts from an archive; none if it is not there."""
    return (f"-XX:SharedArchiveFile={archive}", *_SILENT) if archive.is_file() else ()


def options_to_write(archive: Path) -> tuple[str, ...]:
    """The options of a JVM that writes an archive at its end."""
    return (f"-XX:ArchiveClassesAtExit={archive}", *_SILENT)
