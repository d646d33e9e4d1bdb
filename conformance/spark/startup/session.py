"""The one Spark session of a process, with the settings that replays need."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from conformance.engine import EngineError
from conformance.extras import missing
from conformance.spark.startup.settings import JVM_OPTIONS, LOGGING, REPLAY, Setting, settings

STOP_SECONDS = 20.0
DYING_SECONDS = 5.0

GREETINGS = ("WARNING: Using incubator", "Setting default log level", "To adjust logging level")
"""Lines that every JVM prints at its start; they do not explain why it died."""


class SparkProcess:
    """A JVM with a Spark session in it, and the temporary folder that both live in.

    The JVM is this process's child. It ends when :meth:`close` is called, or when the pipe to
    it breaks because this process died; in the latter case it removes the folder itself.
    """

    def __init__(
        self,
        jars: Sequence[Path],
        java_home: Path | None,
        cores: int,
        chosen: Sequence[Setting] = REPLAY,
        java_options: Sequence[str] = (),
    ):
        self.stop_seconds = STOP_SECONDS
        self._java_options = (*JVM_OPTIONS, *java_options)
        self.folder = Path(tempfile.mkdtemp(prefix="isodelta-"))
        self._jvm_log = self.folder / "jvm.log"
        self.gateway: Any = None
        self.context: Any = None
        self.session: Any = None
        try:
            self._start(jars, java_home, cores, chosen)
        except EngineError:
            self.close()
            raise
        except Exception as error:
            message = f"Spark did not start: {error}{self.last_words()}"
            self.close()
            raise EngineError(message) from error
        except BaseException:
            self.close()
            raise

    def _start(
        self, jars: Sequence[Path], java_home: Path | None, cores: int, chosen: Sequence[Setting]
    ) -> None:
        if absent := missing("pyspark"):
            raise EngineError(absent)
        from pyspark import SparkConf, SparkContext
        from pyspark.java_gateway import ensure_callback_server_started, launch_gateway
        from pyspark.sql import SparkSession

        if SparkContext._active_spark_context is not None:
            raise EngineError("this process already runs a Spark session")
        log4j = self.folder / "log4j2.properties"
        log4j.write_text(LOGGING, "utf-8")
        conf = SparkConf(loadDefaults=False)
        for key, value in settings(self.folder, cores, chosen).items():
            conf.set(key, value)
        conf.set("spark.driver.extraClassPath", os.pathsep.join(map(str, own_jars(jars))))
        conf.set(
            "spark.driver.extraJavaOptions",
            " ".join(
                (
                    *self._java_options,
                    f"-Dlog4j2.configurationFile={log4j.as_uri()}",
                    f"-Djava.io.tmpdir={self.folder}",
                )
            ),
        )
        # Python on executors is the one that runs this, where nobody says otherwise.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        saved = os.environ.get("JAVA_HOME")
        if java_home is not None:
            os.environ["JAVA_HOME"] = str(java_home)
        try:
            with self._jvm_log.open("wb") as log:
                self.gateway = launch_gateway(conf, {"stdout": log, "stderr": log})
        finally:
            if java_home is not None:
                os.environ.pop("JAVA_HOME")
                if saved is not None:
                    os.environ["JAVA_HOME"] = saved
        ensure_callback_server_started(self.gateway)
        logging.getLogger().addFilter(_not_from_py4j)
        logging.getLogger("py4j").propagate = False
        # PySpark prints every failing statement to standard error; here failures are outcomes.
        logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
        self.context = SparkContext(conf=conf, gateway=self.gateway)
        self.session = SparkSession(self.context)
        hadoop = self.context._jsc.hadoopConfiguration()
        folder = self.gateway.jvm.org.apache.hadoop.fs.Path(str(self.folder))
        folder.getFileSystem(hadoop).deleteOnExit(folder)

    @property
    def alive(self) -> bool:
        """True if the JVM is still running."""
        return self.gateway is not None and self.gateway.proc.poll() is None

    @property
    def stopped(self) -> bool:
        """True if Spark has stopped: then a statement's error says nothing about the statement."""
        from py4j.protocol import Py4JError

        try:
            return not self.alive or bool(self.context._jsc.sc().isStopped())
        except (Py4JError, OSError):
            return True

    @contextmanager
    def watched(self, scenario: str, step: str) -> Iterator[None]:
        """Turn a lost connection into an EngineError that names scenario and step."""
        from py4j.protocol import Py4JError, Py4JJavaError

        try:
            yield
        except Py4JJavaError:
            raise
        except (Py4JError, OSError) as error:
            raise EngineError(self.explained(error), scenario=scenario, step=step) from error

    def explained(self, error: object) -> str:
        """An unforeseen error in words, with the JVM's last output if it has died.

        After an exception a dying JVM is given time to exit; its connections end first.
        """
        if isinstance(error, Exception) and self.gateway is not None:
            with suppress(subprocess.TimeoutExpired):
                self.gateway.proc.wait(DYING_SECONDS)
        if self.alive:
            return f"{error}"
        return f"the engine's process has died ({error}){self.last_words()}"

    def last_words(self) -> str:
        """The end of the JVM's output, for an error message; empty if it wrote nothing."""
        if not self._jvm_log.exists():
            return ""
        text = self._jvm_log.read_text("utf-8", "replace")
        lines = [line for line in text.splitlines() if line and not line.startswith(GREETINGS)]
        return "".join(f"\n  {line}" for line in lines[-5:])

    def versions(self) -> dict[str, str]:
        """Versions of Spark, Delta, Java and Scala."""
        jvm = self.gateway.jvm
        return {
            "spark": self.session.version,
            "delta": jvm.io.delta.package.VERSION(),
            "delta-spark": version("delta-spark"),
            "java": jvm.System.getProperty("java.version"),
            "scala": jvm.scala.util.Properties.versionNumberString(),
        }

    def close(self) -> None:
        """Stop Spark, end the JVM, by force if it does not comply, and remove the folder."""
        process: subprocess.Popen[bytes] | None = getattr(self.gateway, "proc", None)
        if process is not None:
            self._forget_session()
            # First: from here on, references that Python drops are no longer sent to the JVM.
            self.gateway.shutdown()
            if process.stdin:
                process.stdin.close()
            try:
                process.wait(self.stop_seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.gateway = self.context = self.session = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def _forget_session(self) -> None:
        """Let PySpark start anew in this process; the JVM ends with its own process.

        An orderly stop of the session would wait for statements that are held at a phase.
        """
        from pyspark import SparkContext
        from pyspark.sql import SparkSession

        SparkContext._active_spark_context = None
        SparkContext._gateway = None
        SparkContext._jvm = None
        SparkSession._instantiatedSession = None


def _not_from_py4j(record: logging.LogRecord) -> bool:
    """Filters Py4J's log of broken connections, also at the root; the caller gets an error."""
    return Path(record.pathname).parent.name != "py4j"


def own_jars(jars: Sequence[Path]) -> list[Path]:
    """The JARs whose artifact Spark does not include: Spark's own version must win."""
    import pyspark

    bundled = {_unversioned(j) for j in (Path(pyspark.__file__).parent / "jars").glob("*.jar")}
    return [
        jar
        for jar in jars
        if not any(_unversioned(jar) == b or _unversioned(jar).endswith(f"_{b}") for b in bundled)
    ]


def _unversioned(jar: Path) -> str:
    return re.sub(r"-\d.*$", "", jar.stem)
