"""The set-up scripts and CI's check of the report, on machines made of stand-in programs."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType

import pytest

from conformance.spark.startup.jars import SetupError

ROOT = Path(__file__).parents[2]


def load(path: str) -> ModuleType:
    """Import a script that belongs to no package."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Machine:
    """A checkout and a PATH of its own, on which every program is one that the test put there."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "checkout"
        self.programs = folder / "bin"
        self.programs.mkdir(parents=True)
        shutil.copytree(ROOT / "setup", self.checkout / "setup")
        for name in ("pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, self.checkout / name)
        for name in (
            "sh",
            "cat",
            "cksum",
            "dirname",
            "sed",
            "rm",
            "mkdir",
            "id",
            "grep",
            "tail",
            "chmod",
        ):
            found = shutil.which(name)
            assert found is not None
            (self.programs / name).symlink_to(found)

    def program(self, name: str, lines: str) -> None:
        path = self.checkout / name if "/" in name else self.programs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o755)

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", str(self.checkout / "setup" / script), *arguments],
            env={"PATH": str(self.programs)},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


OLD_PYTHON = 'case "$*" in --version) echo Python 3.9.2;; *) exit 1;; esac'

GOOD_PYTHON = """
case "$*" in
--version) echo Python 3.12.1 ;;
*"-m venv"*) mkdir -p .venv/bin && cat "$0" >.venv/bin/python && chmod +x .venv/bin/python ;;
*"-m pip install"*) echo "$*" >>pip.log ;;
esac
"""


@pytest.mark.parametrize("argument", ["", "python3"])
def test_a_python_that_is_too_old_is_one_clear_line(machine: Machine, argument: str) -> None:
    machine.program("python3", OLD_PYTHON)
    answer = machine.run("packages.sh", argument)
    assert answer.returncode == 1
    assert answer.stdout == ""
    assert re.fullmatch(r"setup: .*3\.11 or newer.*\n", answer.stderr)


def test_a_newer_python_beside_an_old_one_is_found(machine: Machine) -> None:
    machine.program("python3", OLD_PYTHON)
    machine.program("python3.12", GOOD_PYTHON)
    answer = machine.run("packages.sh")
    assert (answer.returncode, answer.stdout) == (0, "")
    assert answer.stderr.splitlines() == [
        "setup: making a virtual environment in .venv with Python 3.12.1",
        "setup: installing the packages pinned in constraints.txt (a few minutes the first time)",
    ]
    installs = (machine.checkout / "pip.log").read_text()
    assert installs.count("-c constraints.txt") == 2

    # The second run does nothing; a changed pin does.
    again = machine.run("packages.sh")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert (machine.checkout / "pip.log").read_text() == installs
    with (machine.checkout / "constraints.txt").open("a") as pins:
        pins.write("another==1.0\n")
    changed = machine.run("packages.sh")
    assert changed.returncode == 0
    assert "installing" in changed.stderr
    assert "making" not in changed.stderr


def test_an_install_that_failed_does_not_count_as_done(machine: Machine) -> None:
    machine.program("python3", GOOD_PYTHON.replace('echo "$*" >>pip.log', "exit 1"))
    for _ in range(2):
        answer = machine.run("packages.sh")
        assert answer.returncode == 1
        assert "pip could not install" in answer.stderr
    assert not (machine.checkout / ".venv" / "isodelta-stamp").exists()


def test_apt_is_left_alone_by_who_is_not_root(machine: Machine) -> None:
    machine.program("id", "echo 1000")
    machine.program("apt-get", "echo touched >apt-was-called")
    answer = machine.run("apt_install.sh", "for a test", "something")
    assert (answer.returncode, answer.stdout, answer.stderr) == (1, "", "")
    assert not (machine.checkout / "apt-was-called").exists()


def test_a_python_that_cannot_make_environments_names_the_package(machine: Machine) -> None:
    machine.program("id", "echo 1000")
    machine.program("python3", 'case "$*" in *ensurepip*) exit 1;; *print*) echo 3.12;; esac')
    answer = machine.run("packages.sh")
    assert answer.returncode == 1
    assert answer.stderr.count("\n") == 1
    assert "python3.12-venv" in answer.stderr


@pytest.mark.skipif(not Path("/etc/debian_version").exists(), reason="needs a Debian or Ubuntu")
def test_apt_installs_the_first_package_that_the_release_has(machine: Machine) -> None:
    machine.program("id", "echo 0")
    machine.program("apt-get", 'echo "$*" >>apt.log')
    machine.program(
        "apt-cache",
        'case "$*" in *new*) echo "  Candidate: 21";; *) echo "  Candidate: (none)";; esac',
    )
    answer = machine.run("apt_install.sh", "for a test", "old-java", "new-java")
    assert answer.returncode == 0
    assert answer.stderr == "setup: installing new-java with apt-get, for a test\n"
    assert (machine.checkout / "apt.log").read_text().splitlines() == [
        "update",
        "install --yes --no-install-recommends new-java",
    ]


def test_a_browser_that_is_there_is_enough(machine: Machine) -> None:
    machine.program("chromium", "exit 9")
    answer = machine.run("browser.sh")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


def test_no_browser_is_said_and_is_no_failure(machine: Machine) -> None:
    machine.program("id", "echo 1000")
    answer = machine.run("browser.sh")
    assert answer.returncode == 0
    assert answer.stderr == "setup: no Chromium found: the browser tests will be skipped\n"


def test_without_java_one_line_says_that_the_model_runs_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = load("setup/engine_parts.py")
    monkeypatch.setattr(parts, "find_java", lambda: None)
    monkeypatch.setattr(parts, "install_java", lambda: False)
    parts.main()
    error = capsys.readouterr().err
    assert error.startswith("setup: no real engine here, only the model will run: no Java 17")
    assert error.count("\n") == 1


def test_without_a_network_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = load("setup/engine_parts.py")

    def fail() -> None:
        raise SetupError("cannot fetch the Delta JARs: no network")

    monkeypatch.setattr(parts, "find_java", lambda: object())
    monkeypatch.setattr(parts, "ensure_jars", fail)
    parts.main()
    assert capsys.readouterr().err.endswith("cannot fetch the Delta JARs: no network\n")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_installed_package_is_pinned() -> None:
    pins = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, version = line.split("==")
            pins[normal(name)] = version
    installed = {normal(found.name): found.version for found in distributions()}
    # Some Pythons put a setuptools of their own into each new environment.
    for ours in ("isodelta", "setuptools"):
        installed.pop(ours, None)
    assert {name: pins.get(name) for name in installed} == installed


def test_help_lists_the_targets() -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("no make here")
    environment = {**os.environ, "MAKEFLAGS": ""}
    answer = subprocess.run(
        [make, "help"], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    for target in (
        "verify",
        "test",
        "quick",
        "lint",
        "format",
        "nightly",
        "bench",
        "certificates",
        "setup",
        "clean",
    ):
        assert f"make {target} " in answer.stdout


def write_report(folder: Path, **changes: int) -> Path:
    summary = {"replays": 300, "unexplained": 0, "violations": 12, **changes}
    (folder / "findings").mkdir()
    (folder / "findings" / "lost-update.yaml").write_text("name: lost update\n")
    (folder / "report.json").write_text(json.dumps({"summary": summary}))
    for name in ("index.html", "junit.xml"):
        (folder / name).write_text("<x/>")
    return folder


def test_a_report_that_found_what_it_must(tmp_path: Path) -> None:
    assert load(".ci/check_report.py").complaints(write_report(tmp_path)) == []


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"replays": 0}, "nothing was replayed"),
        ({"unexplained": 2}, "2 differences have no explanation"),
        ({"violations": 0}, "no violation found"),
    ],
)
def test_a_report_that_did_not(tmp_path: Path, changes: dict[str, int], complaint: str) -> None:
    (found,) = load(".ci/check_report.py").complaints(write_report(tmp_path, **changes))
    assert complaint in found


def test_a_report_without_its_page_or_its_findings(tmp_path: Path) -> None:
    complaints = load(".ci/check_report.py").complaints
    write_report(tmp_path)
    (tmp_path / "findings" / "lost-update.yaml").unlink()
    assert complaints(tmp_path) == ["no finding was written as a scenario that can be replayed"]
    (tmp_path / "index.html").write_text("")
    assert complaints(tmp_path) == ["index.html is missing or empty"]
