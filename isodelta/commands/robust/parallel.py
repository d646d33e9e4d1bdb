"""Answers about many tables by several processes, in the order of the tables."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields
from typing import Any

from checker.robustness.answer import Answer, robustness
from checker.robustness.jobs.workload import Jobs
from isodelta.commands.robust.sources import Files, Project, read_project
from model.profiles.base import Profile

FEWEST = 6
"""The least number of tables for which other processes save more time than they cost."""


def processes(tables: int) -> int:
    """The number of processes for this many tables; 1 means that this process does the work."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:
        cores = os.cpu_count() or 1
    return min(cores, tables) if tables >= FEWEST else 1


class Answers:
    """The answers about the tables of a project, computed by other processes.

    They read the same files again, since prepared jobs hold functions, which cannot be pickled. So
    :meth:`next` is given the jobs that the answer is about.
    """

    def __init__(self, files: Files, rules: Profile, tables: int, workers: int) -> None:
        self._pool = ProcessPoolExecutor(
            workers, multiprocessing.get_context("spawn"), _start, (files, rules)
        )
        self._answers: Iterator[Mapping[str, Any]] = self._pool.map(_answer, range(tables))

    def next(self, jobs: Jobs) -> Answer:
        """The answer about the next table."""
        return Answer(jobs=jobs, **next(self._answers))

    def close(self) -> None:
        """Stops the processes; answers that were not requested are dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)


_project: Project
_rules: Profile


def _start(files: Files, rules: Profile) -> None:
    """Reads the project, in each of the other processes."""
    global _project, _rules
    _project, _rules = read_project(files), rules


def _answer(number: int) -> Mapping[str, Any]:
    """All but the jobs of the answer about one table."""
    name, shown = _project.written[number]
    answer = robustness(_project.table(name, shown, _rules).jobs)
    return {f.name: getattr(answer, f.name) for f in fields(answer) if f.name != "jobs"}
