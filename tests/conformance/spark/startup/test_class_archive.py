"""The archive of classes: a file for each Java and each list of JARs, used only if it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.spark.startup.class_archive import archive_for, options_to_use


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISODELTA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "java").mkdir()
    (tmp_path / "java" / "release").write_text('JAVA_VERSION="17.0.1"')
    return tmp_path / "java"


def test_another_jar_or_java_has_another_archive(tmp_path: Path, java: Path) -> None:
    jar = tmp_path / "delta.jar"
    jar.write_bytes(b"delta")
    first = archive_for([jar], java)
    assert first == archive_for([jar], java)
    assert first.parent == tmp_path / "cache"
    jar.write_bytes(b"another delta")
    second = archive_for([jar], java)
    (java / "release").write_text('JAVA_VERSION="17.0.15"')
    third = archive_for([jar], java)
    assert len({first, second, third, archive_for([], java)}) == 4


def test_an_engine_starts_from_an_archive_that_is_there(java: Path) -> None:
    archive = archive_for([], java)
    assert options_to_use(archive) == ()
    archive.parent.mkdir()
    archive.write_bytes(b"classes")
    assert f"-XX:SharedArchiveFile={archive}" in options_to_use(archive)
    assert "-Xshare:auto" in options_to_use(archive)
