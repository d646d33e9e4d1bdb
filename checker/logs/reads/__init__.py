"""The bounds of what a logged commit read: its predicate, and what that says of whole files."""
