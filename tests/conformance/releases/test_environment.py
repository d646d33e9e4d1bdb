"""The packages of a release: made once, all of them or nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from conformance.engine import EngineError
from conformance.releases import environment
from conformance.releases.catalogue import Release

RELEASE = Release("delta-rs", "0.0.1", ("nothing==0.0.1",))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISODELTA_CACHE", str(tmp_path))
    return tmp_path


def pip(monkeypatch: pytest.MonkeyPatch, code: int, said: str = "") -> list[list[str]]:
    """In pip's place: writes one package, and ends with a code."""
    calls: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        Path(command[command.index("--target") + 1], "nothing.py").write_text("")
        return subprocess.CompletedProcess(command, code, "", said)

    monkeypatch.setattr(environment.subprocess, "run", run)
    return calls


def test_packages_are_installed_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = pip(monkeypatch, 0)
    folder = environment.packages_of(RELEASE)
    assert [path.name for path in folder.iterdir()] == ["nothing.py"]
    assert environment.packages_of(RELEASE) == folder
    assert len(calls) == 1
    assert "--no-deps" in calls[0]


def test_a_failure_leaves_nothing_behind(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip(monkeypatch, 1, "noise\nERROR: No matching distribution found for nothing==0.0.1\n")
    with pytest.raises(EngineError, match="No matching distribution found"):
        environment.packages_of(RELEASE)
    assert list((cache / "packages").iterdir()) == []


def test_what_a_killed_run_left_is_removed(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = cache / "packages" / "installing-x"
    left.mkdir(parents=True)
    pip(monkeypatch, 0)
    environment.packages_of(RELEASE)
    assert not left.exists()


def test_jars_without_a_lock_file_are_refused(cache: Path) -> None:
    unlocked = Release("delta-spark", "0.0.1", (), "io.delta:delta-spark_2.13:0.0.1")
    with pytest.raises(EngineError, match=r"there is no lock file delta-spark-0.0.1.lock"):
        environment.jars_of(unlocked)
