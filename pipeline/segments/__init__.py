"""The judge of recorded histories that do not fit one machine, segment by segment.

Edges that lead forward in the order of the log close no cycle by themselves, so every cycle lies
in one connected union of the intervals that edges against the log span: a *segment*. Segments are
found by a pass over the operations of each key, and each is judged by the ordinary checker
(``checker.recorded.arrays``). ``checker.proofs.theorems.segments`` proves that this is exact.
"""
