"""The Delta JARs: fetched once, kept in a per-user cache, checked against a lock file.

They are resolved by the Ivy that Spark brings along, with settings of our own, before Spark
starts. Spark then gets local paths (``spark.jars``), so a start needs no network and prints no
resolution report. They belong in ``spark.jars`` and not on the class path: some of them are
older than what Spark itself brings, and must come after it.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conformance.extras import advice
from conformance.spark.startup.java import JavaHome, find_java, missing_java

_HERE = Path(__file__).parent
_LOCK = _HERE / "jars.lock"
_MODULE = _HERE / "delta.ivy.xml"
_SETTINGS = _HERE / "ivysettings.xml"
_LONGEST_FETCH = 1200.0


class SetupError(Exception):
    """Something that the engine needs is missing and could not be fetched; one line says what."""


@dataclass(frozen=True, slots=True)
class LockedJar:
    """One line of the lock file: a JAR with the content that the project was tested with."""

    name: str
    size: int
    sha256: str


def ensure_jars() -> list[Path]:
    """Return the paths of the Delta JARs, after fetching them if they are not there yet.

    Fetching prints one line to standard error; otherwise it prints nothing and needs no network.
    Several processes may call this at once: one fetches, the others wait for it.

    Raises:
        SetupError: they are missing and cannot be fetched (no Java, no network, or the files
            that arrived do not match the lock file).
    """
    return _ensured(_LOCK, _module_text(), "")


def ensure_locked(lock: Path, artifact: str, release: str) -> list[Path]:
    """The same for the JARs of another release: its artifact and what it needs at run time.

    ``lock`` is its lock file, ``artifact`` is written ``organisation:name:revision``. Raises
    SetupError.
    """
    if not lock.is_file():
        raise SetupError(f"there is no lock file {lock.name}, so its JARs cannot be checked")
    organisation, name, revision = artifact.split(":")
    wanted = f'<dependency org="{organisation}" name="{name}" rev="{revision}"'
    module = re.sub(r'<dependency org="[^"]*" name="[^"]*" rev="[^"]*"', wanted, _module_text())
    return _ensured(lock, module, f" of {release}")


def _module_text() -> str:
    return _MODULE.read_text(encoding="utf-8")


def _ensured(lock: Path, module: str, whose: str) -> list[Path]:
    jars = locked_jars(lock)
    cache = cache_folder()
    folder = cache / f"delta-jars-{_lock_key(lock)}"
    if _complete(folder, jars):
        return _paths(folder, jars)
    try:
        with only_one(cache):
            if not _complete(folder, jars):
                _fetch(folder, jars, cache, module, whose)
    except OSError as error:
        raise SetupError(f"cannot use the cache folder {cache}: {error}") from error
    return _paths(folder, jars)


def jars_present() -> bool:
    """True if the JARs are in the cache, complete; never fetches."""
    return _complete(cache_folder() / f"delta-jars-{_lock_key(_LOCK)}", locked_jars(_LOCK))


def cache_folder() -> Path:
    """Return the folder for downloads: ``ISODELTA_CACHE``, or the user's cache."""
    if os.environ.get("ISODELTA_CACHE"):
        return Path(os.environ["ISODELTA_CACHE"]).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "isodelta"


def locked_jars(lock: Path = _LOCK) -> list[LockedJar]:
    """Read a lock file: the required JARs, with their sizes and checksums."""
    jars = []
    for line in lock.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            sha256, size, name = line.split()
            jars.append(LockedJar(name, int(size), sha256))
    return jars


def _lock_key(lock: Path) -> str:
    # A changed lock file gets a folder of its own, so an older checkout keeps its JARs.
    return hashlib.sha256(lock.read_bytes()).hexdigest()[:12]


def _paths(folder: Path, jars: list[LockedJar]) -> list[Path]:
    return [folder / jar.name for jar in jars]


def _complete(folder: Path, jars: list[LockedJar]) -> bool:
    """True if the folder holds every JAR in its full size.

    Contents were checked before the folder got its name; sizes catch files truncated since.
    """
    try:
        return all((folder / jar.name).stat().st_size == jar.size for jar in jars)
    except OSError:
        # Missing or unreadable: fetching fixes it, or says what is wrong.
        return False


@contextmanager
def only_one(cache: Path) -> Iterator[None]:
    """Hold the cache's lock, so that two processes do not make the same thing."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "fetching.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch(folder: Path, jars: list[LockedJar], cache: Path, module: str, whose: str) -> None:
    """Resolve into a folder beside the final one, check it, and give it its name last."""
    java = find_java()
    if java is None:
        raise SetupError(missing_java())
    size = sum(jar.size for jar in jars) // 1_000_000
    sys.stderr.write(
        f"isodelta: fetching {len(jars)} Delta JARs{whose} ({size} MB, once) into {cache}\n"
    )
    sys.stderr.flush()
    # We hold the lock, so anything under this name was left by a run that was killed.
    for left_over in cache.glob("fetching-*"):
        shutil.rmtree(left_over)
    ivy = cache / "ivy"
    with tempfile.TemporaryDirectory(dir=cache, prefix="fetching-") as incoming:
        _resolve(java, ivy, Path(incoming), cache / "fetch.log", module)
        _verify(Path(incoming), jars, ivy)
        if folder.exists():
            shutil.rmtree(folder)
        finished = Path(incoming) / "jars"
        finished.rename(folder)
    # Ivy keeps a second copy of everything, only to resume an interrupted download.
    shutil.rmtree(ivy)


def _resolve(java: JavaHome, ivy: Path, incoming: Path, log: Path, module: str) -> None:
    """Let Spark's Ivy download the JARs of an Ivy module into ``incoming/jars``."""
    wanted = incoming / "module.ivy.xml"
    wanted.write_text(module, encoding="utf-8")
    settings = os.environ.get("ISODELTA_IVY_SETTINGS") or str(_SETTINGS)
    pattern = f"{incoming}/jars/[organization]_[artifact]-[revision](-[classifier]).[ext]"
    command = [
        str(java.executable),
        f"-Disodelta.ivy.cache={ivy}",
        # Nothing of the person's own Ivy folder may leak in.
        f"-Divy.default.ivy.user.dir={ivy}",
        "-cp",
        os.pathsep.join(str(path) for path in _ivy_class_path()),
        "org.apache.ivy.Main",
        *("-settings", settings),
        *("-ivy", str(wanted)),
        *("-confs", "default"),
        *("-types", "jar", "bundle"),
        *("-retrieve", pattern),
    ]
    with log.open("w", encoding="utf-8") as output:
        try:
            answer = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=_LONGEST_FETCH,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            minutes = int(_LONGEST_FETCH // 60)
            raise SetupError(
                f"fetching the Delta JARs took more than {minutes} minutes; what Ivy said: {log}"
            ) from error
    if answer.returncode != 0:
        raise SetupError(
            f"cannot fetch the Delta JARs: {_reason(log)}; what Ivy said: {log}",
        )


def _ivy_class_path() -> list[Path]:
    """Return the JARs of Ivy and of its command line, from the pyspark package."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise SetupError(f"{advice('pyspark')}")
    jars = Path(next(iter(spec.submodule_search_locations))) / "jars"
    ivy = sorted([*jars.glob("ivy-*.jar"), *jars.glob("commons-cli-*.jar")])
    if not ivy:
        raise SetupError(f"no Ivy in {jars}; the pyspark package is incomplete")
    return ivy


def _reason(log: Path) -> str:
    """Pick the most informative line of Ivy's output."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    for telling in (
        r"UnknownHost|ConnectException|timed? ?out|SSL|Network is unreachable",
        r"not found|FAILED",
        r"\S",
    ):
        for line in lines:
            if re.search(telling, line, re.IGNORECASE):
                return " ".join(line.split())[:200]
    return "Ivy said nothing"


def _verify(incoming: Path, jars: list[LockedJar], ivy: Path) -> None:
    """Compare what arrived with the lock file, name by name and byte by byte."""
    arrived = {path.name: path for path in (incoming / "jars").iterdir()}
    locked = {jar.name for jar in jars}
    wrong = [f"missing {name}" for name in sorted(locked - arrived.keys())]
    wrong += [f"unexpected {name}" for name in sorted(arrived.keys() - locked)]
    wrong += [
        f"altered {jar.name}"
        for jar in jars
        if jar.name in arrived and _sha256(arrived[jar.name]) != jar.sha256
    ]
    if wrong:
        # The wrong file may be in Ivy's cache, where the next attempt would take it again.
        shutil.rmtree(ivy, ignore_errors=True)
        raise SetupError(f"the Delta JARs that arrived are not those of the lock file: {wrong[0]}")


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
