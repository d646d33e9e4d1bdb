"""The log of an existing table, judged: its structure, its overlaps, and the levels it kept."""
