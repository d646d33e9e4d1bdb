"""ALTER TABLE: one parser for each kind of change."""
