"""Work on Spark: campaigns of replays, histories and logs that one machine does not hold.

Work on executors runs as Arrow batches through functions of arrays, which need no Spark to be
tested. ``segments`` judges large recorded histories; ``campaign`` takes random histories through
the ``stages`` into the Delta tables of a ``store``.
"""
