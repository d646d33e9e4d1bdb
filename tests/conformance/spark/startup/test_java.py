"""Which Java is taken, on machines made of folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.spark.startup import java
from conformance.spark.startup.java import NEEDED_MODULE, JavaHome, find_java, missing_java


def install(home: Path, version: str, modules: str = f"java.base {NEEDED_MODULE}") -> Path:
    """Make a folder that looks like a Java installation."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    (home / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return home


@pytest.fixture(autouse=True)
def no_usual_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "_PLACES", ("~/jdks/*",))


def test_none_on_a_bare_machine() -> None:
    assert find_java({}) is None


def test_java_home_comes_first(tmp_path: Path) -> None:
    home = install(tmp_path / "21", "21.0.2")
    other = install(tmp_path / "17", "17.0.9")
    environment = {"JAVA_HOME": str(home), "PATH": str(other / "bin")}
    assert find_java(environment) == JavaHome(home, 21)


def test_an_old_java_home_is_passed_over(tmp_path: Path) -> None:
    old = install(tmp_path / "8", "1.8.0_402", modules="")
    home = install(tmp_path / "17", "17")
    environment = {"JAVA_HOME": str(old), "PATH": str(home / "bin")}
    assert find_java(environment) == JavaHome(home, 17)


def test_a_java_home_that_is_not_there_is_passed_over(tmp_path: Path) -> None:
    home = install(tmp_path / "jdks" / "17", "17.0.9")
    assert find_java({"JAVA_HOME": "/nowhere", "HOME": str(tmp_path)}) == JavaHome(home, 17)


def test_a_link_on_the_path_leads_to_its_installation(tmp_path: Path) -> None:
    home = install(tmp_path / "17", "17.0.9")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    assert find_java({"PATH": str(tmp_path / "bin")}) == JavaHome(home, 17)


def test_a_stand_in_on_the_path_is_asked_where_its_java_is(tmp_path: Path) -> None:
    home = install(tmp_path / "17", "17.0.9")
    stand_in = tmp_path / "shims" / "java"
    stand_in.parent.mkdir()
    stand_in.write_text(f"#!/bin/sh\necho '    java.home = {home}' >&2\n")
    stand_in.chmod(0o755)
    assert find_java({"PATH": str(stand_in.parent)}) == JavaHome(home, 17)


def test_a_stand_in_without_a_java_is_none(tmp_path: Path) -> None:
    stand_in = tmp_path / "java"
    stand_in.write_text("#!/bin/sh\necho 'Unable to locate a Java Runtime' >&2\nexit 1\n")
    stand_in.chmod(0o755)
    assert find_java({"PATH": str(tmp_path)}) is None


def test_a_java_that_lacks_the_module_spark_adds_is_none(tmp_path: Path) -> None:
    trimmed = install(tmp_path / "17", "17.0.9", modules="java.base java.sql")
    assert find_java({"JAVA_HOME": str(trimmed)}) is None


def test_the_oldest_that_is_new_enough_wins_in_the_usual_places(tmp_path: Path) -> None:
    for version in ("25.0.1", "11.0.2", "21.0.2", "17.0.9"):
        install(tmp_path / "jdks" / version, version)
    found = find_java({"HOME": str(tmp_path)})
    assert found is not None
    assert found.release == 17


@pytest.mark.parametrize(
    ("platform", "programs", "command"),
    [
        ("darwin", (), "brew install openjdk@17"),
        ("linux", ("dnf",), "sudo dnf install java-17-openjdk-headless"),
        ("linux", ("apt-get",), "sudo apt-get install openjdk-17-jre-headless"),
        ("linux", (), "JAVA_HOME"),
    ],
)
def test_the_command_for_the_platform_in_one_line(
    monkeypatch: pytest.MonkeyPatch, platform: str, programs: tuple[str, ...], command: str
) -> None:
    monkeypatch.setattr(java.sys, "platform", platform)
    monkeypatch.setattr(java.shutil, "which", lambda name: name if name in programs else None)
    assert command in missing_java()
    assert "\n" not in missing_java()
