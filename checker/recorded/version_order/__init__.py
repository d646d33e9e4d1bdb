"""The order of versions that a recorded history does not state: inferred, then searched."""
