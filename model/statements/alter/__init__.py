"""ALTER TABLE and the commits of its own that some of its forms make."""
