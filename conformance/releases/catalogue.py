"""The releases that can be run, as data: packages, JARs, and what a release lacks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from conformance.engine import EngineError

LOCKS = Path(__file__).parent / "locks"
"""The lock files of the JARs: SHA-256, size and name, as in ``conformance.spark.startup``."""


class UnknownRelease(EngineError):
    """An engine or a release that is not known, or one that cannot be driven: the text says why."""


@dataclass(frozen=True, slots=True)
class Release:
    """One release of an engine.

    ``packages`` are what pip installs for it, without anything that they depend on unless
    ``with_dependencies``. ``artifact`` is the Maven artifact of its JARs, None for an engine
    without any.
    """

    engine: str
    version: str
    packages: tuple[str, ...]
    artifact: str | None = None
    with_dependencies: bool = False

    @property
    def name(self) -> str:
        """The name as on the command line: ``delta-rs@1.0.2``."""
        return f"{self.engine}@{self.version}"

    @property
    def lock(self) -> Path | None:
        """The lock file of its JARs; None for an engine without JARs."""
        return None if self.artifact is None else LOCKS / f"{self.engine}-{self.version}.lock"


def _rs(*versions: str) -> tuple[Release, ...]:
    return tuple(Release("delta-rs", version, (f"deltalake=={version}",)) for version in versions)


def _spark(pyspark: str, artifact: str, *versions: str) -> tuple[Release, ...]:
    return tuple(
        Release(
            "delta-spark",
            version,
            (f"pyspark=={pyspark}",),
            f"io.delta:{artifact}:{version}",
            with_dependencies=True,
        )
        for version in versions
    )


RELEASES = (
    *_spark("3.5.7", "delta-spark_2.12", "3.3.0", "3.3.2"),
    *_spark("4.0.1", "delta-spark_2.13", "4.0.1"),
    *_spark("4.1.1", "delta-spark_2.13", "4.1.0"),
    *_spark("4.1.1", "delta-spark_4.1_2.13", "4.2.0", "4.3.0"),
    *_spark("4.2.0", "delta-spark_4.2_2.13", "4.4.0"),
    *_rs("0.22.3", "0.25.5", "1.0.2", "1.1.4", "1.2.1", "1.3.3", "1.4.2", "1.5.1", "1.6.6"),
)
"""Releases that have been run, oldest first for each engine."""

NOT_HELD = (
    "Delta {version} has no observer of transactions, so none of them can be held before its "
    "commit; 3.3.0 is the first release that is driven here"
)

_NAME = re.compile(r"(?P<engine>[a-z-]+)@(?P<version>\d+(?:\.\d+)+)")


def release(name: str) -> Release:
    """The release called ``ENGINE@VERSION``. Raises UnknownRelease, with the ones there are."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise UnknownRelease(f"{name!r} does not name a release; write delta-rs@1.0.2")
    for known in RELEASES:
        if known.name == name:
            return known
    engine, version = match["engine"], match["version"]
    versions = [known.version for known in RELEASES if known.engine == engine]
    if not versions:
        raise UnknownRelease(f"there are no releases of {engine!r} to run")
    if engine == "delta-spark" and tuple(map(int, version.split("."))) < (3, 2):
        raise UnknownRelease(NOT_HELD.format(version=version))
    raise UnknownRelease(f"unknown release {name!r} (known: {', '.join(versions)})")


def neighbours(engine: str) -> tuple[Release, ...]:
    """The releases of one engine, oldest first."""
    return tuple(known for known in RELEASES if known.engine == engine)
