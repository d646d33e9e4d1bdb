"""All schedules of the same transactions on a real engine, each step run once.

Schedules share prefixes. What a transaction does depends on three things only: the table that it
saw at its begin, the commits that came before its own, and its statement. So the schedules form a
tree of tables, and each edge, one transaction run from one of its tables past some winners, is
run on the engine once::

    with Forest(engine) as forest:
        for seen in forest.observe(scenario, level, schedules):
            seen.observation  # what the plain replay observes
            seen.plainly      # None, or why this schedule was replayed plainly

Nothing is approximated: the engine runs every statement on the very files, and its own conflict
check meets the winners as commits in the log.
"""
