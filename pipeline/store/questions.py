"""Questions that researchers ask of a store, as Spark SQL over its tables.

``isodelta campaign report`` answers all of them, and docs/campaigns.md shows them. The tables are
views of their own names.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

from pipeline.store.schemas import TABLES
from pipeline.store.store import Store, failing_clearly


@dataclass(frozen=True, slots=True)
class Question:
    """A question: a name for it, its words, and the query that answers it.

    ``bar`` is the column that a picture shows as the length of a bar, if there is one.
    """

    name: str
    asks: str
    sql: str
    bar: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows that answer a question."""

    question: Question
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    def to_json(self) -> dict[str, object]:
        """The object that ``campaign report --json`` prints."""
        return {
            "question": self.question.name,
            "asks": self.question.asks,
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
        }


QUESTIONS = (
    Question(
        "runs",
        "What did each run do?",
        """
        SELECT run, min(seed) AS seed, min(position) AS first_position,
               sum(positions) AS positions, min(profile) AS profile, min(engine) AS engine,
               sum(schedules) AS schedules, sum(histories) AS histories, sum(replays) AS replays,
               sum(differences) AS differences, sum(violations) AS violations,
               max(complete) AS complete, round(sum(seconds), 1) AS seconds
        FROM runs GROUP BY run ORDER BY run
        """,
        "schedules",
    ),
    Question(
        "trends",
        "Does a run still find causes that no earlier batch had?",
        """
        WITH first AS (
          SELECT kind, cause, min(struct(run, batch)) AS seen FROM findings GROUP BY kind, cause
        )
        SELECT seen.run AS run, seen.batch AS batch, kind, count(*) AS new_causes
        FROM first GROUP BY seen.run, seen.batch, kind ORDER BY run, batch, kind
        """,
        "new_causes",
    ),
    Question(
        "causes",
        "Which causes are there, and how often was each met?",
        """
        SELECT kind, cause, profile, engine, sum(count) AS histories, min(history) AS example,
               max(minimal) AS minimal
        FROM findings GROUP BY kind, cause, profile, engine
        ORDER BY kind DESC, histories DESC, cause LIMIT 50
        """,
        "histories",
    ),
    Question(
        "anomalies by statement pair",
        "Which statements meet in histories that break a promised level?",
        """
        SELECT least(a, b) AS one, greatest(a, b) AS other, level, count(*) AS histories
        FROM (
          SELECT DISTINCT history, level, a, b FROM (
            SELECT v.history, v.level, h.statements, pa, a, pb, b
            FROM verdicts v JOIN histories h USING (run, history)
            LATERAL VIEW posexplode(h.statements) x AS pa, a
            LATERAL VIEW posexplode(h.statements) y AS pb, b
            WHERE v.cause IS NOT NULL AND v.promised
          ) WHERE pa < pb
        )
        GROUP BY one, other, level ORDER BY histories DESC, one, other LIMIT 40
        """,
        "histories",
    ),
    Question(
        "abort rates",
        "How often does a transaction that overlaps others abort, by level and layout?",
        """
        SELECT p.profile, h.level, h.layout, count(*) AS histories, sum(p.aborts) AS aborts,
               sum(p.overlaps) AS overlaps,
               round(sum(p.aborts) / nullif(sum(p.overlaps), 0), 3) AS rate
        FROM predictions p JOIN histories h USING (run, history)
        GROUP BY p.profile, h.level, h.layout ORDER BY p.profile, h.level, h.layout
        """,
        "rate",
    ),
    Question(
        "rules",
        "Which rule refuses which statement, and because of which?",
        """
        SELECT profile, split(what, ': ')[0] AS rule, split(what, ': ')[1] AS pair,
               sum(count) AS transactions
        FROM coverage WHERE kind = 'rule and pair' GROUP BY profile, what
        ORDER BY transactions DESC, pair LIMIT 40
        """,
        "transactions",
    ),
    Question(
        "never reached",
        "What was never reached by any run?",
        """
        SELECT profile, kind, count(*) AS never, slice(sort_array(collect_list(what)), 1, 5) AS some
        FROM (
          SELECT profile, kind, what FROM coverage
          GROUP BY profile, kind, what HAVING sum(count) = 0
        )
        GROUP BY profile, kind ORDER BY profile, kind
        """,
        "never",
    ),
    Question(
        "levels told apart",
        "Which pairs of levels does some history tell apart?",
        """
        SELECT profile, what, sum(count) AS histories FROM coverage
        WHERE kind = 'told apart' GROUP BY profile, what ORDER BY profile, histories DESC, what
        """,
        "histories",
    ),
    Question(
        "outcomes that differ",
        "Which transactions end otherwise on the engine than predicted? (a join of the two)",
        """
        SELECT r.engine, predicted.statement, predicted.outcome AS predicted,
               observed.outcome AS observed, count(*) AS transactions, min(r.history) AS example
        FROM (SELECT run, history, profile, engine, explode(transactions) AS observed
              FROM replays WHERE error IS NULL) r
        JOIN (SELECT run, history, profile, explode(transactions) AS predicted FROM predictions) p
          ON r.run = p.run AND r.history = p.history AND r.profile = p.profile
         AND observed.name = predicted.name
        WHERE observed.outcome <> predicted.outcome
        GROUP BY r.engine, predicted.statement, predicted.outcome, observed.outcome
        ORDER BY transactions DESC, statement LIMIT 40
        """,
        "transactions",
    ),
    Question(
        "disagreements of profiles",
        "Where do two profiles predict different outcomes for one history?",
        """
        SELECT a.profile AS one, b.profile AS other, count(*) AS histories,
               min(a.history) AS example
        FROM predictions a JOIN predictions b
          ON a.run = b.run AND a.history = b.history AND a.profile < b.profile
        WHERE transform(a.transactions, x -> x.outcome) <> transform(b.transactions, x -> x.outcome)
        GROUP BY a.profile, b.profile ORDER BY histories DESC
        """,
        "histories",
    ),
)
"""In the order of the report."""


def answers(store: Store) -> list[Answer]:
    """The answers of a store to every question. Raises PipelineFailed."""
    made = []
    with failing_clearly("the store cannot be asked"):
        for table in TABLES.values():
            store.read(table).createOrReplaceTempView(table.name)
        for question in QUESTIONS:
            frame: Any = store.session.sql(question.sql)
            rows = tuple(tuple(row) for row in frame.collect())
            made.append(Answer(question, tuple(frame.columns), rows))
    return made


def markdown() -> str:
    """The questions and their queries, as docs/campaigns.md shows them."""
    parts = [
        f"### {question.asks}\n\n```sql\n{textwrap.dedent(question.sql).strip()}\n```\n"
        for question in QUESTIONS
    ]
    return "\n".join(parts)
