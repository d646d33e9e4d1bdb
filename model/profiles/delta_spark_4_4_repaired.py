"""Profile delta-spark-4.4-repaired: one more rule, which no implementation has.

With it a WriteSerializable table keeps what it promises.
"""

from __future__ import annotations

from dataclasses import replace

from model.profiles import delta_spark_4_4
from model.rules import read_through_append

PROFILE = replace(
    delta_spark_4_4.PROFILE,
    name="delta-spark-4.4-repaired",
    source="delta-spark-4.4 and the rule of checker/proofs/theorems/repair.py",
    rules=(*delta_spark_4_4.PROFILE.rules, read_through_append.RULE),
)
