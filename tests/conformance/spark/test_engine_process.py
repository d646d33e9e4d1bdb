"""What the engine leaves behind, however it ends: no process, no folder, a clear error."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

PATIENCE = 180.0

BEGINNING = """
import os, signal, sys, threading
from conformance.engine import EngineError
from conformance.spark.engine import SparkEngine
from model.scenario import Scenario, Step, TableSpec

table = TableSpec({"k": "int"}, setup=("INSERT INTO t VALUES (1)",))
case = Scenario("a case", table, {"A": "DELETE FROM t", "B": "DELETE FROM t"}, ())

def started():
    engine = SparkEngine()
    print(engine.process.gateway.proc.pid, engine.process.folder, flush=True)
    return engine

engine = started()
"""

DEAD_THEN_INTERRUPTED = """
replay = engine.open(case)
replay.begin("A")
os.kill(engine.process.gateway.proc.pid, signal.SIGKILL)
for step in (replay.commit, replay.begin):
    try:
        step("A" if step == replay.commit else "B")
    except EngineError as error:
        print(error.scenario, "|", error.step, "|", "has died" in error.message, flush=True)
try:
    engine.open(case)
except EngineError as error:
    print(error.scenario, "|", "has died" in error.message, flush=True)
engine.close()

engine = started()
replay = engine.open(case)
replay.begin("A")
print(replay.commit("A").outcome)
held, slow = engine.open(case), engine.open(case)
held.begin("A")
replay = engine.open(case)
replay.begin("A")
patience, engine.step_seconds = engine.step_seconds, 0.0
try:
    slow.begin("A")
except EngineError as error:
    print(error)
engine.step_seconds = patience
try:
    print("ready", flush=True)
    threading.Event().wait()
except KeyboardInterrupt:
    replay.close()
    print("closed")
finally:
    engine.close()
"""

KILLED = """
replay = engine.open(case)
replay.begin("A")
print("ready", flush=True)
threading.Event().wait()
"""


class Run:
    """A Python program that drives engines, and the JVMs and folders that it made."""

    def __init__(self, program: str):
        self.process = subprocess.Popen(
            [sys.executable, "-c", BEGINNING + program],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.jvms: list[int] = []
        self.folders: list[Path] = []
        self.meet_engine()

    def line(self) -> str:
        """The next line that the program prints."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        return line.rstrip("\n")

    def meet_engine(self) -> None:
        """Return once the program has started an engine."""
        jvm, folder = self.line().split()
        self.jvms.append(os.pidfd_open(int(jvm)))
        self.folders.append(Path(folder))

    def end(self) -> list[str]:
        """What the program still prints; nothing may be left once it has ended."""
        out, err = self.process.communicate(timeout=PATIENCE)
        for jvm, folder in zip(self.jvms, self.folders, strict=True):
            ended, _, _ = select.select([jvm], [], [], PATIENCE)
            os.close(jvm)
            assert ended, "the JVM is still there"
            assert not folder.exists()
        assert err == ""
        return out.splitlines()


pytest.importorskip("select")
if not hasattr(os, "pidfd_open"):
    pytest.skip("waits for processes that are not its children", allow_module_level=True)


def test_a_dead_engine_is_an_error_and_the_next_one_leaves_nothing_when_interrupted() -> None:
    """The errors name scenario and step. At the interrupt one transaction is held, one unanswered.

    One program for both, since the start of an engine is what takes the time.
    """
    run = Run(DEAD_THEN_INTERRUPTED)
    assert [run.line(), run.line(), run.line()] == [
        "a case | commit A | True",
        "a case | begin B | True",
        "a case | True",
    ]
    run.meet_engine()
    assert run.line() == "committed"
    assert run.line() == "scenario 'a case', step 'begin A': no answer within 0 s"
    assert run.line() == "ready"
    run.process.send_signal(signal.SIGINT)
    assert run.end() == ["closed"]


def test_a_killed_python_leaves_nothing() -> None:
    run = Run(KILLED)
    assert run.line() == "ready"
    run.process.kill()
    assert run.end() == []
