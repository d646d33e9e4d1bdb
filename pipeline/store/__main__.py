"""Prints the questions as docs/campaigns.md shows them: ``python -m pipeline.store``."""

from __future__ import annotations

import sys

from pipeline.store.questions import markdown

sys.stdout.write(markdown())
