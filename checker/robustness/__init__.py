"""The analysis of concurrent jobs: it decides whether all their runs have a serial order.

``answer.robustness`` gives the answer, either by the theorem for any number of instances
(``roles``) or with the smallest history without a serial order (``search``).
"""

from __future__ import annotations
