"""Scenarios made small on a real engine, and the causes that tell findings apart.

How to call it, with a finding that a replay has shown::

    replayed = campaign.replay(engine, job, profile)
    for symptom in symptoms(replayed.comparison):
        small = minimise_on_engine(engine, replayed, profile, symptom, seconds=30)
        cause = small.cause  # hashable; keep one scenario for each

``small.job.scenario`` is the scenario to keep, ``small.comparison`` what the engine did with it,
and ``small.finished`` tells whether no smaller step was left or the time ran out.
"""
