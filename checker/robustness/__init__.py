"""Whether jobs that run at the same time, any number of times, always leave a serial order.

``answer.robustness`` gives the answer: by the theorem for any number of instances
(``roles``), or with the smallest history that has no serial order (``witness``).
"""

from __future__ import annotations
