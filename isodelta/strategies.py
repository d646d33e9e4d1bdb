"""Hypothesis strategies for tables, SQL over them, schedules and whole scenarios.

All SQL is valid, and within what the model knows. A failing example shrinks to few transactions,
short statements, one row of ones, int columns, no partitions, and a serial schedule::

    from hypothesis import given
    import isodelta
    from isodelta.strategies import scenarios

    @given(scenarios(levels=["WriteSerializable"]))
    def test_the_level_is_kept(scenario):
        run = isodelta.run(scenario)
        assert isodelta.judge(run.history)["WriteSerializable"].verdict != "violated"
"""

from checker.generators.strategies import predicates, scenarios, schedules, statements, tables

__all__ = ["predicates", "scenarios", "schedules", "statements", "tables"]
