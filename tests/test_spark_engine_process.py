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
engine = SparkEngine()
print(engine.process.gateway.proc.pid, engine.process.folder, flush=True)
"""

CLOSED = """
replay = engine.open(case)
replay.begin("A")
engine.close()
engine = SparkEngine()
replay = engine.open(case)
replay.begin("A")
print(replay.commit("A").outcome)
engine.close()
"""

INTERRUPTED = """
replay = engine.open(case)
replay.begin("A")
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

DEAD = """
replay = engine.open(case)
replay.begin("A")
os.kill(engine.process.gateway.proc.pid, signal.SIGKILL)
for step in (replay.commit, replay.begin):
    try:
        step("A" if step == replay.commit else "B")
    except EngineError as error:
        print(error.scenario, "|", error.step, "|", "has died" in error.message)
try:
    engine.open(case)
except EngineError as error:
    print(error.scenario, "|", "has died" in error.message)
engine.close()
"""

HUNG = """
engine.open(case).close()
replay = engine.open(case)
engine.step_seconds = 0.0
try:
    replay.begin("A")
except EngineError as error:
    print(error)
engine.close()
"""


class Run:
    """A Python program that drives an engine, and the JVM and the folder that it made."""

    def __init__(self, program: str):
        self.process = subprocess.Popen(
            [sys.executable, "-c", BEGINNING + program],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline().split()
        assert first, self.process.communicate()[1]
        self.jvm = os.pidfd_open(int(first[0]))
        self.folder = Path(first[1])

    def wait_until_ready(self) -> None:
        """Return once the program says that it holds a transaction."""
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def end(self) -> list[str]:
        """What the program still prints; nothing may be left once it has ended."""
        out, err = self.process.communicate(timeout=PATIENCE)
        ended, _, _ = select.select([self.jvm], [], [], PATIENCE)
        os.close(self.jvm)
        assert ended, "the JVM is still there"
        assert not self.folder.exists()
        assert err == ""
        return out.splitlines()


pytest.importorskip("select")
if not hasattr(os, "pidfd_open"):
    pytest.skip("waits for processes that are not its children", allow_module_level=True)


def test_close_leaves_nothing_and_a_new_engine_can_start() -> None:
    assert Run(CLOSED).end() == ["committed"]


def test_interrupt_leaves_nothing() -> None:
    run = Run(INTERRUPTED)
    run.wait_until_ready()
    run.process.send_signal(signal.SIGINT)
    assert run.end() == ["closed"]


def test_a_killed_python_leaves_nothing() -> None:
    run = Run(KILLED)
    run.wait_until_ready()
    run.process.kill()
    assert run.end() == []


def test_a_killed_engine_is_an_error_that_names_scenario_and_step() -> None:
    assert Run(DEAD).end() == [
        "a case | commit A | True",
        "a case | begin B | True",
        "a case | True",
    ]


def test_an_engine_that_does_not_answer_in_time() -> None:
    assert Run(HUNG).end() == ["scenario 'a case', step 'begin A': no answer within 0 s"]
