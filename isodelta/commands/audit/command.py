"""``isodelta audit``: the log of an existing table, checked."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from isodelta.commands.pipeline import Course, Progress, run
from isodelta.exits import BadInput
from isodelta.options import Common, common_options

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from isodelta.commands.audit.results import Audited, AuditSummary, ReportedFinding


class Moment(click.ParamType[int]):
    """A time such as ``2026-05-01`` or ``2026-05-01T12:00:00Z``, as milliseconds since 1970.

    It is in UTC if it does not say otherwise.
    """

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            moment = datetime.fromisoformat(str(value).strip())
        except ValueError:
            self.fail(
                f"{value!r} is not a time; write 2026-05-01 or 2026-05-01T12:00:00", param, ctx
            )
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return int(moment.timestamp() * 1000)


@click.command(short_help="Check the log of an existing Delta table.")
@click.argument("table", metavar="TABLE", type=click.Path())
@click.option(
    "--from",
    "first",
    type=click.IntRange(0),
    default=0,
    metavar="VERSION",
    help="The first version that is asked about; earlier ones are only read.",
)
@click.option(
    "--to", "last", type=click.IntRange(0), metavar="VERSION", help="The last version asked about."
)
@click.option("--since", type=Moment(), metavar="TIME", help="Commits from this time on.")
@click.option(
    "--jobs",
    "jobs_file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the workload that the log shows, for isodelta robust.",
)
@click.option(
    "--spark",
    "on_spark",
    is_flag=True,
    help="Read the commits on Spark, ranges of versions as tasks: for logs of many commits.",
)
@click.option(
    "--master",
    metavar="URL",
    help="The master for --spark: local[N], or a cluster that sees the table. Default: local[*].",
)
@common_options
def command(
    table: str,
    first: int,
    last: int | None,
    since: int | None,
    jobs_file: str | None,
    on_spark: bool,
    master: str | None,
    common: Common,
) -> int:
    """Check the log of an existing table: its structure, overlapping commits, and both levels.

    TABLE is a folder or a URL (s3://, gs://, az://, ...). Nothing is written to it. Reads are not
    in a log: a verdict says whether it holds or is violated whatever was read, or what it depends
    on. Exit code 1 says that there is a finding.
    """
    if last is not None and last < first:
        raise BadInput(f"--to {last} comes before --from {first}")
    if on_spark and master is None:
        master = "local[*]"
    return run(Auditing(table, first, last, since, jobs_file, common, master), common)


@dataclass
class Auditing(Course["ReportedFinding"]):
    """The audit of one table."""

    table: str
    first: int
    last: int | None
    since: int | None
    jobs_file: str | None
    common: Common
    master: str | None = None
    doing = "reading the log"
    _done: list[Audited] = field(default_factory=list)

    def results(self, progress: Progress) -> Iterator[ReportedFinding]:
        from checker.logs.audit import Window
        from isodelta.commands.audit.results import ReportedFinding, audited

        # Millions of objects without cycles of references.
        gc.disable()
        try:
            window = Window(self.first, self.last, self.since)
            done = audited(self.table, window, progress, self.master)
        finally:
            gc.enable()
        self._done.append(done)
        yield from map(ReportedFinding, done.audit.findings)
        if self.jobs_file is not None:
            from isodelta.commands.audit.jobs import write_workload

            write_workload(done.audit, self.jobs_file)

    def good(self, results: Sequence[ReportedFinding]) -> bool:
        return not results

    def words(self, result: ReportedFinding, console: Console) -> None:
        from isodelta.commands.audit.words import print_finding

        print_finding(result.finding, console)

    def closing_words(self, results: Sequence[ReportedFinding], console: Console) -> None:
        from isodelta.commands.audit.words import print_audit

        for done in self._done:
            print_audit(done, console)

    def summary(self) -> AuditSummary | None:
        return self._done[0].summary if self._done else None

    def write_report(
        self, results: Sequence[ReportedFinding], folder: Path, seconds: float, cut_short: str
    ) -> None:
        from isodelta.commands.audit.page import write_audit_report

        for done in self._done:
            write_audit_report(folder, done, cut_short)
