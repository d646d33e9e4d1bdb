"""The cache of Delta JARs, with a stand-in for Ivy that needs no network."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.spark.startup import jars
from conformance.spark.startup.jars import SetupError, ensure_jars, jars_present, locked_jars
from conformance.spark.startup.java import JavaHome

CONTENTS = {"delta.jar": b"delta " * 100, "storage.jar": b"storage " * 100}

Play = Callable[[str], None]


@pytest.fixture
def play_ivy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Give a small lock file and a Java that runs the shell lines given instead of Ivy.

    In them ``$jars`` is the folder to fill, ``$source`` holds the right JARs.
    """
    source = tmp_path / "source"
    source.mkdir()
    lines = ["# a lock"]
    for name, content in CONTENTS.items():
        (source / name).write_bytes(content)
        lines.append(f"{hashlib.sha256(content).hexdigest()}  {len(content)}  {name}")
    lock = tmp_path / "jars.lock"
    lock.write_text("\n".join(lines) + "\n")
    home = tmp_path / "java"
    (home / "bin").mkdir(parents=True)
    monkeypatch.setattr(jars, "_LOCK", lock)
    monkeypatch.setattr(jars, "find_java", lambda: JavaHome(home, 17))
    monkeypatch.setenv("ISODELTA_CACHE", str(tmp_path / "cache"))

    def play(lines: str) -> None:
        program = home / "bin" / "java"
        program.write_text(
            "#!/bin/sh\n"
            f"source={source}\n"
            'for word; do last="$word"; done\n'
            'jars=$(dirname "$last")\n'
            'for word; do case "$word" in -Disodelta.ivy.cache=*) mkdir -p "${word#*=}";; esac; '
            "done\n"
            f'mkdir -p "$jars"\n{lines}\n'
        )
        program.chmod(0o755)

    return play


def test_fetched_once_with_one_line_and_found_in_silence(
    play_ivy: Play, capfd: pytest.CaptureFixture[str]
) -> None:
    play_ivy('cp "$source"/* "$jars"')
    assert not jars_present()
    found = ensure_jars()
    assert {path.name: path.read_bytes() for path in found} == CONTENTS
    assert capfd.readouterr().err.count("\n") == 1
    play_ivy("exit 9")
    assert ensure_jars() == found
    assert jars_present()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ('cp "$source"/delta.jar "$jars"', "missing storage.jar"),
        ('cp "$source"/* "$jars"; echo x >"$jars"/x.jar', "unexpected x.jar"),
        ('cp "$source"/* "$jars"; echo x >>"$jars"/delta.jar', "altered delta.jar"),
        ("echo 'java.net.UnknownHostException: nowhere'; exit 1", "UnknownHostException"),
        ('cp "$source"/* "$jars"; exit 1', "cannot fetch"),
    ],
)
def test_a_fetch_that_went_wrong_never_counts_as_done(
    play_ivy: Play, lines: str, complaint: str
) -> None:
    play_ivy(lines)
    with pytest.raises(SetupError, match=re.escape(complaint)) as error:
        ensure_jars()
    assert "\n" not in str(error.value)
    assert not jars_present()
    play_ivy('cp "$source"/* "$jars"')
    assert len(ensure_jars()) == len(CONTENTS)


def test_what_a_killed_fetch_left_behind_is_removed(play_ivy: Play, tmp_path: Path) -> None:
    left_over = tmp_path / "cache" / "fetching-abc" / "jars"
    left_over.mkdir(parents=True)
    (left_over / "delta.jar").write_bytes(b"del")
    play_ivy('cp "$source"/* "$jars"')
    folder = ensure_jars()[0].parent
    remaining = {path.name for path in (tmp_path / "cache").iterdir() if path.is_dir()}
    assert remaining == {folder.name}


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_bytes(b"cut")])
def test_a_jar_that_is_gone_or_cut_is_fetched_again(
    play_ivy: Play, harm: Callable[[Path], object]
) -> None:
    play_ivy('cp "$source"/* "$jars"')
    harm(ensure_jars()[1])
    assert not jars_present()
    assert {path.name: path.read_bytes() for path in ensure_jars()} == CONTENTS


def test_no_java_is_one_clear_line(play_ivy: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play_ivy("exit 9")
    monkeypatch.setattr(jars, "find_java", lambda: None)
    with pytest.raises(SetupError, match=r"no Java 17 or newer found; install one with: .+"):
        ensure_jars()


def test_a_cache_that_cannot_be_used_is_one_clear_line(play_ivy: Play, tmp_path: Path) -> None:
    play_ivy("exit 9")
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(SetupError, match="cannot use the cache folder"):
        ensure_jars()


def test_the_lock_is_whole_and_agrees_with_what_is_asked_for() -> None:
    names = [jar.name for jar in locked_jars()]
    assert len(names) == len(set(names)) == 33
    asked = re.search(r'name="(delta-spark_[\d._]+)" rev="([\d.]+)"', jars._MODULE.read_text())
    assert asked is not None
    assert f"io.delta_{asked[1]}-{asked[2]}.jar" in names
    pins = (Path(jars.__file__).parents[3] / "constraints.txt").read_text()
    assert f"delta_spark=={asked[2]}\n" in pins


def test_no_host_is_named_in_the_settings() -> None:
    settings = jars._SETTINGS.read_text() + jars._MODULE.read_text()
    assert "://" not in settings


def test_spark_brings_the_ivy_that_resolves() -> None:
    assert any(path.name.startswith("ivy-") for path in jars._ivy_class_path())
