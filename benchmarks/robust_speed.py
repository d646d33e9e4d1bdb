"""The time of ``isodelta robust`` for a folder of 200 jobs over 40 tables, and for ten statements.

Run it with ``python benchmarks/robust_speed.py [TABLES]``. The folder is generated: each table has
a stream that appends, a MERGE of changes, a deletion by a list of requests, a load of what is not
there yet, and a refresh that overwrites a day. The goals are 60 seconds on two cores for the
folder, and 5 seconds for one file of ten statements. Processor time is given as well, since other
work on the machine lengthens wall time.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLES = 40

DEFINITION = (
    "CREATE TABLE IF NOT EXISTS shop.{name} (id BIGINT, day DATE, status STRING, amount BIGINT) "
    "USING delta{layout};\n"
)
JOBS = {
    "stream": "INSERT INTO shop.{name} SELECT id, day, status, amount FROM raw.{name};",
    "apply": "MERGE INTO shop.{name} t USING changes.{name} s ON t.id = s.id "
    "WHEN MATCHED AND s.op = 'D' THEN DELETE WHEN MATCHED THEN UPDATE SET status = s.status "
    "WHEN NOT MATCHED THEN INSERT (id, day, status, amount) "
    "VALUES (s.id, s.day, s.status, s.amount);",
    "erase": "DELETE FROM shop.{name} WHERE id IN (SELECT id FROM gdpr.requests) AND day < :day;",
    "fill": "INSERT INTO shop.{name} SELECT id, day, status, amount FROM late.{name} s "
    "WHERE NOT EXISTS (SELECT 1 FROM shop.{name} t WHERE t.id = s.id);",
    "refresh": "OPTIMIZE shop.{name}; INSERT INTO shop.{name} REPLACE WHERE day = :day "
    "SELECT id, day, upper(status), amount FROM late.{name} WHERE day = :day;",
}
TEN = (
    *("VACUUM shop.t0;", "OPTIMIZE shop.t0;"),
    *(f"UPDATE shop.t0 SET status = 'x{n}' WHERE id = {n};" for n in range(4)),
    *(f"DELETE FROM shop.t0 WHERE status = 'x{n}' AND day < :day;" for n in range(3)),
    "INSERT INTO shop.t0 VALUES (:id, :day, 'new', 1);",
)


def folder(place: Path, tables: int) -> None:
    """Writes the jobs of so many tables, five for each."""
    for number in range(tables):
        layout = (" PARTITIONED BY (day)", "", " CLUSTER BY (id)")[number % 3]
        for job, text in JOBS.items():
            name = f"t{number}"
            head = DEFINITION.format(name=name, layout=layout) if job == "stream" else ""
            (place / f"{job}_{name}.sql").write_text(head + text.format(name=name))


def measure(files: Path) -> tuple[float, float, Counter[str]]:
    """Wall and processor seconds of one call, and its verdicts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    command = [sys.executable, "-m", "isodelta", "robust", str(files), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    verdicts = Counter(json.loads(line)["verdict"] for line in done.stdout.splitlines())
    return wall, used, verdicts


def main() -> None:
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else TABLES
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        (place / "jobs").mkdir()
        folder(place / "jobs", tables)
        definition = DEFINITION.format(name="t0", layout=" PARTITIONED BY (day)")
        (place / "ten.sql").write_text(definition + "\n".join(TEN))
        asked = {
            f"{5 * tables} jobs over {tables} tables": place / "jobs",
            "one file of ten statements": place / "ten.sql",
        }
        print(f"{'':36}{'wall s':>10}{'processor s':>14}  verdicts")
        for what, files in asked.items():
            wall, used, verdicts = measure(files)
            print(f"{what:36}{wall:10.1f}{used:14.1f}  {dict(verdicts)}")


if __name__ == "__main__":
    main()
