"""A campaign on a real standalone cluster with two workers, one of whose executors dies."""

import os
import re
import signal
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from conformance.spark.startup.java import find_java
from isodelta.files.scenario_writer import scenario_yaml
from pipeline.campaign import Campaign
from pipeline.cluster.session import started
from tests.pipeline.test_campaign import contents, mutant, small

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.nightly]

SECONDS = 240.0


def launched(stack, log, *arguments):
    """One part of the cluster; ends with ``stack``."""
    import pyspark

    java = find_java()
    if java is None:
        pytest.skip("no Java that Spark runs on was found")
    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "JAVA_HOME": str(java.path),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    output = stack.enter_context(log.open("wb"))
    process = subprocess.Popen(
        [str(home / "bin" / "spark-class"), *arguments],
        stdout=output,
        stderr=subprocess.STDOUT,
        env=environment,
        cwd=log.parent,
        start_new_session=True,
    )

    def end():
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    stack.callback(end)
    return process


def said(log, pattern, times=1):
    """Waits until a log has said something so many times; gives the last match."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        matches = list(re.finditer(pattern, log.read_text("utf-8", "replace")))
        if len(matches) >= times:
            return matches[-1]
        time.sleep(0.2)
    raise AssertionError(f"{log} never said {pattern}: {log.read_text('utf-8', 'replace')[-2000:]}")


def executors(parent):
    """The processes of executors below a worker."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    ).stdout
    return [
        int(line.split()[0])
        for line in listed.splitlines()
        if "CoarseGrainedExecutorBackend" in line and int(line.split()[1]) == parent
    ]


def test_a_campaign_on_a_cluster_loses_an_executor_and_has_the_tables_of_one_that_did_not(
    tmp_path,
):
    with ExitStack() as stack:
        master, packages = tmp_path / "master.log", "org.apache.spark.deploy"
        ports = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        launched(stack, master, f"{packages}.master.Master", *ports)
        url = said(master, r"Starting Spark master at (spark://\S+)")[1]
        workers = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            sizes = ("--cores", "1", "--memory", "1g", "--work-dir", str(tmp_path / name))
            log = tmp_path / f"{name}.log"
            arguments = (f"{packages}.worker.Worker", *ports, *sizes, url)
            workers.append(launched(stack, log, *arguments))
        said(master, r"Registering worker", 2)
        killed = []

        def progress(text):
            if "batch 0: coverage" in text and not killed:
                for process in executors(workers[0].pid):
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)

        overrides = {"spark.executor.memory": "700m", "spark.driver.host": "127.0.0.1"}
        with started(url, overrides) as session:
            stores = (tmp_path / "disturbed", tmp_path / "undisturbed")
            for folder in stores:
                chosen = progress if folder is stores[0] else lambda text: None
                campaign = Campaign(
                    session, folder, small(), scenario_yaml, start=mutant, progress=chosen
                )
                for _ in campaign.batches():
                    pass
                assert campaign.totals.complete
                assert campaign.totals.replays
            assert killed
            assert contents(session, stores[0]) == contents(session, stores[1])
